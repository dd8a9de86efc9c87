// Replays of a record on a device as one graph (aten/core/devices/device_graph.h): one call instead of a launch for
// each step.
//
// Note [Replays as graphs] A graph reads and writes at fixed addresses. So the arrays of a call are copied to where the
// graph reads, and what the caller gets is copied from where it writes; arrays that the record found outside are where
// they were. Steps that look, draw or wait, and arrays of the host that may change, are in no graph: then the record is
// replayed step by step, as in the first calls, in which libraries are opened and kernels compiled.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "aten/compiler/frame.h"
#include "aten/compiler/record.h"
#include "aten/core/devices/device_graph.h"

namespace tnp::compiler {

class TNP_API GraphReplay {
 public:
  explicit GraphReplay(const Record& record);
  ~GraphReplay();
  GraphReplay(const GraphReplay&) = delete;
  GraphReplay& operator=(const GraphReplay&) = delete;

  // Whether the record was replayed in the frame of a call; else run() is to do it. One thread at a time is served.
  bool run(Frame& frame);

 private:
  // Memory of an argument that the graph reads, and may write.
  struct Input {
    int view;        // of its slot, one of several
    int64_t offset;  // of the region from the slot's origin
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

  const Record& record_;
  enum class State : uint8_t { Waiting, Captured, Never } state_ = State::Waiting;
  int calls_ = 0;
  std::atomic<bool> is_busy_{false};
  Device device_;
  std::unique_ptr<Frame> frame_;  // the graph's; goes before it
  std::vector<Input> inputs_;
  std::vector<int> written_views_;  // of arguments, and of arrays outside
  std::vector<Output> outputs_;
  std::unique_ptr<DeviceGraph> graph_;
  uintptr_t done_ = 0, last_stream_ = 0;  // an event after the last launch, and where that was
};

struct GraphStatistics {
  uint64_t captured, launched;
};
TNP_API GraphStatistics graph_statistics();

}  // namespace tnp::compiler
