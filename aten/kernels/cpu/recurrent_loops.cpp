#include "aten/kernels/cpu/recurrent_loops.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp::recurrent_loops::TNP_CPU_CAPABILITY {

namespace {

template <class T>
void add(T* __restrict to, const T* __restrict x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] += x[i];
}

template <class T>
void multiply(T* __restrict to, const T* __restrict x, const T* __restrict y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) to[i] = x[i] * y[i];
}

template <class T>
void lstm_cells(T* __restrict c, const T* __restrict gates, const T* __restrict before, int64_t n) {
  const T *in = gates, *forget = gates + n, *fresh = gates + 2 * n;
  for (int64_t i = 0; i < n; ++i) c[i] = forget[i] * before[i] + in[i] * fresh[i];
}

template <class T>
void lstm_gradients(T* __restrict d, const T* __restrict gates, const T* __restrict dh, T* __restrict dc,
                    const T* __restrict c_tanh, const T* __restrict before, int64_t n) {
  const T *in = gates, *forget = gates + n, *fresh = gates + 2 * n, *output = gates + 3 * n;
  for (int64_t i = 0; i < n; ++i) {
    const T t = c_tanh[i], total = dc[i] + dh[i] * output[i] * (T(1) - t * t);
    d[i] = total * fresh[i] * in[i] * (T(1) - in[i]);
    d[n + i] = total * before[i] * forget[i] * (T(1) - forget[i]);
    d[2 * n + i] = total * in[i] * (T(1) - fresh[i] * fresh[i]);
    d[3 * n + i] = dh[i] * t * output[i] * (T(1) - output[i]);
    dc[i] = total * forget[i];
  }
}

template <class T>
void gru_state(T* __restrict h, const T* __restrict z, const T* __restrict fresh, const T* __restrict before,
               int64_t n) {
  for (int64_t i = 0; i < n; ++i) h[i] = fresh[i] + z[i] * (before[i] - fresh[i]);
}

template <class T>
void gru_gradients(T* __restrict d_gates, T* __restrict d_products, const T* __restrict saved, T* __restrict dh,
                   const T* __restrict before, int64_t n) {
  const T *reset = saved, *update = saved + n, *fresh = saved + 2 * n, *product = saved + 3 * n;
  for (int64_t i = 0; i < n; ++i) {
    const T dn = dh[i] * (T(1) - update[i]) * (T(1) - fresh[i] * fresh[i]);
    const T dz = dh[i] * (before[i] - fresh[i]) * update[i] * (T(1) - update[i]);
    const T dr = dn * product[i] * reset[i] * (T(1) - reset[i]);
    d_gates[i] = d_products[i] = dr;
    d_gates[n + i] = d_products[n + i] = dz;
    d_gates[2 * n + i] = dn;
    d_products[2 * n + i] = dn * reset[i];
    dh[i] = dh[i] * update[i];
  }
}

template <class T>
void relu(T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = x[i] < T(0) ? T(0) : x[i];
}

template <class T>
void tanh_gradient(T* __restrict d, const T* __restrict dh, const T* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] = dh[i] * (T(1) - h[i] * h[i]);
}

template <class T>
void relu_gradient(T* __restrict d, const T* __restrict dh, const T* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] = h[i] > T(0) ? dh[i] : T(0);
}

template <class T>
constexpr RecurrentLoop<T> kLoop = {add<T>,           lstm_cells<T>, multiply<T>,      lstm_gradients<T>, gru_state<T>,
                                    gru_gradients<T>, relu<T>,       tanh_gradient<T>, relu_gradient<T>};
constexpr RecurrentLoops kLoops = {kLoop<float>, kLoop<double>};

}  // namespace

std::span<const RecurrentLoops> loops() { return {&kLoops, 1}; }

}  // namespace tnp::recurrent_loops::TNP_CPU_CAPABILITY
