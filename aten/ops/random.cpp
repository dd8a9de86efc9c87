// Drawing random tensors: parameters checked and broadcast, then one draw after the other in row-major order, so that the
// stream is NumPy's. Operators that were given no generator use default_generator().
#include <limits>
#include <mutex>
#include <optional>
#include <unordered_set>

#include "aten/core/parallel.h"
#include "aten/core/scratch.h"
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/random/blocks.h"
#include "aten/random/discrete.h"

namespace tnp::native {

namespace {

using random::Legacy;
using random::Modern;

enum class Must : uint8_t { Any, NonNegative, Positive, Unit, UnitAboveZero, UnitBelowOne, AboveOne, AtLeastOne, Rate, Count };

void check_parameter(const char* name, Must rule, const double* v, int64_t n) {
  auto all = [&](auto ok) { return std::all_of(v, v + n, ok); };
  switch (rule) {
    case Must::Any: return;
    case Must::NonNegative:
      TNP_CHECK(all([](double x) { return std::isnan(x) || !std::signbit(x); }), ErrorKind::Value, name, " < 0");
      return;
    case Must::Positive:
      TNP_CHECK(all([](double x) { return !(x <= 0); }), ErrorKind::Value, name, " <= 0");
      return;
    case Must::Unit:
      TNP_CHECK(all([](double x) { return x >= 0 && x <= 1; }), ErrorKind::Value, name, " < 0, ", name, " > 1 or ", name, " is NaN");
      return;
    case Must::UnitAboveZero:
      TNP_CHECK(all([](double x) { return x > 0 && x <= 1; }), ErrorKind::Value, name, " <= 0, ", name, " > 1 or ", name, " is NaN");
      return;
    case Must::UnitBelowOne:
      TNP_CHECK(all([](double x) { return x >= 0 && x < 1; }), ErrorKind::Value, name, " < 0, ", name, " >= 1 or ", name, " is NaN");
      return;
    case Must::AboveOne:
      TNP_CHECK(all([](double x) { return x > 1; }), ErrorKind::Value, name, " <= 1 or ", name, " is NaN");
      return;
    case Must::AtLeastOne:
      TNP_CHECK(all([](double x) { return x >= 1; }), ErrorKind::Value, name, " < 1 or ", name, " is NaN");
      return;
    case Must::Rate:
      TNP_CHECK(all([](double x) { return !(x > 9.223372006484771e18); }), ErrorKind::Value, name, " value too large");
      TNP_CHECK(all([](double x) { return x >= 0; }), ErrorKind::Value, name, " < 0 or ", name, " is NaN");
      return;
    case Must::Count:
      TNP_CHECK(all([](double x) { return x >= 0 && x < 9.2e18; }), ErrorKind::Value, name, " < 0");
      return;
  }
}

struct Parameter {
  const char* name;
  Must must;
};

struct Distribution {
  std::string_view name;
  std::vector<Parameter> parameters;
  bool discrete;
  // Exactly one pair is set.
  double (*modern)(Modern&, const double*);
  double (*legacy)(Legacy&, const double*);
  int64_t (*modern_int)(Modern&, const double*);
  int64_t (*legacy_int)(Legacy&, const double*);
};

template <class F>
Distribution continuous(std::string_view name, std::vector<Parameter> parameters, F f) {
  return {name, std::move(parameters), false, f, f, nullptr, nullptr};
}
template <class F>
Distribution discrete(std::string_view name, std::vector<Parameter> parameters, F f) {
  return {name, std::move(parameters), true, nullptr, nullptr, f, f};
}

// p[i] are the parameters, checked.
const std::vector<Distribution>& distributions() {
  using enum Must;
  static const std::vector<Distribution> table = {
      continuous("random", {}, [](auto& d, const double*) -> double { return d.uniform(); }),
      continuous("uniform", {{"low", Any}, {"high", Any}}, [](auto& d, const double* p) -> double { return p[0] + (p[1] - p[0]) * d.uniform(); }),
      continuous("standard_normal", {}, [](auto& d, const double*) -> double { return d.normal(); }),
      continuous("normal", {{"loc", Any}, {"scale", NonNegative}}, [](auto& d, const double* p) -> double { return p[0] + p[1] * d.normal(); }),
      continuous("lognormal", {{"mean", Any}, {"sigma", NonNegative}}, [](auto& d, const double* p) -> double { return std::exp(p[0] + p[1] * d.normal()); }),
      continuous("standard_exponential", {}, [](auto& d, const double*) -> double { return d.exponential(); }),
      continuous("standard_exponential_inv", {}, [](auto& d, const double*) -> double { return -std::log1p(-d.uniform()); }),
      continuous("exponential", {{"scale", NonNegative}}, [](auto& d, const double* p) -> double { return p[0] * d.exponential(); }),
      continuous("standard_gamma", {{"shape", NonNegative}}, [](auto& d, const double* p) -> double { return random::standard_gamma(d, p[0]); }),
      continuous("gamma", {{"shape", NonNegative}, {"scale", NonNegative}}, [](auto& d, const double* p) -> double { return p[1] * random::standard_gamma(d, p[0]); }),
      continuous("beta", {{"a", Positive}, {"b", Positive}}, [](auto& d, const double* p) -> double { return random::beta(d, p[0], p[1]); }),
      continuous("chisquare", {{"df", Positive}}, [](auto& d, const double* p) -> double { return random::chisquare(d, p[0]); }),
      continuous("noncentral_chisquare", {{"df", Positive}, {"nonc", NonNegative}}, [](auto& d, const double* p) -> double { return random::noncentral_chisquare(d, p[0], p[1]); }),
      continuous("f", {{"dfnum", Positive}, {"dfden", Positive}}, [](auto& d, const double* p) -> double { return random::f_ratio(d, p[0], p[1]); }),
      continuous("noncentral_f", {{"dfnum", Positive}, {"dfden", Positive}, {"nonc", NonNegative}}, [](auto& d, const double* p) -> double { return random::noncentral_f(d, p[0], p[1], p[2]); }),
      continuous("standard_t", {{"df", Positive}}, [](auto& d, const double* p) -> double { return random::standard_t(d, p[0]); }),
      continuous("standard_cauchy", {}, [](auto& d, const double*) -> double { return random::standard_cauchy(d); }),
      continuous("pareto", {{"a", Positive}}, [](auto& d, const double* p) -> double { return random::pareto(d, p[0]); }),
      continuous("weibull", {{"a", NonNegative}}, [](auto& d, const double* p) -> double { return random::weibull(d, p[0]); }),
      continuous("power", {{"a", Positive}}, [](auto& d, const double* p) -> double { return random::power(d, p[0]); }),
      continuous("laplace", {{"loc", Any}, {"scale", NonNegative}}, [](auto& d, const double* p) -> double { return random::laplace(d, p[0], p[1]); }),
      continuous("gumbel", {{"loc", Any}, {"scale", NonNegative}}, [](auto& d, const double* p) -> double { return random::gumbel(d, p[0], p[1]); }),
      continuous("logistic", {{"loc", Any}, {"scale", NonNegative}}, [](auto& d, const double* p) -> double { return random::logistic(d, p[0], p[1]); }),
      continuous("rayleigh", {{"scale", NonNegative}}, [](auto& d, const double* p) -> double { return random::rayleigh(d, p[0]); }),
      continuous("wald", {{"mean", Positive}, {"scale", Positive}}, [](auto& d, const double* p) -> double { return random::wald(d, p[0], p[1]); }),
      continuous("vonmises", {{"mu", Any}, {"kappa", NonNegative}}, [](auto& d, const double* p) -> double { return random::vonmises(d, p[0], p[1]); }),
      continuous("triangular", {{"left", Any}, {"mode", Any}, {"right", Any}}, [](auto& d, const double* p) -> double { return random::triangular(d, p[0], p[1], p[2]); }),
      discrete("poisson", {{"lam", Rate}}, [](auto& d, const double* p) -> int64_t { return random::poisson(d, p[0]); }),
      discrete("binomial", {{"n", Count}, {"p", Unit}}, [](auto& d, const double* p) -> int64_t { return random::binomial(d, static_cast<int64_t>(p[0]), p[1]); }),
      discrete("negative_binomial", {{"n", Positive}, {"p", UnitAboveZero}}, [](auto& d, const double* p) -> int64_t { return random::negative_binomial(d, p[0], p[1]); }),
      discrete("geometric", {{"p", UnitAboveZero}}, [](auto& d, const double* p) -> int64_t { return random::geometric(d, p[0]); }),
      discrete("logseries", {{"p", UnitBelowOne}}, [](auto& d, const double* p) -> int64_t { return random::logseries(d, p[0]); }),
      discrete("zipf", {{"a", AboveOne}}, [](auto& d, const double* p) -> int64_t { return random::zipf(d, p[0]); }),
      discrete("hypergeometric", {{"ngood", Count}, {"nbad", Count}, {"nsample", Count}},
               [](auto& d, const double* p) -> int64_t { return random::hypergeometric(d, static_cast<int64_t>(p[0]), static_cast<int64_t>(p[1]), static_cast<int64_t>(p[2])); }),
  };
  return table;
}

// What must hold between parameters of one draw.
void check_together(std::string_view name, bool legacy, const double* p) {
  if (name == "uniform") {
    TNP_CHECK(std::isfinite(p[1] - p[0]), ErrorKind::Overflow, "high - low range exceeds valid bounds");
    TNP_CHECK(legacy || !std::signbit(p[1] - p[0]), ErrorKind::Value, "high - low < 0");
  } else if (name == "triangular") {
    TNP_CHECK(!(p[0] > p[1]), ErrorKind::Value, "left > mode");
    TNP_CHECK(!(p[1] > p[2]), ErrorKind::Value, "mode > right");
    TNP_CHECK(p[0] != p[2], ErrorKind::Value, "left == right");
  } else if (name == "hypergeometric") {
    TNP_CHECK(legacy || (p[0] < 1e9 && p[1] < 1e9), ErrorKind::Value, "both ngood and nbad must be less than 1000000000");
    TNP_CHECK(p[0] + p[1] < 9.2e18, ErrorKind::Value, "ngood + nbad is too large");
    TNP_CHECK(p[0] + p[1] >= p[2], ErrorKind::Value, "ngood + nbad < nsample");
  } else if (name == "negative_binomial" && !legacy) {
    TNP_CHECK(!((1 - p[1]) / p[1] * (p[0] + 10 * std::sqrt(p[0])) > 9.223372006484771e18), ErrorKind::Value, "n too large or p too small, see Generator.negative_binomial Notes");
  }
}

// The parameters as float64, and how each is read for element i of the row-major result.
class Broadcast {
 public:
  Broadcast(TensorList parameters, ScalarType dtype, OptIntList size) {
    for (const Tensor& p : parameters) {
      TNP_CHECK(dtype != ScalarType::Float64 || !p.is_complex(), ErrorKind::Type, "complex parameters are not accepted");
      values_.push_back(to_dtype(p, dtype));
      shape_ = broadcast_shapes(shape_, p.sizes());
    }
    if (size) {
      numel_of(*size);
      DimVector both = broadcast_shapes(*size, shape_);
      TNP_CHECK(IntList(both) == *size, ErrorKind::Value, "Output size ", *size,
                " is not compatible with broadcast dimensions of inputs ", IntList(shape_), ".");
      shape_ = *size;
    }
    scalar_ = std::all_of(values_.begin(), values_.end(), [](const Tensor& t) { return t.numel() == 1; });
    for (const Tensor& t : values_) {
      DimVector strides(shape_.size());
      size_t lead = shape_.size() - t.sizes().size();
      for (size_t d = lead; d < shape_.size(); ++d) {
        strides[d] = t.sizes()[d - lead] == 1 ? 0 : t.strides()[d - lead];
      }
      strides_.push_back(strides);
    }
  }
  IntList shape() const { return shape_; }
  bool scalar() const { return scalar_; }
  const Tensor& value(size_t i) const { return values_[i]; }
  // Calls f(i, element offsets) for each element of the result in row-major order.
  template <class F>
  void for_each(F&& f) const {
    DimVector index(shape_.size()), offsets(values_.size());
    const int64_t n = numel_of(shape_);
    for (int64_t i = 0; i < n; ++i) {
      f(i, offsets.data());
      for (size_t d = shape_.size(); d-- > 0;) {
        bool wraps = ++index[d] == shape_[d];
        for (size_t k = 0; k < values_.size(); ++k) offsets[k] += wraps ? -strides_[k][d] * (shape_[d] - 1) : strides_[k][d];
        if (!wraps) break;
        index[d] = 0;
      }
    }
  }

 private:
  static Tensor to_dtype(const Tensor& t, ScalarType dtype) {
    Tensor dense = empty_tensor(t.sizes(), dtype);
    if (t.numel() > 0) copy_into(dense, t);
    return dense;
  }
  std::vector<Tensor> values_;
  std::vector<DimVector> strides_;
  DimVector shape_;
  bool scalar_ = true;
};

// Distributions of which a block is made from a block of others.
bool fill_in_blocks(std::string_view name, Generator& g, const double* p, double* out, int64_t n) {
  const bool uniform = name == "random" || name == "uniform", normal = name == "normal";
  if (!uniform && !(g.legacy && (normal || name == "standard_normal"))) return false;
  const bool plain = name == "random" || name == "standard_normal";
  const double offset = plain ? 0 : p[0], scale = plain ? 1 : normal ? p[1] : p[1] - p[0];
  visit_bits(*g.bits, [&](auto& bits) {
    for (int64_t done = 0; done < n; done += random::kBlock) {
      double* block = out + done;
      const int64_t m = std::min(random::kBlock, n - done);
      if (uniform) random::next_doubles(bits, block, m);
      else random::fill_polar_normal(g, bits, block, m);
      if (!plain) for (int64_t i = 0; i < m; ++i) block[i] = offset + scale * block[i];
    }
  });
  return true;
}

// The distributions that programs draw millions of, without a call per number. False: not one of them.
bool fill_fast(std::string_view name, Generator& g, const double* p, double* out, int64_t n) {
  if (fill_in_blocks(name, g, p, out, n)) return true;
  if (g.legacy) return false;
  bool known = false;
  auto fill = [&](auto draw) {
    known = true;
    visit_bits(*g.bits, [&](auto& bits) {
      for (int64_t i = 0; i < n; ++i) out[i] = draw(bits);
    });
  };
  if (name == "standard_normal") fill([](auto& bits) { return random::standard_normal(bits); });
  else if (name == "normal") fill([loc = p[0], scale = p[1]](auto& bits) { return loc + scale * random::standard_normal(bits); });
  else if (name == "standard_exponential") fill([](auto& bits) { return random::standard_exponential(bits); });
  else if (name == "exponential") fill([scale = p[0]](auto& bits) { return scale * random::standard_exponential(bits); });
  return known;
}

Tensor draw_float(std::string_view name, const Broadcast& parameters, Generator& g) {
  Tensor out = empty_tensor(parameters.shape(), ScalarType::Float32);
  float* data = out.data_ptr<float>();
  const int64_t n = out.numel();
  auto fill = [&](auto draw) {
    visit_bits(*g.bits, [&](auto& bits) {
      for (int64_t i = 0; i < n; ++i) data[i] = draw(bits);
    });
  };
  if (name == "random") fill([](auto& bits) { return random::next_float(bits); });
  else if (name == "standard_normal") fill([](auto& bits) { return random::standard_normal_float(bits); });
  else if (name == "standard_exponential") fill([](auto& bits) { return random::standard_exponential_float(bits); });
  else if (name == "standard_exponential_inv") fill([](auto& bits) { return -std::log1p(-random::next_float(bits)); });
  else if (name == "standard_gamma") {
    const double* shape = parameters.value(0).data_ptr<double>();
    parameters.for_each([&](int64_t i, const int64_t* at) { data[i] = random::standard_gamma_float(*g.bits, static_cast<float>(shape[at[0]])); });
  } else {
    TNP_RAISE(ErrorKind::Type, "Unsupported dtype float32 for ", name);
  }
  return out;
}

// The generator to draw from, its lock, and what lets other threads run while many numbers are drawn. Members are destroyed in
// the reverse order: whoever waits for the lock may hold the front end's.
class Drawing {
 public:
  Drawing(Generator* g, int64_t numbers) : generator_(g ? g : &default_generator()) {
    if (numbers > 10'000 && generator_->bits->kind() != BitGenerator::Kind::Foreign) long_work_.emplace();
    lock_ = generator_->bits->lock();
  }
  Generator& generator() { return *generator_; }

 private:
  intrusive_ptr<Generator> generator_;
  std::optional<LongWork> long_work_;
  std::unique_lock<std::mutex> lock_;
};

}  // namespace

Tensor random_draw(std::string_view distribution, TensorList parameters, OptIntList size, std::optional<ScalarType> dtype, Generator* generator) {
  const auto& table = distributions();
  auto found = std::find_if(table.begin(), table.end(), [&](const Distribution& d) { return d.name == distribution; });
  TNP_CHECK(found != table.end(), ErrorKind::Value, "no distribution is named ", distribution);
  TNP_CHECK(found->parameters.size() == parameters.size(), ErrorKind::Type, distribution, " has ",
            static_cast<int64_t>(found->parameters.size()), " parameters, got ", static_cast<int64_t>(parameters.size()));
  Broadcast p(parameters, ScalarType::Float64, size);
  Drawing drawing(generator, numel_of(p.shape()));
  Generator& g = drawing.generator();
  for (size_t i = 0; i < parameters.size(); ++i) {
    check_parameter(found->parameters[i].name, found->parameters[i].must, p.value(i).data_ptr<double>(), p.value(i).numel());
  }
  if (dtype && *dtype == ScalarType::Float32 && !found->discrete && !g.legacy) return draw_float(distribution, p, g);
  TNP_CHECK(!dtype || *dtype == ScalarType::Float64 || found->discrete || g.legacy, ErrorKind::Type, "Unsupported dtype ", *dtype, " for ", distribution);

  Tensor out = empty_tensor(p.shape(), found->discrete ? ScalarType::Int64 : ScalarType::Float64);
  double now[4] = {};
  if (p.scalar()) {
    for (size_t i = 0; i < parameters.size(); ++i) now[i] = *p.value(i).data_ptr<double>();
    check_together(distribution, g.legacy, now);
    if (!found->discrete && fill_fast(distribution, g, now, out.data_ptr<double>(), out.numel())) return out;
  }
  auto read = [&](const int64_t* at) {
    for (size_t k = 0; k < parameters.size(); ++k) now[k] = p.value(k).data_ptr<double>()[at[k]];
  };
  if (parameters.size() > 1 && !p.scalar()) {
    p.for_each([&](int64_t, const int64_t* at) { read(at), check_together(distribution, g.legacy, now); });
  }
  auto fill = [&](auto draw, auto function, auto* to) {
    p.for_each([&](int64_t i, const int64_t* at) { read(at), to[i] = function(draw, now); });
  };
  if (found->discrete) {
    if (g.legacy) fill(Legacy(g), found->legacy_int, out.data_ptr<int64_t>());
    else fill(Modern(g), found->modern_int, out.data_ptr<int64_t>());
  } else {
    if (g.legacy) fill(Legacy(g), found->legacy, out.data_ptr<double>());
    else fill(Modern(g), found->modern, out.data_ptr<double>());
  }
  return out;
}

// `high` is the largest value that can come.
Tensor random_integers(const Tensor& low, const Tensor& high, OptIntList size, ScalarType dtype, Generator* generator) {
  TNP_CHECK(is_integral(dtype), ErrorKind::Type, "Unsupported dtype ", dtype, " for integers");
  const Tensor ends[] = {low, high};
  Broadcast p(ends, dtype, size);
  Drawing drawing(generator, numel_of(p.shape()));
  Generator& g = drawing.generator();
  Tensor out = empty_tensor(p.shape(), dtype);
  visit<IntegralTypes>(dtype, [&]<class T>() {
    using Word = std::conditional_t<std::is_same_v<T, bool>, uint8_t, std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;
    const T *from = p.value(0).data_ptr<T>(), *to = p.value(1).data_ptr<T>();
    T* data = out.data_ptr<T>();
    const int64_t n = out.numel();
    random::BitBuffer buffer;
    visit_bits(*g.bits, [&](auto& bits) {
      auto draw = [&](T lowest, Word range, Word mask) {
        if constexpr (std::is_same_v<T, bool>) return range == 0 ? lowest : buffer.next_bit(bits);
        else return static_cast<T>(static_cast<Word>(static_cast<Word>(lowest) + random::bounded<Word>(bits, range, mask, g.legacy, buffer)));
      };
      auto range_of = [](T lowest, T highest) { return static_cast<Word>(static_cast<Word>(highest) - static_cast<Word>(lowest)); };
      if (p.scalar()) {
        TNP_CHECK(*from <= *to, ErrorKind::Value, "low >= high");
        const Word range = range_of(*from, *to), mask = static_cast<Word>(random::mask_for(range));
        if constexpr (sizeof(T) >= 4) {
          if (g.legacy && range > 0 && range < 0xffffffffU) {
            return random::fill_masked(bits, *from, static_cast<uint32_t>(range), static_cast<uint32_t>(mask), data, n);
          }
          if (!g.legacy && range > 0 && range < 0xffffffffU) return random::fill_lemire(bits, *from, static_cast<uint32_t>(range), data, n);
        }
        for (int64_t i = 0; i < n; ++i) data[i] = draw(*from, range, mask);
      } else {
        p.for_each([&](int64_t, const int64_t* at) { TNP_CHECK(from[at[0]] <= to[at[1]], ErrorKind::Value, "low >= high"); });
        p.for_each([&](int64_t i, const int64_t* at) {
          const Word range = range_of(from[at[0]], to[at[1]]);
          data[i] = draw(from[at[0]], range, static_cast<Word>(random::mask_for(range)));
        });
      }
    });
  });
  return out;
}

namespace {

// The numbers below n, the last n - first places shuffled. NumPy draws by masks (`use_mask`) in shuffles and permutations, and
// by Lemire's method in choices.
template <class T>
void shuffled_numbers(Generator& g, T* data, int64_t n, int64_t first, bool use_mask) {
  for (int64_t i = 0; i < n; ++i) data[i] = static_cast<T>(i);
  visit_bits(*g.bits, [&](auto& bits) {
    if (use_mask) random::shuffle_masked(bits, data, n, first);
    else for (int64_t i = n - 1; i >= first; --i) std::swap(data[i], data[random::interval(bits, static_cast<uint64_t>(i), false)]);
  });
}

}  // namespace

Tensor random_permutation(int64_t n, Generator* generator) {
  TNP_CHECK(n >= 0, ErrorKind::Value, "n must be non-negative, got ", n);
  Tensor order = empty_tensor({n}, ScalarType::Int64);
  int64_t* data = order.data_ptr<int64_t>();
  Drawing drawing(generator, n);
  Generator& g = drawing.generator();
  if (n > INT32_MAX) {
    shuffled_numbers(g, data, n, 1, true);
    return order;
  }
  Scratch<int32_t> narrow(n);  // half the memory: twice as many of the swaps stay in a cache
  shuffled_numbers(g, narrow.data(), n, 1, true);
  std::copy_n(narrow.data(), n, data);
  return order;
}

// `count` different numbers below `population`. Few of many: Floyd's set (Bentley, Commun. ACM 30 (1987) 754-757);
// otherwise the end of a shuffle that stops there.
Tensor random_choice(int64_t population, int64_t count, bool shuffled, Generator* generator) {
  TNP_CHECK(count >= 0 && count <= population, ErrorKind::Value, "Cannot take a larger sample than population when replace is False");
  Drawing drawing(generator, count);
  Generator& g = drawing.generator();
  Tensor out = empty_tensor({count}, ScalarType::Int64);
  int64_t* data = out.data_ptr<int64_t>();
  if (population > 10000 && count > population / (shuffled ? 50 : 20)) {
    Scratch<int64_t> order(population);
    shuffled_numbers(g, order.data(), population, std::max<int64_t>(population - count, 1), false);
    std::copy_n(order.data() + population - count, count, data);
    return out;
  }
  std::unordered_set<int64_t> seen;
  seen.reserve(static_cast<size_t>(count));
  for (int64_t j = population - count; j < population; ++j) {
    auto value = static_cast<int64_t>(random::interval(*g.bits, static_cast<uint64_t>(j), false));
    if (!seen.insert(value).second) seen.insert(value = j);
    data[j - population + count] = value;
  }
  if (shuffled) {
    for (int64_t i = count - 1; i >= 1; --i) std::swap(data[i], data[random::interval(*g.bits, static_cast<uint64_t>(i), false)]);
  }
  return out;
}

// Counts of `n` draws from categories of probabilities pvals[..., :]: binomials of what is left, one category at a time.
Tensor random_multinomial(const Tensor& n, const Tensor& pvals, OptIntList size, Generator* generator) {
  TNP_CHECK(pvals.dim() > 0, ErrorKind::Value, "pvals must be at least 1-dimensional");
  Drawing drawing(generator, 0);
  Generator& g = drawing.generator();
  const int64_t categories = pvals.size(-1);
  Tensor p = empty_tensor(pvals.sizes(), ScalarType::Float64);
  copy_into(p, pvals);
  const double* weights = p.data_ptr<double>();
  check_parameter("pvals", Must::Unit, weights, p.numel());
  for (int64_t row = 0; categories > 0 && row < p.numel() / categories; ++row) {
    double sum = 0;
    for (int64_t j = 0; j + 1 < categories; ++j) sum += weights[row * categories + j];
    TNP_CHECK(sum <= 1.0 + 1e-12, ErrorKind::Value, "sum(pvals[:-1].astype(np.float64)) > 1.0. The pvals array is cast to 64-bit floating point prior to checking the sum.");
  }
  // One index per distribution, so that n and the rows of pvals broadcast like any two parameters.
  Tensor rows = empty_tensor(pvals.sizes().subspan(0, pvals.sizes().size() - 1), ScalarType::Int64);
  for (int64_t i = 0; i < rows.numel(); ++i) rows.data_ptr<int64_t>()[i] = i;
  const Tensor both[] = {n, rows};
  Broadcast at(both, ScalarType::Int64, size);
  const int64_t* counts = at.value(0).data_ptr<int64_t>();
  for (int64_t i = 0; i < at.value(0).numel(); ++i) TNP_CHECK(counts[i] >= 0, ErrorKind::Value, "n < 0");
  DimVector sizes(at.shape());
  sizes.push_back(categories);
  Tensor out = empty_tensor(sizes, ScalarType::Int64);
  std::fill_n(out.data_ptr<int64_t>(), out.numel(), 0);
  auto fill = [&](auto draw) {
    at.for_each([&](int64_t i, const int64_t* offset) {
      int64_t* to = out.data_ptr<int64_t>() + i * categories;
      const double* w = weights + at.value(1).data_ptr<int64_t>()[offset[1]] * categories;
      int64_t left = counts[offset[0]];
      double rest = 1.0;
      for (int64_t j = 0; j + 1 < categories && left > 0; ++j) {
        to[j] = random::binomial(draw, left, std::min(w[j] / rest, 1.0));
        left -= to[j];
        rest -= w[j];
      }
      if (left > 0 && categories > 0) to[categories - 1] = left;
    });
  };
  if (g.legacy) fill(Legacy(g));
  else fill(Modern(g));
  return out;
}

// Points of the simplex: gammas divided by their sum. Where all of `alpha` are small the gammas may all underflow, and a stick
// is broken by beta numbers instead.
Tensor random_dirichlet(const Tensor& alpha, OptIntList size, Generator* generator) {
  TNP_CHECK(alpha.dim() == 1, ErrorKind::Value, "alpha must be 1-dimensional");
  Drawing drawing(generator, 0);
  Generator& g = drawing.generator();
  const int64_t k = alpha.numel();
  Tensor weights = empty_tensor({k}, ScalarType::Float64);
  if (k > 0) copy_into(weights, alpha);
  const double* a = weights.data_ptr<double>();
  DimVector sizes;
  if (size) sizes = DimVector(*size);
  const int64_t rows = numel_of(sizes);
  sizes.push_back(k);
  Tensor out = empty_tensor(sizes, ScalarType::Float64);
  const double largest = k > 0 ? *std::max_element(a, a + k) : 1;
  auto gammas = [&](auto draw) {
    for (int64_t i = 0; i < rows; ++i) {
      double *row = out.data_ptr<double>() + i * k, sum = 0;
      for (int64_t j = 0; j < k; ++j) sum += row[j] = random::standard_gamma(draw, a[j]);
      for (int64_t j = 0; j < k; ++j) row[j] *= 1 / sum;
    }
  };
  if (g.legacy) {
    gammas(Legacy(g));
  } else if (k > 0 && largest == 0) {
    std::fill_n(out.data_ptr<double>(), out.numel(), 0.0);
  } else if (k > 0 && largest < 0.1) {
    std::vector<double> rest(static_cast<size_t>(k), 0.0);  // the sum of what comes after
    for (int64_t j = k - 1; j-- > 0;) rest[static_cast<size_t>(j)] = rest[static_cast<size_t>(j) + 1] + a[j + 1];
    Modern draw(g);
    for (int64_t i = 0; i < rows; ++i) {
      double *row = out.data_ptr<double>() + i * k, left = 1;
      for (int64_t j = 0; j + 1 < k; ++j) {
        double v = random::beta(draw, a[j], rest[static_cast<size_t>(j)]);
        row[j] = left * v;
        left *= 1 - v;
        if (rest[static_cast<size_t>(j)] == 0 || rest[static_cast<size_t>(j) + 1] == 0) {
          for (int64_t l = j + 1; l < k; ++l) row[l] = 0;
          if (rest[static_cast<size_t>(j)] != 0) row[j + 1] = left;
          left = 0;
          break;
        }
      }
      if (left != 0 || k == 1) row[k - 1] = left;
    }
  } else {
    gammas(Modern(g));
  }
  return out;
}

// How many of each colour come when `nsample` of colors[0] + colors[1] + ... items are drawn. `count`: by shuffling the items;
// otherwise one colour after the other, each hypergeometric in what is left.
Tensor random_multivariate_hypergeometric(const Tensor& colors, int64_t nsample, OptIntList size, bool count, Generator* generator) {
  TNP_CHECK(colors.dim() == 1 && colors.dtype() == ScalarType::Int64, ErrorKind::Value, "colors must be a 1-d array of int64");
  Drawing drawing(generator, 0);
  Generator& g = drawing.generator();
  Tensor dense = empty_tensor(colors.sizes(), ScalarType::Int64);
  if (colors.numel() > 0) copy_into(dense, colors);
  const int64_t k = colors.numel(), *of = dense.data_ptr<int64_t>();
  int64_t total = 0;
  for (int64_t i = 0; i < k; ++i) {
    TNP_CHECK(of[i] >= 0 && !__builtin_add_overflow(total, of[i], &total), ErrorKind::Value, "colors must be nonnegative, and their sum an int64");
  }
  TNP_CHECK(nsample >= 0 && nsample <= total, ErrorKind::Value, "nsample > sum(colors)");
  DimVector sizes;
  if (size) sizes = DimVector(*size);
  const int64_t rows = numel_of(sizes);
  sizes.push_back(k);
  Tensor out = empty_tensor(sizes, ScalarType::Int64);
  std::fill_n(out.data_ptr<int64_t>(), out.numel(), 0);
  const bool inverted = nsample > total / 2;  // draw those that stay behind
  const int64_t drawn = inverted ? total - nsample : nsample;
  std::vector<int64_t> items;
  if (count && rows > 0) {
    TNP_CHECK(total <= (int64_t{1} << 33), ErrorKind::Memory, "not enough memory for ", total, " items");
    items.reserve(static_cast<size_t>(total));
    for (int64_t i = 0; i < k; ++i) items.insert(items.end(), static_cast<size_t>(of[i]), i);
  }
  Modern draw(g);
  for (int64_t i = 0; i < rows && k > 0; ++i) {
    int64_t* row = out.data_ptr<int64_t>() + i * k;
    if (count) {
      for (int64_t j = 0; j < drawn; ++j) {
        auto other = j + static_cast<int64_t>(random::interval(*g.bits, static_cast<uint64_t>(total - j - 1), true));
        std::swap(items[static_cast<size_t>(j)], items[static_cast<size_t>(other)]);
        ++row[items[static_cast<size_t>(j)]];
      }
    } else {
      int64_t left = total, open = drawn;
      for (int64_t j = 0; j + 1 < k && open > 0; ++j) {
        left -= of[j];
        row[j] = random::hypergeometric(draw, of[j], left, open);
        open -= row[j];
      }
      if (open > 0) row[k - 1] = open;
    }
    if (inverted) for (int64_t j = 0; j < k; ++j) row[j] = of[j] - row[j];
  }
  return out;
}

namespace {

Tensor draw_default(std::string_view distribution, IntList size, std::optional<ScalarType> dtype, Generator* generator) {
  ScalarType result = dtype.value_or(default_dtype());
  TNP_CHECK(is_floating(result), ErrorKind::Dtype, "\"", distribution, "\" not implemented for '", result, "'");
  Tensor drawn = native::random_draw(distribution, {}, size, std::nullopt, generator);
  if (result == drawn.dtype()) return drawn;
  Tensor out = empty_tensor(size, result);
  copy_into(out, drawn);
  return out;
}

}  // namespace

Tensor randn(IntList size, std::optional<ScalarType> dtype, bool requires_grad, Generator* generator) {
  Tensor out = draw_default("standard_normal", size, dtype, generator);
  return requires_grad ? out.set_requires_grad(true) : out;
}

Tensor rand(IntList size, std::optional<ScalarType> dtype, bool requires_grad, Generator* generator) {
  Tensor out = draw_default("random", size, dtype, generator);
  return requires_grad ? out.set_requires_grad(true) : out;
}

Tensor randint(int64_t high, IntList size, std::optional<ScalarType> dtype, Generator* generator) {
  return native::randint_low(0, high, size, dtype, generator);
}

Tensor randint_low(int64_t low, int64_t high, IntList size, std::optional<ScalarType> dtype, Generator* generator) {
  TNP_CHECK(low < high, ErrorKind::Shape, "random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  Tensor drawn = native::random_integers(scalar_tensor(low, ScalarType::Int64), scalar_tensor(high - 1, ScalarType::Int64), size, ScalarType::Int64, generator);
  if (!dtype || *dtype == ScalarType::Int64) return drawn;
  Tensor out = empty_tensor(size, *dtype);
  copy_into(out, drawn);
  return out;
}

Tensor randperm(int64_t n, std::optional<ScalarType> dtype, Generator* generator) {
  Tensor drawn = native::random_permutation(n, generator);
  if (!dtype || *dtype == ScalarType::Int64) return drawn;
  Tensor out = empty_tensor({n}, *dtype);
  copy_into(out, drawn);
  return out;
}

void manual_seed(int64_t seed) { tnp::manual_seed(static_cast<uint64_t>(seed)); }

}  // namespace tnp::native
