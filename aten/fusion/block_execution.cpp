// Execution of block plans.
#include "aten/fusion/block_plan.h"

#include <algorithm>
#include <cstring>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/core/threads/thread_object.h"
#include "aten/fusion/thread_memory.h"

namespace tnp::fusion {

// Address of the first element of a line along the last axis.
char* BlockPlan::line_at(const Value& value, char* base, int64_t line) const {
  char* at = base;
  for (size_t d = axes_.size() - 1; d-- > 0; line /= axes_[d]) {
    if (d == 0) return at + line * value.strides[0];  // no division
    at += line % axes_[d] * value.strides[d];
  }
  return at;
}

BlockPlan::Place BlockPlan::place_of(const Value& v, char* base, const Part& part, char* scratch,
                                     Lines::Held& held) const {
  if (v.strides.empty()) return {base + part.begin * v.itemsize(), v.itemsize()};
  const int64_t step = v.strides.back();
  if ((part.is_in_line && (step == v.itemsize() || !v.is_packed)) || v.is_number_of_line)
    return {line_at(v, base, part.line) + part.first * step, step};
  char* const slot = scratch + slot_offsets_[static_cast<size_t>(v.slot)] * slot_elements_;
  if (!v.is_written()) return {v.lines.bring(base, part.begin, part.n, slot, v.copy, held), v.itemsize()};
  if (v.is_read) v.lines.gather(base, part.begin, part.n, slot, v.copy);
  return {slot, v.itemsize()};
}

// Runs a call line by line, because some operands are constant along each line.
void BlockPlan::run_by_line(const LoopCall& call, char** data, const int64_t* strides, const Part& part,
                            char* const* memories) const {
  int64_t line = part.line, first = part.first;
  for (int64_t done = 0; done < part.n; first = 0) {
    const int64_t count = std::min(axes_.back() - first, part.n - done);
    call.operation.loop(data, strides, count);
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

bool BlockPlan::run_region(const CompiledRegion& region, int64_t n, const Place* places, bool is_watched,
                           Count* count) const {
  char* memories[kMostMemories];
  for (size_t m = 0; m < region.memories.size(); ++m) {
    const int value = region.memories[m];
    const int64_t size = values_[static_cast<size_t>(value)].itemsize();
    if (places[value].stride != size) return false;
    memories[m] = places[value].data;
    for (const int w : region.written) {
      const char *const to = places[w].data, *const to_end = to + n * values_[static_cast<size_t>(w)].itemsize();
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

void BlockPlan::run_block(const Part& part, const Place* places, char* const* memories, std::atomic<uint8_t>* errors,
                          Count* count) const {
  char* data[BlockProgram::kMostOperands];
  int64_t strides[BlockProgram::kMostOperands];
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
      call.operation.loop(data, strides, part.n);
    if (!errors) continue;
    // Read the flags after each call, since some loops clear flags of earlier ones.
    const FloatingPointErrors found = take_floating_point_flags();
    if (TNP_UNLIKELY(found) && call.operation.watched) errors[s].fetch_or(found, std::memory_order_relaxed);
  }
}

void BlockPlan::run_piece(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* errors,
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
    if (v.kind == Kind::Number)
      places[i] = {const_cast<char*>(v.number.data()), 0};
    else if (v.kind == Kind::Register && v.slot >= 0)
      places[i] = {scratch + slot_offsets_[static_cast<size_t>(v.slot)] * slot_elements_, v.itemsize()};
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
void BlockPlan::apart(std::atomic<uint8_t>* errors, F&& run) const {
  if (!is_watched_) errors = nullptr;
  const DialectGuard dialects(dialect().with(errors ? ErrorWatch::Open : ErrorWatch::Never));
  const FloatingPointErrors before = take_floating_point_flags();
  run(errors);
  take_floating_point_flags();
  if (TNP_UNLIKELY(before)) raise_floating_point_flags(before);
}

void BlockPlan::run(char* const* memories, std::atomic<uint8_t>* all_errors) const {
  if (numel_ == 0 || calls_.empty()) return;
  apart(all_errors, [&](std::atomic<uint8_t>* errors) {
    const auto piece = [&](int64_t begin, int64_t end) { run_piece(begin, end, memories, errors); };
    if (numel_ <= grain_)
      piece(0, numel_);
    else
      parallel_for(0, numel_, std::max(grain_ / kTasksPerGrain, std::min(block_, grain_)), piece);
  });
}

void BlockPlan::run_range(int64_t begin, int64_t end, char* const* memories, int passed, char* to,
                          std::atomic<uint8_t>* all_errors) const {
  SmallVector<char*, 16> all;
  all.resize_uninitialized(memories_.size());
  std::copy_n(memories, all.size(), all.data());
  const auto is_passed = [&](int v) { return values_[static_cast<size_t>(v)].memory == passed; };
  const int value = *std::find_if(memories_.begin(), memories_.end(), is_passed);
  // Passes the address that element 0 would have if element `begin` is at `to`.
  const auto offset = static_cast<uintptr_t>(begin * values_[static_cast<size_t>(value)].itemsize());
  all[static_cast<size_t>(passed)] = reinterpret_cast<char*>(reinterpret_cast<uintptr_t>(to) - offset);
  run_range(begin, end, all.data(), all_errors);
}

void BlockPlan::run_range(int64_t begin, int64_t end, char* const* memories, std::atomic<uint8_t>* all_errors) const {
  apart(all_errors, [&](std::atomic<uint8_t>* errors) { run_piece(begin, end, memories, errors); });
}

int64_t BlockPlan::count_range(int64_t begin, int64_t end, char* const* memories,
                               std::atomic<uint8_t>* all_errors) const {
  if (!counts()) return -1;
  int64_t counted = 0;
  apart(all_errors, [&](std::atomic<uint8_t>* errors) { run_piece(begin, end, memories, errors, &counted); });
  return counted;
}

// --- text

std::string BlockPlan::name_of(int index) const {
  const Value& v = values_[static_cast<size_t>(index)];
  if (v.kind == Kind::Number) return scalar_at(v.dtype, v.number.data()).to_string();
  const bool is_register = v.kind == Kind::Register;
  return (is_register ? "r" + std::to_string(v.slot) : "m" + std::to_string(v.memory)) + ":" + dtype_name(v.dtype);
}

std::string BlockPlan::text() const {
  std::string text;
  for (const LoopCall& call : calls_) {
    const auto list = [&](size_t first, size_t last) {
      for (size_t k = first; k < last; ++k) text += (k > first ? ", " : "") + name_of(call.values[k]);
    };
    const auto results = static_cast<size_t>(call.num_results);
    list(0, results);
    text += std::string(" = ") + call.operation.name + "(";
    list(results, call.values.size());
    text += ")\n";
  }
  return text;
}

}  // namespace tnp::fusion
