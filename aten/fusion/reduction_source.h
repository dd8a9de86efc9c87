// Fused reductions: sources that compute a pending input block by block while it is reduced,
// without writing it to memory. They apply if nothing reads the input afterwards: Note [Pending
// results] in aten/core/memory/storage.h.
#pragma once

#include <memory>

#include "aten/core/tensor.h"
#include "aten/fusion/fused_expression.h"
#include "aten/kernels/reduce_plan.h"

namespace tnp::fusion {

// Source of elements that are computed range by range.
class RangeSource : public ElementSource {
 public:
  explicit RangeSource(int64_t itemsize) : itemsize_(itemsize) {}
  const char* rows(int64_t begin, int64_t count, int64_t rows, int64_t step, int64_t stride) final;

 protected:
  ~RangeSource() = default;

 private:
  virtual void compute(int64_t begin, int64_t end, char* to) = 0;
  const int64_t itemsize_;
};

// The elements of a pending result, for the reduction that consumes it.
class ReductionSource final : public RangeSource {
 public:
  explicit ReductionSource(Node& root);  // under lock()
  int64_t count_truths(int64_t begin, int64_t count) override { return program_.count_range(begin, begin + count); }
  bool is_wanted_whole() const override { return program_.is_watched() || program_.has_results(); }
  // Call after the reduction. Same as FusedExpression::publish().
  bool publish() { return program_.publish(); }
  const FusedExpression& expression() const { return program_; }

 private:
  friend std::unique_ptr<ReductionSource> source_of(const Tensor& input);
  void compute(int64_t begin, int64_t end, char* to) override { program_.run_range(begin, end, to); }
  FusedExpression program_;
};

// Returns a source for `input`, or null if its elements are already in memory or may be read after
// the reduction.
std::unique_ptr<ReductionSource> source_of(const Tensor& input);

}  // namespace tnp::fusion
