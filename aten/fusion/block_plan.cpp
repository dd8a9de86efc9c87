#include "aten/fusion/block_plan.h"

#include <algorithm>
#include <cstring>

#include "aten/core/containers/recently_used.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/core/threads/processor.h"
#include "aten/core/threads/thread_object.h"
#include "aten/fusion/mode.h"
#include "aten/fusion/thread_memory.h"
#include "aten/iterator/cast.h"
#include "aten/iterator/coalesce.h"

namespace tnp::fusion {

namespace {

// Maximum number of bytes that a block reads and writes.
constexpr int64_t kBlockBytes = 64 * 1024;
// A lower limit, for blocks that must stay in the first-level cache: because they contain repeated
// lines that are gathered once, or values that machine code passes to the next call.
constexpr int64_t kNearBlockBytes = 32 * 1024;
constexpr int64_t kLeastBlock = 256, kLargestBlock = 4096;  // elements
// Elements per block of a program that consists of one compiled region only. Such a program keeps
// no values in the cache between calls.
constexpr int64_t kBlockOfMachineCode = 8192;
// Minimum number of elements for compiling a sequence: compiling takes about as long as one call
// over 4096 elements.
constexpr int64_t kPaysMachineCode = 4096;
// Minimum length of lines that a loop processes in place, with one call per line. Shorter lines are
// gathered into a slot, because each call has a fixed cost.
constexpr int64_t kLongLine = 512;

// Minimum length of lines for which a number that is constant along the line is passed to a loop
// with stride 0. For shorter lines, the number is repeated in a slot.
constexpr int64_t kShortestLineOfNumber = 64;

}  // namespace

BlockPlan::BlockPlan(const BlockProgram& program, bool is_run_often)
    : axes_(program.sizes()),
      numel_(program.numel()),
      is_watched_(program.is_watched()),
      memories_(program.memories()) {
  for (const BlockProgram::Value& value : program.values()) values_.push_back({value});
  for (const BlockProgram::Call& call : program.calls()) calls_.push_back({call});
  merge_axes();
  if (numel_ >= kPaysMachineCode || is_run_often || mode() == Mode::Always) find_regions(program);
  assign_slots();
  for (LoopCall& call : calls_)
    call.has_numbers_of_lines = std::any_of(call.values.begin(), call.values.end(),
                                            [&](int v) { return values_[static_cast<size_t>(v)].is_number_of_line; });
  choose_block();
  find_cost();
  grain_ = std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) / std::max(cost_, 0.01)), 1);
}

std::shared_ptr<const BlockPlan> BlockPlan::of(const BlockProgram& program, int counted) {
  struct Key {
    BlockProgram program;
    bool has_machine_code;
    Mode mode;
    int counted;
    bool operator==(const Key&) const = default;
  };
  constexpr size_t kKept = 64;
  static auto* const kept = new RecentValues<Key, std::shared_ptr<const BlockPlan>, kKept>;
  return kept->get({program, has_machine_code(), mode(), counted}, [](const Key& key) {
    auto plan = std::make_shared<BlockPlan>(key.program);
    if (key.counted >= 0) plan->prepare_count(key.counted);
    return plan;
  });
}

// Merges neighbouring axes if every memory traverses both with one stride.
void BlockPlan::merge_axes() {
  std::vector<Value*> strided;
  for (Value& v : values_)
    if (!v.strides.empty()) strided.push_back(&v);
  DimVector sizes;
  std::vector<DimVector> steps(strided.size());
  for (size_t d = axes_.size(); d-- > 0;)
    add_axis(
        sizes, strided.size(), axes_[d], [&](size_t k) { return strided[k]->strides[d]; },
        [&](size_t k) -> DimVector& { return steps[k]; });
  if (sizes.empty()) sizes.push_back(1);
  std::reverse(sizes.begin(), sizes.end());
  axes_ = sizes;
  for (size_t k = 0; k < strided.size(); ++k) {
    std::reverse(steps[k].begin(), steps[k].end());
    strided[k]->strides = steps[k];
  }
}

// If a sequence meets a floating-point error, its calls run again one by one to find the operator.
// The memory that the code reads must therefore stay unchanged until then.
void BlockPlan::find_regions(const BlockProgram& program) {
  regions_ = find_compiled_regions(program);
  for (const CompiledRegion& m : regions_) {
    for (const int memory : m.memories) {
      Value& v = values_[static_cast<size_t>(memory)];
      v.is_packed = !v.is_written();
      v.last_call = std::max(v.last_call, m.last);
    }
  }
}

void BlockPlan::prepare_count(int memory) {
  const int counted = memories_[static_cast<size_t>(memory)];
  const Value& v = values_[static_cast<size_t>(counted)];
  if (v.dtype != ScalarType::Bool || !v.strides.empty()) return;
  for (CompiledRegion& m : regions_) {
    const bool writes = std::find(m.written.begin(), m.written.end(), counted) != m.written.end();
    if (!writes || v.last_call != m.last) continue;
    m.counting = counting_code(m, counted);
    if (m.counting) counted_ = counted;
  }
}

int BlockPlan::new_slot(int64_t itemsize) {
  slot_sizes_.push_back(itemsize);
  slot_offsets_.push_back(scratch_bytes_);
  scratch_bytes_ += itemsize;
  return static_cast<int>(slot_sizes_.size()) - 1;
}

// Assigns slots. A value reuses the slot of a dead value with the same element size. This includes
// operands of the current call, because a loop with one result may write in place, element by
// element. A memory that is not dense may need a slot of its own for gathering.
void BlockPlan::assign_slots() {
  std::vector<int> free;
  auto region = regions_.begin();
  for (size_t s = 0; s < calls_.size(); ++s) {
    const LoopCall& call = calls_[s];
    if (region != regions_.end() && region->last + 1 == static_cast<int>(s)) {
      for (const int memory : region->memories) {
        const Value& v = values_[static_cast<size_t>(memory)];
        if (v.kind == Kind::Register && v.last_call == region->last &&
            std::find(free.begin(), free.end(), v.slot) == free.end())
          free.push_back(v.slot);
      }
      ++region;
    }
    const auto results = static_cast<size_t>(call.num_results);
    // Slots that machine code reads or writes stay allocated until the end of its last call.
    const auto is_held = [&](int value) {
      return region != regions_.end() && region->first <= static_cast<int>(s) &&
             std::find(region->memories.begin(), region->memories.end(), value) != region->memories.end();
    };
    const auto release = [&](size_t first, size_t last) {
      for (size_t k = first; k < last; ++k) {
        const Value& v = values_[static_cast<size_t>(call.values[k])];
        const bool is_done = v.kind == Kind::Register && v.last_call == static_cast<int>(s) && v.slot >= 0;
        if (is_done && !is_held(call.values[k]) && std::find(free.begin(), free.end(), v.slot) == free.end())
          free.push_back(v.slot);
      }
    };
    if (results == 1) release(1, call.values.size());
    for (size_t k = 0; k < results; ++k) {
      Value& out = values_[static_cast<size_t>(call.values[k])];
      if (out.kind != Kind::Register || out.slot >= 0) continue;
      const auto fits = std::find_if(free.rbegin(), free.rend(), [&](int slot) {
        return slot_sizes_[static_cast<size_t>(slot)] == out.itemsize();
      });
      if (fits != free.rend()) {
        out.slot = *fits;
        free.erase(std::next(fits).base());
      } else {
        out.slot = new_slot(out.itemsize());
      }
    }
    if (results != 1) release(0, call.values.size());
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    Value& v = values_[i];
    if (v.strides.empty()) continue;
    v.repeats =
        !v.is_written() && std::all_of(v.strides.begin(), v.strides.end() - 1, [](int64_t s) { return s == 0; });
    v.is_number_of_line =
        !v.is_written() && !v.repeats && !v.is_packed && v.strides.back() == 0 && axes_.back() >= kShortestLineOfNumber;
    if (v.is_number_of_line) continue;
    v.slot = new_slot(v.itemsize());
    v.lines = Lines(axes_, v.strides, v.itemsize());
    v.copy = cast_loop(v.dtype, v.dtype);
    if (v.is_written()) scattered_.push_back(static_cast<int>(i));
  }
}

// Sum of the element sizes of all slots that are used. Values that machine code keeps in registers
// use no slot.
int64_t BlockPlan::touched_slot_bytes() const {
  std::vector<bool> is_touched(slot_sizes_.size());
  const auto touch = [&](int value) {
    const int slot = values_[static_cast<size_t>(value)].slot;
    if (slot >= 0) is_touched[static_cast<size_t>(slot)] = true;
  };
  auto region = regions_.begin();
  for (int s = 0; s < num_calls(); ++s) {
    if (region != regions_.end() && region->first == s) {
      for (const int memory : region->memories) touch(memory);
      s = region++->last;
    } else {
      for (const int value : calls_[static_cast<size_t>(s)].values) touch(value);
    }
  }
  int64_t bytes = 0;
  for (size_t slot = 0; slot < slot_sizes_.size(); ++slot) bytes += is_touched[slot] ? slot_sizes_[slot] : 0;
  return bytes;
}

// Estimated nanoseconds per element. Each value read or written is cache traffic; an operator is
// one or two instructions per vector.
double BlockPlan::cost_of(const CompiledRegion& m) const {
  // Nanoseconds per byte of memory traffic, per operator, and per byte of a division's result.
  constexpr double kCostOfByte = 0.06, kCostOfOperator = 0.05, kCostOfQuotient = 0.1;
  double cost = 0;
  for (const int memory : m.memories) cost += kCostOfByte * values_[static_cast<size_t>(memory)].itemsize();
  for (const InstructionSequence::Instruction& instruction : m.sequence.instructions) {
    const ScalarType t = m.sequence.values[static_cast<size_t>(instruction.out)].dtype;
    const bool is_slow = instruction.operation == Operation::Divide || instruction.operation == Operation::Reciprocal ||
                         instruction.operation == Operation::SquareRoot;
    cost += is_slow ? kCostOfQuotient * static_cast<double>(element_size(t)) : kCostOfOperator;
  }
  return cost;
}

void BlockPlan::find_cost() {
  cost_ = 0;
  auto region = regions_.begin();
  for (int s = 0; s < num_calls(); ++s) {
    if (region != regions_.end() && region->first == s) {
      cost_ += cost_of(*region);
      s = region++->last;
    } else {
      cost_ += calls_[static_cast<size_t>(s)].operation.cost;
    }
  }
}

// Chooses the block size. If a block is part of one line, loops access memory that is not dense in
// place, without a slot.
void BlockPlan::choose_block() {
  bool has_repeats = false;
  int64_t bytes = touched_slot_bytes();
  const bool is_machine_code = bytes == 0 && regions_.size() == 1;
  for (const Value& v : values_) {
    if (v.kind == Kind::Memory) bytes += v.itemsize();
    has_repeats = has_repeats || v.repeats;
    has_lines_ = has_lines_ || !v.strides.empty();
  }
  // Whether values are passed between machine code and other calls. A program that fits one block
  // is not split for this reason.
  const bool is_one_block = numel_ * bytes <= kBlockBytes;
  const bool has_handed_over =
      !is_one_block && std::any_of(regions_.begin(), regions_.end(), [&](const CompiledRegion& m) {
        return std::any_of(m.memories.begin(), m.memories.end(),
                           [&](int memory) { return values_[static_cast<size_t>(memory)].kind == Kind::Register; });
      });
  block_ = is_machine_code ? kBlockOfMachineCode
                           : std::clamp((has_repeats || has_handed_over ? kNearBlockBytes : kBlockBytes) /
                                            std::max<int64_t>(bytes, 1) / 64 * 64,
                                        kLeastBlock, kLargestBlock);
  if (numel_ > 0 && has_lines_) {
    const int64_t line = axes_.back(), unit = line < kLongLine && line <= block_ ? line : 64;
    group_ = line;
    for (size_t d = axes_.size() - 1; d-- > 0 && group_ * axes_[d] <= kLargestBlock;) group_ *= axes_[d];
    if (group_ < kLongLine) group_ = 0;
    const int64_t parts = (group_ + block_ - 1) / block_;
    if (group_ > 0)
      block_ = (group_ / parts + unit - 1) / unit * unit;
    else if (line <= block_)
      block_ = block_ / line * line;  // gather whole lines
  }
  block_ =
      // Scratch memory needs no more elements than the program has.
      std::clamp<int64_t>(numel_, 1, block_);
  slot_elements_ = (block_ + 63) / 64 * 64;
}

}  // namespace tnp::fusion
