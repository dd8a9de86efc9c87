// Memory of GPUs, kept for the next array.
//
// Note [Stream-ordered memory] A freed block is handed out again at once, to the stream that it was allocated for: what
// that stream was given before comes first on the device, too, so nobody waits. Other streams get other blocks. A block
// that other streams use (record_stream) comes back when what they had been given by then is done.
//
// Sizes are rounded up to one of four steps a power of two; blocks below 1 MiB are pieces of segments of 2 MiB, larger
// ones are segments of their own. When the driver refuses memory, all that is kept is given back and the driver asked
// again, before Memory is raised with the figures.
//
// With TORCH_NP_CUDA_NO_CACHE=1 in the environment every array has a segment of just its size, which goes back to the
// driver when it is freed: for tools that look for accesses out of bounds, compute-sanitizer and AddressSanitizer.
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

// Note [Memory of graphs] A graph reads and writes at the addresses that were taken while it was captured, at each of
// its launches. So what the capturing thread takes meanwhile is the graph's: arrays that go give their block back to
// the graph, whose next array may have it, and to nobody else. When the graph goes, the blocks are as all others;
// those that arrays still hold come back from these.
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

  // What this thread takes, up to stop_graph(), is the graph's.
  void begin_graph(GraphMemory& memory) { capturing_ = &memory; }
  void stop_graph() { capturing_ = nullptr; }
  // `users`: streams that it was launched into.
  void end_graph(GraphMemory& memory, std::span<const StreamHandle> users) noexcept;

 private:
  friend class GraphMemory;
  struct Segment {
    void* data;
    size_t bytes;
    size_t blocks, free = 0;  // how many blocks it was cut into, and how many of them are in a list of free ones
  };
  struct Block {
    char* data;
    size_t bytes;
    Segment* segment;
    StreamHandle stream;
    std::vector<StreamHandle> users;   // other streams
    std::vector<EventHandle> pending;  // what must be done before it is free
    GraphMemory* graph = nullptr;      // that it is a part of
  };
  using FreeLists = std::array<std::vector<Block*>, 256>;  // by step
  struct PerDevice {
    std::map<StreamHandle, FreeLists> free;
    std::unordered_map<const void*, std::unique_ptr<Block>> blocks;  // all that exist
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
  std::vector<CachingAllocator::Block*> free_;  // of these
};

}  // namespace tnp::gpu
