#include "aten/compiler/graph_replay.h"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <string_view>

#include "aten/compiler/views.h"
#include "aten/core/devices/device_runtime.h"
#include "aten/core/profiler/profiler.h"

namespace tnp::compiler {

namespace {

std::atomic<uint64_t> captured{0}, launched{0};

constexpr int kCallsBefore = 1;

bool are_wanted() {
  static const bool wanted = [] {
    const char* text = std::getenv("TORCH_NP_CUDA_GRAPHS");
    return !text || std::string_view(text) != "0";
  }();
  return wanted;
}

Tensor tensor_at(const intrusive_ptr<Storage>& storage, char* data, ScalarType dtype, const DimVector& sizes,
                 const DimVector& strides) {
  return Tensor(make_intrusive<TensorImpl>(storage, dtype, sizes, strides, data));
}

// Bytes that every replay copies: arguments and results.
int64_t copied_bytes(const Trace& r) {
  std::vector<int64_t> most(r.slots.size());
  for (const View& v : r.views) {
    const Slot& slot = r.slots[static_cast<size_t>(v.slot)];
    if (slot.origin == Origin::Argument || slot.escapes)
      most[static_cast<size_t>(v.slot)] = std::max(most[static_cast<size_t>(v.slot)], v.numel * element_size(v.dtype));
  }
  return std::accumulate(most.begin(), most.end(), int64_t{0});
}

bool is_eligible(const Trace& r) {
  // Beyond this, copies take longer than launches.
  constexpr int64_t kBytesForStep = int64_t{1} << 20;
  if (r.steps.size() < 2 || copied_bytes(r) > kBytesForStep * static_cast<int64_t>(r.steps.size())) return false;
  return std::none_of(r.steps.begin(), r.steps.end(),
                      [](const auto& s) { return s->draws || s->looks || s->is_foreign; });
}

}  // namespace

GraphReplay::GraphReplay(const Trace& trace) : trace_(trace) {
  if (!are_wanted() || !device_graphs() || !is_eligible(trace)) state_ = State::Never;
}

GraphReplay::~GraphReplay() {
  outputs_.clear();
  frame_.reset();
  if (done_) runtime_of(device_).delete_event(done_);
}

// Whether all arrays that may differ in the next call are on one device.
bool GraphReplay::find_device(Frame& frame) {
  bool found = false;
  const auto is_there = [&](int view) {
    const Slot& slot = trace_.slot_of(view);
    if (slot.origin == Origin::Step || slot.is_constant) return true;
    const Device device = frame.tensor(view).device();
    if (!found) device_ = device;
    found = true;
    return device == device_ && !device.is_cpu();
  };
  for (const auto& step : trace_.steps)
    if (!std::all_of(step->reads.begin(), step->reads.end(), is_there) ||
        !std::all_of(step->writes.begin(), step->writes.end(), is_there))
      return false;
  return found;
}

bool GraphReplay::capture(Frame& frame) {
  if (!find_device(frame)) return false;
  frame_ = std::make_unique<Frame>(trace_);
  std::vector<std::pair<int64_t, int64_t>> regions(trace_.slots.size());
  std::vector<int> views(trace_.slots.size(), -1);
  for (const auto& step : trace_.steps) {
    for (const std::vector<int>* all : {&step->reads, &step->writes}) {
      for (int v : *all) {
        if (trace_.slot_of(v).origin != Origin::Argument) continue;
        const View& view = trace_.views[static_cast<size_t>(v)];
        auto& region = regions[static_cast<size_t>(view.slot)];
        // from the slot's origin
        const int64_t begin = view.offset + extent(view).first, end = view.offset + extent(view).second;
        const bool is_first = views[static_cast<size_t>(view.slot)] < 0;
        region = {is_first ? begin : std::min(region.first, begin), is_first ? end : std::max(region.second, end)};
        if (is_first) views[static_cast<size_t>(view.slot)] = v;
      }
    }
    for (int v : step->writes) {
      if (trace_.slot_of(v).origin == Origin::Step) continue;
      // The caller owns the memory between the elements of a strided view, so it must not be copied
      // back.
      if (!trace_.views[static_cast<size_t>(v)].is_contiguous && trace_.slot_of(v).origin == Origin::Argument)
        return false;
      if (std::find(written_views_.begin(), written_views_.end(), v) == written_views_.end())
        written_views_.push_back(v);
    }
  }
  for (size_t s = 0; s < trace_.slots.size(); ++s) {
    if (views[s] < 0) continue;
    // Give the copy the alignment of the argument, so that all of its views keep theirs.
    constexpr int64_t kAligned = 256;
    const auto [begin, end] = regions[s];
    const char* at = frame.data(views[s]) - trace_.views[static_cast<size_t>(views[s])].offset + begin;
    const auto shift = static_cast<int64_t>(reinterpret_cast<uintptr_t>(at) % kAligned);
    const Tensor memory = empty_tensor(DimVector{shift + end - begin}, ScalarType::UInt8, device_);
    char* data = memory.address() + shift;
    frame_->set_argument(trace_.slots[s].argument,
                         tensor_at(memory.impl()->storage, data - begin, ScalarType::UInt8, {0}, {1}));
    inputs_.push_back({views[s], begin, end - begin, data, memory});
  }
  bool is_here = true;
  graph_ = device_graphs()->capture(device_, [&] {
    for (size_t i = 0; i < trace_.steps.size() && is_here; ++i) {
      is_here = trace_.steps[i]->run(*frame_);
      for (int v : trace_.steps[i]->writes) is_here = is_here && frame_->tensor(v).device() == device_;
      if (is_here)
        for (int slot : trace_.done[i]) frame_->release(slot);
    }
  });
  if (!graph_ || !is_here) return false;
  for (size_t v = 0; v < trace_.views.size(); ++v) {
    const Slot& slot = trace_.slots[static_cast<size_t>(trace_.views[v].slot)];
    if (slot.origin == Origin::Step && slot.escapes)
      outputs_.push_back({static_cast<int>(v), frame_->tensor(static_cast<int>(v))});
  }
  ++captured;
  return true;
}

void GraphReplay::copy(char* to, const char* from, int64_t bytes) const {
  runtime_of(device_).copy_bytes(to, device_, from, device_, static_cast<size_t>(bytes), true);
}

void GraphReplay::replay(Frame& frame) {
  DeviceRuntime& runtime = runtime_of(device_);
  const StreamHandle stream = runtime.current_stream(device_.index);
  if (!done_) {
    done_ = runtime.new_event(device_.index, false);
  } else if (stream != last_stream_) {
    runtime.wait_event(device_.index, stream, done_);
    for (const Input& input : inputs_) runtime.record_stream(input.memory.address(), device_, stream);
  }
  for (const Input& input : inputs_) {
    const char* at = frame.data(input.view) - trace_.views[static_cast<size_t>(input.view)].offset + input.offset;
    copy(input.data, at, input.bytes);
  }
  graph_->launch();
  for (int view : written_views_) {
    frame.tensor(view).storage().bump_version();
    if (trace_.slot_of(view).origin != Origin::Argument) continue;
    const View& v = trace_.views[static_cast<size_t>(view)];
    copy(frame.data(view), frame_->data(view), v.numel * element_size(v.dtype));
  }
  std::vector<std::pair<const Storage*, intrusive_ptr<Storage>>> copies;
  for (const Output& output : outputs_) {
    const Storage& from = output.result.storage();
    auto known = std::find_if(copies.begin(), copies.end(), [&](const auto& c) { return c.first == &from; });
    if (known == copies.end()) {
      intrusive_ptr<Storage> own = new_storage(from.bytes(), device_);
      copy(own->data(), from.data(), static_cast<int64_t>(from.bytes()));
      known = copies.emplace(copies.end(), &from, std::move(own));
    }
    const View& v = trace_.views[static_cast<size_t>(output.view)];
    Tensor result = tensor_at(known->second, known->second->data() + (output.result.address() - from.data()), v.dtype,
                              v.sizes, v.strides);
    result.impl()->is_value = v.is_value;
    frame.bind(output.view, result);
  }
  runtime.record_event(done_, device_.index, stream);
  last_stream_ = stream;
  ++launched;
}

bool GraphReplay::run(Frame& frame) {
  if (state_ == State::Never || is_busy_.exchange(true)) return false;
  struct Free {
    std::atomic<bool>& is_busy;
    ~Free() { is_busy = false; }
  } const free{is_busy_};
  if (state_ == State::Waiting) {
    if (calls_++ < kCallsBefore) return false;
    if (!capture(frame)) {
      state_ = State::Never;
      outputs_.clear();
      inputs_.clear();
      frame_.reset();
      graph_.reset();
      return false;
    }
    state_ = State::Captured;
  }
  const profiler::Operation profiled("graph", profiler::Kind::Step, device_);
  replay(frame);
  return true;
}

GraphStatistics graph_statistics() { return {captured, launched}; }

}  // namespace tnp::compiler
