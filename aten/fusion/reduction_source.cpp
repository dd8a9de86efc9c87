#include "aten/fusion/reduction_source.h"

#include <mutex>

#include "aten/core/threads/thread_object.h"
#include "aten/fusion/expression.h"
#include "aten/fusion/last_use.h"
#include "aten/fusion/thread_memory.h"

namespace tnp::fusion {

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
  if (!is_last_use(input)) return nullptr;
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
