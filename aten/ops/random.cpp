// Drawing random tensors: parameters checked and broadcast, then one draw after the other in row-major order, so that the
// stream is NumPy's. Operators that were given no generator use default_generator().
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/random_distributions.h"
#include "aten/ops/random_drawing.h"
#include "aten/random/blocks.h"

namespace tnp::native {

namespace {

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

void manual_seed(int64_t seed) { tnp::manual_seed(static_cast<uint64_t>(seed)); }

}  // namespace tnp::native
