#include "aten/fusion/reduction_source.h"

#include <mutex>

#include "aten/core/threads/thread_object.h"
#include "aten/fusion/expression.h"
#include "aten/fusion/thread_memory.h"

namespace tnp::fusion {

namespace {

bool is_looked_at_last(const Tensor& t) {
  if (thread_flags.is_last_look) return true;
  const TensorImpl& impl = *t.impl();
  if (impl.use_count() != 1 || impl.storage->use_count() != 1) return false;
  bool (*const is_temporary_of)(const TensorImpl&) = is_temporary.load(std::memory_order_acquire);
  return is_temporary_of && is_temporary_of(impl);
}

}  // namespace

constinit std::atomic<bool (*)(const TensorImpl&)> is_temporary = nullptr;

LastLook::LastLook() : before_(thread_flags.is_last_look) { thread_flags.is_last_look = true; }
LastLook::~LastLook() { thread_flags.is_last_look = before_; }

ReductionSource::ReductionSource(Node& root)
    : RangeSource(element_size(root.dtype)), program_(root, FusedExpression::Use::Elements) {}

const char* RangeSource::rows(int64_t begin, int64_t count, int64_t rows, int64_t step, int64_t stride) {
  struct Fetched : ThreadMemory {};
  auto& memory = ThreadObject<Fetched>::get();
  if (step == count && stride == count * itemsize_) count *= rows, rows = 1;  // source and target are dense
  char* const to = memory.at_least((rows - 1) * stride + count * itemsize_);
  for (int64_t r = 0; r < rows; ++r) compute(begin + r * step, begin + r * step + count, to + r * stride);
  return to;
}

std::unique_ptr<ReductionSource> source_of(const Tensor& input) {
  if (!is_looked_at_last(input)) return nullptr;
  for (bool has_room = false;; has_room = true) {
    if (has_room) compute_pending_of_released();
    const std::lock_guard guard(lock());
    Storage& storage = input.storage();
    if (!storage.is_pending() || node_of(storage).was_reduced) return nullptr;
    auto source = std::make_unique<ReductionSource>(node_of(storage));
    // The program allocates memory for results other than the root. So it frees memory first, as
    // compute() does.
    if (has_room || !source->program_.has_results()) return source;
  }
}

}  // namespace tnp::fusion
