#include "aten/kernels/cpu/sparse/csr_product_loops.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "aten/core/threads/register_bytes.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::csr_product_loops::TNP_CPU_CAPABILITY {

namespace {

// A vector register of T; for types that have none, one element.
template <class T>
struct Register {
  static constexpr int64_t kLanes = 1;
  using type = T;
};
template <>
struct Register<float> {
  static constexpr int64_t kLanes = kRegisterBytes / 4;
  typedef float type __attribute__((vector_size(kRegisterBytes)));
};
template <>
struct Register<double> {
  static constexpr int64_t kLanes = kRegisterBytes / 8;
  typedef double type __attribute__((vector_size(kRegisterBytes)));
};

template <class V, class T>
inline V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Rows of a dense matrix are prefetched this many elements before their use. Addresses may be invalid.
constexpr int64_t kAhead = 8;
template <int kBytes, class T, class I>
inline void prefetch(const T* dense, I column, int64_t k) {
  constexpr uintptr_t kLine = 64;
  const uintptr_t at =
      reinterpret_cast<uintptr_t>(dense) + static_cast<uintptr_t>(column) * static_cast<uintptr_t>(k) * sizeof(T);
#pragma GCC unroll 4
  for (uintptr_t line = 0; line < kBytes; line += kLine) __builtin_prefetch(reinterpret_cast<const void*>(at + line));
}

// Elements of one row, and how many of them and of those of the following rows may be read.
template <class I>
struct RowColumns {
  const I* columns;
  int64_t n, readable;
};

// Columns [first, first + kCount * lanes) of one row of the product. The sums stay in registers.
template <int kCount, class T, class I>
inline void row_piece(const T* values, const RowColumns<I>& row, const T* dense, int64_t k, T* out) {
  using V = typename Register<T>::type;
  constexpr int64_t kLanes = Register<T>::kLanes;
  V sums[kCount] = {};
  for (int64_t e = 0; e < row.n; ++e) {
    if (e + kAhead < row.readable) prefetch<sizeof sums>(dense, row.columns[e + kAhead], k);
    const T* x = dense + static_cast<int64_t>(row.columns[e]) * k;
    const T v = values[e];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) sums[i] += load<V>(x + i * kLanes) * v;
  }
  std::memcpy(out, sums, sizeof sums);
}

// A limit of I's columns in its unsigned type. One above I's range excludes negative columns only.
template <class I>
std::make_unsigned_t<I> unsigned_limit(int64_t limit) {
  return static_cast<std::make_unsigned_t<I>>(std::min<int64_t>(limit, std::numeric_limits<I>::max()));
}

// A product of vectors. Columns outside of the limit count as 0 and set `outside`. The short loop suits
// short rows, the several sums of the other one hide the latency of additions.
template <class T, class I>
inline T row_dot(const T* values, const I* columns, int64_t n, std::make_unsigned_t<I> limit, const T* x,
                 bool& outside) {
  const auto product = [&](int64_t e) {
    const auto column = static_cast<std::make_unsigned_t<I>>(columns[e]);
    outside |= column >= limit;
    return values[e] * x[column < limit ? column : 0];
  };
  constexpr int64_t kSums = 4, kLong = 32;
  T sums[kSums] = {};
  int64_t e = 0;
  if (n >= kLong) {
    for (; e + kSums <= n; e += kSums) {
#pragma GCC unroll 4
      for (int64_t i = 0; i < kSums; ++i) sums[i] += product(e + i);
    }
  }
  for (; e < n; ++e) sums[0] += product(e);
  return n >= kLong ? (sums[0] + sums[1]) + (sums[2] + sums[3]) : sums[0];
}

// The product with a vector.
template <class T, class I>
bool vector_rows(const CsrMemory& a, int64_t limit, const T* x, int64_t begin, int64_t end, T* out) {
  const I* pointers = static_cast<const I*>(a.pointers);
  const I* columns = static_cast<const I*>(a.columns);
  const T* values = static_cast<const T*>(a.values);
  if (limit == 0) return pointers[begin] == pointers[end] && (std::fill(out + begin, out + end, T{}), true);
  bool outside = false;
  for (int64_t row = begin; row < end; ++row) {
    const int64_t from = pointers[row];
    out[row] = row_dot(values + from, columns + from, pointers[row + 1] - from, unsigned_limit<I>(limit), x, outside);
  }
  return !outside;
}

template <class I>
bool are_below(const I* columns, int64_t n, int64_t limit) {
  using U = std::make_unsigned_t<I>;
  const U least = unsigned_limit<I>(limit);
  U outside = 0;
  for (int64_t e = 0; e < n; ++e) outside |= static_cast<U>(columns[e]) >= least;
  return !outside;
}

// Calls body(row, position of its first element, its elements) for rows [begin, end), some rows after a
// check of their columns, which are then in the cache.
template <class I, class F>
bool for_rows(const CsrMemory& a, int64_t limit, int64_t begin, int64_t end, F&& body) {
  constexpr int64_t kElements = 2048;
  const I* pointers = static_cast<const I*>(a.pointers);
  const I* columns = static_cast<const I*>(a.columns);
  for (int64_t row = begin; row < end;) {
    const int64_t first = pointers[row];
    int64_t last = row + 1;
    while (last < end && pointers[last + 1] - first <= kElements) ++last;
    if (!are_below(columns + first, pointers[last] - first, limit)) return false;
    for (; row < last; ++row) {
      const int64_t from = pointers[row];
      body(row, from, RowColumns<I>{columns + from, pointers[row + 1] - from, pointers[last] - from});
    }
  }
  return true;
}

template <class T, class I>
bool rows(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end, void* out) {
  constexpr int64_t kLanes = Register<T>::kLanes;
  const T* x = static_cast<const T*>(dense);
  if (k == 1) return vector_rows<T, I>(a, limit, x, begin, end, static_cast<T*>(out));
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, const RowColumns<I>& elements) {
    const T* values = static_cast<const T*>(a.values) + from;
    T* y = static_cast<T*>(out) + row * k;
    int64_t c = 0;
    for (; c + 4 * kLanes <= k; c += 4 * kLanes) row_piece<4>(values, elements, x + c, k, y + c);
    for (; c + kLanes <= k; c += kLanes) row_piece<1>(values, elements, x + c, k, y + c);
    if (c == k) return;
    std::fill(y + c, y + k, T{});
    for (int64_t e = 0; e < elements.n; ++e) {
      const T* other = x + static_cast<int64_t>(elements.columns[e]) * k;
      for (int64_t j = c; j < k; ++j) y[j] += values[e] * other[j];
    }
  });
}

template <class T, class I>
bool transposed(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end,
                void* out) {
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, const RowColumns<I>& elements) {
    const T* values = static_cast<const T*>(a.values) + from;
    const T* x = static_cast<const T*>(dense) + row * k;
    T* const sums = static_cast<T*>(out);
    for (int64_t e = 0; e < elements.n; ++e) {
      if (e + kAhead < elements.readable) prefetch<128>(sums, elements.columns[e + kAhead], k);
      T* __restrict y = sums + static_cast<int64_t>(elements.columns[e]) * k;
      const T v = values[e];
      for (int64_t c = 0; c < k; ++c) y[c] += v * x[c];
    }
  });
}

template <class V>
inline auto sum_of_lanes(const V& v) {
  if constexpr (std::is_class_v<V> || std::is_arithmetic_v<V>) {
    return v;
  } else if constexpr (sizeof v == 2 * sizeof v[0]) {
    return v[0] + v[1];
  } else {
    typedef std::remove_cvref_t<decltype(v[0])> Half __attribute__((vector_size(sizeof(V) / 2)));
    static_assert(sizeof(Half) == sizeof(V) / 2);
    Half halves[2];
    std::memcpy(halves, &v, sizeof v);
    return sum_of_lanes<Half>(halves[0] + halves[1]);
  }
}

// The sum of the `n` elements at `from`, of which `readable` may be read. Elements beyond the end are masked,
// since the end of a loop over short rows would be mispredicted.
template <class T>
inline T row_sum(const T* from, int64_t n, int64_t readable) {
  T total{};
  int64_t e = 0;
  if constexpr (std::is_floating_point_v<T>) {
    using V = typename Register<T>::type;
    using Mask = decltype(V{} < V{});
    using Number = std::remove_cvref_t<decltype(Mask{}[0])>;
    constexpr int64_t kLanes = Register<T>::kLanes, kCount = kLanes < 16 ? 16 / kLanes : 1, kStep = kCount * kLanes;
    Mask lane;
    for (int64_t i = 0; i < kLanes; ++i) lane[i] = static_cast<Number>(i);
    V sums[2] = {};
    for (; e < n && e + kStep <= readable; e += kStep) {
      const auto left = static_cast<Number>(std::min<int64_t>(n - e, kStep));
#pragma GCC unroll 8
      for (int i = 0; i < kCount; ++i) {
        const Mask is_inside = lane + static_cast<Number>(i * kLanes) < left;
        sums[i % 2] += reinterpret_cast<V>(reinterpret_cast<Mask>(load<V>(from + e + i * kLanes)) & is_inside);
      }
    }
    total = sum_of_lanes<V>(sums[0] + sums[1]);
  }
  for (; e < n; ++e) total += from[e];
  return total;
}

template <class T, class I>
void row_sums(const CsrMemory& a, int64_t elements, int64_t begin, int64_t end, void* out) {
  const I* pointers = static_cast<const I*>(a.pointers);
  const T* values = static_cast<const T*>(a.values);
  for (int64_t row = begin; row < end; ++row) {
    const int64_t from = pointers[row];
    static_cast<T*>(out)[row] = row_sum(values + from, pointers[row + 1] - from, elements - from);
  }
}

template <class T>
inline T dot(const T* a, const T* b, int64_t k) {
  using V = typename Register<T>::type;
  constexpr int64_t kLanes = Register<T>::kLanes;
  T total{};
  int64_t c = 0;
  if (k >= kLanes) {
    V sums[2] = {};
    for (; c + 2 * kLanes <= k; c += 2 * kLanes) {
      sums[0] += load<V>(a + c) * load<V>(b + c);
      sums[1] += load<V>(a + c + kLanes) * load<V>(b + c + kLanes);
    }
    for (; c + kLanes <= k; c += kLanes) sums[0] += load<V>(a + c) * load<V>(b + c);
    total = sum_of_lanes<V>(sums[0] + sums[1]);
  }
  for (; c < k; ++c) total += a[c] * b[c];
  return total;
}

template <class T, class I>
bool sampled(const CsrMemory& a, int64_t limit, const void* left, const void* right, int64_t k, int64_t begin,
             int64_t end, void* out) {
  const T* const others = static_cast<const T*>(right);
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, const RowColumns<I>& elements) {
    const T* x = static_cast<const T*>(left) + row * k;
    T* y = static_cast<T*>(out) + from;
    for (int64_t e = 0; e < elements.n; ++e) {
      if (e + kAhead < elements.readable) prefetch<128>(others, elements.columns[e + kAhead], k);
      y[e] = dot(x, others + static_cast<int64_t>(elements.columns[e]) * k, k);
    }
  });
}

// The maxima or minima; a NaN is both.
template <bool kLargest, class T, class I>
bool extremes(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end, void* out) {
  const T* const x = static_cast<const T*>(dense);
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, const RowColumns<I>& elements) {
    const T* values = static_cast<const T*>(a.values) + from;
    T* __restrict y = static_cast<T*>(out) + row * k;
    if (elements.n == 0) std::fill(y, y + k, T{});
    for (int64_t e = 0; e < elements.n; ++e) {
      if (e + kAhead < elements.readable) prefetch<128>(x, elements.columns[e + kAhead], k);
      const T* other = x + static_cast<int64_t>(elements.columns[e]) * k;
      const T v = values[e];
      if (e == 0) {
        for (int64_t c = 0; c < k; ++c) y[c] = v * other[c];
        continue;
      }
      for (int64_t c = 0; c < k; ++c) {
        const T product = v * other[c], best = y[c];
        y[c] = ((kLargest ? product > best : product < best) | (product != product)) ? product : best;
      }
    }
  });
}
template <class T, class I>
constexpr CsrProductLoop::Extremes extremes_of(bool largest) {
  if constexpr (std::is_arithmetic_v<T>)
    return largest ? &extremes<true, T, I> : &extremes<false, T, I>;
  else
    return nullptr;
}

#define TNP_CSR_LOOP(T, I)                                                                                            \
  {scalar_type_of<T>,       scalar_type_of<I>,       &rows<T, I>, &transposed<T, I>, &sampled<T, I>, &row_sums<T, I>, \
   extremes_of<T, I>(true), extremes_of<T, I>(false)}
#define TNP_CSR_LOOPS(T) TNP_CSR_LOOP(T, int32_t), TNP_CSR_LOOP(T, int64_t)
constexpr CsrProductLoop kLoops[] = {TNP_CSR_LOOPS(int64_t), TNP_CSR_LOOPS(float), TNP_CSR_LOOPS(double),
                                     TNP_CSR_LOOPS(Complex<float>), TNP_CSR_LOOPS(Complex<double>)};

}  // namespace

std::span<const CsrProductLoop> loops() { return kLoops; }

}  // namespace tnp::csr_product_loops::TNP_CPU_CAPABILITY
