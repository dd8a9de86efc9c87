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

// Columns [first, first + kCount * lanes) of one row of the product. The sums stay in registers.
template <int kCount, class T, class I>
inline void row_piece(const T* values, const I* columns, int64_t n, const T* dense, int64_t k, T* out) {
  using V = typename Register<T>::type;
  constexpr int64_t kLanes = Register<T>::kLanes;
  V sums[kCount] = {};
  for (int64_t e = 0; e < n; ++e) {
    const T* x = dense + static_cast<int64_t>(columns[e]) * k;
    const T v = values[e];
#pragma GCC unroll 8
    for (int i = 0; i < kCount; ++i) sums[i] += load<V>(x + i * kLanes) * v;
  }
  std::memcpy(out, sums, sizeof sums);
}

// A product of vectors. Several sums hide the latency of additions.
template <class T, class I>
inline T row_dot(const T* values, const I* columns, int64_t n, const T* x) {
  constexpr int64_t kSums = 4;
  T sums[kSums] = {};
  int64_t e = 0;
  for (; e + kSums <= n; e += kSums) {
#pragma GCC unroll 4
    for (int64_t i = 0; i < kSums; ++i) sums[i] += values[e + i] * x[columns[e + i]];
  }
  for (; e < n; ++e) sums[0] += values[e] * x[columns[e]];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

template <class I>
bool are_below(const I* columns, int64_t n, int64_t limit) {
  using U = std::make_unsigned_t<I>;
  // A limit above I's range excludes negative columns only.
  const U least = static_cast<U>(std::min<int64_t>(limit, std::numeric_limits<I>::max()));
  U outside = 0;
  for (int64_t e = 0; e < n; ++e) outside |= static_cast<U>(columns[e]) >= least;
  return !outside;
}

// Calls body(row, first element, number of elements) for rows [begin, end), some rows after a check of
// their columns, which are then in the cache.
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
    for (; row < last; ++row) body(row, static_cast<int64_t>(pointers[row]), pointers[row + 1] - pointers[row]);
  }
  return true;
}

template <class T, class I>
bool rows(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end, void* out) {
  constexpr int64_t kLanes = Register<T>::kLanes;
  const T* x = static_cast<const T*>(dense);
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, int64_t n) {
    const T* values = static_cast<const T*>(a.values) + from;
    const I* columns = static_cast<const I*>(a.columns) + from;
    T* y = static_cast<T*>(out) + row * k;
    if (k == 1) {
      *y = row_dot(values, columns, n, x);
      return;
    }
    int64_t c = 0;
    for (; c + 4 * kLanes <= k; c += 4 * kLanes) row_piece<4>(values, columns, n, x + c, k, y + c);
    for (; c + kLanes <= k; c += kLanes) row_piece<1>(values, columns, n, x + c, k, y + c);
    if (c == k) return;
    std::fill(y + c, y + k, T{});
    for (int64_t e = 0; e < n; ++e) {
      const T* other = x + static_cast<int64_t>(columns[e]) * k;
      for (int64_t j = c; j < k; ++j) y[j] += values[e] * other[j];
    }
  });
}

template <class T, class I>
bool transposed(const CsrMemory& a, int64_t limit, const void* dense, int64_t k, int64_t begin, int64_t end,
                void* out) {
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, int64_t n) {
    const T* values = static_cast<const T*>(a.values) + from;
    const I* columns = static_cast<const I*>(a.columns) + from;
    const T* x = static_cast<const T*>(dense) + row * k;
    for (int64_t e = 0; e < n; ++e) {
      T* __restrict y = static_cast<T*>(out) + static_cast<int64_t>(columns[e]) * k;
      const T v = values[e];
      for (int64_t c = 0; c < k; ++c) y[c] += v * x[c];
    }
  });
}

template <class T>
inline T dot(const T* a, const T* b, int64_t k) {
  using V = typename Register<T>::type;
  constexpr int64_t kLanes = Register<T>::kLanes;
  T total{};
  if (k < kLanes) {
    for (int64_t c = 0; c < k; ++c) total += a[c] * b[c];
    return total;
  }
  V sums[2] = {};
  int64_t c = 0;
  for (; c + 2 * kLanes <= k; c += 2 * kLanes) {
    sums[0] += load<V>(a + c) * load<V>(b + c);
    sums[1] += load<V>(a + c + kLanes) * load<V>(b + c + kLanes);
  }
  for (; c + kLanes <= k; c += kLanes) sums[0] += load<V>(a + c) * load<V>(b + c);
  sums[0] += sums[1];
  T lanes[kLanes];
  std::memcpy(lanes, sums, sizeof lanes);
  for (const T& lane : lanes) total += lane;
  for (; c < k; ++c) total += a[c] * b[c];
  return total;
}

template <class T, class I>
bool sampled(const CsrMemory& a, int64_t limit, const void* left, const void* right, int64_t k, int64_t begin,
             int64_t end, void* out) {
  return for_rows<I>(a, limit, begin, end, [&](int64_t row, int64_t from, int64_t n) {
    const I* columns = static_cast<const I*>(a.columns) + from;
    const T* x = static_cast<const T*>(left) + row * k;
    T* y = static_cast<T*>(out) + from;
    for (int64_t e = 0; e < n; ++e)
      y[e] = dot(x, static_cast<const T*>(right) + static_cast<int64_t>(columns[e]) * k, k);
  });
}

#define TNP_CSR_LOOP(T, I) {scalar_type_of<T>, scalar_type_of<I>, &rows<T, I>, &transposed<T, I>, &sampled<T, I>}
#define TNP_CSR_LOOPS(T) TNP_CSR_LOOP(T, int32_t), TNP_CSR_LOOP(T, int64_t)
constexpr CsrProductLoop kLoops[] = {TNP_CSR_LOOPS(int64_t), TNP_CSR_LOOPS(float), TNP_CSR_LOOPS(double),
                                     TNP_CSR_LOOPS(Complex<float>), TNP_CSR_LOOPS(Complex<double>)};

}  // namespace

std::span<const CsrProductLoop> loops() { return kLoops; }

}  // namespace tnp::csr_product_loops::TNP_CPU_CAPABILITY
