#include "aten/cuda/pinned_memory.h"

#include <bit>

#include "aten/cuda/backend.h"

namespace tnp::gpu {

bool PinnedMemory::is_done(Block& block) {
  while (!block.pending.empty()) {
    if (!backend::event_is_done(block.pending.back())) return false;
    backend::delete_event(block.pending.back());
    block.pending.pop_back();
  }
  return true;
}

Allocation PinnedMemory::allocate(size_t bytes) {
  if (bytes == 0) return {};
  TNP_CHECK(bytes <= static_cast<size_t>(PTRDIFF_MAX) / 2, ErrorKind::Memory, "unable to allocate ",
            static_cast<uint64_t>(bytes), " bytes of pinned memory");
  const size_t rounded = std::bit_ceil(bytes < 4096 ? size_t{4096} : bytes);
  std::lock_guard lock(mutex_);
  for (auto& [data, block] : blocks_) {
    if (!block.free || block.bytes != rounded || !is_done(block)) continue;
    block.free = false;
    return {const_cast<char*>(data), rounded};
  }
  void* data = backend::allocate_host(rounded);
  TNP_CHECK(data, ErrorKind::Memory, "unable to allocate ", static_cast<uint64_t>(bytes), " bytes of pinned memory");
  blocks_[static_cast<const char*>(data)] = {rounded, {}, false};
  return {data, rounded};
}

void PinnedMemory::free(Allocation allocation) noexcept {
  if (!allocation.data) return;
  std::lock_guard lock(mutex_);
  auto found = blocks_.find(static_cast<const char*>(allocation.data));
  if (found != blocks_.end()) found->second.free = true;
}

std::map<const char*, PinnedMemory::Block>::iterator PinnedMemory::around(const void* data) {
  auto after = blocks_.upper_bound(static_cast<const char*>(data));
  if (after == blocks_.begin()) return blocks_.end();
  auto block = std::prev(after);
  return static_cast<const char*>(data) < block->first + block->second.bytes ? block : blocks_.end();
}

bool PinnedMemory::holds(const void* data) {
  std::lock_guard lock(mutex_);
  return around(data) != blocks_.end();
}

void PinnedMemory::used_by(const void* data, StreamHandle stream) {
  std::lock_guard lock(mutex_);
  auto block = around(data);
  if (block == blocks_.end()) return;
  is_done(block->second);
  EventHandle event = backend::new_event(false);
  block->second.pending.push_back(event);
  backend::record(event, stream);
}

void PinnedMemory::empty_cache() {
  std::lock_guard lock(mutex_);
  for (auto at = blocks_.begin(); at != blocks_.end();) {
    const bool unused = at->second.free && is_done(at->second);
    if (unused) backend::free_host(const_cast<char*>(at->first));
    at = unused ? blocks_.erase(at) : std::next(at);
  }
}

}  // namespace tnp::gpu
