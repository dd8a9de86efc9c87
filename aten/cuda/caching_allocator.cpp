#include "aten/cuda/caching_allocator.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string_view>

#include "aten/cuda/backend.h"
#include "aten/cuda/streams.h"

namespace tnp::gpu {

namespace {

constexpr size_t kSmallest = 1024, kSmallLimit = size_t{1} << 20, kSegment = size_t{2} << 20;

struct Step {
  size_t bytes, number;
};
// Rounds `bytes` up to a size class: the smallest of 1024, 1280, 1536, 1792, 2048, ... that is
// large enough. Above 1 MiB the size classes are multiples of 2 MiB. Blocks are therefore aligned
// to 256 bytes, like the driver's.
Step step_of(size_t bytes) {
  bytes = std::max(bytes, kSmallest);
  if (bytes > kSmallLimit) bytes = (bytes + kSegment - 1) / kSegment * kSegment;
  const auto log = static_cast<size_t>(std::bit_width(bytes)) - 1;
  const size_t quarter = size_t{1} << (log - 2), quarters = (bytes - (size_t{1} << log) + quarter - 1) / quarter;
  // if `quarters` is 4, the size is the next power of two
  const Step step{(size_t{1} << log) + quarters * quarter, 4 * log + quarters};
  return step.bytes > kSmallLimit && step.bytes % kSegment != 0 ? step_of(step.bytes) : step;
}

bool keeps_blocks() {
  static const bool keeps = [] {
    const char* text = std::getenv("TORCH_NP_CUDA_NO_CACHE");
    return !text || !*text || std::string_view(text) == "0";
  }();
  return keeps;
}

}  // namespace

// Static, because a program has a single allocator (only tests create more).
thread_local GraphMemory* CachingAllocator::capturing_ = nullptr;

CachingAllocator::Block* CachingAllocator::take(PerDevice& d, StreamHandle stream, size_t step) {
  auto lists = d.free.find(stream);
  if (lists == d.free.end() || lists->second[step].empty()) return nullptr;
  Block* block = lists->second[step].back();
  lists->second[step].pop_back();
  --block->segment->free;
  d.statistics.cached_bytes -= block->bytes;
  return block;
}

// Allocates a segment of `length` bytes from the driver and cuts it into blocks. Returns the first
// block and puts the others into the free list. Returns null if the driver is out of memory.
CachingAllocator::Block* CachingAllocator::new_blocks(PerDevice& d, StreamHandle stream, size_t bytes, size_t length) {
  const size_t count = length / bytes, step = step_of(bytes).number;
  void* data = backend::allocate(length);
  if (!data) return nullptr;
  d.segments.push_back(std::make_unique<Segment>(Segment{data, length, count}));
  Segment* segment = d.segments.back().get();
  Block* first = nullptr;
  for (size_t i = count; i-- > 0;) {
    char* at = static_cast<char*>(data) + i * bytes;
    auto& block = d.blocks[at] = std::make_unique<Block>(Block{at, bytes, segment, stream, {}, {}});
    if (i == 0) {
      first = block.get();
    } else {
      d.free[stream][step].push_back(block.get());
      ++segment->free;
      d.statistics.cached_bytes += bytes;
    }
  }
  return first;
}

Allocation CachingAllocator::allocate(size_t bytes, Device device) {
  if (bytes == 0) return {};
  std::lock_guard lock(mutex_);
  PerDevice& d = devices_[static_cast<size_t>(device.index)];
  if (bytes <= static_cast<size_t>(PTRDIFF_MAX) / 2) {
    const StreamHandle stream = current_stream(device.index);
    const Step step = step_of(bytes);
    const size_t block_bytes = keeps_blocks() ? step.bytes : bytes,
                 length = keeps_blocks() ? std::max(step.bytes, kSegment) : bytes;
    collect(d, false);
    Block* block = nullptr;
    GraphMemory* graph = capturing_ && capturing_->device_ == device ? capturing_ : nullptr;
    if (graph) {
      const auto fits =
          std::find_if(graph->free_.begin(), graph->free_.end(), [&](Block* b) { return b->bytes == block_bytes; });
      if (fits != graph->free_.end()) {
        block = *fits;
        graph->free_.erase(fits);
      }
    }
    if (!block) block = take(d, stream, step.number);
    if (block) ++d.statistics.cache_hits;
    if (!block) {
      DeviceGuard guard(device.index);
      block = new_blocks(d, stream, block_bytes, length);
      if (!block) {
        collect(d, true);
        empty(d, device.index);
        block = new_blocks(d, stream, block_bytes, length);
      }
    }
    if (block && graph && !block->graph) {
      block->graph = graph;
      graph->blocks_.push_back(block);
    }
    if (block) {
      ++d.statistics.allocations;
      d.statistics.allocated_bytes += block->bytes;
      d.statistics.peak_allocated_bytes = std::max(d.statistics.peak_allocated_bytes, d.statistics.allocated_bytes);
      return {block->data, block->bytes};
    }
  }
  size_t left = 0, total = 0;
  DeviceGuard guard(device.index);
  backend::memory_info(left, total);
  TNP_RAISE(ErrorKind::Memory, "out of memory on ", device, ": ", static_cast<uint64_t>(bytes),
            " bytes were requested; of ", static_cast<uint64_t>(total), " there are ", static_cast<uint64_t>(left),
            " free; arrays hold ", d.statistics.allocated_bytes, ", and the cache, which was emptied before, ",
            d.statistics.cached_bytes);
}

void CachingAllocator::to_list(PerDevice& d, Block* block) {
  ++block->segment->free;
  d.statistics.cached_bytes += block->bytes;
  d.free[block->stream][step_of(block->bytes).number].push_back(block);
}

void CachingAllocator::free(Allocation allocation, Device device) noexcept {
  if (!allocation.data) return;
  std::lock_guard lock(mutex_);
  PerDevice& d = devices_[static_cast<size_t>(device.index)];
  auto found = d.blocks.find(allocation.data);
  if (found == d.blocks.end()) return;
  Block* block = found->second.get();
  d.statistics.allocated_bytes -= block->bytes;
  if (block->graph) return block->graph->free_.push_back(block);
  try {
    DeviceGuard guard(device.index);
    release(d, block);
    if (!keeps_blocks()) {
      collect(d, true);
      empty(d, device.index);
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // The driver failed. The block leaks, because the allocator cannot know when it is safe to
    // reuse.
  }
}

void CachingAllocator::end_graph(GraphMemory& memory, std::span<const StreamHandle> users) noexcept {
  std::lock_guard lock(mutex_);
  PerDevice& d = devices_[static_cast<size_t>(memory.device_.index)];
  try {
    DeviceGuard guard(memory.device_.index);
    for (Block* block : memory.blocks_) {
      block->graph = nullptr;
      block->users.insert(block->users.end(), users.begin(), users.end());
    }
    for (Block* block : memory.free_) release(d, block);
    if (!keeps_blocks()) {
      collect(d, true);
      empty(d, memory.device_.index);
    }
  } catch (...) {  // NOLINT(bugprone-empty-catch)
    // The blocks leak, as in free().
  }
}

// Puts a block into its free list, or into `waiting` until all streams that use it have completed
// their work on it.
void CachingAllocator::release(PerDevice& d, Block* block) {
  for (StreamHandle user : block->users) {
    EventHandle event = backend::new_event(false);
    block->pending.push_back(event);
    backend::record(event, user);
  }
  block->users.clear();
  if (block->pending.empty())
    to_list(d, block);
  else
    d.waiting.push_back(block);
}

void CachingAllocator::record_stream(const void* data, Device device, StreamHandle stream) {
  std::lock_guard lock(mutex_);
  PerDevice& d = devices_[static_cast<size_t>(device.index)];
  auto found = d.blocks.find(data);
  // Returns if `data` is not a block of this allocator, or `stream` is the one the block was
  // allocated for.
  if (found == d.blocks.end() || found->second->stream == stream) return;
  auto& users = found->second->users;
  if (std::find(users.begin(), users.end(), stream) == users.end()) users.push_back(stream);
}

// Moves blocks from `waiting` to the free lists once their pending events are done. With `wait`,
// waits for these events.
void CachingAllocator::collect(PerDevice& d, bool wait) {
  std::erase_if(d.waiting, [&](Block* block) {
    while (!block->pending.empty()) {
      EventHandle event = block->pending.back();
      if (wait)
        backend::synchronize_event(event);
      else if (!backend::event_is_done(event))
        return false;
      backend::delete_event(event);
      block->pending.pop_back();
    }
    to_list(d, block);
    return true;
  });
}

// Returns segments without a block in use to the driver. The driver's free waits for the device, so
// work under way is complete by then.
void CachingAllocator::empty(PerDevice& d, int device) {
  DeviceGuard guard(device);
  auto is_unused = [](const Segment* s) { return s->free == s->blocks; };
  for (auto& [stream, lists] : d.free) {
    for (std::vector<Block*>& list : lists) {
      std::erase_if(list, [&](Block* block) { return is_unused(block->segment); });
    }
  }
  std::erase_if(d.blocks, [&](const auto& entry) {
    if (!is_unused(entry.second->segment)) return false;
    d.statistics.cached_bytes -= entry.second->bytes;
    return true;
  });
  std::erase_if(d.segments, [&](const std::unique_ptr<Segment>& s) {
    if (!is_unused(s.get())) return false;
    backend::free(s->data);
    return true;
  });
}

void CachingAllocator::empty_cache() {
  std::lock_guard lock(mutex_);
  for (size_t device = 0; device < devices_.size(); ++device) {
    collect(devices_[device], false);
    empty(devices_[device], static_cast<int>(device));
  }
}

MemoryStatistics CachingAllocator::statistics(int device) {
  std::lock_guard lock(mutex_);
  return devices_[static_cast<size_t>(device)].statistics;
}

void CachingAllocator::reset_peak(int device) {
  std::lock_guard lock(mutex_);
  MemoryStatistics& s = devices_[static_cast<size_t>(device)].statistics;
  s.peak_allocated_bytes = s.allocated_bytes;
}

}  // namespace tnp::gpu
