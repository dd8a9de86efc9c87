// One function that plans and runs every reduction on every device.
#pragma once

#include "aten/core/errors/floating_point_error_kinds.h"
#include "aten/kernels/reduce_plan.h"
#include "aten/kernels/reduction.h"

namespace tnp {

// dim: nullopt reduces over all axes. An empty list reduces over none in np, and over all in torch.
// Result shape: input's without `dim`, or with 1s there if keepdim.
TNP_API Tensor reduce(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                      std::optional<ScalarType> dtype = std::nullopt, const ReduceOptions& options = {});

// A reduction of arrays of the CPU whose geometry is known before where they are.
class TNP_API PlannedReduction {
 public:
  // As reduce() with these arguments, which gave `result`; both arrays need no elements. Nothing where values decide
  // what there is to do besides.
  static std::optional<PlannedReduction> of(const ReductionOp& op, const Tensor& input, OptIntList dim, bool keepdim,
                                            std::optional<ScalarType> dtype, double parameter, const Tensor& result);
  // Where the first elements are.
  void run(const char* input, char* result) const;
  // Whether there may be a source in the place of a dense, row-major input.
  bool takes_source() const { return takes_source_; }
  // Reduces the elements of one, and gives the errors that were met in reducing.
  FloatingPointErrors run(ElementSource& source, char* result) const;
  // Whether `rows` equal parts of the first axis, the input being dense and row-major, are reduced each by itself, to
  // the same bits.
  bool takes_rows(int64_t rows) const;
  // Rows [begin, end) of so many, in this thread. `input` and `result`: where row 0 is, or would be.
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

// What reduce() does to a plan whose axes are known: coalesces, orders, and decides about `rows`; `load` and `mask` are
// known by now. Indices matter to some rules: then steps of `out` must coalesce, too.
TNP_API void arrange(ReducePlan& plan, ReductionRule rule, int64_t itemsize);

}  // namespace tnp
