// Random numbers of the torch-style face: fills of tensors, and functions that create random
// tensors.
//
// Note [PyTorch's stream] A CPU generator whose `torch` is set gives PyTorch's numbers
// (random/torch_stream.h), in the memory order of the tensor that is filled. All other generators,
// including those of GPUs, draw from base distributions by their own algorithm. Tensor operators
// then compute the requested distribution.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "aten/core/numbers/range.h"
#include "aten/dispatch/out.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/random.h"
#include "aten/functions/reductions.h"
#include "aten/functions/sampling.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/kernels/cpu/random/box_muller.h"
#include "aten/native_functions/copies.h"
#include "aten/native_functions/random.h"
#include "aten/native_functions/sampling.h"
#include "aten/ops/operators.h"
#include "aten/ops/random/random_drawing.h"
#include "aten/ops/random/sampling.h"
#include "aten/ops/with_grad.h"
#include "aten/random/distribution.h"
#include "aten/random/torch_stream.h"

namespace tnp::native {

namespace {

using random::TorchStream;

// The dtype in which numbers for a tensor of `dtype` are drawn before they are cast to `dtype`.
ScalarType drawn_type(ScalarType dtype) {
  return dtype == ScalarType::Float64 || is_integral(dtype) ? ScalarType::Float64 : ScalarType::Float32;
}

// Fills the new contiguous `drawn` (float32 or float64) from a TorchStream. `dense`: the tensor
// that receives the elements is contiguous.
using Draw = function_ref<void(TorchStream&, const Tensor& drawn, bool dense)>;
// Computes the same distribution from base draws.
using Make = function_ref<Tensor(function_ref<Tensor(Distribution)>)>;

void sample(const Tensor& self, Generator* generator, Draw draw, Make make) {
  check_writeable(self, "assignment destination");
  if (self.device().is_meta() || self.numel() == 0) return;
  Drawing drawing(generator, self.numel(), self.device(), true);
  Generator& g = drawing.generator();
  const ScalarType type = drawn_type(self.dtype());
  if (!g.torch) {
    auto base = [&](Distribution distribution) {
      return draw_base(distribution, self.sizes(), 0, 1, g.legacy ? ScalarType::Float64 : type, drawing.place(), g);
    };
    copy_into(self, on_device(make(base), self.device()));
    return;
  }
  TorchStream stream(g);
  const Tensor to = in_memory_order(self);
  const HostDraw drawn(to, type);
  draw(stream, drawn.tensor(), self.is_contiguous());
  drawn.publish();
  self.bump_version();
}

// drawn[i] = f(u), where u is uniform in [0, 1) with double precision
template <class F>
void by_uniform(TorchStream& stream, const Tensor& drawn, F f) {
  constexpr int64_t kBlock = 1024;
  double block[kBlock];
  const int64_t n = drawn.numel();
  visit<FloatTypes>(drawn.dtype(), [&]<class T>() {
    T* out = drawn.data_ptr<T>();
    for (int64_t first = 0; first < n; first += kBlock) {
      const int64_t m = std::min(kBlock, n - first);
      stream.fill_uniform(block, m);
      for (int64_t i = 0; i < m; ++i) out[first + i] = static_cast<T>(f(block[i]));
    }
  });
}

void check_floating(const Tensor& self, const char* name, ErrorKind kind = ErrorKind::NotImplemented) {
  TNP_CHECK(is_floating(self.dtype()), kind, name, " is not implemented for {self} of ", self.dtype());
}

// Views complex numbers as their parts, with one more dimension.
Tensor parts(const Tensor& self) { return self.is_complex() ? tnp::view_as_real(self) : self; }

}  // namespace

Tensor in_memory_order(const Tensor& self) {
  DimVector order(self.sizes().size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::abs(self.strides()[static_cast<size_t>(a)]) > std::abs(self.strides()[static_cast<size_t>(b)]);
  });
  return std::is_sorted(order.begin(), order.end()) ? self : tnp::permute(self, order);
}

const Tensor& uniform_(const Tensor& self, double from, double to, Generator* generator) {
  if (self.is_complex()) {
    native::uniform_(parts(self), from, to, generator);
    return self;
  }
  check_floating(self, "uniform_");
  TNP_CHECK(from <= to, ErrorKind::Dtype, "uniform_ expects to return a [{from}, {to}) range, but found from=", from,
            " > to=", to);
  const double largest = largest_finite(self.dtype());
  TNP_CHECK(!(to - from > largest), ErrorKind::Dtype, "uniform_ expects to-from <= ", largest,
            ", the largest number of ", self.dtype(), ", but found to=", to, " and from=", from);
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool) {
        visit<FloatTypes>(drawn.dtype(), [&]<class T>() {
          T* out = drawn.data_ptr<T>();
          const int64_t n = drawn.numel();
          stream.fill_uniform(out, n);
          const T low = static_cast<T>(from), width = static_cast<T>(to) - low;
          if (from != 0 || to != 1)
            for (int64_t i = 0; i < n; ++i) out[i] = out[i] * width + low;
          // Rounding to 16 bits may give `to`, which is outside of the range.
          if constexpr (std::is_same_v<T, float>)
            visit<FloatingTypes>(self.dtype(), [&]<class To>() {
              if constexpr (sizeof(To) == 2)
                for (int64_t i = 0; i < n; ++i)
                  if (static_cast<float>(static_cast<To>(out[i])) >= static_cast<float>(to)) out[i] = low;
            });
        });
      },
      [&](function_ref<Tensor(Distribution)> base) {
        const Tensor u = base(Distribution::Random);
        return from == 0 && to == 1 ? u : u * Scalar(to - from) + Scalar(from);
      });
  return self;
}

const Tensor& normal_(const Tensor& self, double mean, double std, Generator* generator) {
  TNP_CHECK(std >= 0, ErrorKind::Dtype, "normal expects {std} >= 0.0, but found std ", std);
  if (self.is_complex()) {  // real and imaginary part each have half of the variance
    native::normal_(parts(self), 0, std * std::numbers::sqrt2 / 2, generator);
    if (mean != 0) copy_into(self, self + Scalar(mean));
    return self;
  }
  check_floating(self, "normal_");
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool dense) {
        visit<FloatTypes>(drawn.dtype(), [&]<class T>() {
          stream.fill_normal(drawn.data_ptr<T>(), drawn.numel(), mean, std, dense, element_size(self.dtype()) == 2,
                             box_muller<T>);
        });
      },
      [&](function_ref<Tensor(Distribution)> base) {
        const Tensor x = base(Distribution::StandardNormal);
        return mean == 0 && std == 1 ? x : x * Scalar(std) + Scalar(mean);
      });
  return self;
}

const Tensor& log_normal_(const Tensor& self, double mean, double std, Generator* generator) {
  TNP_CHECK(std > 0, ErrorKind::Dtype, "expects {std} > 0.0, but found std=", std);
  check_floating(self, "log_normal_");
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool) {
        visit<FloatTypes>(drawn.dtype(), [&]<class T>() {
          T* out = drawn.data_ptr<T>();
          for (int64_t i = 0; i < drawn.numel(); ++i) out[i] = static_cast<T>(std::exp(stream.normal() * std + mean));
        });
      },
      [&](function_ref<Tensor(Distribution)> base) {
        return tnp::exp(base(Distribution::StandardNormal) * Scalar(std) + Scalar(mean));
      });
  return self;
}

const Tensor& cauchy_(const Tensor& self, double median, double sigma, Generator* generator) {
  TNP_CHECK(sigma > 0, ErrorKind::Dtype, "expects {sigma} > 0.0, but found sigma=", sigma);
  check_floating(self, "cauchy_", ErrorKind::Dtype);
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool) {
        by_uniform(stream, drawn, [&](double u) { return median + sigma * std::tan(std::numbers::pi * (u - 0.5)); });
      },
      [&](function_ref<Tensor(Distribution)> base) {
        return tnp::tan((base(Distribution::Random) - Scalar(0.5)) * Scalar(std::numbers::pi)) * Scalar(sigma) +
               Scalar(median);
      });
  return self;
}

const Tensor& exponential_(const Tensor& self, double lambd, Generator* generator) {
  TNP_CHECK(lambd > 0, ErrorKind::Dtype, "expects {lambd} > 0.0, but found lambda=", lambd);
  check_floating(self, "exponential_", ErrorKind::Dtype);
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool) {
        by_uniform(stream, drawn, [&](double u) { return -1.0 / lambd * std::log1p(-u); });
      },
      [&](function_ref<Tensor(Distribution)> base) {
        return tnp::log1p(-base(Distribution::Random)) * Scalar(-1.0 / lambd);
      });
  return self;
}

const Tensor& geometric_(const Tensor& self, double p, Generator* generator) {
  TNP_CHECK(p > 0 && p < 1, ErrorKind::Dtype, "expects {p} to be in (0, 1), but got p=", p);
  TNP_CHECK(!self.is_complex() && self.dtype() != ScalarType::Bool, ErrorKind::NotImplemented,
            "is not implemented for {self} of ", self.dtype());
  const double rate = std::log1p(-p);
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool) {
        by_uniform(stream, drawn, [&](double u) { return std::ceil(std::log(u) / rate); });
      },
      [&](function_ref<Tensor(Distribution)> base) {
        return tnp::ceil(tnp::log1p(-base(Distribution::Random)) * Scalar(1 / rate));
      });
  return self;
}

const Tensor& bernoulli_(const Tensor& self, double p, Generator* generator) {
  TNP_CHECK(p >= 0 && p <= 1, ErrorKind::Dtype, "expects {p} to be in [0, 1], but got p=", p);
  TNP_CHECK(!self.is_complex(), ErrorKind::NotImplemented, "is not implemented for {self} of ", self.dtype());
  sample(
      self, generator,
      [&](TorchStream& stream, const Tensor& drawn, bool) {
        by_uniform(stream, drawn, [&](double u) { return u < p ? 1.0 : 0.0; });
      },
      [&](function_ref<Tensor(Distribution)> base) { return base(Distribution::Random) < Scalar(p); });
  return self;
}

const Tensor& bernoulli__Tensor(const Tensor& self, const Tensor& p, Generator* generator) {
  TNP_CHECK(is_floating(p.dtype()), ErrorKind::NotImplemented, "is not implemented for {p} of ", p.dtype());
  TNP_CHECK(!self.is_complex(), ErrorKind::NotImplemented, "is not implemented for {self} of ", self.dtype());
  check_writeable(self, "assignment destination");
  const Tensor each = tnp::broadcast_to(without_history(p), self.sizes());
  if (self.device().is_meta() || self.numel() == 0) return self;
  const Tensor inside = tnp::logical_and(each >= Scalar(0.0), each <= Scalar(1.0));
  TNP_CHECK(tnp::all(inside, std::nullopt, false).item().to<bool>(), ErrorKind::Dtype,
            "expects all of {p} to be in [0, 1]");
  // Draws one uniform number per element. It has 24 random bits if the dtype of p is float32 or a
  // 16-bit float.
  const Tensor u = empty_tensor(self.sizes(), drawn_type(p.dtype()), self.device());
  native::uniform_(u, 0, 1, generator);
  copy_into(self, u < tnp::cast(each, u.dtype()));
  self.bump_version();
  return self;
}

Tensor bernoulli(const Tensor& input, Generator* generator, const Tensor& given) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "is not implemented for {input} of ", input.dtype());
  if (given.defined()) {  // of any dtype
    fit_out(given, input.sizes());
    return tnp::bernoulli_(given, input, generator);
  }
  const Tensor out = empty_tensor(input.sizes(), input.dtype(), input.device());
  return as_new(tnp::bernoulli_(out, input, generator));
}

Tensor bernoulli_p(const Tensor& input, double p, Generator* generator) {
  const Tensor out = empty_tensor(input.sizes(), input.dtype(), input.device());
  return as_new(native::bernoulli_(out, p, generator));
}

Tensor randn(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
             Generator* generator) {
  const Tensor out = empty_tensor(size, dtype.value_or(default_dtype()), result_device(device));
  return with_grad(as_new(native::normal_(out, 0, 1, generator)), requires_grad);
}

Tensor rand(IntList size, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
            Generator* generator) {
  const Tensor out = empty_tensor(size, dtype.value_or(default_dtype()), result_device(device));
  return with_grad(as_new(native::uniform_(out, 0, 1, generator)), requires_grad);
}

Tensor randn_like(const Tensor& input, std::optional<ScalarType> dtype, std::optional<Device> device,
                  bool requires_grad, Order order, Generator* generator,
                  std::optional<std::string_view> memory_format) {
  const Tensor out = tnp::empty_like(input, dtype, device, false, order, std::nullopt, memory_format);
  return with_grad(as_new(native::normal_(out, 0, 1, generator)), requires_grad);
}

Tensor rand_like(const Tensor& input, std::optional<ScalarType> dtype, std::optional<Device> device, bool requires_grad,
                 Order order, Generator* generator, std::optional<std::string_view> memory_format) {
  const Tensor out = tnp::empty_like(input, dtype, device, false, order, std::nullopt, memory_format);
  return with_grad(as_new(native::uniform_(out, 0, 1, generator)), requires_grad);
}

Tensor normal_float_float(double mean, double std, IntList size, Generator* generator, std::optional<ScalarType> dtype,
                          std::optional<Device> device, bool requires_grad) {
  const Tensor out = empty_tensor(size, dtype.value_or(default_dtype()), result_device(device));
  return with_grad(as_new(native::normal_(out, mean, std, generator)), requires_grad);
}

namespace {

void check_deviations(const Tensor& std) {
  TNP_CHECK(!std.is_complex(), ErrorKind::Dtype, "expects {std} to be real");
  if (std.device().is_meta() || std.numel() == 0) return;
  TNP_CHECK(tnp::all(std >= Scalar(0.0), std::nullopt, false).item().to<bool>(), ErrorKind::Dtype,
            "normal expects all elements of {std} >= 0.0");
}

Tensor standard_normal(IntList size, ScalarType dtype, Device device, Generator* generator) {
  const Tensor out = empty_tensor(size, dtype, device);
  return as_new(native::normal_(out, 0, 1, generator));
}

}  // namespace

Tensor normal_Tensor_Tensor(const Tensor& mean, const Tensor& std, Generator* generator) {
  check_deviations(std);
  const DimVector size = broadcast_shapes(mean.sizes(), std.sizes());
  return standard_normal(size, mean.dtype(), mean.device(), generator) * std + mean;
}

Tensor normal_float_Tensor(double mean, const Tensor& std, Generator* generator) {
  check_deviations(std);
  return standard_normal(std.sizes(), std.dtype(), std.device(), generator) * std + Scalar(mean);
}

Tensor normal_Tensor_float(const Tensor& mean, double std, Generator* generator) {
  TNP_CHECK(std >= 0, ErrorKind::Dtype, "normal expects {std} >= 0.0, but found std ", std);
  return standard_normal(mean.sizes(), mean.dtype(), mean.device(), generator) * Scalar(std) + mean;
}

Tensor poisson(const Tensor& input, Generator* generator) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "is not implemented for {input} of ", input.dtype());
  if (input.device().is_meta()) return empty_tensor(input.sizes(), input.dtype(), input.device());
  TNP_CHECK(input.numel() == 0 || tnp::all(input >= Scalar(0.0), std::nullopt, false).item().to<bool>(),
            ErrorKind::Dtype, "invalid Poisson rate, expected {input} to be non-negative");
  Generator& g = generator ? *generator : default_torch_generator(input.device());
  const Tensor parameters[] = {without_history(input)};
  return tnp::cast(
      native::random_draw(Distribution::Poisson, parameters, std::nullopt, std::nullopt, input.device(), &g),
      input.dtype());
}

Tensor binomial(const Tensor& count, const Tensor& prob, Generator* generator) {
  TNP_CHECK(is_floating(count.dtype()), ErrorKind::Dtype,
            "binomial only supports floating-point dtypes for {count}, got: ", count.dtype());
  TNP_CHECK(count.dtype() == prob.dtype(), ErrorKind::Dtype,
            "Expected {count} and {prob} to have the same dtype, but got ", count.dtype(), " and ", prob.dtype());
  const DimVector size = broadcast_shapes(count.sizes(), prob.sizes());
  if (count.device().is_meta() || prob.device().is_meta()) return empty_tensor(size, count.dtype(), count.device());
  TNP_CHECK(count.numel() == 0 || tnp::all(count >= Scalar(0.0), std::nullopt, false).item().to<bool>(),
            ErrorKind::Dtype, "invalid {count}, expected non-negative numbers");
  Generator& g = generator ? *generator : default_torch_generator(count.device());
  const Tensor parameters[] = {tnp::cast(without_history(count), ScalarType::Int64),
                               tnp::clamp(without_history(prob), Scalar(0.0), Scalar(1.0))};
  return tnp::cast(
      native::random_draw(Distribution::Binomial, parameters, std::nullopt, std::nullopt, count.device(), &g),
      count.dtype());
}

Tensor multinomial(const Tensor& input, int64_t num_samples, bool replacement, Generator* generator) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::Dtype,
            "only supports floating-point dtypes for {input}, got: ", input.dtype());
  TNP_CHECK(input.dim() == 1 || input.dim() == 2, ErrorKind::Dtype, "{input} must be 1 or 2 dim, got ", input.dim());
  TNP_CHECK(num_samples > 0, ErrorKind::Dtype, "cannot sample {num_samples} <= 0 samples");
  const int64_t n = input.size(-1);
  TNP_CHECK(replacement || num_samples <= n, ErrorKind::Dtype, "cannot sample {num_samples} ", num_samples, " > ", n,
            " samples without replacement");
  DimVector size(input.sizes());
  size.back() = num_samples;
  if (input.device().is_meta() || (input.dim() == 2 && input.size(0) == 0))
    return empty_tensor(size, ScalarType::Int64, input.device());
  const Tensor p = without_history(input);
  TNP_CHECK(tnp::all(tnp::logical_and(p >= Scalar(0.0), p < Scalar(std::numeric_limits<double>::infinity())),
                     std::nullopt, false)
                .item()
                .to<bool>(),
            ErrorKind::Dtype, "{input} contains either `inf`, `nan` or element < 0");
  const int64_t last[] = {-1};
  TNP_CHECK(n > 0 && tnp::all(tnp::sum(p, IntList(last), false) > Scalar(0.0), std::nullopt, false).item().to<bool>(),
            ErrorKind::Dtype, "invalid multinomial distribution (sum of {input} <= 0)");
  if (!replacement || num_samples == 1) {
    const Tensor q = empty_tensor(p.sizes(), p.dtype(), p.device());
    native::exponential_(q, 1, generator);
    const Tensor order = tnp::argsort(-(p / q), -1);
    return tnp::contiguous(tnp::narrow(order, -1, 0, num_samples));
  }
  // Inverts the cumulative distribution function: returns the first category whose cumulative
  // probability is at least a uniform number of double precision.
  const Tensor cumulative = tnp::cumsum(tnp::cast(p, ScalarType::Float64), -1);
  const Tensor total = tnp::narrow(cumulative, -1, n - 1, 1);
  const Tensor u = empty_tensor(size, ScalarType::Float64, p.device()), shares = cumulative / total;
  native::uniform_(u, 0, 1, generator);
  if (input.dim() == 1) return tnp::clamp(tnp::searchsorted(shares, u), std::nullopt, Scalar(n - 1));
  const Tensor out = empty_tensor(size, ScalarType::Int64, p.device());
  for (int64_t row = 0; row < input.size(0); ++row)
    copy_into(tnp::select(out, 0, row),
              tnp::clamp(tnp::searchsorted(tnp::select(shares, 0, row), tnp::select(u, 0, row)), std::nullopt,
                         Scalar(n - 1)));
  return out;
}

}  // namespace tnp::native
