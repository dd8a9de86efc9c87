// Fused reductions: sources that compute a pending input block by block while it is reduced,
// without writing it to memory. They apply if nothing reads the input afterwards: Note [Pending
// results] in aten/core/memory/storage.h.
#pragma once

#include <atomic>
#include <memory>

#include "aten/core/tensor.h"
#include "aten/fusion/program.h"
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
  // Call when the reduction has ended; as Program::publish().
  bool publish() { return program_.publish(); }

 private:
  friend std::unique_ptr<ReductionSource> source_of(const Tensor& input);
  void compute(int64_t begin, int64_t end, char* to) override { program_.run_range(begin, end, to); }
  Program program_;
};

// Null if the elements are in memory, or may be read after the reduction.
std::unique_ptr<ReductionSource> source_of(const Tensor& input);

// Callback of the front end: whether its object for a tensor, the tensor's only owner, dies when
// the current call ends. A wrong guess only costs time: the value is recomputed if it is read after
// all. Null means "never". A function that reads an argument again after reducing it must hold a
// copy of the handle, so that the tensor has another owner.
TNP_API extern std::atomic<bool (*)(const TensorImpl&)> is_temporary;

// While an object lives, reductions in this thread are the last readers of their inputs, regardless
// of other owners.
class LastLook {
 public:
  TNP_API LastLook();
  TNP_API ~LastLook();
  LastLook(const LastLook&) = delete;
  LastLook& operator=(const LastLook&) = delete;

 private:
  bool before_;
};

}  // namespace tnp::fusion
