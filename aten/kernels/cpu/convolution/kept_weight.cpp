#include "aten/kernels/cpu/convolution/kept_weight.h"

#include <memory>
#include <mutex>
#include <utility>

#include "aten/core/errors/error.h"
#include "aten/core/threads/fork.h"

namespace tnp {

bool KeptWeight::Source::operator==(const Source& other) const {
  return version == other.version && loans == other.loans && address == other.address && layout == other.layout;
}

// A cache of two layouts, the most recently used in front. A frozen layer needs two: one for
// inference and one for the gradient.
struct KeptWeight::Entry final : Storage::Attachment {
  struct Kept {
    Source source = {};
    Tensor copy;
  } first, second;

  // Moves the entry with this layout, or else the least recently used one, to the front.
  Kept& of(const Source& source) {
    if (first.source.layout != source.layout) std::swap(first, second);
    return first;
  }
};

namespace {

// Guards the attachments of all storages. It is held for a few comparisons only.
std::mutex& entries() {
  static auto& mutex = *[] {
    auto* made = new std::mutex;
    hold_at_fork(*made);
    return made;
  }();
  return mutex;
}

}  // namespace

KeptWeight::KeptWeight(const Tensor& weight, const std::vector<int64_t>& layout)
    : storage_(weight.storage()), source_{layout, weight.address(), storage_.version(), storage_.loans()} {
  if (storage_.is_lent()) return;
  source_.layout.push_back(static_cast<int64_t>(weight.dtype()));
  source_.layout.insert(source_.layout.end(), weight.sizes().begin(), weight.sizes().end());
  source_.layout.insert(source_.layout.end(), weight.strides().begin(), weight.strides().end());
  Tensor stale;  // freed after the lock is released
  std::lock_guard lock(entries());
  if (!storage_.attachment<Entry>()) storage_.attach(std::make_unique<Entry>());
  Entry::Kept& kept = storage_.attachment<Entry>()->of(source_);
  if (kept.source == source_) {
    copy_ = kept.copy;
    wanted_ = !copy_.defined();
    return;
  }
  kept.source = source_;
  stale = std::exchange(kept.copy, Tensor());
}

void KeptWeight::keep(const Tensor& copy) {
  TNP_INTERNAL_ASSERT(wanted_);
  Tensor stale;  // freed after the lock is released
  std::lock_guard lock(entries());
  Entry::Kept& kept = storage_.attachment<Entry>()->of(source_);
  if (kept.source == source_) stale = std::exchange(kept.copy, copy);
}

}  // namespace tnp
