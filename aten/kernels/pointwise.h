// Pointwise operators: a descriptor per operator, generated from `pointwise:` entries of native_functions.yaml, and the
// loops over their functors that a device has. What runs them is in aten/dispatch/pointwise.h.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "aten/core/numbers/promotion.h"
#include "aten/iterator/iterator.h"

namespace tnp {

// One compiled loop: the functor for one C++ type. `key` is the dtype it computes in. The loop of an operator for a
// LoopTypes is the one with key == compute (float16 loops exist for nextafter and spacing only), else the one with
// key == compute_type(compute), else the operator does not take this dtype: Dtype. An operand or output whose type is
// the key has the dtype LoopTypes says; one that differs (ldexp's exponent, frexp's second result) has the type's own.
struct PointwiseLoop {
  ScalarType key;
  ScalarType types[4];  // outputs first, then inputs (nout + nin <= 4)
  union {
    Loop loop;                                  // on the CPU
    void (*launch)(const IterationPlan& plan);  // on other devices
  };
};

struct PointwiseOp {
  const char* name;
  uint8_t nin, nout;
  Promotion promotion;
  std::span<const PointwiseLoop> (*loops)(DeviceType);  // generated; empty where the device has no kernels (yet)
  double cost;                                          // about nanoseconds per element
  // NumPy's name of the operator where its floating-point errors are watched (`floating_point_errors:` of the entry),
  // or null.
  const char* watched_as = nullptr;
  // `check:` of the entry, or null: raises for operand values that the loop may not meet.
  void (*check)(TensorList inputs, ScalarType compute) = nullptr;
  // The loops that calls have chosen, by promotion rules and the last operand's dtype; see Note [Direct calls] in
  // direct.h.
  mutable std::atomic<const PointwiseLoop*> direct[2][kNumScalarTypes] = {};
  mutable std::span<const PointwiseLoop> cuda_loops = {};  // filled in when the CUDA library is loaded
};

// NumPy's common ufunc parameters. `out` undefined: allocate.
struct PointwiseOptions {
  Tensor out[2];
  Tensor where;
  std::optional<ScalarType> dtype;
  Casting casting = Casting::SameKind;
  Order order = Order::K;
};

}  // namespace tnp
