#include "aten/fusion/block_program.h"

#include <algorithm>
#include <cstring>

#include "aten/core/errors/error.h"
#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/core/threads/processor.h"
#include "aten/core/threads/thread_object.h"
#include "aten/fusion/mode.h"
#include "aten/fusion/thread_memory.h"
#include "aten/iterator/cast.h"

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

bool is_dense(const DimVector& strides, const DimVector& axes, int64_t itemsize) {
  int64_t step = itemsize;
  for (size_t d = axes.size(); d-- > 0; step *= axes[d])
    if (axes[d] != 1 && strides[d] != step) return false;
  return true;
}

}  // namespace

// --- values and calls

BlockProgram::BlockProgram(IntList sizes) : axes_(sizes) {
  if (axes_.empty()) axes_.push_back(1);
  for (const int64_t n : axes_) numel_ *= n;
}

int BlockProgram::add(Value value) {
  values_.push_back(std::move(value));
  return static_cast<int>(values_.size()) - 1;
}

int BlockProgram::add_memory(ScalarType dtype, const DimVector& byte_strides) {
  const int64_t itemsize = element_size(dtype);
  Value value{.kind = Value::Kind::Memory, .dtype = dtype, .itemsize = static_cast<int32_t>(itemsize)};
  if (!byte_strides.empty() && !is_dense(byte_strides, axes_, itemsize)) value.strides = byte_strides;
  value.memory = num_memories_++;
  memories_.push_back(static_cast<int>(values_.size()));
  return add(std::move(value));
}

int BlockProgram::add_number(ScalarType dtype, const void* number) {
  Value value{.kind = Value::Kind::Number, .dtype = dtype, .itemsize = static_cast<int32_t>(element_size(dtype))};
  std::memcpy(value.number, number, static_cast<size_t>(value.itemsize));
  return add(std::move(value));
}

int BlockProgram::add_register(ScalarType dtype) {
  return add({.kind = Value::Kind::Register, .dtype = dtype, .itemsize = static_cast<int32_t>(element_size(dtype))});
}

void BlockProgram::add_call(Loop loop, const char* name, const char* watched, double cost, std::span<const int> out,
                            std::span<const int> in) {
  TNP_INTERNAL_ASSERT(out.size() + in.size() <= kMostOperands);
  LoopCall call{loop, name, watched, cost, static_cast<int>(out.size()), {out.begin(), out.end()}};
  call.values.insert(call.values.end(), in.begin(), in.end());
  const auto place = static_cast<int>(calls_.size());
  for (const int v : call.values) values_[static_cast<size_t>(v)].last_call = place;
  for (const int v : in) {
    Value& value = values_[static_cast<size_t>(v)];
    value.is_read = value.is_read || !value.is_written;
  }
  for (const int v : out) values_[static_cast<size_t>(v)].is_written = true;
  calls_.push_back(std::move(call));
  is_watched_ = is_watched_ || watched;
}

void BlockProgram::finish(bool is_run_often) {
  merge_axes();
  if (numel_ >= kPaysMachineCode || is_run_often || mode() == Mode::Always) find_compiled_regions();
  assign_slots();
  for (LoopCall& call : calls_)
    call.has_numbers_of_lines = std::any_of(call.values.begin(), call.values.end(),
                                            [&](int v) { return values_[static_cast<size_t>(v)].is_number_of_line; });
  choose_block();
  find_cost();
  grain_ = std::max<int64_t>(static_cast<int64_t>(static_cast<double>(kParallelWork) / std::max(cost_, 0.01)), 1);
}

// Merges neighbouring axes if every memory traverses both with one stride.
void BlockProgram::merge_axes() {
  for (size_t d = axes_.size() - 1; d-- > 0;) {
    const int64_t inner = axes_[d + 1];
    const bool is_one = std::all_of(values_.begin(), values_.end(), [&](const Value& v) {
      return v.strides.empty() || axes_[d] == 1 || inner == 1 || v.strides[d] == v.strides[d + 1] * inner;
    });
    if (!is_one) continue;
    for (Value& v : values_) {
      if (v.strides.empty()) continue;
      if (inner == 1) v.strides[d + 1] = v.strides[d];
      v.strides.erase(d);
    }
    axes_[d + 1] *= axes_[d];
    axes_.erase(d);
  }
}

// If a sequence meets a floating-point error, its calls run again one by one to find the operator.
// The memory that the code reads must therefore stay unchanged until then.
void BlockProgram::find_compiled_regions() {
  std::vector<int> writes(values_.size());
  for (const LoopCall& s : calls_)
    for (int k = 0; k < s.num_results; ++k) ++writes[static_cast<size_t>(s.values[static_cast<size_t>(k)])];
  int64_t bytes = 0;
  for (const Value& v : values_) bytes += v.kind == Value::Kind::Memory && v.is_read ? numel_ * v.itemsize : 0;
  const bool is_large = bytes > second_level_cache();
  std::vector<ProgramValue> values;
  values.reserve(values_.size());
  for (size_t i = 0; i < values_.size(); ++i) {
    const Value& v = values_[i];
    const auto kind = v.kind == Value::Kind::Memory   ? ProgramValue::Kind::Memory
                      : v.kind == Value::Kind::Number ? ProgramValue::Kind::Number
                                                      : ProgramValue::Kind::Register;
    const bool is_far = is_large && kind == ProgramValue::Kind::Memory && v.is_read && v.strides.empty();
    values.push_back({kind, v.dtype, v.number, v.last_call, writes[i] == 1 && !v.is_read, is_far});
  }
  std::vector<ProgramCall> calls;
  calls.reserve(calls_.size());
  for (const LoopCall& s : calls_)
    calls.push_back({s.num_results == 1 ? operation_of(s.name) : Operation::None, s.values});
  regions_ = fusion::find_compiled_regions(values, calls);
  for (const CompiledRegion& m : regions_) {
    for (const int memory : m.memories) {
      Value& v = values_[static_cast<size_t>(memory)];
      v.is_packed = !v.is_written;
      v.last_call = std::max(v.last_call, m.last);
    }
  }
}

void BlockProgram::prepare_count(int memory) {
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

int BlockProgram::new_slot(int64_t itemsize) {
  slot_sizes_.push_back(itemsize);
  slot_offsets_.push_back(scratch_bytes_);
  scratch_bytes_ += itemsize;
  return static_cast<int>(slot_sizes_.size()) - 1;
}

// Assigns slots. A value reuses the slot of a dead value with the same element size. This includes
// operands of the current call, because a loop with one result may write in place, element by
// element. A memory that is not dense may need a slot of its own for gathering.
void BlockProgram::assign_slots() {
  std::vector<int> free;
  auto region = regions_.begin();
  for (size_t s = 0; s < calls_.size(); ++s) {
    const LoopCall& call = calls_[s];
    if (region != regions_.end() && region->last + 1 == static_cast<int>(s)) {
      for (const int memory : region->memories) {
        const Value& v = values_[static_cast<size_t>(memory)];
        if (v.kind == Value::Kind::Register && v.last_call == region->last &&
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
        const bool is_done = v.kind == Value::Kind::Register && v.last_call == static_cast<int>(s) && v.slot >= 0;
        if (is_done && !is_held(call.values[k]) && std::find(free.begin(), free.end(), v.slot) == free.end())
          free.push_back(v.slot);
      }
    };
    if (results == 1) release(1, call.values.size());
    for (size_t k = 0; k < results; ++k) {
      Value& out = values_[static_cast<size_t>(call.values[k])];
      if (out.kind != Value::Kind::Register || out.slot >= 0) continue;
      const auto fits = std::find_if(free.rbegin(), free.rend(),
                                     [&](int slot) { return slot_sizes_[static_cast<size_t>(slot)] == out.itemsize; });
      if (fits != free.rend()) {
        out.slot = *fits;
        free.erase(std::next(fits).base());
      } else {
        out.slot = new_slot(out.itemsize);
      }
    }
    if (results != 1) release(0, call.values.size());
  }
  for (size_t i = 0; i < values_.size(); ++i) {
    Value& v = values_[i];
    if (v.strides.empty()) continue;
    v.repeats = !v.is_written && std::all_of(v.strides.begin(), v.strides.end() - 1, [](int64_t s) { return s == 0; });
    v.is_number_of_line =
        !v.is_written && !v.repeats && !v.is_packed && v.strides.back() == 0 && axes_.back() >= kShortestLineOfNumber;
    if (v.is_number_of_line) continue;
    v.slot = new_slot(v.itemsize);
    v.lines = Lines(axes_, v.strides, v.itemsize);
    v.copy = cast_loop(v.dtype, v.dtype);
    if (v.is_written) scattered_.push_back(static_cast<int>(i));
  }
}

// Sum of the element sizes of all slots that are used. Values that machine code keeps in registers
// use no slot.
int64_t BlockProgram::touched_slot_bytes() const {
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
double BlockProgram::cost_of(const CompiledRegion& m) const {
  // Nanoseconds per byte of memory traffic, per operator, and per byte of a division's result.
  constexpr double kCostOfByte = 0.06, kCostOfOperator = 0.05, kCostOfQuotient = 0.1;
  double cost = 0;
  for (const int memory : m.memories) cost += kCostOfByte * values_[static_cast<size_t>(memory)].itemsize;
  for (const InstructionSequence::Instruction& instruction : m.sequence.instructions) {
    const ScalarType t = m.sequence.values[static_cast<size_t>(instruction.out)].dtype;
    const bool is_slow = instruction.operation == Operation::Divide || instruction.operation == Operation::Reciprocal ||
                         instruction.operation == Operation::SquareRoot;
    cost += is_slow ? kCostOfQuotient * static_cast<double>(element_size(t)) : kCostOfOperator;
  }
  return cost;
}

void BlockProgram::find_cost() {
  cost_ = 0;
  auto region = regions_.begin();
  for (int s = 0; s < num_calls(); ++s) {
    if (region != regions_.end() && region->first == s) {
      cost_ += cost_of(*region);
      s = region++->last;
    } else {
      cost_ += calls_[static_cast<size_t>(s)].cost;
    }
  }
}

// Chooses the block size. If a block is part of one line, loops access memory that is not dense in
// place, without a slot.
void BlockProgram::choose_block() {
  bool has_repeats = false;
  int64_t bytes = touched_slot_bytes();
  const bool is_machine_code = bytes == 0 && regions_.size() == 1;
  for (const Value& v : values_) {
    if (v.kind == Value::Kind::Memory) bytes += v.itemsize;
    has_repeats = has_repeats || v.repeats;
    has_lines_ = has_lines_ || !v.strides.empty();
  }
  // Whether values are passed between machine code and other calls. A program that fits one block
  // is not split for this reason.
  const bool is_one_block = numel_ * bytes <= kBlockBytes;
  const bool has_handed_over =
      !is_one_block && std::any_of(regions_.begin(), regions_.end(), [&](const CompiledRegion& m) {
        return std::any_of(m.memories.begin(), m.memories.end(), [&](int memory) {
          return values_[static_cast<size_t>(memory)].kind == Value::Kind::Register;
        });
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

// --- execution

// Address of the first element of a line along the last axis.
char* BlockProgram::line_at(const Value& value, char* base, int64_t line) const {
  char* at = base;
  for (size_t d = axes_.size() - 1; d-- > 0; line /= axes_[d]) {
    if (d == 0) return at + line * value.strides[0];  // no division
    at += line % axes_[d] * value.strides[d];
  }
  return at;
}

BlockProgram::Place BlockProgram::place_of(const Value& v, char* base, const Part& part, char* scratch,
                                           Lines::Held& held) const {
  if (v.strides.empty()) return {base + part.begin * v.itemsize, v.itemsize};
  const int64_t step = v.strides.back();
  if ((part.is_in_line && (step == v.itemsize || !v.is_packed)) || v.is_number_of_line)
    return {line_at(v, base, part.line) + part.first * step, step};
  char* const slot = scratch + slot_offsets_[static_cast<size_t>(v.slot)] * slot_elements_;
  if (!v.is_written) return {v.lines.bring(base, part.begin, part.n, slot, v.copy, held), v.itemsize};
  if (v.is_read) v.lines.gather(base, part.begin, part.n, slot, v.copy);
  return {slot, v.itemsize};
}

// Runs a call line by line, because some operands are constant along each line.
void BlockProgram::run_by_line(const LoopCall& call, char** data, const int64_t* strides, const Part& part,
                               char* const* memories) const {
  int64_t line = part.line, first = part.first;
  for (int64_t done = 0; done < part.n; first = 0) {
    const int64_t count = std::min(axes_.back() - first, part.n - done);
    call.loop(data, strides, count);
    done += count;
    ++line;
    for (size_t k = 0; k < call.values.size(); ++k) {
      const Value& v = values_[static_cast<size_t>(call.values[k])];
      if (!v.is_number_of_line)
        data[k] += count * strides[k];
      else if (done < part.n)
        data[k] = line_at(v, memories[v.memory], line);
    }
  }
}

bool BlockProgram::run_region(const CompiledRegion& region, int64_t n, const Place* places, bool is_watched,
                              Count* count) const {
  char* memories[kMostMemories];
  for (size_t m = 0; m < region.memories.size(); ++m) {
    const int value = region.memories[m];
    const int64_t size = values_[static_cast<size_t>(value)].itemsize;
    if (places[value].stride != size) return false;
    memories[m] = places[value].data;
    for (const int w : region.written) {
      const char *const to = places[w].data, *const to_end = to + n * values_[static_cast<size_t>(w)].itemsize;
      if (w != value && to < memories[m] + n * size && memories[m] < to_end) return false;
    }
  }
  const bool counts = count && region.counting && n % region.counting->iteration_elements() == 0;
  int64_t counted = 0;
  if (counts)
    counted = region.counting->count(memories, region.numbers.data, n);
  else
    region.code->run(memories, region.numbers.data, n);
  if (is_watched && take_floating_point_flags()) return false;
  if (counts) count->total += counted, count->is_counted = true;
  return true;
}

void BlockProgram::run_block(const Part& part, const Place* places, char* const* memories, std::atomic<uint8_t>* errors,
                             Count* count) const {
  char* data[kMostOperands];
  int64_t strides[kMostOperands];
  auto region = regions_.begin();
  for (size_t s = 0; s < calls_.size(); ++s) {
    if (region != regions_.end() && region->first == static_cast<int>(s)) {
      const CompiledRegion& here = *region++;
      if (run_region(here, part.n, places, errors != nullptr, count)) {
        s = static_cast<size_t>(here.last);
        continue;
      }
    }
    const LoopCall& call = calls_[s];
    for (size_t k = 0; k < call.values.size(); ++k) {
      const Place& place = places[call.values[k]];
      data[k] = place.data;
      strides[k] = place.stride;
    }
    if (call.has_numbers_of_lines && !part.is_in_line)
      run_by_line(call, data, strides, part, memories);
    else
      call.loop(data, strides, part.n);
    if (!errors) continue;
    // Read the flags after each call, since some loops clear flags of earlier ones.
    const FloatingPointErrors found = take_floating_point_flags();
    if (TNP_UNLIKELY(found) && call.watched) errors[s].fetch_or(found, std::memory_order_relaxed);
  }
}

void BlockProgram::run_piece(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors,
                             int64_t* counted) const {
  struct Scratch : ThreadMemory {};
  auto& memory = ThreadObject<Scratch>::get();
  const int64_t slot_bytes = scratch_bytes_ * slot_elements_;  // a multiple of 64, since the size of each slot is
  const auto place_bytes = static_cast<int64_t>(values_.size() * (sizeof(Place) + sizeof(Lines::Held)));
  char* const scratch = memory.at_least(slot_bytes + place_bytes + (counted ? block_ : 0));
  auto* const places = reinterpret_cast<Place*>(scratch + slot_bytes);
  auto* const held = reinterpret_cast<Lines::Held*>(places + values_.size());
  if (has_lines_) std::fill_n(held, values_.size(), Lines::Held{});
  for (size_t i = 0; i < values_.size(); ++i) {
    const Value& v = values_[i];
    if (v.kind == Value::Kind::Number)
      places[i] = {const_cast<char*>(v.number), 0};
    else if (v.kind == Value::Kind::Register && v.slot >= 0)
      places[i] = {scratch + slot_offsets_[static_cast<size_t>(v.slot)] * slot_elements_, v.itemsize};
  }
  Count count{scratch + slot_bytes + place_bytes};
  Part part = {.begin = begin};
  if (has_lines_) part.line = begin / axes_.back(), part.first = begin % axes_.back();
  int64_t group_left = group_ > 0 ? group_ - begin % group_ : 0;
  while (part.begin < end) {
    part.n = std::min(block_, end - part.begin);
    if (group_ > 0) {
      part.n = std::min(part.n, group_left);
      group_left = part.n == group_left ? group_ : group_left - part.n;
    }
    if (has_lines_) part.is_in_line = part.n <= axes_.back() - part.first;
    for (const int i : memories_) {
      const Value& v = values_[static_cast<size_t>(i)];
      places[i] =
          counted && i == counted_ ? Place{count.block, 1} : place_of(v, memories[v.memory], part, scratch, held[i]);
    }
    count.is_counted = false;
    run_block(part, places, memories, errors, counted ? &count : nullptr);
    if (counted && !count.is_counted) count.total += part.n - std::count(count.block, count.block + part.n, 0);
    if (TNP_UNLIKELY(!scattered_.empty()) && !part.is_in_line) {
      for (const int i : scattered_) {
        const Value& v = values_[static_cast<size_t>(i)];
        v.lines.scatter(memories[v.memory], part.begin, part.n, places[i].data, v.copy);
      }
    }
    part.begin += part.n;
    part.first += part.n;
    if (has_lines_ && part.first >= axes_.back()) {
      part.line += part.first / axes_.back();
      part.first %= axes_.back();
    }
  }
  if (counted) *counted = count.total;
}

// Calls `run` and restores the floating-point flags of the surrounding operator afterwards, so the
// program's flags do not mix with them.
template <class F>
void BlockProgram::apart(std::atomic<uint8_t>* errors, F&& run) const {
  if (!is_watched_) errors = nullptr;
  const DialectGuard dialects(dialect().with(errors ? ErrorWatch::Open : ErrorWatch::Never));
  const FloatingPointErrors before = take_floating_point_flags();
  run(errors);
  take_floating_point_flags();
  if (TNP_UNLIKELY(before)) raise_floating_point_flags(before);
}

void BlockProgram::run(char* const* memories, std::atomic<uint8_t>* all_errors) const {
  if (numel_ == 0 || calls_.empty()) return;
  apart(all_errors, [&](std::atomic<uint8_t>* errors) {
    const auto piece = [&](int64_t begin, int64_t end) { run_piece(begin, end, memories, errors); };
    if (numel_ <= grain_)
      piece(0, numel_);
    else
      parallel_for(0, numel_, std::max(grain_ / kTasksPerGrain, std::min(block_, grain_)), piece);
  });
}

void BlockProgram::run_range(int64_t begin, int64_t end, char* const* memories, int passed, char* to,
                             std::atomic<uint8_t>* all_errors) const {
  SmallVector<char*, 16> all;
  all.resize_uninitialized(static_cast<size_t>(num_memories_));
  std::copy_n(memories, all.size(), all.data());
  const auto is_passed = [&](int v) { return values_[static_cast<size_t>(v)].memory == passed; };
  const int value = *std::find_if(memories_.begin(), memories_.end(), is_passed);
  // Passes the address that element 0 would have if element `begin` is at `to`.
  const auto offset = static_cast<uintptr_t>(begin * values_[static_cast<size_t>(value)].itemsize);
  all[static_cast<size_t>(passed)] = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(to) - offset);
  run_range(begin, end, all.data(), all_errors);
}

void BlockProgram::run_range(int64_t begin, int64_t end, char* const* memories,
                             std::atomic<uint8_t>* all_errors) const {
  apart(all_errors, [&](std::atomic<uint8_t>* errors) { run_piece(begin, end, memories, errors); });
}

int64_t BlockProgram::count_range(int64_t begin, int64_t end, char* const* memories,
                                  std::atomic<uint8_t>* all_errors) const {
  if (!counts()) return -1;
  int64_t counted = 0;
  apart(all_errors, [&](std::atomic<uint8_t>* errors) { run_piece(begin, end, memories, errors, &counted); });
  return counted;
}

// --- text

std::string BlockProgram::name_of(int index) const {
  const Value& v = values_[static_cast<size_t>(index)];
  if (v.kind == Value::Kind::Number) return scalar_at(v.dtype, v.number).to_string();
  const bool is_register = v.kind == Value::Kind::Register;
  return (is_register ? "r" + std::to_string(v.slot) : "m" + std::to_string(v.memory)) + ":" + dtype_name(v.dtype);
}

std::string BlockProgram::text() const {
  std::string text;
  for (const LoopCall& call : calls_) {
    const auto list = [&](size_t first, size_t last) {
      for (size_t k = first; k < last; ++k) text += (k > first ? ", " : "") + name_of(call.values[k]);
    };
    const auto results = static_cast<size_t>(call.num_results);
    list(0, results);
    text += std::string(" = ") + call.name + "(";
    list(results, call.values.size());
    text += ")\n";
  }
  return text;
}

}  // namespace tnp::fusion
