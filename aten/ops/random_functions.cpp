// Distributions of which a number is a function of a fixed number of base draws: where a device draws those, it
// computes that too, by operators, and in the order of the CPU's arithmetic (distributions.h).
#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/operators.h"
#include "aten/ops/random_drawing.h"

namespace tnp::native {

Tensor draw_by_operators(std::string_view name, const Broadcast& p, Generator& g, Device place) {
  auto drawn = [&](const char* base, double offset = 0, double scale = 1) {
    return tnp::random_numbers(base, p.shape(), offset, scale, ScalarType::Float64, place, &g);
  };
  // Numbers stay on the CPU and travel in the kernel's arguments.
  auto parameter = [&](size_t i) { return p.scalar() ? tnp::reshape(p.value(i), {}) : on_device(p.value(i), place); };
  auto number = [&](size_t i) { return *p.value(i).data_ptr<double>(); };

  if (name == "uniform") {
    const Tensor low = parameter(0);
    return low + (parameter(1) - low) * drawn("random");
  }
  if (name == "normal") return parameter(0) + parameter(1) * drawn("standard_normal");
  if (name == "lognormal") {
    return tnp::exp(p.scalar() ? drawn("normal", number(0), number(1))
                               : parameter(0) + parameter(1) * drawn("standard_normal"));
  }
  if (name == "exponential") return parameter(0) * drawn("standard_exponential");
  if (name == "pareto") {
    const Tensor x = drawn("standard_exponential") / parameter(0);
    return g.legacy ? tnp::exp(x) - Scalar(1.0) : tnp::expm1(x);
  }
  if (name == "weibull") {
    const double* a = p.value(0).data_ptr<double>();
    if (std::any_of(a, a + p.value(0).numel(), [](double x) { return x == 0; }))
      return {};  // nothing is drawn for these
    return tnp::pow(drawn("standard_exponential"), Scalar(1.0) / parameter(0));
  }
  if (name == "power") {
    const Tensor e = -drawn("standard_exponential");
    return tnp::pow(g.legacy ? Scalar(1.0) - tnp::exp(e) : -tnp::expm1(e), Scalar(1.0) / parameter(0));
  }
  if (name == "rayleigh") {
    return parameter(0) * tnp::sqrt(g.legacy ? Scalar(-2.0) * tnp::log1p(-drawn("random"))
                                             : Scalar(2.0) * drawn("standard_exponential"));
  }
  if (name == "standard_cauchy") {
    DimVector sizes(p.shape());
    sizes.push_back(2);
    const Tensor pairs = tnp::random_numbers("standard_normal", sizes, 0, 1, ScalarType::Float64, place, &g);
    const auto last = static_cast<int64_t>(p.shape().size());
    return tnp::select(pairs, last, 0) / tnp::select(pairs, last, 1);
  }
  if (name == "triangular") {
    const Tensor left = parameter(0), mode = parameter(1), right = parameter(2), base = right - left,
                 left_base = mode - left;
    const Tensor u = drawn("random"), below = left + tnp::sqrt(u * (left_base * base));
    return tnp::where(u <= left_base / base, below, right - tnp::sqrt((Scalar(1.0) - u) * ((right - mode) * base)));
  }
  return {};
}

}  // namespace tnp::native
