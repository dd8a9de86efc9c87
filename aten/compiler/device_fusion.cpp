#include "aten/compiler/device_fusion.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <map>
#include <optional>
#include <set>

#include "aten/compiler/elementwise.h"
#include "aten/compiler/frame.h"
#include "aten/compiler/views.h"

namespace tnp::compiler {

namespace {

std::atomic<uint64_t> compiled{0}, refused{0}, launched{0};

constexpr size_t kMostSteps = 64;

// The loop of a call that a kernel may compute.
std::optional<PointwiseChoice> fusable(const Trace& trace, const Step& step) {
  constexpr int64_t kMostElements = int64_t{1} << 31;  // kernel indices have 32 bits
  if (!step.call.pointwise || step.call.gives("out") || !kernel_compiler()->takes(*step.call.pointwise)) return {};
  const std::optional<PointwiseChoice> loop = loop_of(trace, step);
  if (!loop) return {};
  const View& result = view_of(trace, result_of(step));
  const bool is_on_host = trace.slot_of(result_of(step)).device.is_cpu();
  return is_on_host || !result.is_contiguous || result.numel >= kMostElements ? std::nullopt : loop;
}

// How a kernel reads an operand along with results of `sizes`.
struct Access {
  FusedKernel::Reading reading;
  uint32_t inner = 1, period = 1;
};

// nullopt unless it is dense, possibly broadcast along whole axes.
std::optional<Access> access_of(const View& v, const DimVector& sizes, bool is_number) {
  if (v.numel == 1) return Access{is_number ? FusedKernel::Reading::Number : FusedKernel::Reading::One};
  if (is_number || !v.is_contiguous || v.sizes.size() > sizes.size()) return {};
  if (v.sizes == sizes) return Access{FusedKernel::Reading::Elements};
  const size_t missing = sizes.size() - v.sizes.size();
  // The axes, from the last one on, must be: broadcast axes, then its own, then broadcast ones.
  int64_t inner = 1, period = 1;
  enum { Inner, Own, Outer } part = Inner;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    const bool has = d >= missing && v.sizes[d - missing] != 1;
    if (has && part == Outer) return {};
    part = has ? Own : part == Inner ? Inner : Outer;
    if (part == Inner) inner *= sizes[d];
    if (part == Own) period *= sizes[d];
  }
  return Access{FusedKernel::Reading::Periodic, static_cast<uint32_t>(inner), static_cast<uint32_t>(period)};
}

// A kernel under construction.
class FusedKernelBuilder {
 public:
  // `first`: the first step that will be added.
  FusedKernelBuilder(const Trace& trace, const Step& first)
      : trace_(trace),
        sizes_(view_of(trace, result_of(first)).sizes),
        numel_(view_of(trace, result_of(first)).numel),
        device_(trace.slot_of(result_of(first)).device) {}

  size_t size() const { return steps_.size(); }

  // Adds the step if possible; returns whether it did.
  bool add(const Step& step, const PointwiseChoice& loop) {
    const Call& call = step.call;
    const View& result = view_of(trace_, result_of(step));
    const Device device = trace_.slot_of(result_of(step)).device;
    if (steps_.size() >= kMostSteps || !(sizes_ == result.sizes) || device != device_) return false;
    FusedKernel::Operation operation{call.pointwise, loop.loop, loop.types.compute, result.dtype, {}, {}};
    const bool keeps_numbers = call.pointwise->keeps_numbers && call.dialect.promotion() == PromotionRules::Torch;
    std::vector<std::pair<int, Access>> found;  // new inputs
    std::array<int, 3> places = {-1, -1, -1};   // operands; from kMade on: results of operations
    for (size_t i = 0; i < call.pointwise->nin; ++i) {
      const View& v = view_of(trace_, call.view(i));
      operation.is_kept[i] = keeps_numbers && v.sizes.empty();
      if (const auto made = made_.find(v.slot); made != made_.end()) {
        // Another view of the result would need elements that other threads hold.
        if (!is_whole(v, made->second)) return false;
        places[i] = kMade + static_cast<int>(made->second);
        continue;
      }
      const std::optional<Access> access = access_of(v, sizes_, trace_.slot_of(call.view(i)).device.is_cpu());
      if (!access) return false;
      places[i] = input(call.view(i), *access, found);
    }
    if (inputs_.size() + found.size() + steps_.size() + 1 > kMostKernelOperands) return false;
    for (const auto& f : found) inputs_.push_back(f);
    operation.operands = places;
    operations_.push_back(operation);
    made_[result.slot] = steps_.size();
    steps_.push_back(&step);
    return true;
  }

  // `dead`: slots that are not read afterwards.
  std::unique_ptr<FusedKernelStep> finish(const std::set<int>& dead) const {
    auto step = std::make_unique<FusedKernelStep>();
    step->device = device_;
    step->numel = static_cast<uint32_t>(numel_);
    for (const auto& [view, access] : inputs_) {
      step->kernel.inputs.push_back({view_of(trace_, view).dtype, access.reading});
      step->inputs.push_back({view, access.inner, access.period});
      step->reads.push_back(view);
    }
    const auto count = static_cast<int>(inputs_.size());
    for (FusedKernel::Operation o : operations_) {
      for (int& place : o.operands)
        if (place >= kMade) place += count - kMade;
      step->kernel.operations.push_back(o);
    }
    for (size_t i = 0; i < steps_.size(); ++i) {
      const int view = result_of(*steps_[i]), slot = slot_of(trace_, view);
      if (dead.contains(slot)) {
        step->slots_within.push_back(slot);
        continue;
      }
      step->kernel.outputs.push_back(static_cast<int>(i));
      step->outputs.push_back(view);
      step->writes.push_back(view);
    }
    return step;
  }

 private:
  static constexpr int kMade = 1 << 20;

  bool is_whole(const View& v, size_t made) const {
    const View& whole = view_of(trace_, result_of(*steps_[made]));
    return v.offset == whole.offset && v.dtype == whole.dtype && v.is_contiguous && v.sizes == sizes_;
  }

  int input(int view, const Access& access, std::vector<std::pair<int, Access>>& found) const {
    for (size_t i = 0; i < inputs_.size(); ++i)
      if (inputs_[i].first == view && inputs_[i].second.reading == access.reading) return static_cast<int>(i);
    for (size_t i = 0; i < found.size(); ++i)
      if (found[i].first == view && found[i].second.reading == access.reading)
        return static_cast<int>(inputs_.size() + i);
    found.emplace_back(view, access);
    return static_cast<int>(inputs_.size() + found.size() - 1);
  }

  const Trace& trace_;
  const DimVector sizes_;
  const int64_t numel_;
  const Device device_;
  std::vector<const Step*> steps_;
  std::vector<FusedKernel::Operation> operations_;
  std::vector<std::pair<int, Access>> inputs_;
  std::map<int, size_t> made_;  // slots
};

}  // namespace

bool fuse_on_devices(Trace& r) {
  if (!kernel_compiler()) return false;
  std::vector<std::unique_ptr<Step>> kept;
  bool is_changed = false;
  for (size_t i = 0; i < r.steps.size();) {
    const Step& first = *r.steps[i];
    std::optional<PointwiseChoice> loop = fusable(r, first);
    if (!loop) {
      kept.push_back(std::move(r.steps[i++]));
      continue;
    }
    FusedKernelBuilder builder(r, first);
    for (size_t j = i; loop && builder.add(*r.steps[j], *loop);)
      loop = ++j < r.steps.size() ? fusable(r, *r.steps[j]) : std::nullopt;
    if (builder.size() < 2) {
      kept.push_back(std::move(r.steps[i++]));
      continue;
    }
    std::set<int> dead;
    for (size_t k = 0; k < builder.size(); ++k) dead.insert(r.done[i + k].begin(), r.done[i + k].end());
    std::unique_ptr<FusedKernelStep> joined = builder.finish(dead);
    for (size_t k = builder.size(); k > 0; --k) joined->parts.push_back(std::move(r.steps[i++]));
    kept.push_back(std::move(joined));
    is_changed = true;
  }
  r.steps = std::move(kept);
  return is_changed;
}

// Not std::call_once: Note [Thread-local memory] in aten/core/threads/thread_object.h.
bool FusedKernelStep::is_compiled() const {
  const std::lock_guard guard(mutex_);
  if (!is_asked_for_) {
    compiled_ = kernel_compiler()->compile(kernel, device);
    ++(compiled_ ? compiled : refused);
    is_asked_for_ = true;
  }
  return compiled_ != nullptr;
}

bool FusedKernelStep::run(Frame& frame) const {
  if (!is_compiled()) {
    if (!run_parts(frame)) return false;
    for (int slot : slots_within) frame.release(slot);
    return true;
  }
  std::array<KernelOperand, kMostKernelOperands> operands;
  size_t count = 0;
  for (size_t i = 0; i < inputs.size(); ++i) {
    KernelOperand& o = operands[count++];
    char* data = frame.data(inputs[i].view);
    if (kernel.inputs[i].reading == FusedKernel::Reading::Number)
      std::memcpy(o.number, data, static_cast<size_t>(element_size(kernel.inputs[i].dtype)));
    else
      o.array = {data, inputs[i].inner, inputs[i].period};
  }
  for (int view : outputs) {
    const View& v = view_of(frame.trace(), view);
    const Tensor result = empty_tensor(v.sizes, v.dtype, device);
    operands[count++].array = {result.address(), 1, 1};
    if (!frame.bind(view, result)) return false;
  }
  compiled_->launch(device, {operands.data(), count}, numel);
  ++launched;
  return true;
}

std::string FusedKernelStep::name() const { return "kernel(" + std::to_string(parts.size()) + ")"; }

FusedKernelStatistics fused_kernel_statistics() { return {compiled, refused, launched}; }

}  // namespace tnp::compiler
