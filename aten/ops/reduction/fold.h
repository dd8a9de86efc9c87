// ufunc.reduce, accumulate and reduceat for any binary operator. Associative operators may combine
// elements in an order that is faster on the device; all others are folded from left to right.
#pragma once

#include "aten/kernels/pointwise.h"

namespace tnp {

// ufunc.reduce and accumulate for any binary operator: folds along `dim` with the operator's own
// loop. Operators with a dedicated reduction (add: sum, multiply: prod, maximum: amax, ...) use
// that instead; see native_functions.yaml, key `ufunc`.
TNP_API Tensor fold(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                    std::optional<ScalarType> dtype, const std::optional<Scalar>& initial, const Tensor& where,
                    const Tensor& out);
TNP_API Tensor fold_running(const PointwiseOp& op, const Tensor& input, int64_t dim, std::optional<ScalarType> dtype,
                            const Tensor& out);

// The order in which elements may be combined.
enum class FoldOrder : uint8_t {
  LeftToRight,
  Associative,  // may combine any two neighbours first; never exchanges operands
};

// fold() and fold_running() for associative operators, including those that are associative only up
// to rounding.
TNP_API Tensor fold_associative(const PointwiseOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                                std::optional<ScalarType> dtype, const std::optional<Scalar>& initial,
                                const Tensor& where, const Tensor& out);
TNP_API Tensor fold_running_associative(const PointwiseOp& op, const Tensor& input, int64_t dim,
                                        std::optional<ScalarType> dtype, const Tensor& out);

// For each i, folds the elements starts[i] to starts[i + 1] - 1 along `dim`. The last segment ends
// with the axis. If starts[i + 1] <= starts[i], the result is the element at starts[i].
TNP_API Tensor fold_segments(const PointwiseOp& op, const Tensor& input, int64_t dim, IntList starts,
                             std::optional<ScalarType> dtype, FoldOrder order);

}  // namespace tnp
