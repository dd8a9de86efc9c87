// Graph replay: replays a trace on a device as one graph (aten/core/devices/device_graph.h), with
// one call instead of a launch per step.
//
// Note [Replays as graphs] A graph reads and writes fixed addresses. Arguments are therefore copied
// to the graph's inputs, and results are copied from its outputs; arrays from outside keep their
// addresses. A trace with guards, random draws, synchronisation or host arrays that may change is
// replayed step by step. So are the first calls of a trace, which load libraries and compile
// kernels.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "aten/compiler/frame.h"
#include "aten/compiler/trace.h"
#include "aten/core/devices/device_graph.h"

namespace tnp::compiler {

class TNP_API GraphReplay {
 public:
  explicit GraphReplay(const Trace& trace);
  ~GraphReplay();
  GraphReplay(const GraphReplay&) = delete;
  GraphReplay& operator=(const GraphReplay&) = delete;

  // Replays the trace in the frame of a call. Returns false if the caller must use run() instead.
  // Serves one thread at a time.
  bool run(Frame& frame);

 private:
  // Memory of an argument that the graph reads, and may write.
  struct Input {
    int view;        // any of its slot's
    int64_t offset;  // of the region, from the slot's origin
    int64_t bytes;
    char* data;
    Tensor memory;
  };
  struct Output {
    int view;
    Tensor result;
  };
  bool find_device(Frame& frame);
  bool capture(Frame& frame);
  void replay(Frame& frame);
  void copy(char* to, const char* from, int64_t bytes) const;

  const Trace& trace_;
  enum class State : uint8_t { Waiting, Captured, Never } state_ = State::Waiting;
  int calls_ = 0;
  std::atomic<bool> is_busy_{false};
  Device device_;
  std::unique_ptr<Frame> frame_;  // of the graph; destroyed before it
  std::vector<Input> inputs_;
  std::vector<int> written_views_;  // of arguments, and of arrays from outside
  std::vector<Output> outputs_;
  std::unique_ptr<DeviceGraph> graph_;
  uintptr_t done_ = 0, last_stream_ = 0;  // event after the last launch, and its stream
};

struct GraphStatistics {
  uint64_t captured, launched;
};
TNP_API GraphStatistics graph_statistics();

}  // namespace tnp::compiler
