#include "aten/fusion/lines.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace tnp::fusion {

namespace {

// `count` times the element at `from`. Bytes up to `end` may be written besides.
template <class T>
TNP_INLINE void repeat_element(char* to, const char* from, int64_t count, const char* end) {
  constexpr int64_t kLanes = 16 / sizeof(T);
  using Vector [[gnu::vector_size(16)]] = T;
  T x;
  std::memcpy(&x, from, sizeof x);
  Vector all;
  for (int64_t k = 0; k < kLanes; ++k) all[k] = x;
  int64_t i = 0;
  for (; i < count && end - to >= 16; i += kLanes, to += 16) std::memcpy(to, &all, 16);
  for (; i < count; ++i, to += sizeof x) std::memcpy(to, &x, sizeof x);
}

template <class T, int count>
void repeat_few(char* to, const char* from, int64_t step, int64_t elements) {
  for (int64_t i = 0; i < elements; ++i, from += step, to += count * static_cast<int64_t>(sizeof(T)))
    for (int k = 0; k < count; ++k) std::memcpy(to + k * sizeof(T), from, sizeof(T));
}

// Of each of some elements, `count`.
template <class T>
void repeat_elements(char* to, const char* from, int64_t step, int64_t elements, int64_t count, const char* end) {
  if (count == 2) return repeat_few<T, 2>(to, from, step, elements);
  if (count == 3) return repeat_few<T, 3>(to, from, step, elements);
  if (count == 4) return repeat_few<T, 4>(to, from, step, elements);
  for (int64_t i = 0; i < elements; ++i, from += step, to += count * static_cast<int64_t>(sizeof(T)))
    repeat_element<T>(to, from, count, end);
}

// From here on the loop of the instruction set at hand, with a call for each line, is faster.
constexpr int64_t kLongLineOfNumber = 32;

constexpr bool is_word(int64_t itemsize) { return itemsize == 4 || itemsize == 8; }

}  // namespace

Lines::Lines(IntList sizes, IntList strides, int64_t itemsize) : itemsize_(itemsize) {
  // From the last axis on, then turned round.
  for (size_t d = sizes.size(); d-- > 0;) {
    if (sizes[d] == 1) continue;
    if (!sizes_.empty() && strides[d] == strides_.back() * sizes_.back())
      sizes_.back() *= sizes[d];
    else
      sizes_.push_back(sizes[d]), strides_.push_back(strides[d]);
  }
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

char* Lines::neighbours(char* base, int64_t begin, int64_t n) const {
  if (strides_.back() != itemsize_) return nullptr;
  const int64_t first = sizes_.size() == 1 ? begin : begin % sizes_.back();
  if (first + n > sizes_.back()) return nullptr;
  return place_of(base, begin).line + first * itemsize_;
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

// What is there already, again and again: each time twice as much.
void Lines::repeat_line(const char* line, int64_t first, int64_t n, char* to, Loop copy) const {
  const int64_t length = sizes_.back();
  auto* const from = const_cast<char*>(line);
  int64_t done = std::min(length - first, n);
  copy_part(from, first, done, to, true, copy);
  const int64_t whole = done;
  if (done < n) {
    const int64_t count = std::min(length, n - done);
    copy_part(from, 0, count, to + done * itemsize_, true, copy);
    done += count;
  }
  for (int64_t count; done < n; done += count) {
    count = std::min(done - whole, n - done);
    std::memcpy(to + done * itemsize_, to + whole * itemsize_, static_cast<size_t>(count * itemsize_));
  }
}

void Lines::gather(char* base, int64_t begin, int64_t n, char* to, Loop copy) const {
  const int64_t length = sizes_.back();
  const bool are_numbers = strides_.back() == 0 && is_word(itemsize_) && length < kLongLineOfNumber;
  const bool repeats = repeats_lines();
  const auto repeat = itemsize_ == 4 ? repeat_elements<uint32_t> : repeat_elements<uint64_t>;
  char* const end = to + n * itemsize_;
  Place place = place_of(base, begin);
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
      repeat(to, place.line, sizes_.size() > 1 ? strides_[sizes_.size() - 2] : 0, whole, length, end);
    } else if (are_numbers) {
      repeat(to, place.line, 0, 1, count, end);
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
  return step == 0 ? line > 1 && is_word(itemsize) : repeated >= kShortestRepeated;
}

}  // namespace tnp::fusion
