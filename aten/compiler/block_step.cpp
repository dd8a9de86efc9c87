#include "aten/compiler/block_step.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "aten/compiler/frame.h"
#include "aten/compiler/loop_plan.h"
#include "aten/compiler/views.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/fusion/counters.h"
#include "aten/fusion/expression.h"
#include "aten/fusion/lines.h"
#include "aten/fusion/reduction_source.h"
#include "aten/iterator/coalesce.h"

namespace tnp::compiler {

namespace {

// Larger blocks are bound by memory bandwidth, so gathering operands line by line must pay.
constexpr int64_t kFewElements = 16384;
constexpr int64_t kLineOfFew = 8, kLineOfMany = 512;

bool is_dense(const View& v, IntList sizes) { return v.is_contiguous && IntList(v.sizes) == sizes; }

// Whether blocks of it are cheap to read or gather.
bool has_lines(const View& v, IntList sizes, int64_t numel) {
  if (is_dense(v, sizes) || v.numel == 1) return true;
  const DimVector strides = strides_along(v, sizes);
  if (numel > kFewElements) return fusion::has_quick_lines(sizes, strides, element_size(v.dtype), kLineOfMany);
  const DimVector axes = coalesced(sizes, strides).first;
  return axes.empty() || axes[0] >= std::min(kLineOfFew, numel);
}

// Whether no two elements share memory.
bool has_own_elements(const View& v) {
  std::vector<std::pair<int64_t, int64_t>> axes;  // stride, size
  for (size_t d = 0; d < v.sizes.size(); ++d)
    if (v.sizes[d] > 1) axes.emplace_back(std::abs(v.strides[d]), v.sizes[d]);
  std::sort(axes.begin(), axes.end());
  int64_t end = 1;
  for (const auto& [stride, size] : axes) {
    if (stride < end) return false;
    end = stride * (size - 1) + end;
  }
  return true;
}

bool is_same_memory(const View& a, const View& b) {
  return a.offset == b.offset && a.dtype == b.dtype && a.sizes == b.sizes && a.strides == b.strides;
}

}  // namespace

// --- choosing steps

Block::Block(const Trace& trace, const ElementwiseCall& first)
    : trace_(&trace), sizes_(view(first.result).sizes), numel_(view(first.result).numel), dialect_(first.dialect) {}

bool Block::takes(const Trace& trace, const ElementwiseCall& e) {
  const View& to = trace.views[static_cast<size_t>(e.result)];
  if (!has_own_elements(to) || !has_lines(to, to.sizes, to.numel)) return false;
  for (size_t i = 0; i < e.num_inputs; ++i) {
    if (e.is_number[i]) continue;
    const View& from = trace.views[static_cast<size_t>(e.inputs[i])];
    if (!has_lines(from, to.sizes, to.numel)) return false;
    if (from.slot == to.slot && !is_same_memory(from, to)) return false;
  }
  return true;
}

bool Block::reads(int slot) const {
  return std::any_of(accesses_.begin(), accesses_.end(),
                     [&](const Access& a) { return !a.is_write && view(a.view).slot == slot; });
}

bool Block::writes(int slot) const {
  return std::any_of(accesses_.begin(), accesses_.end(),
                     [&](const Access& a) { return a.is_write && view(a.view).slot == slot; });
}

// Steps of a block run element by element. If a step writes memory that another one accesses, both
// must access it through the same view.
bool Block::accepts(const ElementwiseCall& e, bool is_related) const {
  const View& to = view(e.result);
  if (!(to.sizes == sizes_) || e.dialect != dialect_) return false;
  constexpr int kStepsOfOne = 5, kMemoriesOfOne = 5;  // casts, the operator, and a copy to changed memory
  if (num_program_steps_ + kStepsOfOne > kMostSteps || accesses_.size() + kMemoriesOfOne > kMostMemories) return false;
  is_related = is_related || numel_ <= kFewElements;
  const auto fits = [&](int v, bool is_write) {
    return std::all_of(accesses_.begin(), accesses_.end(), [&](const Access& a) {
      const View &mine = view(a.view), &other = view(v);
      if (mine.slot != other.slot) return true;
      is_related = true;
      return (!is_write && !a.is_write) || is_same_memory(mine, other);
    });
  };
  for (size_t i = 0; i < e.num_inputs; ++i)
    if (!e.is_number[i] && !fits(e.inputs[i], false)) return false;
  return fits(e.result, true) && is_related;
}

void Block::note(int v, bool is_write) {
  const bool is_known = std::any_of(accesses_.begin(), accesses_.end(),
                                    [&](const Access& a) { return a.view == v && a.is_write == is_write; });
  if (is_known) return;
  accesses_.push_back({v, is_write});
}

void Block::add(std::unique_ptr<Step> step, const ElementwiseCall& e) {
  for (size_t i = 0; i < e.num_inputs; ++i)
    if (!e.is_number[i]) note(e.inputs[i], false);
  note(e.result, true);
  num_program_steps_ += 2;  // with a copy to changed memory
  for (size_t i = 0; i < e.num_inputs; ++i)
    num_program_steps_ += !e.is_number[i] && view(e.inputs[i]).dtype != e.types[1 + i];
  steps_.push_back(std::move(step));
  elementwise_.push_back(e);
}

void Block::add_before(std::unique_ptr<Step> step, const ElementwiseCall& e) {
  add(std::move(step), e);
  std::rotate(steps_.begin(), steps_.end() - 1, steps_.end());
  std::rotate(elementwise_.begin(), elementwise_.end() - 1, elementwise_.end());
}

void Block::add(Block&& other) {
  for (size_t s = 0; s < other.steps_.size(); ++s) add(std::move(other.steps_[s]), other.elementwise_[s]);
}

std::unique_ptr<Step> Block::take_only() {
  if (steps_.size() > 1) return nullptr;
  const ElementwiseCall& e = elementwise_[0];
  const Call& call = steps_[0]->call;
  const bool is_new = call.pointwise && !call.gives("out");
  if (e.is_made && !is_new) return nullptr;  // it takes over memory
  if (numel_ <= kFewElements) {
    // If the loop is called anew for each of many short lines, gathering the operands is faster.
    constexpr int64_t kFewLines = 4;
    const std::optional<LoopPlan> plan = is_new ? LoopPlan::of(*trace_, e) : std::nullopt;
    if (!plan || plan->num_lines() > kFewLines) return nullptr;
  }
  return std::move(steps_[0]);
}

// --- building the program

BlockStep::BlockStep(Block&& block, const std::vector<bool>& is_needed)
    : sizes_(block.sizes_), dialect_(block.dialect_) {
  fusion::BlockProgram program(sizes_);
  parts = std::move(block.steps_);
  const Trace& trace = *block.trace_;
  const IntList sizes = sizes_;
  const auto view = [&](int v) -> const View& { return view_of(trace, v); };
  struct Known {  // memory that holds the value before the program runs
    int view, value;
  };
  struct Written {
    int slot, value, view;
    bool is_made;
    size_t last;  // last step that writes it
  };
  std::vector<Known> known;
  std::vector<Written> written;
  const auto find = [&](int slot) {
    return std::find_if(written.begin(), written.end(), [&](const Written& w) { return w.slot == slot; });
  };
  for (size_t s = 0; s < block.elementwise_.size(); ++s) {
    const ElementwiseCall& e = block.elementwise_[s];
    const int slot = view(e.result).slot;
    if (const auto w = find(slot); w != written.end())
      w->last = s;
    else
      written.push_back({slot, -1, e.result, e.is_made, s});
  }
  const auto add_memory = [&](int v, Memory::Use use) {
    memories_.push_back({v, use, extent(view(v))});
    return is_dense(view(v), sizes) ? program.add_memory(view(v).dtype)
                                    : program.add_memory(view(v).dtype, strides_along(view(v), sizes));
  };
  const auto read = [&](int v) {
    if (const auto w = find(view(v).slot); w != written.end() && w->value >= 0) return w->value;
    for (const Known& k : known)
      if (view(k.view).slot == view(v).slot && is_same_memory(view(k.view), view(v))) return k.value;
    reads.push_back(v);
    known.push_back({v, add_memory(v, Memory::Use::Read)});
    return known.back().value;
  };
  // Dead-store elimination: a value that is overwritten before it is read is not computed.
  std::vector<bool> is_wanted(trace.slots.size()), is_live(block.elementwise_.size());
  for (const Written& w : written)
    is_wanted[static_cast<size_t>(w.slot)] = !w.is_made || is_needed[static_cast<size_t>(w.slot)];
  for (size_t s = block.elementwise_.size(); s-- > 0;) {
    const ElementwiseCall& e = block.elementwise_[s];
    const auto slot = static_cast<size_t>(view(e.result).slot);
    is_live[s] = is_wanted[slot];
    if (!is_live[s]) continue;
    is_wanted[slot] = false;
    for (size_t i = 0; i < e.num_inputs; ++i)
      if (!e.is_number[i]) is_wanted[static_cast<size_t>(view(e.inputs[i]).slot)] = true;
  }
  for (size_t s = 0; s < block.elementwise_.size(); ++s) {
    const ElementwiseCall& e = block.elementwise_[s];
    if (!is_live[s]) {
      parts[s].reset();
      continue;
    }
    if (e.taken >= 0) taken_.push_back(e.taken);
    std::array<int, 3> in = {};
    for (size_t i = 0; i < e.num_inputs; ++i)
      in[i] = e.is_number[i] ? program.add_number(e.types[1 + i], e.numbers[i].bytes) : read(e.inputs[i]);
    Written& w = *find(view(e.result).slot);
    const bool is_to_memory = w.is_made && w.last == s && is_needed[static_cast<size_t>(w.slot)];
    const int out = is_to_memory ? add_memory(w.view, Memory::Use::Made) : program.add_register(e.types[0]);
    program.add_call(e, out, in);
    w.value = out;
    if (!is_to_memory) continue;
    writes.push_back(w.view);
    allocates.push_back(w.view);
    ++num_made_;
  }
  // Changed memory is written at the end. Until then a step and those before it can be repeated,
  // since their operands are intact.
  for (const Written& w : written) {
    if (w.is_made) continue;
    writes.push_back(w.view);
    program.add_copy(add_memory(w.view, Memory::Use::Changed), w.value);
  }
  std::erase(parts, nullptr);
  num_steps_ = parts.size();
  plan_.emplace(program, true);
  is_large_ = block.numel_ * element_size(view(block.elementwise_.back().result).dtype) >= fusion::kLarge;
  // Arrays of the caller may alias each other without the trace's knowledge.
  const auto is_given = [&](const Memory& m) {
    return trace.slots[static_cast<size_t>(view(m.view).slot)].origin != Origin::Step;
  };
  for (size_t c = 0; c < memories_.size(); ++c) {
    if (memories_[c].use != Memory::Use::Changed || !is_given(memories_[c])) continue;
    for (size_t m = 0; m < memories_.size(); ++m)
      if (m != c && is_given(memories_[m]) && view(memories_[m].view).slot != view(memories_[c].view).slot)
        unlike_.emplace_back(static_cast<int>(c), static_cast<int>(m));
  }
}

std::unique_ptr<BlockStep> BlockStep::of(const Trace& trace, std::unique_ptr<Step>& step) {
  const std::optional<ElementwiseCall> e = tnp::compiler::elementwise(trace, *step);
  if (!e || !e->is_made || !Block::takes(trace, *e)) return nullptr;
  Block block(trace, *e);
  block.add(std::move(step), *e);
  return std::make_unique<BlockStep>(std::move(block), std::vector<bool>(trace.slots.size(), true));
}

bool BlockStep::are_apart(char* const* memories) const {
  return std::all_of(unlike_.begin(), unlike_.end(), [&](const auto& pair) {
    const auto [c, m] = pair;
    const Memory &changed = memories_[static_cast<size_t>(c)], &other = memories_[static_cast<size_t>(m)];
    return memories[c] + changed.extent.second <= memories[m] + other.extent.first ||
           memories[m] + other.extent.second <= memories[c] + changed.extent.first;
  });
}

void BlockStep::count() const {
  if (!is_large_) return;
  const std::lock_guard guard(fusion::lock());
  fusion::Statistics& counters = fusion::counters();
  ++counters.programs;
  counters.steps += num_steps_;
  counters.outputs += num_made_;
}

// Finds the addresses. Returns false if memories alias unexpectedly.
bool BlockStep::find_memories(Frame& frame, Memories& memories) const {
  for (size_t m = 0; m < memories_.size(); ++m) {
    const Memory& memory = memories_[m];
    if (memory.use == Memory::Use::Read || memory.use == Memory::Use::Changed) memories[m] = frame.data(memory.view);
  }
  if (TNP_UNLIKELY(!unlike_.empty()) && !are_apart(memories.data())) return false;
  for (size_t m = 0; m < memories_.size(); ++m) {
    const Memory& memory = memories_[m];
    if (memory.use == Memory::Use::Made) memories[m] = frame.allocate(memory.view);
    if (memory.use == Memory::Use::PassedOn) memories[m] = nullptr;
    if (memory.use == Memory::Use::Changed) {
      Storage& storage = frame.tensor(memory.view).storage();
      storage.prepare_change();
      storage.bump_version();
    }
  }
  return true;
}

bool BlockStep::run(Frame& frame) const {
  const DialectGuard guard(dialect_);
  Memories memories;
  if (!find_memories(frame, memories)) {
    for (int view : taken_) frame.allocate(view);
    return run_parts(frame);
  }
  count();
  watch([&](std::atomic<uint8_t>* errors) { plan_->run(memories.data(), errors); });
  return true;
}

bool BlockStep::wants_errors() const { return plan_->is_watched() && wants_floating_point_errors(); }

void BlockStep::report_errors(std::span<std::atomic<uint8_t>> errors) const {
  for (size_t s = 0; s < errors.size(); ++s) {
    const auto found = static_cast<FloatingPointErrors>(errors[s].load(std::memory_order_relaxed));
    if (TNP_UNLIKELY(found)) report_floating_point_errors(plan_->watched(static_cast<int>(s)), found);
  }
}

void BlockStep::watch(function_ref<void(std::atomic<uint8_t>*)> run) const {
  if (!wants_errors()) return run(nullptr);
  const auto run_and_report = [&](std::span<std::atomic<uint8_t>> errors) {
    run(errors.data());
    report_errors(errors);
  };
  constexpr size_t kFewSteps = 32;
  const auto steps = static_cast<size_t>(plan_->num_calls());
  if (steps <= kFewSteps) {
    std::array<std::atomic<uint8_t>, kFewSteps> errors = {};
    run_and_report({errors.data(), steps});
  } else {
    std::vector<std::atomic<uint8_t>> errors(steps);
    run_and_report(errors);
  }
}

// --- passing elements on

bool BlockStep::makes(int view) const {
  return std::any_of(memories_.begin(), memories_.end(),
                     [&](const Memory& m) { return m.use == Memory::Use::Made && m.view == view; });
}

void BlockStep::pass_on(int view) {
  for (size_t m = 0; m < memories_.size(); ++m) {
    if (memories_[m].use != Memory::Use::Made || memories_[m].view != view) continue;
    memories_[m].use = Memory::Use::PassedOn;
    plan_->prepare_count(static_cast<int>(m));
  }
  std::erase(writes, view);
  std::erase(allocates, view);
  --num_made_;
}

namespace {

class BlockSource final : public fusion::RangeSource {
 public:
  BlockSource(const fusion::BlockPlan& plan, char* const* memories, int passed, int64_t itemsize, bool is_wanted_whole,
              std::atomic<uint8_t>* errors)
      : RangeSource(itemsize),
        plan_(plan),
        memories_(memories),
        passed_(passed),
        is_wanted_whole_(is_wanted_whole),
        errors_(errors) {}
  int64_t count_truths(int64_t begin, int64_t count) override {
    return plan_.count_range(begin, begin + count, memories_, errors_);
  }
  bool is_wanted_whole() const override { return is_wanted_whole_; }

 private:
  void compute(int64_t begin, int64_t end, char* to) override {
    plan_.run_range(begin, end, memories_, passed_, to, errors_);
  }

  const fusion::BlockPlan& plan_;
  char* const* const memories_;
  const int passed_;
  const bool is_wanted_whole_;
  std::atomic<uint8_t>* const errors_;
};

}  // namespace

void BlockStep::pass_to(const Trace& trace, char* const* memories, std::atomic<uint8_t>* errors,
                        function_ref<void(ElementSource&)> reduce) const {
  const auto is_passed = [](const Memory& m) { return m.use == Memory::Use::PassedOn; };
  const auto passed = std::find_if(memories_.begin(), memories_.end(), is_passed);
  const int64_t itemsize = element_size(trace.views[static_cast<size_t>(passed->view)].dtype);
  BlockSource source(*plan_, memories, static_cast<int>(passed - memories_.begin()), itemsize,
                     errors != nullptr || !writes.empty(), errors);
  reduce(source);
}

bool BlockStep::run_into(Frame& frame, function_ref<void(ElementSource&)> reduce) const {
  const DialectGuard guard(dialect_);
  Memories memories;
  if (!find_memories(frame, memories)) return false;
  count();
  watch([&](std::atomic<uint8_t>* errors) { pass_to(frame.trace(), memories.data(), errors, reduce); });
  return true;
}

bool BlockStep::changes() const {
  return std::any_of(memories_.begin(), memories_.end(), [](const Memory& m) { return m.use == Memory::Use::Changed; });
}

std::string BlockStep::name() const { return "block(" + std::to_string(num_steps_) + ")"; }

}  // namespace tnp::compiler
