#include "aten/autograd/formulas_distances.h"

#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/creation.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/functions/transcendental.h"
#include "aten/kernels/distance.h"
#include "aten/ops/operators.h"

namespace tnp::formulas {

// cdist_backward is sum_j w_ij f(d_ij, D_ij) of differences d = x1_i - x2_j and distances D, with
// f = sign(d) |d|^(p-1) / D^(p-1), and f = 0 where D is 0. So df/dd = (p-1) |d|^(p-2) / D^(p-1) and
// df/dD = -(p-1) f / D. For the norms 1 and infinity f is a sign, so both derivatives are 0. For the
// "norm" 0, f itself is 0.
std::tuple<Tensor, Tensor, Tensor, Tensor> cdist_double_backward(const Tensor& grad, const Tensor& grad_output,
                                                                 const Tensor& x1, const Tensor& x2, double p,
                                                                 const Tensor& distances,
                                                                 const std::array<bool, 4>& output_mask) {
  using distance::Norm;
  const Norm norm = distance::norm_of(p);
  if (norm == Norm::Count) return {zeros_like(grad_output), zeros_like(x1), zeros_like(x2), zeros_like(distances)};
  const Tensor one = wrapped_number(1.0), zero = wrapped_number(0.0);
  const Tensor d = unsqueeze(x1, 2) - unsqueeze(x2, 1), length = unsqueeze(distances, 3);
  const Tensor g = unsqueeze(grad, 2), weight = unsqueeze(grad_output, 3);
  auto summed = [](const Tensor& t, int64_t axis) { return sum(t, IntList{axis}, false, std::nullopt); };
  if (norm == Norm::Sum || norm == Norm::Largest) {
    const Tensor f = norm == Norm::Sum ? sign(d) : where(abs(d) == length, sign(d), zero);
    return {summed(g * f, 3), zeros_like(x1), zeros_like(x2), zeros_like(distances)};
  }
  // Where a difference or a distance is 0, its term is 0. The code divides by 1 there, to avoid
  // intermediate infinities.
  const Tensor apart = length != zero;
  const Tensor inverse = where(apart, reciprocal(where(apart, length, one)), zero);
  Tensor f = d * inverse, slope = inverse;
  if (norm == Norm::Power) {
    const Tensor differ = logical_and(apart, d != zero);
    const Tensor ratio = where(differ, abs(d) * inverse, one);
    slope = where(differ, pow(ratio, wrapped_number(p - 2)) * inverse, zero) * (p - 1);
    f = where(differ, sign(d) * pow(ratio, wrapped_number(p - 1)), zero);
  }
  const Tensor along = summed(g * f, 3);
  if (!output_mask[1] && !output_mask[2] && !output_mask[3]) return {along, {}, {}, {}};
  const Tensor by_difference = weight * g * slope;
  return {along, summed(by_difference, 2), summed(by_difference, 1) * -1.0,
          along * grad_output * squeeze(inverse, IntList{3}) * (1 - p)};
}

}  // namespace tnp::formulas
