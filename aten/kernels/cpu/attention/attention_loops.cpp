#include "aten/kernels/cpu/attention/attention_loops.h"

#include <limits>

#include "aten/kernels/cpu/pointwise/vector_math/exponential.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::attention_loops::TNP_CPU_CAPABILITY {

namespace {

constexpr int64_t kLanes = 16;  // partial results, which compilers keep in vector registers

template <bool masked, class T>
T scaled_largest(T* __restrict x, const T* __restrict mask, int64_t n, T scale) {
  using namespace tnp::TNP_CPU_CAPABILITY::vector_math;
  using V = typename VectorOf<T, kVectorBytes>::Type;
  constexpr int64_t kWidth = tnp::TNP_CPU_CAPABILITY::vector_math::kLanes<V>;
  T largest = -std::numeric_limits<T>::infinity();
  V lanes[2] = {splat<V>(largest), splat<V>(largest)};
  int64_t i = 0;
  for (; i + 2 * kWidth <= n; i += 2 * kWidth) {
    for (int64_t j = 0; j < 2; ++j) {
      V v = load<V>(x + i + j * kWidth) * scale;
      if constexpr (masked) v += load<V>(mask + i + j * kWidth);
      store(x + i + j * kWidth, v);
      lanes[j] = lanes[j] < v ? v : lanes[j];
    }
  }
  for (; i < n; ++i) {
    x[i] = x[i] * scale + (masked ? mask[i] : T(0));
    largest = largest < x[i] ? x[i] : largest;
  }
  for (V v : lanes)
    for (int64_t j = 0; j < kWidth; ++j) largest = largest < v[j] ? v[j] : largest;
  return largest;
}
template <class T>
T scaled_largest(T* x, const T* mask, int64_t n, T scale) {
  return mask ? scaled_largest<true>(x, mask, n, scale) : scaled_largest<false>(x, mask, n, scale);
}

template <class T>
T exponentials(T* x, int64_t n, T value) {
  using namespace tnp::TNP_CPU_CAPABILITY::vector_math;
  using V = typename VectorOf<T, kVectorBytes>::Type;
  constexpr int64_t kWidth = tnp::TNP_CPU_CAPABILITY::vector_math::kLanes<V>;
  V sums{};
  int64_t i = 0;
  for (; i + kWidth <= n; i += kWidth) {
    const V v = exp_below(load<V>(x + i) - value);
    store(x + i, v);
    sums += v;
  }
  T total = 0;
  if (i < n) {
    T rest[kWidth];
    for (int64_t j = 0; j < kWidth; ++j) rest[j] = i + j < n ? x[i + j] : -std::numeric_limits<T>::infinity();
    store(rest, exp_below(load<V>(rest) - value));
    for (int64_t j = 0; i + j < n; ++j) total += x[i + j] = rest[j];
  }
  for (int64_t j = 0; j < kWidth; ++j) total += sums[j];
  return total;
}

template <class T>
T dot(const T* x, const T* y, int64_t n) {
  T lanes[kLanes] = {}, total = 0;
  int64_t i = 0;
  for (; i + kLanes <= n; i += kLanes)
    for (int64_t j = 0; j < kLanes; ++j) lanes[j] += x[i + j] * y[i + j];
  for (; i < n; ++i) total += x[i] * y[i];
  for (T lane : lanes) total += lane;
  return total;
}

template <class T>
void rescale_and_add(T* __restrict to, const T* __restrict from, int64_t n, T factor) {
  for (int64_t i = 0; i < n; ++i) to[i] = to[i] * factor + from[i];
}

template <class T>
void score_gradients(T* __restrict dp, const T* __restrict p, int64_t n, T delta, T scale) {
  for (int64_t i = 0; i < n; ++i) dp[i] = p[i] * (dp[i] - delta) * scale;
}

template <class T>
constexpr AttentionLoop<T> kLoop = {scaled_largest<T>, exponentials<T>, rescale_and_add<T>, score_gradients<T>, dot<T>};
constexpr AttentionLoops kLoops = {kLoop<float>, kLoop<double>};

}  // namespace

std::span<const AttentionLoops> loops() { return {&kLoops, 1}; }

}  // namespace tnp::attention_loops::TNP_CPU_CAPABILITY
