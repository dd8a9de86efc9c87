// Distributions that are functions of a fixed number of base draws. The function is computed by
// tensor operators on the device that draws the base distribution. The operations have the same
// order as on the CPU (distributions.h).
#include "aten/functions/arithmetic.h"

#include <algorithm>
#include "aten/functions/random.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/native_functions/shape.h"
#include "aten/ops/operators.h"
#include "aten/ops/random/random_drawing.h"
#include "aten/random/distribution.h"

namespace tnp::native {

Tensor draw_by_operators(Distribution distribution, const Parameters& p, Generator& g, Device place) {
  auto drawn = [&](Distribution base, double offset = 0, double scale = 1) {
    return draw_base(base, p.shape(), offset, scale, ScalarType::Float64, place, g);
  };
  auto uniform = [&] { return drawn(Distribution::Random); };
  auto normal = [&] { return drawn(Distribution::StandardNormal); };
  auto exponential = [&] { return drawn(Distribution::StandardExponential); };
  // Numbers stay on the CPU and are passed as kernel arguments.
  auto parameter = [&](size_t i) { return p.scalar() ? tnp::reshape(p.dense(i), {}) : on_device(p.dense(i), place); };

  switch (distribution) {
    case Distribution::Uniform: {
      const Tensor low = parameter(0);
      return low + (parameter(1) - low) * uniform();
    }
    case Distribution::Normal:
      return parameter(0) + parameter(1) * normal();
    case Distribution::Lognormal:
      return tnp::exp(p.scalar() ? drawn(Distribution::Normal, p.number(0), p.number(1))
                                 : parameter(0) + parameter(1) * normal());
    case Distribution::Exponential:
      return parameter(0) * exponential();
    case Distribution::Pareto: {
      const Tensor x = exponential() / parameter(0);
      return g.legacy ? tnp::exp(x) - Scalar(1.0) : tnp::expm1(x);
    }
    case Distribution::Weibull: {
      const double* a = p.dense(0).data_ptr<double>();
      if (std::any_of(a, a + p.dense(0).numel(), [](double x) { return x == 0; }))
        return {};  // the CPU makes no draws for these parameters
      return tnp::pow(exponential(), Scalar(1.0) / parameter(0));
    }
    case Distribution::Power: {
      const Tensor e = -exponential();
      return tnp::pow(g.legacy ? Scalar(1.0) - tnp::exp(e) : -tnp::expm1(e), Scalar(1.0) / parameter(0));
    }
    case Distribution::Rayleigh:
      return parameter(0) * tnp::sqrt(g.legacy ? Scalar(-2.0) * tnp::log1p(-uniform()) : Scalar(2.0) * exponential());
    case Distribution::StandardCauchy: {
      DimVector sizes(p.shape());
      sizes.push_back(2);
      const Tensor pairs = draw_base(Distribution::StandardNormal, sizes, 0, 1, ScalarType::Float64, place, g);
      const auto last = static_cast<int64_t>(p.shape().size());
      return tnp::select(pairs, last, 0) / tnp::select(pairs, last, 1);
    }
    case Distribution::Triangular: {
      const Tensor left = parameter(0), mode = parameter(1), right = parameter(2), base = right - left,
                   left_base = mode - left;
      const Tensor u = uniform(), below = left + tnp::sqrt(u * (left_base * base));
      return tnp::where(u <= left_base / base, below, right - tnp::sqrt((Scalar(1.0) - u) * ((right - mode) * base)));
    }
    default:
      return {};
  }
}

}  // namespace tnp::native
