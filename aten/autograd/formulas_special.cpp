#include "aten/autograd/formulas_special.h"

#include <numbers>

#include "aten/functions/comparison.h"
#include "aten/functions/sorting.h"
#include "aten/functions/special.h"
#include "aten/functions/transcendental.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

Tensor no_derivative(const Tensor&, const char* name, const char* argument) {
  TNP_RAISE(ErrorKind::NotImplemented, "the derivative of ", name, " with respect to {", argument, "}");
}

Tensor scalar_like(double value, const Tensor&) { return wrapped_number(Scalar(value)); }

Tensor over_input(const Tensor& value, const Tensor& input, double limit) {
  const Tensor zero = tnp::eq(input, wrapped_number(Scalar(0.0)));
  const Tensor divisor = tnp::where(zero, wrapped_number(Scalar(1.0)), input);
  return tnp::where(zero, wrapped_number(Scalar(limit)), value / divisor);
}

Tensor sinc_slope(const Tensor& x) { return over_input(tnp::cos(x * Scalar(std::numbers::pi)) - tnp::sinc(x), x, 0); }

}  // namespace tnp::formulas
