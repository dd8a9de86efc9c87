// Extrema and their indices. Requirements: docs/native_functions.md, "Functors of reductions".
#pragma once

#include "aten/core/threads/register_bytes.h"
#include "aten/functors/functor.h"

namespace tnp {

namespace reduction_detail {

template <class T>
TNP_HOST_DEVICE bool is_nan(T x) {
  if constexpr (is_complex_v<T>)
    return x.re != x.re || x.im != x.im;
  else
    return x != x;
}

// NumPy's order: complex numbers by real part, then imaginary part.
template <class T>
TNP_HOST_DEVICE bool greater_equal(T a, T b) {
  if constexpr (is_complex_v<T>)
    return a.re > b.re || (a.re == b.re && a.im >= b.im);
  else
    return a >= b;
}

// The larger (sign 1) or smaller (sign -1) of two values. The first one if they are equal, NaN if
// either is NaN. For floats it uses two consecutive selects, which compilers vectorise.
template <int sign, class T>
TNP_HOST_DEVICE T extremum(T a, T b) {
  if constexpr (is_complex_v<T>) {
    if (is_nan(a) || is_nan(b)) return is_nan(a) ? a : b;  // the other part may not be NaN and would compare
    return (sign > 0 ? greater_equal(a, b) : greater_equal(b, a)) ? a : b;
  } else {
    T best = (sign > 0 ? b > a : b < a) ? b : a;
    return b != b ? b : best;
  }
}

template <class T>
TNP_HOST_DEVICE T lowest() {
  if constexpr (is_complex_v<T>)
    return T(lowest<real_t<T>>(), lowest<real_t<T>>());
  else if constexpr (std::is_floating_point_v<T>)
    return -std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::min();
}
template <class T>
TNP_HOST_DEVICE T highest() {
  if constexpr (is_complex_v<T>)
    return T(highest<real_t<T>>(), highest<real_t<T>>());
  else if constexpr (std::is_floating_point_v<T>)
    return std::numeric_limits<T>::infinity();
  else
    return std::numeric_limits<T>::max();
}

// The lane-wise larger (sign 1) or smaller (sign -1) of two vectors; `a` in lanes where either is
// NaN.
template <int sign, class V>
TNP_INLINE V extremum_of_two(V a, V b) {
  return (sign > 0 ? b > a : b < a) ? b : a;
}
// The extremum of `lanes` values by repeated halving. `lanes` is a power of two.
template <int sign, int lanes, class T>
TNP_INLINE T extremum_of_lanes(T* v) {
  if constexpr (lanes > 1) {
    typedef T Half __attribute__((vector_size(lanes / 2 * sizeof(T))));
    Half lower, upper;
    __builtin_memcpy(&lower, v, sizeof lower);
    __builtin_memcpy(&upper, v + lanes / 2, sizeof upper);
    lower = extremum_of_two<sign>(lower, upper);
    __builtin_memcpy(v, &lower, sizeof lower);
    return extremum_of_lanes<sign, lanes / 2>(v);
  }
  return v[0];
}

// Whether any bit of a vector is set.
template <class V>
TNP_INLINE bool any_bit(const V& v) {
  uint64_t bits[sizeof(V) / 8], any = 0;
  __builtin_memcpy(bits, &v, sizeof bits);
  for (uint64_t word : bits) any |= word;
  return any != 0;
}

// The largest (sign 1) or smallest (sign -1) of x[0..n); NaN if one of them is NaN. Uses vector
// types, since compilers do not vectorise comparisons that must propagate NaN. Processes four
// registers at a time, then one. The last register may overlap elements already processed.
template <int sign, int bytes, class T>
T extremum_of_floats(const T* x, int64_t n, T start) {
  constexpr int kLanes = bytes / sizeof(T), kRegisters = 4;
  if (n < kLanes) {
    T result = start;
    for (int64_t i = 0; i < n; ++i) {
      if (x[i] != x[i]) return x[i];
      result = extremum_of_two<sign>(result, x[i]);
    }
    return result;
  }
  typedef T Lanes __attribute__((vector_size(bytes)));
  Lanes best[kRegisters];
  for (Lanes& lanes : best) lanes = start - Lanes{};
  auto nan = best[0] != best[0];
  auto take = [&](int r, int64_t i) {
    Lanes v;
    __builtin_memcpy(&v, x + i, sizeof v);
    nan |= v != v;
    best[r] = extremum_of_two<sign>(best[r], v);
  };
  int64_t i = 0;
  for (; i + kRegisters * kLanes <= n; i += kRegisters * kLanes) {
    for (int r = 0; r < kRegisters; ++r) take(r, i + r * kLanes);
  }
  for (; i + kLanes <= n; i += kLanes) take(0, i);
  if (i < n) take(1, n - kLanes);
  if (any_bit(nan)) return std::numeric_limits<T>::quiet_NaN();
  best[0] = extremum_of_two<sign>(extremum_of_two<sign>(best[0], best[1]), extremum_of_two<sign>(best[2], best[3]));
  T lanes[kLanes];
  __builtin_memcpy(lanes, &best[0], sizeof lanes);
  return extremum_of_lanes<sign, kLanes>(lanes);
}

// The extremum of x[0..n) and the index of its first occurrence; -1 if there is a NaN. Each lane
// keeps its best value and the start index of that value's vector. n is less than 2^31.
template <int sign, int bytes, class T>
int64_t index_of_extremum(const T* x, int64_t n, T start, T& best_value) {
  using Index = std::conditional_t<sizeof(T) == 4, int32_t, int64_t>;
  constexpr int kLanes = bytes / sizeof(T), kRegisters = 4;
  typedef T Lanes __attribute__((vector_size(bytes)));
  typedef Index Indices __attribute__((vector_size(bytes)));
  constexpr Index kNowhere = std::numeric_limits<Index>::max();
  T value = start;
  int64_t index = n;
  if (n >= kLanes) {
    Lanes best[kRegisters];
    Indices where[kRegisters] = {}, nan = {};
    for (Lanes& lanes : best) lanes = start - Lanes{};
    // Register r stores indices relative to its own first vector.
    auto take = [&](int r, int64_t i, const Indices& at) {
      Lanes v;
      __builtin_memcpy(&v, x + i, sizeof v);
      if constexpr (std::is_floating_point_v<T>) nan |= v != v;
      const auto hit = sign > 0 ? v > best[r] : v < best[r];
      best[r] = hit ? v : best[r];
      where[r] = hit ? at : where[r];
    };
    auto count = [](int64_t i) { return Indices{} + static_cast<Index>(i); };
    int64_t i = 0;
    for (; i + kRegisters * kLanes <= n; i += kRegisters * kLanes) {
      for (int r = 0; r < kRegisters; ++r) take(r, i + r * kLanes, count(i));
    }
    for (; i + kLanes <= n; i += kLanes) take(0, i, count(i));
    // overlaps elements already processed, with the same indices
    if (i < n) take(1, n - kLanes, count(n - 2 * kLanes));
    if (any_bit(nan)) return -1;
    Lanes all = extremum_of_two<sign>(extremum_of_two<sign>(best[0], best[1]), extremum_of_two<sign>(best[2], best[3]));
    T lanes[kLanes];
    __builtin_memcpy(lanes, &all, sizeof lanes);
    value = extremum_of_lanes<sign, kLanes>(lanes);
    Index numbers[kLanes];
    for (int j = 0; j < kLanes; ++j) numbers[j] = j;
    Indices number, first = Indices{} + kNowhere;
    __builtin_memcpy(&number, numbers, sizeof number);
    for (int r = 0; r < kRegisters; ++r) {
      const Indices at = where[r] + number + r * kLanes;
      // `where` is 0 in unused registers and in lanes without a hit; it is not an index of theirs.
      first = extremum_of_two<-1>(first, best[r] == value ? at : Indices{} + kNowhere);
    }
    __builtin_memcpy(numbers, &first, sizeof numbers);
    index = extremum_of_lanes<-1, kLanes>(numbers);
  } else {
    for (int64_t i = n; i-- > 0;) {
      if (x[i] != x[i]) return -1;
      if (sign > 0 ? x[i] >= value : x[i] <= value) value = x[i], index = i;
    }
  }
  best_value = value;
  return index;
}

// The index of the first element of x[0..n) that equals `value`. If `value` is NaN, the index of
// the first NaN. There must be such an element.
template <int bytes, class T>
int64_t find_first(const stored_t<T>* x, int64_t n, T value) {
  int64_t at = 0;
  if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
    constexpr int kLanes = bytes / sizeof(T);
    // Loaded in place: GCC copies vector variables through the stack.
    typedef T Lanes __attribute__((vector_size(bytes), aligned(alignof(T)), may_alias));
    for (; value == value && at + 4 * kLanes <= n; at += 4 * kLanes) {
      auto* v = reinterpret_cast<const Lanes*>(x + at);
      auto hits = (v[0] == value) | (v[1] == value) | (v[2] == value) | (v[3] == value);
      if (any_bit(hits)) break;
    }
  }
  while (at < n - 1 && !(static_cast<T>(x[at]) == value || (is_nan(x[at]) && is_nan(value)))) ++at;
  return at;
}

}  // namespace reduction_detail

// Max and Min return NaN if any element is NaN.
template <class T>
struct Max {
  using Acc = T;
  static constexpr const char* empty_error = "zero-size array to reduction operation maximum which has no identity";
  TNP_HOST_DEVICE static Acc identity() { return reduction_detail::lowest<T>(); }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return x; }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return reduction_detail::extremum<1>(a, b); }
  Acc dense(const T* x, int64_t n, int64_t) const
    requires std::is_floating_point_v<T>
  {
    return reduction_detail::extremum_of_floats<1, kRegisterBytes>(x, n, identity());
  }
  TNP_HOST_DEVICE T finish(Acc a, int64_t, double) const { return a; }
};

template <class T>
struct Min {
  using Acc = T;
  static constexpr const char* empty_error = "zero-size array to reduction operation minimum which has no identity";
  TNP_HOST_DEVICE static Acc identity() { return reduction_detail::highest<T>(); }
  TNP_HOST_DEVICE Acc lift(T x, int64_t) const { return x; }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) { return reduction_detail::extremum<-1>(a, b); }
  Acc dense(const T* x, int64_t n, int64_t) const
    requires std::is_floating_point_v<T>
  {
    return reduction_detail::extremum_of_floats<-1, kRegisterBytes>(x, n, identity());
  }
  TNP_HOST_DEVICE T finish(Acc a, int64_t, double) const { return a; }
};

// The index of the extremum by `Best`: of its first occurrence, or of the first NaN if there is
// one.
template <class T, template <class> class Best, int sign>
struct ArgExtremum {
  struct Acc {
    T value;
    int64_t index;
  };
  TNP_HOST_DEVICE static Acc identity() { return {Best<T>::identity(), std::numeric_limits<int64_t>::max()}; }
  TNP_HOST_DEVICE Acc lift(T x, int64_t index) const { return {x, index}; }
  TNP_HOST_DEVICE static bool same(T a, T b) {
    return a == b || (reduction_detail::is_nan(a) && reduction_detail::is_nan(b));
  }
  TNP_HOST_DEVICE static Acc combine(Acc a, Acc b) {
    if (same(a.value, b.value)) return a.index <= b.index ? a : b;
    T best = Best<T>::combine(a.value, b.value);
    return same(best, a.value) ? a : b;
  }
  TNP_HOST_DEVICE int64_t finish(Acc a, int64_t, double) const { return a.index; }
  // For narrow and complex types, a first pass finds the best value, which vectorises, and a second
  // one finds its index.
  Acc dense(const stored_t<T>* x, int64_t n, int64_t index) const {
    T best = Best<T>::identity();
    if constexpr (std::is_arithmetic_v<T> && sizeof(T) >= 4) {
      const int64_t at = reduction_detail::index_of_extremum<sign, kRegisterBytes>(x, n, best, best);
      if (TNP_LIKELY(at >= 0)) return {best, index + at};
      best = std::numeric_limits<T>::quiet_NaN();
    } else {
      T lanes[16];
      for (T& lane : lanes) lane = best;
      int64_t i = 0;
      for (; i + 16 <= n; i += 16) {
        for (int j = 0; j < 16; ++j) lanes[j] = Best<T>::combine(lanes[j], static_cast<T>(x[i + j]));
      }
      for (; i < n; ++i) best = Best<T>::combine(best, static_cast<T>(x[i]));
      for (T lane : lanes) best = Best<T>::combine(best, lane);
    }
    return {best, index + reduction_detail::find_first<kRegisterBytes>(x, n, best)};
  }
};

template <class T>
struct ArgMax : ArgExtremum<T, Max, 1> {
  static constexpr const char* empty_error = "attempt to get argmax of an empty sequence";
};
template <class T>
struct ArgMin : ArgExtremum<T, Min, -1> {
  static constexpr const char* empty_error = "attempt to get argmin of an empty sequence";
};

}  // namespace tnp
