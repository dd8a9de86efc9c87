// Pointwise operators: a descriptor per operator (generated from `pointwise:` entries of native_functions.yaml), one
// function that runs them all, and the loops over their functors.
#pragma once

#include <atomic>
#include <optional>
#include <span>

#include "aten/core/promotion.h"
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

// Runs `op`. `results` has op.nout entries; given `out`s are returned in them. Raises what Iterator and loop_types
// raise.
TNP_API void pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options, Tensor* results);
// For operators of one result.
TNP_API Tensor pointwise(const PointwiseOp& op, TensorList inputs, const PointwiseOptions& options = {});

// ufunc.reduce / accumulate for any binary operator: folds along `dim` with the loop itself. Operators that have a
// reduction of their own (add: sum, multiply: prod, maximum: amax, ...) go there instead; see native_functions.yaml,
// key `ufunc`.
TNP_API Tensor fold(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                    std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                    const Tensor& out);
TNP_API Tensor fold_running(const PointwiseOp& op, const Tensor& input, int64_t dim, std::optional<ScalarType> dtype,
                            const Tensor& out);

// How an operator folds: its loop, what that computes in, and the dtype of the result. Raises Value if it is not
// binary.
struct PointwiseFold {
  Loop loop;
  ScalarType compute, result;
};
PointwiseFold pointwise_fold(const PointwiseOp& op, const Tensor& input, std::optional<ScalarType> dtype);

// dst[...] = src, cast as `casting` allows, broadcast to dst's shape. The kernel of copy_, astype and setitem.
TNP_API void copy_into(const Tensor& dst, const Tensor& src, Casting casting = Casting::Unsafe);
// The same between devices, which `non_blocking` does not wait for if it can be helped.
TNP_API void copy_across(const Tensor& dst, const Tensor& src, bool non_blocking);
// dst[...] = value
TNP_API void fill_with(const Tensor& dst, const Scalar& value);

}  // namespace tnp
