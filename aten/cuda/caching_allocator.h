// Caching allocator of GPU memory.
//
// Note [Stream-ordered memory] A freed block is reused at once, but only by the stream that it was
// allocated for. Work of one stream is executed in order, so earlier work on the block is complete
// before later work begins, and the host never waits. Each stream has its own free lists. If other
// streams use a block (record_stream), it becomes free after the work that these streams held at
// the time of free().
//
// Sizes are rounded up to one of four size classes per power of two. Blocks up to 1 MiB are cut
// from segments of 2 MiB; larger ones are segments of their own. If the driver is out of memory,
// the allocator returns all cached segments and tries again, before it raises Memory with the
// figures.
//
// With TORCH_NP_CUDA_NO_CACHE=1 in the environment, every array has a segment of exactly its size,
// which free() returns to the driver. This is for tools that detect accesses out of bounds:
// compute-sanitizer and AddressSanitizer.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <unordered_map>
#include <vector>

#include "aten/core/devices/device_runtime.h"

namespace tnp::gpu {

// Note [Memory of graphs] Each launch of a graph reads and writes the addresses that were allocated
// during its capture. These blocks therefore belong to the graph: a freed one is reused by a later
// allocation of the same capture only. When the graph is destroyed, its free blocks return to the
// free lists. Blocks that arrays still hold return there when they are freed.
class GraphMemory;

class CachingAllocator final : public Allocator {
 public:
  explicit CachingAllocator(int devices) : devices_(static_cast<size_t>(devices)) {}

  Allocation allocate(size_t bytes, Device device) override;
  void free(Allocation block, Device device) noexcept override;
  void record_stream(const void* data, Device device, StreamHandle stream);

  void empty_cache();
  MemoryStatistics statistics(int device);
  void reset_peak(int device);

  // Between these two calls, allocations of this thread belong to the graph.
  void begin_graph(GraphMemory& memory) { capturing_ = &memory; }
  void stop_graph() { capturing_ = nullptr; }
  // `users`: the streams into which the graph was launched.
  void end_graph(GraphMemory& memory, std::span<const StreamHandle> users) noexcept;

 private:
  friend class GraphMemory;
  struct Segment {
    void* data;
    size_t bytes;
    size_t blocks, free = 0;  // number of its blocks, and of those in a free list
  };
  struct Block {
    char* data;
    size_t bytes;
    Segment* segment;
    StreamHandle stream;
    std::vector<StreamHandle> users;   // streams that use the block besides the one that owns it
    std::vector<EventHandle> pending;  // events that must complete before the block is free
    GraphMemory* graph = nullptr;      // the graph that owns the block, or null
  };
  using FreeLists = std::array<std::vector<Block*>, 256>;  // indexed by size class
  struct PerDevice {
    std::map<StreamHandle, FreeLists> free;
    std::unordered_map<const void*, std::unique_ptr<Block>> blocks;  // all blocks, free or in use, by address
    std::vector<Block*> waiting;
    std::vector<std::unique_ptr<Segment>> segments;
    MemoryStatistics statistics{};
  };

  Block* take(PerDevice& d, StreamHandle stream, size_t step);
  Block* new_blocks(PerDevice& d, StreamHandle stream, size_t bytes, size_t length);
  void to_list(PerDevice& d, Block* block);
  void release(PerDevice& d, Block* block);
  void collect(PerDevice& d, bool wait);
  void empty(PerDevice& d, int device);

  static thread_local GraphMemory* capturing_;
  std::mutex mutex_;
  std::vector<PerDevice> devices_;
};

class GraphMemory {
 public:
  explicit GraphMemory(Device device) : device_(device) {}
  GraphMemory(const GraphMemory&) = delete;
  GraphMemory& operator=(const GraphMemory&) = delete;

 private:
  friend class CachingAllocator;
  const Device device_;
  std::vector<CachingAllocator::Block*> blocks_;
  std::vector<CachingAllocator::Block*> free_;  // blocks that are not in use
};

}  // namespace tnp::gpu
