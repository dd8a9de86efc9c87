// The CPU's caching allocator.
//
// Note [Cached memory] The first write to a page of fresh memory is a page fault: the kernel finds
// a page and zeroes it. An addition of 10^7 floats spends more time on these faults than on adding.
// So the allocator keeps freed blocks and hands them out again:
//
// * Sizes are rounded up to size classes, four per power of two. A program whose shapes vary a
//   little therefore still reuses its blocks. Each size class has one free list.
// * Blocks of 2 MiB and more come from mmap. They are multiples of 2 MiB, aligned to 2 MiB, and
//   request huge pages: one fault instead of 512.
// * The cache holds at most `limit` bytes in total. The default is an eighth of the memory
//   available to the process (the machine's or the container's); TORCH_NP_CPU_CACHE_LIMIT overrides
//   it. A freed block that would exceed the limit is returned to the system at once.
// * When the system refuses memory, the allocator empties the cache and tries once more before it
//   raises Memory.
//
// Under AddressSanitizer all blocks come from its malloc. Padding from rounding up and cached
// blocks are poisoned.
#include "aten/core/memory/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <mutex>
#include <utility>

#include "aten/core/devices/device_runtime.h"
#include "aten/core/memory/lazy_zeros.h"
#include "aten/core/memory/memory_limit.h"
#include "aten/core/memory/poison.h"
#include "aten/core/threads/fork.h"

namespace tnp {

namespace {

constexpr size_t kAlignment = 64;
constexpr size_t kHugePage = size_t{2} << 20;
// blocks of at least this size come from mmap
constexpr size_t kMapped = kAddressSanitizer ? PTRDIFF_MAX : kHugePage;

// The smallest size class of 64, 80, 96, 112, 128, 160, 192, ... that holds `bytes`, and the
// class's index.
struct Step {
  size_t bytes, number;
};
Step step_of(size_t bytes) {
  size_t log = static_cast<size_t>(std::bit_width(bytes)) - 1, quarter = size_t{1} << (log - 2);
  // 0 to 4, where 4 is the next power of two
  size_t steps = (bytes - (size_t{1} << log) + quarter - 1) / quarter;
  return {(size_t{1} << log) + steps * quarter, 4 * log + steps};
}
Step round_up(size_t bytes) {
  Step step = step_of((std::max(bytes, kAlignment) + kAlignment - 1) / kAlignment * kAlignment);
  if (step.bytes >= kHugePage) return step_of((step.bytes + kHugePage - 1) / kHugePage * kHugePage);
  return {(step.bytes + kAlignment - 1) / kAlignment * kAlignment, step.number};
}

uint64_t default_limit() {
  if (const char* text = std::getenv("TORCH_NP_CPU_CACHE_LIMIT")) {
    char* end = nullptr;
    unsigned long long bytes = std::strtoull(text, &end, 10);
    if (end != text && *end == '\0') return bytes;
  }
  return memory_limit() / 8;
}

void* from_system(size_t bytes) {
  if (bytes < kMapped) return std::aligned_alloc(kAlignment, bytes);
  // Maps one huge page more than needed to contain an aligned block, then unmaps both ends.
  void* mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto begin = reinterpret_cast<uintptr_t>(mapped), aligned = (begin + kHugePage - 1) / kHugePage * kHugePage;
  if (aligned > begin) munmap(mapped, aligned - begin);
  munmap(reinterpret_cast<void*>(aligned + bytes), begin + kHugePage - aligned);
  void* data = reinterpret_cast<void*>(aligned);
  madvise(data, bytes, MADV_HUGEPAGE);  // only a hint: a system without huge pages ignores it
  return data;
}

void to_system(void* data, size_t bytes) noexcept {
  if (bytes < kMapped)
    std::free(data);
  else
    munmap(data, bytes);
}

class CpuAllocator final : public Allocator {
 public:
  CpuAllocator() { hold_at_fork(mutex_); }
  static CpuAllocator& instance() {
    static CpuAllocator* self = new CpuAllocator;  // never destroyed: arrays may outlive every static object
    return *self;
  }

  Allocation allocate(size_t bytes, Device) override {
    // Rounding a size above half of the address space could overflow. No system has that much
    // memory.
    if (TNP_LIKELY(bytes <= static_cast<size_t>(PTRDIFF_MAX) / 2)) {
      Step step = round_up(bytes);
      if (void* data = take(step)) {
        unpoison_only(data, bytes, step.bytes);
        return {data, step.bytes};
      }
      void* data = from_system(step.bytes);
      if (!data) {
        empty_cache();
        data = from_system(step.bytes);
      }
      if (data) {
        std::lock_guard lock(mutex_);
        count(step.bytes);
        unpoison_only(data, bytes, step.bytes);
        return {data, step.bytes};
      }
    }
    TNP_RAISE(ErrorKind::Memory, "unable to allocate ", static_cast<uint64_t>(bytes), " bytes on the CPU");
  }

  void free(Allocation block, Device) noexcept override {
    {
      std::lock_guard lock(mutex_);
      statistics_.allocated_bytes -= block.bytes;
      if (statistics_.cached_bytes + block.bytes <= statistics_.cache_limit) {
        statistics_.cached_bytes += block.bytes;
        if (void* node = node_of(block)) {
          Free*& first = free_[round_up(block.bytes).number];
          first = new (node) Free{first, block.data};
          return;
        }
        statistics_.cached_bytes -= block.bytes;
      }
    }
    to_system(block.data, block.bytes);
  }

  void empty_cache() { shrink_cache_to(0); }

  void set_limit(uint64_t bytes) {
    {
      std::lock_guard lock(mutex_);
      statistics_.cache_limit = bytes;
    }
    shrink_cache_to(bytes);
  }

  MemoryStatistics statistics() {
    std::lock_guard lock(mutex_);
    return statistics_;
  }
  void reset_peak() {
    std::lock_guard lock(mutex_);
    statistics_.peak_allocated_bytes = statistics_.allocated_bytes;
  }

 private:
  // A freed block. It is stored in the block itself, or for a large one outside of it: a write would
  // bring back a page that was returned to the system (lazy_zeros.h).
  struct Free {
    Free* next;
    void* data;
  };
  static void* node_of(Allocation block) noexcept {
    const bool outside = block.bytes >= kLazyZeros;
    unpoison_only(block.data, outside ? 0 : sizeof(Free), block.bytes);
    return outside ? std::malloc(sizeof(Free)) : block.data;
  }
  static void* take_first(Free*& first) noexcept {
    Free* const node = std::exchange(first, first->next);
    void* const data = node->data;
    if (node != data) std::free(node);
    return data;
  }

  void* take(Step step) {
    std::lock_guard lock(mutex_);
    Free*& first = free_[step.number];
    if (!first) return nullptr;
    statistics_.cached_bytes -= step.bytes;
    ++statistics_.cache_hits;
    count(step.bytes);
    return take_first(first);
  }

  void count(size_t bytes) {
    ++statistics_.allocations;
    statistics_.allocated_bytes += bytes;
    statistics_.peak_allocated_bytes = std::max(statistics_.peak_allocated_bytes, statistics_.allocated_bytes);
  }

  // Frees the largest blocks first, as there are the fewest of them.
  void shrink_cache_to(uint64_t bytes) {
    std::lock_guard lock(mutex_);
    for (size_t number = free_.size(); number-- > 0 && statistics_.cached_bytes > bytes;) {
      size_t block_bytes = bytes_of(number);
      while (free_[number] && statistics_.cached_bytes > bytes) {
        to_system(take_first(free_[number]), block_bytes);
        statistics_.cached_bytes -= block_bytes;
      }
    }
  }
  static size_t bytes_of(size_t number) {
    size_t power = size_t{1} << (number / 4);
    return round_up(power + number % 4 * (power / 4)).bytes;
  }

  std::mutex mutex_;
  std::array<Free*, size_t{4} * 64> free_{};
  MemoryStatistics statistics_{.allocated_bytes = 0,
                               .peak_allocated_bytes = 0,
                               .cached_bytes = 0,
                               .cache_limit = default_limit(),
                               .allocations = 0,
                               .cache_hits = 0};
};

}  // namespace

Allocator& allocator(Device device) {
  if (TNP_LIKELY(device.is_cpu())) return CpuAllocator::instance();
  return runtime_of(device).allocator();
}

MemoryStatistics cpu_memory_statistics() { return CpuAllocator::instance().statistics(); }
void reset_peak_memory_statistics() { CpuAllocator::instance().reset_peak(); }
void empty_cpu_cache() { CpuAllocator::instance().empty_cache(); }
void set_cpu_cache_limit(uint64_t bytes) { CpuAllocator::instance().set_limit(bytes); }

}  // namespace tnp
