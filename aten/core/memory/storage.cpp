#include "aten/core/memory/storage.h"

#include "aten/core/errors/error.h"
#include "aten/core/memory/inference.h"
#include "aten/core/memory/pending_lock.h"
#include "aten/core/memory/poison.h"
#include "aten/core/observer.h"
#include "aten/core/profiler/profiler.h"
#include "aten/core/threads/fork.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

namespace {

// Smaller allocations do not compute released pending results.
constexpr size_t kLarge = 64 * 1024;

// Fits one cache line: every call creates and releases small storages.
static_assert(sizeof(Storage) <= 64);

// Offset of a small storage's bytes: past the Storage itself, with malloc's alignment.
constexpr size_t kHeader = (sizeof(Storage) + 15) / 16 * 16;
constexpr size_t kTiny = 64, kSmall = 256;
using TinyBlocks = FreeList<kHeader + kTiny>;
using SmallBlocks = FreeList<kHeader + kSmall>;
using Headers = FreeList<sizeof(Storage)>;

// NumPy has no inference mode: its arrays are not marked.
bool marks_inference() { return !dialect().errors_are_numpys(); }

__attribute__((noinline)) void note_allocation(size_t bytes, Device device) {
  if (!device.is_meta()) profiler::note_memory(static_cast<int64_t>(bytes), device);
}

}  // namespace

intrusive_ptr<Storage> new_storage(size_t bytes, Device device) {
  Storage* made = nullptr;
  if (TNP_LIKELY(device.is_cpu() && bytes <= kSmall)) {
    void* block = bytes <= kTiny ? TinyBlocks::take() : SmallBlocks::take();
    unpoison_only(static_cast<char*>(block) + kHeader, bytes, bytes <= kTiny ? kTiny : kSmall);
    made = new (block) Storage({static_cast<char*>(block) + kHeader, bytes}, bytes, device, Storage::Memory::Inline);
  } else if (device.is_meta()) {
    // A dummy base address for views, far from both ends of the address space. It is never
    // dereferenced.
    Allocation nowhere{reinterpret_cast<void*>(uintptr_t{1} << 62), 0};
    made = new (Headers::take()) Storage(nowhere, bytes, device, Storage::Memory::None);
  } else if (TNP_UNLIKELY(device.is_wrapped()) && observer()) {
    return new_storage(bytes, observer()->device_of_parts());
  } else {
    if (bytes >= kLarge && device.is_cpu()) compute_pending_of_released();
    Allocation memory = allocator(device).allocate(bytes, device);
    void* block = nullptr;
    try {
      block = Headers::take();
    } catch (...) {
      allocator(device).free(memory, device);
      throw;
    }
    made = new (block) Storage(memory, bytes, device, Storage::Memory::Allocated);
  }
  made->retain_first();
  if (TNP_UNLIKELY(inference_mode) && marks_inference())
    made->fusion_.store(Storage::kInference, std::memory_order_relaxed);
  if (TNP_UNLIKELY(profiler::has_memory())) note_allocation(bytes, device);
  return intrusive_ptr<Storage>::adopt(made);
}

std::recursive_mutex& pending_lock() {
  static auto& mutex = *[] {
    allocator(Device{});  // creates the allocator's lock first: it is locked while this one is held
    profiler::make_lock();
    auto* made = new std::recursive_mutex;
    hold_at_fork(*made);
    return made;
  }();
  return mutex;
}
// Created before any lock under which memory is allocated.
[[maybe_unused]] static const std::recursive_mutex& made_at_start = pending_lock();

void Storage::attach(std::unique_ptr<Attachment> attachment) {
  TNP_INTERNAL_ASSERT(!attachment_);
  attachment_ = std::move(attachment);
}

void Storage::lend() {
  // Incremented first: a concurrently recorded reader sees the loan and is not recorded.
  loans_.fetch_add(1);
  try {
    prepare_change();
  } catch (...) {
    give_back();
    throw;
  }
  if (Observer* watching = observer()) watching->lent(*this);
}

intrusive_ptr<Storage> new_pending_storage(size_t bytes, std::unique_ptr<Storage::Attachment> attachment) {
  auto* made = new (Headers::take()) Storage(Allocation{}, bytes, Device{}, Storage::Memory::Pending);
  made->attach(std::move(attachment));
  const bool marked = TNP_UNLIKELY(inference_mode) && marks_inference();
  made->fusion_.store(marked ? Storage::kWasPending | Storage::kInference : Storage::kWasPending,
                      std::memory_order_relaxed);
  made->retain_first();
  return intrusive_ptr<Storage>::adopt(made);
}

// RefCounted::release() does not decrement before destroy() if it sees that it is the last owner.
bool Storage::try_retain() const noexcept {
  uint32_t n = count_.load(std::memory_order_relaxed);
  while (n != 0 && !count_.compare_exchange_weak(n, n + 1, std::memory_order_acq_rel)) {
  }
  return n != 0;
}

void Storage::destroy() {
  if (TNP_UNLIKELY(fusion_.load(std::memory_order_relaxed) & kWasPending)) {
    const std::lock_guard guard(pending_lock());  // excludes concurrent try_retain()
    // Decrements to 0, after which try_retain() fails, unless release() has already decremented.
    if (use_count() != 0 && count_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  }
  const Memory memory = memory_;
  const size_t bytes = bytes_;
  if (TNP_UNLIKELY(profiler::has_memory()) && (memory == Memory::Inline || memory == Memory::Allocated))
    profiler::note_memory(-static_cast<int64_t>(bytes), device_);
  this->~Storage();
  switch (memory) {
    case Memory::Inline:
      return bytes <= kTiny ? TinyBlocks::give(this) : SmallBlocks::give(this);
    case Memory::Allocated:
    case Memory::None:
    case Memory::Pending:
      return Headers::give(this);
    case Memory::Foreign:
      return ::operator delete(this);
  }
}

}  // namespace tnp
