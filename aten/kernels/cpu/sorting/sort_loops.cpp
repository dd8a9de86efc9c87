// Vectorised quicksort. It partitions to both sides at once without branches, which would be
// mispredicted, down to blocks that a sorting network sorts. Compiled for AVX2 and AVX-512; for
// other instruction sets the table is empty.
//
// Sources: Bramas, Int. J. Adv. Comput. Sci. Appl. 8 (2017) 337-344; Wassenberg, Blacher, Giesen
// and Sanders, Softw. Pract. Exper. 52 (2022) 2684-2699. Unlike in these sources, arrays that fit
// in the cache twice are not partitioned in place. The back part is written to a second array, so
// that numbers are read from one end only. A part may be in either array until a block of it is
// sorted.
#include "aten/kernels/cpu/sorting/sort_loops.h"

#include <utility>

#include "aten/core/threads/parallel.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

#if defined(__AVX512VL__) && defined(__AVX512DQ__) && defined(__AVX512BW__)
#define TNP_SORT_BY_VECTORS
#include "aten/kernels/cpu/sorting/sort_vector_avx512.h"
#elif defined(__AVX2__) && defined(__BMI2__)
#define TNP_SORT_BY_VECTORS
#include "aten/kernels/cpu/sorting/sort_vector_avx2.h"
#endif

#if defined(TNP_SORT_BY_VECTORS)
#include "aten/kernels/cpu/sorting/sort_network.h"
#endif

namespace tnp::sort_loops::TNP_CPU_CAPABILITY {

std::span<const SortLoops> table();

#if defined(TNP_SORT_BY_VECTORS)
namespace {

struct Sides {
  int64_t front, back;
};

template <class T>
TNP_INLINE void put_one(T x, bool front, T*& left, T*& right) {
  *left = x;
  right[-1] = x;
  left += front, right -= !front;
}

// The rule of a partition, for a vector and for a single number: moves elements to the front or the
// back.
template <class T>
struct LessThan {
  using Vec = Vector<T>;
  explicit LessThan(T p) : pivot(p), pivots(Vec::fill(p)) {}
  TNP_INLINE void put(typename Vec::V v, T*& left, T*& right) const {
    Vec::split(v, Vec::less(v, pivots), left, right);
  }
  TNP_INLINE void put(T x, T*& left, T*& right) const { put_one(x, x < pivot, left, right); }
  T pivot;
  typename Vec::V pivots;
};
template <class T>
struct NotGreaterThan {
  using Vec = Vector<T>;
  explicit NotGreaterThan(T p) : pivot(p), pivots(Vec::fill(p)) {}
  TNP_INLINE void put(typename Vec::V v, T*& left, T*& right) const {
    Vec::split(v, Vec::invert(Vec::less(pivots, v)), left, right);
  }
  TNP_INLINE void put(T x, T*& left, T*& right) const { put_one(x, !(pivot < x), left, right); }
  T pivot;
  typename Vec::V pivots;
};
template <class T>
struct IsNumber {
  using Vec = Vector<T>;
  TNP_INLINE void put(typename Vec::V v, T*& left, T*& right) const {
    Vec::split(v, Vec::invert(Vec::is_nan(v)), left, right);
  }
  TNP_INLINE void put(T x, T*& left, T*& right) const { put_one(x, x == x, left, right); }
};
// A partition that drops numbers equal to the pivot, because the caller knows their value.
template <class T>
struct UnequalTo {
  using Vec = Vector<T>;
  explicit UnequalTo(T p) : pivot(p), pivots(Vec::fill(p)) {}
  TNP_INLINE void put(typename Vec::V v, T*& left, T*& right) const {
    Vec::split(v, Vec::less(v, pivots), Vec::less(pivots, v), left, right);
  }
  TNP_INLINE void put(T x, T*& left, T*& right) const {
    if (x < pivot)
      *left++ = x;
    else if (pivot < x)
      *--right = x;
  }
  T pivot;
  typename Vec::V pivots;
};

template <class T, class Rule>
TNP_INLINE void put_four(const T* from, T*& left, T*& right, const Rule& rule) {
  using Vec = Vector<T>;
  const auto a = Vec::load(from), b = Vec::load(from + Vec::kLanes), c = Vec::load(from + 2 * Vec::kLanes),
             d = Vec::load(from + 3 * Vec::kLanes);
  rule.put(a, left, right);
  rule.put(b, left, right);
  rule.put(c, left, right);
  rule.put(d, left, right);
}

// Writes the front part to the front of `from` and the back part to the end of `other`, as the rule
// decides. Stores are whole vectors: their surplus lies where everything has been read and nothing
// has been written yet. The rule is passed by value, so that the compiler keeps it in registers: no
// store can change it.
template <class T, class Rule>
Sides partition(T* from, T* other, int64_t n, Rule rule) {
  constexpr int64_t kLanes = Vector<T>::kLanes;
  T *left = from, *right = other + n;
  int64_t i = 0;
  for (; i + 4 * kLanes <= n; i += 4 * kLanes) put_four(from + i, left, right, rule);
  for (; i + kLanes <= n; i += kLanes) rule.put(Vector<T>::load(from + i), left, right);
  for (; i < n; ++i) rule.put(from[i], left, right);
  return {left - from, other + n - right};
}

template <class T>
void copy(const T* from, int64_t n, T* to) {
  __builtin_memcpy(to, from, static_cast<size_t>(n) * sizeof(T));
}

// Partitions in place, for arrays so large that a second one would evict them from the cache. A
// block of each end is buffered first, which makes room for writing at both ends. Then blocks are
// read from the end that has less room. Branch prediction fails on that choice, so blocks must not
// be short. They must not be long either, because the prefetcher forgets the stream at the other
// end.
template <class T, class Rule>
Sides partition_in_place(T* v, int64_t n, Rule rule) {
  using Vec = Vector<T>;
  constexpr int64_t kLanes = Vec::kLanes, kBlock = 16 * kLanes, kStep = 4 * kLanes;
  alignas(64) T aside[2 * kBlock];
  if (n <= 2 * kBlock) {
    const Sides sides = partition(v, aside, n, rule);
    copy(aside + n - sides.back, sides.back, v + n - sides.back);
    return sides;
  }
  copy(v, kBlock, aside);
  copy(v + n - kBlock, kBlock, aside + kBlock);
  T *left = v, *right = v + n;
  const T *begin = v + kBlock, *end = v + n - kBlock;  // the range that has not been read yet
  // The room on either side is at least one block while blocks are read, and at least a vector
  // while vectors are read.
  while (end - begin >= kBlock) {
    if (begin - left < kBlock) {
      for (int64_t i = 0; i < kBlock; i += kStep) put_four(begin + i, left, right, rule);
      begin += kBlock;
    } else {
      for (int64_t i = 0; i < kBlock; i += kStep) put_four(end - i - kStep, left, right, rule);
      end -= kBlock;
    }
  }
  while (end - begin >= kLanes) {
    const bool at_left = begin - left < right - end;
    const auto x = Vec::load(at_left ? begin : end - kLanes);
    (at_left ? begin += kLanes : end -= kLanes);
    rule.put(x, left, right);
  }
  // The remainder comes first: a store writes a whole vector at both sides, which needs room for
  // two. The last buffered vector, for which there may be less room, is written number by number.
  T odd[kLanes];
  const int64_t odds = end - begin;
  for (int64_t i = 0; i < odds; ++i) odd[i] = begin[i];
  for (int64_t i = 0; i < odds; ++i) rule.put(odd[i], left, right);
  int64_t i = 0;
  for (; i < 2 * kBlock - kStep; i += kStep) put_four(aside + i, left, right, rule);
  for (; i < 2 * kBlock - kLanes; i += kLanes) rule.put(Vec::load(aside + i), left, right);
  for (; i < 2 * kBlock; ++i) rule.put(aside[i], left, right);
  return {left - v, v + n - right};
}

// The fallback for bad pivots. Source: Williams, Algorithm 232, Commun. ACM 7 (1964) 347-348.
template <class T>
void heap_sort(T* v, int64_t n) {
  auto sink = [v](int64_t at, int64_t end) {
    const T x = v[at];
    for (int64_t child; (child = 2 * at + 1) < end; at = child) {
      child += child + 1 < end && v[child] < v[child + 1];
      if (!(x < v[child])) break;
      v[at] = v[child];
    }
    v[at] = x;
  };
  for (int64_t i = n / 2; i-- > 0;) sink(i, n);
  for (int64_t end = n; --end > 0;) {
    const T x = v[0];
    v[0] = v[end];
    v[end] = x;
    sink(0, end);
  }
}

template <class T>
struct Pivot {
  T value;
  bool is_frequent;
};

// Estimates the median. For a short array: of five vectors spread over it, the median of each lane,
// and the median of these. For a long one: the median of a sample at pseudo-random positions.
template <class T>
Pivot<T> choose_pivot(const T* v, int64_t n) {
  using Vec = Vector<T>;
  constexpr int64_t kLanes = Vec::kLanes;
  T sample[8 * kLanes];
  int64_t size = kLanes;
  if (n < 256 * kLanes) {
    const int64_t step = (n - kLanes) / 4;
    auto a = Vec::load(v), b = Vec::load(v + step), c = Vec::load(v + 2 * step), d = Vec::load(v + 3 * step),
         e = Vec::load(v + 4 * step);
    Vec::exchange(a, b);
    Vec::exchange(d, e);
    Vec::exchange(a, d);  // a: not the median
    Vec::exchange(b, e);  // e: not the median
    Vec::exchange(b, c);
    Vec::exchange(c, d);
    Vec::exchange(b, c);
    Vec::store(sample, c);
  } else {
    size = n < 4096 * kLanes ? 4 * kLanes : 8 * kLanes;
    auto state = static_cast<uint64_t>(n);
    for (int64_t i = 0; i < size; ++i) {
      state = state * 0x5851f42d4c957f2dU + 0x14057b7ef767814fU;  // Knuth's multiplier for 64 bits
      sample[i] = v[static_cast<int64_t>(static_cast<unsigned __int128>(state) * static_cast<uint64_t>(n) >> 64)];
    }
  }
  Network<T>::sort(sample, size, sample);
  const T middle = sample[size / 2];
  return {middle, sample[size / 2 - 1] == middle || (size > 2 && sample[size / 2 + 1] == middle)};
}

// Whether all remaining numbers equal the pivot. Usually the first vector shows that they do not.
template <class T>
bool is_all(const T* v, int64_t n, T value) {
  using Vec = Vector<T>;
  const auto values = Vec::fill(value);
  for (int64_t i = 0; i < n; i += Vec::kLanes) {
    const auto x = Vec::load(v + (i + Vec::kLanes <= n ? i : n - Vec::kLanes));
    if (Vec::less(x, values) | Vec::less(values, x)) return false;
  }
  return true;
}

// Arrays up to this size are sorted with a second array; both fit in the cache.
template <class T>
constexpr int64_t kFew = (int64_t{1} << 16) / sizeof(T);

// Sorts the n numbers of `from` into `to`, which is either `from` or `other`. Overwrites both.
template <class T>
void sort_few(T* from, T* other, T* to, int64_t n, int depth) {
  while (n > Network<T>::kMost) {
    if (depth-- == 0) {
      if (to != from) copy(from, n, to);
      return heap_sort(to, n);
    }
    const Pivot<T> pivot = choose_pivot(from, n);
    if (pivot.is_frequent && is_all(from, n, pivot.value)) {
      if (to != from) copy(from, n, to);
      return;
    }
    Sides sides{0, n};
    if (!pivot.is_frequent) {
      sides = partition(from, other, n, LessThan<T>(pivot.value));
      if (sides.front == 0) std::swap(from, other);
    }
    // If the pivot is the smallest number, the partition splits off nothing. Removing all numbers
    // equal to it leaves less to sort.
    if (sides.front == 0) {
      sides = partition(from, other, n, UnequalTo<T>(pivot.value));
      for (int64_t i = sides.front; i < n - sides.back; ++i) to[i] = pivot.value;
    }
    sort_few(from, other, to, sides.front, depth);
    const int64_t back = n - sides.back;
    from += back, other += back, to += back, n = sides.back;
    std::swap(from, other);
  }
  Network<T>::sort(from, n, to);
}

template <class T>
__attribute__((noinline)) void sort_few(T* v, int64_t n, int depth) {
  alignas(64) T spare[kFew<T>];
  sort_few(v, spare, v, n, depth);
}

// From this size on, two threads sort.
constexpr int64_t kParallelSort = int64_t{1} << 16;

template <class T>
void sort_numbers(T* v, int64_t n, int depth) {
  while (n > kFew<T>) {
    if (depth-- == 0) return heap_sort(v, n);
    const Pivot<T> pivot = choose_pivot(v, n);
    if (pivot.is_frequent && is_all(v, n, pivot.value)) return;
    Sides sides{0, n};
    if (!pivot.is_frequent) sides = partition_in_place(v, n, LessThan<T>(pivot.value));
    if (sides.front == 0) {
      sides = partition_in_place(v, n, UnequalTo<T>(pivot.value));
      for (int64_t i = sides.front; i < n - sides.back; ++i) v[i] = pivot.value;
    }
    T* back = v + n - sides.back;
    if (n >= kParallelSort && get_num_threads() > 1) {
      return parallel_for(0, 2, 1, [&](int64_t begin, int64_t end) {
        if (begin == 0) sort_numbers(v, sides.front, depth);
        if (end == 2) sort_numbers(back, sides.back, depth);
      });
    }
    sort_numbers(v, sides.front, depth);
    v = back, n = sides.back;
  }
  if (n <= Network<T>::kMost)
    Network<T>::sort(v, n, v);
  else
    sort_few(v, n, depth);
}

template <class T>
bool is_ascending(const T* v, int64_t n) {
  using Vec = Vector<T>;
  int64_t i = 1;
  for (; i + Vec::kLanes <= n; i += Vec::kLanes) {
    if (Vec::count(Vec::less(Vec::load(v + i), Vec::load(v + i - 1))) > 0) return false;
  }
  for (; i < n; ++i) {
    if (v[i] < v[i - 1]) return false;
  }
  return true;
}

template <class T>
bool is_descending(const T* v, int64_t n) {
  using Vec = Vector<T>;
  int64_t i = 1;
  for (; i + Vec::kLanes <= n; i += Vec::kLanes) {
    if (Vec::count(Vec::less(Vec::load(v + i - 1), Vec::load(v + i))) > 0) return false;
  }
  for (; i < n; ++i) {
    if (v[i - 1] < v[i]) return false;
  }
  return true;
}

template <class T>
void reverse(T* v, int64_t n) {
  for (int64_t i = 0, k = n - 1; i < k; ++i, --k) {
    const T x = v[i];
    v[i] = v[k];
    v[k] = x;
  }
}

template <class T>
struct Oddities {
  int64_t nans = 0, negative_zeros = 0;
};

template <class T>
Oddities<T> count_oddities(const T* v, int64_t n) {
  using Vec = Vector<T>;
  Oddities<T> found;
  auto count = [&](typename Vec::V x) {
    found.nans += Vec::count(Vec::is_nan(x));
    found.negative_zeros += Vec::count(Vec::is_negative_zero(x));
  };
  int64_t i = 0;
  for (; i + Vec::kLanes <= n; i += Vec::kLanes) count(Vec::load(v + i));
  count(Vec::load_some(v + i, n - i, Vec::fill(1)));
  return found;
}

// Comparisons treat both zeros as equal, and a network may duplicate one of them. So the zeros are
// rewritten.
template <class T>
void restore_negative_zeros(T* v, int64_t n, int64_t negative) {
  int64_t begin = 0, end = n;
  while (begin < end) {
    const int64_t middle = begin + (end - begin) / 2;
    if (v[middle] < 0)
      begin = middle + 1;
    else
      end = middle;
  }
  for (int64_t i = begin; i < n && v[i] == 0; ++i) v[i] = i - begin < negative ? -T(0) : T(0);
}

template <class T>
void sort(void* data, int64_t n, int depth) {
  T* v = static_cast<T*>(data);
  Oddities<T> odd;
  if constexpr (std::is_floating_point_v<T>) {
    odd = count_oddities(v, n);
    if (odd.nans > 0) n = partition_in_place(v, n, IsNumber<T>()).front;
  }
  if (n > Network<T>::kMost) {
    if (is_ascending(v, n)) return;
    if (is_descending(v, n)) return reverse(v, n);
  }
  sort_numbers(v, n, depth);
  if (odd.negative_zeros > 0) restore_negative_zeros(v, n, odd.negative_zeros);
}

// Sorts unsigned numbers as signed ones. This keeps the code small: networks are long, and unsigned
// variants would hardly be faster.
template <class T>
void sort_unsigned(void* data, int64_t n, int depth) {
  constexpr T kSign = T{1} << (8 * sizeof(T) - 1);
  T* v = static_cast<T*>(data);
  for (int64_t i = 0; i < n; ++i) v[i] ^= kSign;
  sort<std::make_signed_t<T>>(v, n, depth);
  for (int64_t i = 0; i < n; ++i) v[i] ^= kSign;
}

template <class T>
int64_t move_less(void* data, int64_t n, const void* pivot, bool or_equal) {
  T* v = static_cast<T*>(data);
  const T p = *static_cast<const T*>(pivot);
  return (or_equal ? partition_in_place(v, n, NotGreaterThan<T>(p)) : partition_in_place(v, n, LessThan<T>(p))).front;
}

template <class T>
constexpr SortLoops loops_of() {
  if constexpr (std::is_unsigned_v<T>)
    return {sort_unsigned<T>, move_less<T>};
  else
    return {sort<T>, move_less<T>};
}

}  // namespace

std::span<const SortLoops> table() {
  static constexpr SortLoops loops[] = {loops_of<int32_t>(), loops_of<uint32_t>(), loops_of<float>(),
                                        loops_of<int64_t>(), loops_of<uint64_t>(), loops_of<double>()};
  return loops;
}
#else
std::span<const SortLoops> table() { return {}; }
#endif

}  // namespace tnp::sort_loops::TNP_CPU_CAPABILITY
