// ufunc.at: chooses the loop, and runs it or its version for devices.
#include "aten/ops/pointwise/pointwise_at.h"

#include "aten/core/errors/floating_point_errors.h"
#include "aten/dispatch/pointwise.h"
#include "aten/dispatch/pointwise_choice.h"
#include "aten/iterator/aligned.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/cpu/pointwise/pointwise_at.h"
#include "aten/kernels/index_geometry.h"
#include "aten/ops/reduction/fold.h"

namespace tnp {

namespace {

// Processes the positions one after the other. For comparisons of int64 with uint64, which no
// single loop supports.
void one_by_one(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values) {
  for (int64_t i = 0; i < places.numel(); ++i) {
    Tensor element = view_of(a, {}, {}, element_address(a, places.data_ptr<int64_t>()[i]));
    Tensor operands[2] = {element, view_of(values, {}, {}, values.address() + i * values.itemsize())};
    copy_into(element, pointwise(op, operands));
  }
}

}  // namespace

void pointwise_at(const PointwiseOp& op, const Tensor& a, const Tensor& places, const Tensor& values, FoldOrder order) {
  if (runs_by_launches(a.device()) && !a.device().is_meta())
    return pointwise_at_by_launches(op, a, places, values, order);
  if (TNP_UNLIKELY(a.is_unaligned())) {
    const Tensor copy = aligned_copy(a);
    pointwise_at(op, copy, places, values, order);
    return copy_into(a, copy);
  }
  const bool binary = op.nin == 2;
  // As in NumPy, the result is cast to a's dtype without a check.
  Tensor operands[2] = {a, values};
  TensorList inputs(operands, op.nin);
  PointwiseChoice choice = choose_loop(op, inputs, std::nullopt, DeviceType::CPU);
  if (a.device().is_meta()) return;
  if (mixes_signs(op, choice, inputs)) return one_by_one(op, a, places, values);
  if (op.check) op.check(inputs, choice.types.compute);
  Tensor second = binary ? native::to_dtype(values, choice.loop->types[2]) : Tensor();
  const FloatingPointWatch watch(op.watched_as);
  pointwise_at_cpu(op, *choice.loop, a, places, values, second);
}

}  // namespace tnp
