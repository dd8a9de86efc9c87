// The entry point that plans and runs every reduction on every device.
#pragma once

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/kernels/reduce_plan.h"
#include "aten/kernels/reduction.h"

namespace tnp {

// dim: nullopt reduces over all axes. An empty list reduces over no axis in np, and over all in
// torch.
// Result shape: that of `input` without `dim`, or with size 1 there if keepdim.
TNP_API Tensor reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                      std::optional<ScalarType> dtype = std::nullopt, const ReduceOptions& options = {});

// A reduction of CPU arrays, planned before their addresses are known.
class TNP_API PlannedReduction {
 public:
  // Plans reduce() with these arguments, whose result was `result`; neither array needs allocated
  // elements. Returns nullopt if further work depends on the values.
  static std::optional<PlannedReduction> of(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                                            std::optional<ScalarType> dtype, double parameter, const Tensor& result);
  // `input` and `result`: addresses of the first elements.
  void run(const char* input, char* result) const;
  // Whether an ElementSource can replace a dense, row-major input.
  bool takes_source() const { return takes_source_; }
  // Reduces the elements of a source. Returns the floating-point errors of the reduction.
  FloatingPointErrors run(ElementSource& source, char* result) const;
  // Whether `rows` equal parts of the first axis of a dense, row-major input can be reduced
  // independently, with bitwise equal results.
  bool takes_rows(int64_t rows) const;
  // Reduces rows [begin, end) of `rows` on the calling thread. `input` and `result`: the addresses
  // of row 0.
  FloatingPointErrors run_rows(int64_t rows, int64_t begin, int64_t end, const char* input, char* result) const;
  FloatingPointErrors run_rows(int64_t rows, int64_t begin, int64_t end, ElementSource& source, char* result) const;
  static constexpr const char* kWatchedAs = "reduce";  // Note [Floating-point errors]

 private:
  FloatingPointErrors run_rows(int64_t rows, int64_t begin, int64_t end, ReducePlan& plan) const;
  const char* watched() const { return is_watched_ ? kWatchedAs : nullptr; }

  ReducePlan plan_;
  void (*loop_)(const ReducePlan& plan) = nullptr;
  bool is_watched_ = false, is_dense_ = false, takes_source_ = false;
};

// The part of reduce() that follows the choice of axes: coalesces and orders them, and sets `rows`.
// `load` and `mask` must be set before. For rules that use indices, the steps of `out` must
// coalesce too.
TNP_API void arrange(ReducePlan& plan, ReductionRule rule, int64_t itemsize);

}  // namespace tnp
