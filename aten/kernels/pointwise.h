// Pointwise operators: a descriptor for each operator, generated from `pointwise:` entries of
// native_functions.yaml, and a device's loops over their functors. aten/dispatch/pointwise.h runs
// them.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "aten/core/numbers/promotion.h"
#include "aten/iterator/iterator.h"
#include "aten/kernels/loops.h"

namespace tnp {

struct PointwiseOp {
  const char* name;
  uint8_t nin, nout;
  Promotion promotion;
  // generated; empty if the device has no kernels
  std::span<const PointwiseLoop> (*loops)(DeviceType);
  double cost;  // nanoseconds per element, approximately
  // NumPy's name of the operator if its floating-point errors are watched (`floating_point_errors:`
  // of the entry), or null.
  const char* watched_as = nullptr;
  // `check:` of the entry, or null. It raises for operand values that the loop must not see.
  void (*check)(TensorList inputs, ScalarType compute) = nullptr;
  // `keeps_numbers:` of the entry: on PyTorch's face numbers and 0-d operands are not rounded to the
  // 16-bit dtype of the other operands, since the loop computes in float32.
  bool keeps_numbers = false;
  // Cache of the loops that calls have chosen, by promotion rules and the last operand's dtype. See
  // Note [Direct calls] in direct.h.
  mutable std::atomic<const PointwiseLoop*> direct[2][kNumScalarTypes] = {};
  mutable std::span<const PointwiseLoop> cuda_loops = {};  // set when the CUDA library is loaded
};

// NumPy's common ufunc parameters. If `out` is undefined, results are allocated.
struct PointwiseOptions {
  Tensor out[2];
  Tensor where;
  std::optional<ScalarType> dtype;
  Casting casting = Casting::SameKind;
  Order order = Order::K;
  OutDtype out_dtype = OutDtype::SameKind;
};

}  // namespace tnp
