// Radix sort, least significant digit first, for long lines of real numbers. It is stable, O(n),
// and uses several threads.
//
// Source: Knuth, The Art of Computer Programming 3, 5.2.5, algorithm R. Only the bits that differ
// between keys are used as digits. For 64-bit keys, only the leading 33 bits are sorted this way,
// which separates nearly all keys. The remaining runs of equal leading bits are sorted one by one.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "aten/core/memory/scratch.h"
#include "aten/core/threads/parallel.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

// For fewer elements than this, comparison sorting is faster than counting.
inline constexpr int64_t kRadixSortMinimum = 384;

namespace radix {

// Calls body(piece, begin, end) for `pieces` pieces of [0, n), on several threads.
template <class F>
void for_each_piece(int64_t n, int64_t pieces, F&& body) {
  parallel_for(0, pieces, 1, [&](int64_t first, int64_t last) {
    for (int64_t p = first; p < last; ++p) body(p, n * p / pieces, n * (p + 1) / pieces);
  });
}

inline int64_t pieces_of(int64_t n) { return std::clamp<int64_t>(n / 20'000, 1, get_num_threads()); }

// A mask of the bits in which keys differ.
template <class Item, class KeyOf>
auto varying_bits(const Item* items, int64_t n, int64_t pieces, KeyOf key_of) {
  using Key = decltype(key_of(*items));
  std::vector<Key> found(static_cast<size_t>(pieces));
  const Key first = key_of(items[0]);
  for_each_piece(n, pieces, [&](int64_t p, int64_t begin, int64_t end) {
    Key bits = 0;
    for (int64_t i = begin; i < end; ++i) bits = static_cast<Key>(bits | (key_of(items[i]) ^ first));
    found[static_cast<size_t>(p)] = bits;
  });
  Key all = 0;
  for (Key bits : found) all = static_cast<Key>(all | bits);
  return all;
}

// One pass: sorts from `items` into `spare` by `width` bits of the keys from bit `shift` on.
template <class Item, class KeyOf>
void pass(const Item* items, Item* spare, int64_t n, int64_t pieces, int shift, int width, int64_t* counts,
          KeyOf key_of) {
  const int64_t size = int64_t{1} << width;
  const auto mask = static_cast<uint64_t>(size - 1);
  auto digit = [&](const Item& item) { return static_cast<uint64_t>(key_of(item)) >> shift & mask; };
  for_each_piece(n, pieces, [&](int64_t p, int64_t begin, int64_t end) {
    int64_t* own = counts + p * size;
    std::fill_n(own, size, 0);
    for (int64_t i = begin; i < end; ++i) ++own[digit(items[i])];
  });
  int64_t place = 0;
  for (int64_t d = 0; d < size; ++d) {
    for (int64_t p = 0; p < pieces; ++p) place += std::exchange(counts[p * size + d], place);
  }
  for_each_piece(n, pieces, [&](int64_t p, int64_t begin, int64_t end) {
    int64_t* own = counts + p * size;
    for (int64_t i = begin; i < end; ++i) spare[own[digit(items[i])]++] = items[i];
  });
}

}  // namespace radix

template <class Item, class KeyOf>
Item* radix_sort(Item* items, Item* spare, int64_t n, KeyOf key_of);

namespace radix {

// Not inline: short lines and runs of equal digits share it.
template <class Item, class KeyOf>
[[gnu::noinline]] void sort_by_comparing(Item* items, int64_t n, KeyOf key_of) {
  std::stable_sort(items, items + n, [&](const Item& a, const Item& b) { return key_of(a) < key_of(b); });
}

// Sorts each run of items whose keys agree in all bits from `shift` on.
template <class Item, class KeyOf>
void finish_runs(Item* items, Item* spare, int64_t n, int64_t pieces, int shift, KeyOf key_of) {
  auto together = [&](const Item& a, const Item& b) { return key_of(a) >> shift == key_of(b) >> shift; };
  std::vector<int64_t> bounds(static_cast<size_t>(pieces) + 1, n);
  for (int64_t p = 0; p < pieces; ++p) {  // extends each piece so that no run is in two pieces
    int64_t at = n * p / pieces;
    while (at > 0 && at < n && together(items[at - 1], items[at])) ++at;
    bounds[static_cast<size_t>(p)] = at;
  }
  for_each_piece(pieces, pieces, [&](int64_t p, int64_t, int64_t) {
    const int64_t end = bounds[static_cast<size_t>(p) + 1];
    for (int64_t i = bounds[static_cast<size_t>(p)]; i < end;) {
      int64_t start = i++;
      while (i < end && together(items[i - 1], items[i])) ++i;
      if (i - start == 1) continue;
      if (i - start < kRadixSortMinimum) {
        sort_by_comparing(items + start, i - start, key_of);
      } else if (const Item* sorted = radix_sort(items + start, spare + start, i - start, key_of);
                 sorted != items + start) {
        std::copy_n(sorted, i - start, items + start);
      }
    }
  });
}

}  // namespace radix

// Sorts `items` by key_of(item), an unsigned integer. `spare` has room for n items too. Returns
// `items` or `spare`, whichever holds the result.
template <class Item, class KeyOf>
Item* radix_sort(Item* items, Item* spare, int64_t n, KeyOf key_of) {
  const int64_t pieces = radix::pieces_of(n);
  const auto varying = radix::varying_bits(items, n, pieces, key_of);
  if (varying == 0) return items;
  // 8-bit digits have counters that are cleared quickly; 11-bit digits save a pass.
  const int most = n < 8192 ? 8 : 11, lowest = std::countr_zero(varying), highest = std::bit_width(varying);
  int width = highest - lowest, digits = (width + most - 1) / most;
  const int enough = (33 + most - 1) / most;  // digits that separate nearly all keys
  const bool leading = width > std::max(36, enough * most);
  if (leading) digits = enough;
  const int each = leading ? most : (width + digits - 1) / digits, start = leading ? highest - digits * each : lowest;
  Scratch<int64_t> counts(pieces << each);
  for (int d = 0; d < digits; ++d) {
    radix::pass(items, spare, n, pieces, start + d * each, each, counts.data(), key_of);
    std::swap(items, spare);
  }
  if constexpr (sizeof(varying) == 8) {  // keys with fewer bits have been sorted by all their bits
    if (leading) radix::finish_runs(items, spare, n, pieces, start, key_of);
  }
  return items;
}

}  // namespace tnp
