// Copies between an operand and the dense buffer of a block: see Note [Short lines] in loop_nest.h.
// The lines have few elements, so there are special cases for the common patterns: one repeated
// value, a few contiguous bytes, a repeated line.
#pragma once

#include <cstdint>
#include <cstring>

#include "aten/core/numbers/element_bits.h"

namespace tnp::block_copies {

inline constexpr int64_t kSlack = 64;  // number of bytes past the end of a buffer that may be overwritten

// Fills `dense` with `count` copies of its first `bytes` bytes, by doubling.
inline void repeat(char* dense, int64_t bytes, int64_t count) {
  const int64_t all = bytes * count;
  for (int64_t done = bytes; done < all; done *= 2) {
    std::memcpy(dense + done, dense, static_cast<size_t>(done < all - done ? done : all - done));
  }
}

// Copies `lines` lines of `bytes` bytes each, in units of Piece; `bytes` is at least sizeof(Piece).
// The last Piece of a line overlaps the previous one.
template <class Piece>
TNP_INLINE void copy_lines_by(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t bytes,
                              int64_t lines) {
  constexpr int64_t size = sizeof(Piece);
  for (int64_t i = 0; i < lines; ++i, to += to_step, from += from_step) {
    for (int64_t at = 0; at + size < bytes; at += size) std::memcpy(to + at, from + at, sizeof(Piece));
    std::memcpy(to + bytes - size, from + bytes - size, sizeof(Piece));
  }
}
inline void copy_lines(char* to, int64_t to_step, const char* from, int64_t from_step, int64_t bytes, int64_t lines) {
  struct Half {
    char of[32];
  };
  struct Quarter {
    char of[16];
  };
  if (bytes >= 32)
    copy_lines_by<Half>(to, to_step, from, from_step, bytes, lines);
  else if (bytes >= 16)
    copy_lines_by<Quarter>(to, to_step, from, from_step, bytes, lines);
  else if (bytes >= 8)
    copy_lines_by<uint64_t>(to, to_step, from, from_step, bytes, lines);
  else if (bytes >= 4)
    copy_lines_by<uint32_t>(to, to_step, from, from_step, bytes, lines);
  else if (bytes >= 2)
    copy_lines_by<uint16_t>(to, to_step, from, from_step, bytes, lines);
  else
    copy_lines_by<uint8_t>(to, to_step, from, from_step, bytes, lines);
}

// Writes `lines` lines, each of `n` copies of one element. May write up to 15 bytes past the end.
template <class Bits>
TNP_INLINE void spread(char* dense, int64_t n, const char* from, int64_t from_step, int64_t lines) {
  constexpr int64_t size = sizeof(Bits);
  for (int64_t i = 0; i < lines; ++i, dense += n * size, from += from_step) {
    Bits piece[16 / sizeof(Bits)];
    std::memcpy(piece, from, sizeof(Bits));
    for (size_t j = 1; j < 16 / sizeof(Bits); ++j) piece[j] = piece[0];
    for (int64_t at = 0; at < n * size; at += 16) std::memcpy(dense + at, piece, 16);
  }
}

template <class Bits, bool in>
TNP_INLINE void exchange_elements(char* dense, int64_t dense_step, char* own, int64_t own_step, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    if (in)
      std::memcpy(dense + i * dense_step, own + i * own_step, sizeof(Bits));
    else
      std::memcpy(own + i * own_step, dense + i * dense_step, sizeof(Bits));
  }
}

// Copies `lines` lines of `n` elements to (`in`) or from `dense`. In `own`, elements are `step`
// bytes apart within a line, and lines are `line_step` bytes apart.
template <class Bits, bool in>
void exchange_lines(char* dense, char* own, int64_t n, int64_t step, int64_t lines, int64_t line_step) {
  constexpr int64_t size = sizeof(Bits);
  if (in && line_step == 0 && lines > 1) {
    exchange_lines<Bits, in>(dense, own, n, step, 1, 0);
    repeat(dense, n * size, lines);
  } else if (in && step == 0) {
    spread<Bits>(dense, n, own, line_step, lines);
  } else if (step == size) {
    if (in)
      copy_lines(dense, n * size, own, line_step, n * size, lines);
    else
      copy_lines(own, line_step, dense, n * size, n * size, lines);
  } else if (n < lines) {
    for (int64_t j = 0; j < n; ++j)
      exchange_elements<Bits, in>(dense + j * size, n * size, own + j * step, line_step, lines);
  } else {
    for (int64_t i = 0; i < lines; ++i)
      exchange_elements<Bits, in>(dense + i * n * size, size, own + i * line_step, step, n);
  }
}

// Copies `count` steps along dims[level], level >= 1. Each step covers all inner dimensions.
template <class Bits, bool in>
void exchange(char* dense, char* own, const int64_t* dims, const int64_t* steps, size_t level, int64_t count) {
  if (level == 1) return exchange_lines<Bits, in>(dense, own, dims[0], steps[0], count, steps[1]);
  int64_t bytes = sizeof(Bits);
  for (size_t d = 0; d < level; ++d) bytes *= dims[d];
  const bool same = in && steps[level] == 0;
  for (int64_t i = 0; i < (same ? 1 : count); ++i) {
    exchange<Bits, in>(dense + i * bytes, own + i * steps[level], dims, steps, level - 1, dims[level - 1]);
  }
  if (same) repeat(dense, bytes, count);
}

template <bool in>
void exchange(int64_t element_size, char* dense, char* own, const int64_t* dims, const int64_t* steps, size_t level,
              int64_t count) {
  visit_element_size(element_size, [&]<class Bits>() { exchange<Bits, in>(dense, own, dims, steps, level, count); });
}

}  // namespace tnp::block_copies
