#include "aten/fusion/lines.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <tuple>

#include "aten/iterator/coalesce.h"
#include "aten/kernels/cpu/copying/repeat_loops.h"

namespace tnp::fusion {

namespace {

// Minimum length of lines for which repeating a number by one call of the vectorised loop per line
// is faster than a scalar loop.
constexpr int64_t kLongLineOfNumber = 32;

}  // namespace

Lines::Lines(IntList sizes, IntList strides, int64_t itemsize) : itemsize_(itemsize) {
  std::tie(sizes_, strides_) = coalesced(sizes, strides);
  if (sizes_.empty()) sizes_.push_back(1), strides_.push_back(itemsize);
  std::reverse(sizes_.begin(), sizes_.end());
  std::reverse(strides_.begin(), strides_.end());
}

Lines::Place Lines::place_of(char* base, int64_t begin) const {
  Place place{DimVector(sizes_.size(), 0), base, begin};
  for (size_t d = sizes_.size(); d-- > 1;) {
    place.index[d] = begin % sizes_[d];
    begin /= sizes_[d];
  }
  place.index[0] = begin;
  for (size_t d = 0; d + 1 < sizes_.size(); ++d) place.line += place.index[d] * strides_[d];
  place.first = place.index.back();
  return place;
}

int64_t Lines::lines_left(const Place& place) const {
  const size_t last = sizes_.size() - 1;
  return last == 0 ? 1 : sizes_[last - 1] - place.index[last - 1];
}

void Lines::advance(Place& place, int64_t lines) const {
  place.first = 0;
  for (size_t d = sizes_.size() - 1; d-- > 0; lines = 1) {
    place.index[d] += lines;
    place.line += lines * strides_[d];
    if (place.index[d] < sizes_[d] || d == 0) return;
    place.line -= sizes_[d] * strides_[d];
    place.index[d] = 0;
  }
}

char* Lines::bring(char* base, int64_t begin, int64_t n, char* slot, Loop copy, Held& held) const {
  const Place place = place_of(base, begin);
  const int64_t length = sizes_.back();
  if (strides_.back() == itemsize_ && place.first + n <= length) return place.line + place.first * itemsize_;
  if (repeats_lines() && place.first + n <= lines_left(place) * length) {
    if (held.line == place.line && held.first == place.first && n <= held.count) return slot;
    held = {place.line, place.first, n};
  } else {
    held = {};
  }
  gather(place, n, slot, copy);
  return slot;
}

void Lines::copy_part(char* line, int64_t first, int64_t n, char* dense, bool is_to_dense, Loop copy) const {
  const int64_t step = strides_.back();
  char* const at = line + first * step;
  if (step == itemsize_) {
    std::memcpy(is_to_dense ? dense : at, is_to_dense ? at : dense, static_cast<size_t>(n * itemsize_));
    return;
  }
  char* const data[] = {is_to_dense ? dense : at, is_to_dense ? at : dense};
  const int64_t strides[] = {is_to_dense ? itemsize_ : step, is_to_dense ? step : itemsize_};
  copy(data, strides, n);
}

void Lines::repeat_line(const char* line, int64_t first, int64_t n, char* to, Loop copy) const {
  const int64_t length = sizes_.back();
  const auto tile = repeat_loops::of(itemsize_).tile;
  if (strides_.back() == itemsize_) return tile(line, length, first, n, to);
  // Make the line dense once, then repeat the dense copy.
  const int64_t rest = std::min(length - first, n), begin = std::min(first, n - rest);
  copy_part(const_cast<char*>(line), first, rest, to, true, copy);
  copy_part(const_cast<char*>(line), 0, begin, to + rest * itemsize_, true, copy);
  if (n > length) tile(to, length, 0, n - length, to + length * itemsize_);
}

void Lines::repeat_numbers(const char* from, int64_t step, int64_t numbers, char* to, Loop copy) const {
  const int64_t length = sizes_.back();
  const auto repeat = repeat_loops::of(itemsize_).repeat;
  if (step == itemsize_ || numbers == 1) return repeat(from, numbers, length, to);
  alignas(64) char dense[4096];
  const int64_t most = static_cast<int64_t>(sizeof dense) / itemsize_, strides[] = {itemsize_, step};
  for (int64_t count; numbers > 0; numbers -= count) {
    count = std::min(most, numbers);
    char* const data[] = {dense, const_cast<char*>(from)};
    copy(data, strides, count);
    repeat(dense, count, length, to);
    from += count * step;
    to += count * length * itemsize_;
  }
}

void Lines::gather(Place place, int64_t n, char* to, Loop copy) const {
  const int64_t length = sizes_.back();
  const bool are_numbers = strides_.back() == 0 && length < kLongLineOfNumber;
  const bool repeats = repeats_lines();
  while (n > 0) {
    const int64_t left = lines_left(place), whole = std::min(left, n / length);
    int64_t lines = 1, count = std::min(length - place.first, n);
    if (repeats) {
      lines = left;
      count = std::min(left * length - place.first, n);
      repeat_line(place.line, place.first, count, to, copy);
    } else if (are_numbers && place.first == 0 && whole > 0) {
      lines = whole;
      count = whole * length;
      repeat_numbers(place.line, sizes_.size() > 1 ? strides_[sizes_.size() - 2] : 0, whole, to, copy);
    } else if (are_numbers) {
      repeat_loops::of(itemsize_).repeat(place.line, 1, count, to);
    } else {
      copy_part(place.line, place.first, count, to, true, copy);
    }
    to += count * itemsize_;
    n -= count;
    if (n > 0) advance(place, lines);
  }
}

void Lines::scatter(char* base, int64_t begin, int64_t n, char* from, Loop copy) const {
  Place place = place_of(base, begin);
  while (n > 0) {
    const int64_t count = std::min(sizes_.back() - place.first, n);
    copy_part(place.line, place.first, count, from, false, copy);
    from += count * itemsize_;
    n -= count;
    if (n > 0) advance(place, 1);
  }
}

bool has_quick_lines(IntList sizes, IntList strides, int64_t itemsize, int64_t shortest) {
  constexpr int64_t kLargestStep = 4;  // elements
  constexpr int64_t kShortestRepeated = 64;
  int64_t least = 0, line = 1, step = 0, repeated = 0;
  bool is_line = true;
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    const int64_t stride = strides[d];
    if (stride != 0 && std::abs(stride) < least) return false;
    if (stride != 0) least = std::abs(stride);
    if (line == 1) step = stride;
    const bool goes_on = is_line && (line == 1 || stride == step * line);
    if (goes_on)
      line *= sizes[d];
    else if (is_line && stride == 0)
      repeated = line * sizes[d];
    is_line = goes_on;
  }
  if (line >= shortest && std::abs(step) <= kLargestStep * itemsize) return true;
  return step == 0 ? line > 1 : repeated >= kShortestRepeated;
}

}  // namespace tnp::fusion
