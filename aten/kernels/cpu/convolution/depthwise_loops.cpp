#include "aten/kernels/cpu/convolution/depthwise_loops.h"

#include <algorithm>

#include "aten/core/threads/register_bytes.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::depthwise_loops::TNP_CPU_CAPABILITY {

namespace {

constexpr int kSide = 4;      // number of registers of results that are computed together
constexpr int kTogether = 8;  // number of taps whose sums are accumulated together

template <class T>
struct Loop {
  typedef T Register __attribute__((vector_size(kRegisterBytes)));
  typedef T Anywhere __attribute__((vector_size(kRegisterBytes), aligned(sizeof(T)), may_alias));
  static constexpr int64_t kLanes = kRegisterBytes / static_cast<int64_t>(sizeof(T)), kStep = kSide * kLanes;

  static Register at(const T* x) { return *reinterpret_cast<const Anywhere*>(x); }

  static void taps(const T* x, const int64_t* offsets, const T* weight, int64_t taps, T bias, T* y, int64_t n) {
    for (int64_t i = 0; i < n; i += kStep) {
      Register sums[kSide];
      for (Register& sum : sums) sum = bias - Register{};
      for (int64_t t = 0; t < taps; ++t) {
        const T* from = x + i + offsets[t];
#pragma GCC unroll 4
        for (int v = 0; v < kSide; ++v) sums[v] += weight[t] * at(from + v * kLanes);
      }
#pragma GCC unroll 4
      for (int v = 0; v < kSide; ++v) *reinterpret_cast<Anywhere*>(y + i + v * kLanes) = sums[v];
    }
  }

  template <int count>
  static void products_of(const T* x, const int64_t* offsets, const T* y, int64_t n, double* sums) {
    Register totals[count] = {};
    for (int64_t i = 0; i < n; i += kLanes) {
      const Register factor = at(y + i);
#pragma GCC unroll 8
      for (int t = 0; t < count; ++t) totals[t] += factor * at(x + i + offsets[t]);
    }
    for (int t = 0; t < count; ++t) {
      double sum = 0;
      for (int64_t l = 0; l < kLanes; ++l) sum += static_cast<double>(totals[t][l]);
      sums[t] += sum;
    }
  }
  static void products(const T* x, const int64_t* offsets, int64_t taps, const T* y, int64_t n, double* sums) {
    int64_t t = 0;
    for (; t + kTogether <= taps; t += kTogether) products_of<kTogether>(x, offsets + t, y, n, sums + t);
    for (; t < taps; ++t) products_of<1>(x, offsets + t, y, n, sums + t);
  }

  // Rows are short, so they are copied a register at a time. The last register overlaps the one
  // before.
  static void copy_rows(T* to, int64_t to_step, const T* from, int64_t from_step, int64_t rows, int64_t n) {
    for (int64_t row = 0; row < rows; ++row, to += to_step, from += from_step) {
      if (n < kLanes) {
        for (int64_t i = 0; i < n; ++i) to[i] = from[i];
        continue;
      }
      for (int64_t i = 0; i + kLanes <= n; i += kLanes) *reinterpret_cast<Anywhere*>(to + i) = at(from + i);
      *reinterpret_cast<Anywhere*>(to + n - kLanes) = at(from + n - kLanes);
    }
  }

  static constexpr DepthwiseLoop<T> loop() { return {taps, products, copy_rows, kStep}; }
};

constexpr DepthwiseLoops kLoops = {Loop<float>::loop(), Loop<double>::loop()};

}  // namespace

std::span<const DepthwiseLoops> loops() { return {&kLoops, 1}; }

}  // namespace tnp::depthwise_loops::TNP_CPU_CAPABILITY
