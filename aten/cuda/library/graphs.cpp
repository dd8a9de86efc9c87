#include "aten/cuda/library/graphs.h"

#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <vector>

#include "aten/core/devices/device_graph.h"
#include "aten/core/errors/error.h"
#include "aten/cuda/backend.h"
#include "aten/cuda/streams.h"

namespace tnp::gpu {

namespace {

class Graph final : public DeviceGraph {
 public:
  Graph(Device device, CachingAllocator& allocator) : device_(device), allocator_(allocator) {}
  ~Graph() override {
    backend::delete_graph(handle_);
    const std::vector<StreamHandle> streams(streams_.begin(), streams_.end());
    allocator_.end_graph(memory_, streams);
  }

  void launch() override {
    const DeviceGuard guard(device_.index);
    const StreamHandle stream = current_stream(device_.index);
    backend::launch_graph(handle_, stream);
    std::lock_guard lock(mutex_);
    streams_.insert(stream);
  }

  // Returns false if the capture failed and there is no graph to launch.
  bool capture(StreamHandle stream, function_ref<void()> work) {
    struct Current {
      int device;
      StreamHandle before;
      ~Current() { set_current_stream(device, before); }
    } const current{device_.index, current_stream(device_.index)};
    set_current_stream(device_.index, stream);
    bool is_good = true;
    {
      struct Capture {
        Graph& graph;
        StreamHandle stream;
        bool& is_good;
        Capture(Graph& g, StreamHandle s, bool& good) : graph(g), stream(s), is_good(good) {
          graph.allocator_.begin_graph(graph.memory_);
          try {
            backend::begin_capture(stream);
          } catch (...) {
            graph.allocator_.stop_graph();
            throw;
          }
        }
        ~Capture() {
          graph.allocator_.stop_graph();
          graph.handle_ = backend::end_capture(stream);
          is_good = is_good && graph.handle_ != 0;
        }
      } const capture(*this, stream, is_good);
      try {
        work();
      } catch (const Error&) {
        is_good = false;
      }
    }
    return is_good;
  }

 private:
  const Device device_;
  CachingAllocator& allocator_;
  GraphMemory memory_{device_};
  backend::GraphHandle handle_ = 0;
  std::mutex mutex_;
  std::set<StreamHandle> streams_;
};

// Captures graphs, each on a stream that is used for captures only.
class Graphs final : public DeviceGraphs {
 public:
  explicit Graphs(CachingAllocator& allocator) : allocator_(allocator) {}

  std::unique_ptr<DeviceGraph> capture(Device device, function_ref<void()> work) override {
    const DeviceGuard guard(device.index);
    auto graph = std::make_unique<Graph>(device, allocator_);
    try {
      const Stream stream(*this, device.index);
      return graph->capture(stream.handle, work) ? std::move(graph) : nullptr;
    } catch (const Error&) {
      return nullptr;
    }
  }

 private:
  // A stream of the pool, held during a capture. The pool is not locked during the capture, because
  // `work` may wait for other threads.
  struct Stream {
    Graphs& graphs;
    const int device;
    StreamHandle handle = 0;
    Stream(Graphs& g, int d) : graphs(g), device(d) {
      std::lock_guard lock(graphs.mutex_);
      auto& pool = graphs.streams_[device];
      if (pool.empty()) {
        handle = backend::new_stream(0);
      } else {
        handle = pool.back();
        pool.pop_back();
      }
    }
    ~Stream() {
      std::lock_guard lock(graphs.mutex_);
      graphs.streams_[device].push_back(handle);
    }
    Stream(const Stream&) = delete;
    Stream& operator=(const Stream&) = delete;
  };

  CachingAllocator& allocator_;
  std::mutex mutex_;
  std::map<int, std::vector<StreamHandle>> streams_;
};

}  // namespace

void register_graphs(CachingAllocator& allocator) { register_device_graphs(new Graphs(allocator)); }

}  // namespace tnp::gpu
