// Reductions of what nobody looks at afterwards, as of pending results (Note [Pending results] in
// aten/core/memory/storage.h): the elements are computed block by block as they are reduced, and never written to
// memory.
#pragma once

#include <atomic>
#include <memory>

#include "aten/core/tensor.h"
#include "aten/fusion/program.h"
#include "aten/kernels/reduce_plan.h"

namespace tnp::fusion {

// Elements that something computes range by range.
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

class ReductionSource final : public RangeSource {
 public:
  explicit ReductionSource(Node& root);  // under lock()
  int64_t count_truths(int64_t begin, int64_t count) override { return program_.count_range(begin, begin + count); }
  bool is_wanted_whole() const override { return program_.is_watched() || program_.has_results(); }
  // After all has been reduced: as Program::publish().
  bool publish() { return program_.publish(); }

 private:
  friend std::unique_ptr<ReductionSource> source_of(const Tensor& input);
  void compute(int64_t begin, int64_t end, char* to) override { program_.run_range(begin, end, to); }
  Program program_;
};

// Null where the elements lie in memory, or somebody may look at them after the reduction.
std::unique_ptr<ReductionSource> source_of(const Tensor& input);

// Whether the front end's object for a tensor, the only owner of it, goes when the call under way has ended. To err
// costs time: what is looked at nevertheless is computed again. Null: it never does. Functions that read an argument
// after they have reduced it hold it themselves, so that there is another owner.
TNP_API extern std::atomic<bool (*)(const TensorImpl&)> is_temporary;

// While it lives, reductions in this thread are the last to look at their inputs, whoever owns them.
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
