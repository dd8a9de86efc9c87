#include "aten/kernels/cpu/recurrent/recurrent_loops.h"

#include "aten/kernels/recurrent_rules.h"

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
  for (int64_t i = 0; i < n; ++i) c[i] = recurrent_rules::lstm_cell(in[i], forget[i], fresh[i], before[i]);
}

template <class T>
void lstm_gradients(T* __restrict d, const T* __restrict gates, const T* __restrict dh, T* __restrict dc,
                    const T* __restrict c_tanh, const T* __restrict before, int64_t n) {
  const T *in = gates, *forget = gates + n, *fresh = gates + 2 * n, *output = gates + 3 * n;
  for (int64_t i = 0; i < n; ++i) {
    T own = dc[i];
    const auto g =
        recurrent_rules::lstm_gradients<T>({in[i], forget[i], fresh[i], output[i]}, dh[i], own, c_tanh[i], before[i]);
    d[i] = g.in;
    d[n + i] = g.forget;
    d[2 * n + i] = g.fresh;
    d[3 * n + i] = g.output;
    dc[i] = own;
  }
}

template <class T>
void gru_state(T* __restrict h, const T* __restrict z, const T* __restrict fresh, const T* __restrict before,
               int64_t n) {
  for (int64_t i = 0; i < n; ++i) h[i] = recurrent_rules::gru_state(z[i], fresh[i], before[i]);
}

template <class T>
void gru_gradients(T* __restrict d_gates, T* __restrict d_products, const T* __restrict saved, T* __restrict dh,
                   const T* __restrict before, int64_t n) {
  const T *reset = saved, *update = saved + n, *fresh = saved + 2 * n, *product = saved + 3 * n;
  for (int64_t i = 0; i < n; ++i) {
    T own = dh[i];
    const auto g = recurrent_rules::gru_gradients<T>({reset[i], update[i], fresh[i], product[i]}, own, before[i]);
    d_gates[i] = d_products[i] = g.reset;
    d_gates[n + i] = d_products[n + i] = g.update;
    d_gates[2 * n + i] = g.fresh;
    d_products[2 * n + i] = g.product;
    dh[i] = own;
  }
}

template <class T>
void relu(T* x, int64_t n) {
  for (int64_t i = 0; i < n; ++i) x[i] = recurrent_rules::relu(x[i]);
}

template <class T>
void tanh_gradient(T* __restrict d, const T* __restrict dh, const T* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] = recurrent_rules::tanh_gradient(dh[i], h[i]);
}

template <class T>
void relu_gradient(T* __restrict d, const T* __restrict dh, const T* __restrict h, int64_t n) {
  for (int64_t i = 0; i < n; ++i) d[i] = recurrent_rules::relu_gradient(dh[i], h[i]);
}

template <class T>
constexpr RecurrentLoop<T> kLoop = {add<T>,           lstm_cells<T>, multiply<T>,      lstm_gradients<T>, gru_state<T>,
                                    gru_gradients<T>, relu<T>,       tanh_gradient<T>, relu_gradient<T>};
constexpr RecurrentLoops kLoops = {kLoop<float>, kLoop<double>};

}  // namespace

std::span<const RecurrentLoops> loops() { return {&kLoops, 1}; }

}  // namespace tnp::recurrent_loops::TNP_CPU_CAPABILITY
