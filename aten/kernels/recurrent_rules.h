// One step of a recurrent layer for one element of the state, without sigmoid and tanh, on host and
// device.
#pragma once

#include <cstdint>
#include <string_view>

#include "aten/core/macros.h"

namespace tnp {

enum class RecurrentMode { Tanh, Relu, Lstm, Gru };
inline RecurrentMode recurrent_mode(std::string_view name) {
  return name == "lstm"       ? RecurrentMode::Lstm
         : name == "gru"      ? RecurrentMode::Gru
         : name == "rnn_relu" ? RecurrentMode::Relu
                              : RecurrentMode::Tanh;
}
TNP_HOST_DEVICE inline int64_t gates_of(RecurrentMode mode) {
  return mode == RecurrentMode::Lstm ? 4 : mode == RecurrentMode::Gru ? 3 : 1;
}

namespace recurrent_rules {

template <class T>
struct LstmGates {
  T in, forget, fresh, output;
};
template <class T>
TNP_HOST_DEVICE TNP_INLINE T lstm_cell(T in, T forget, T fresh, T before) {
  return forget * before + in * fresh;
}
// The gradients of the gates before their activation functions. On return, dc is the gradient of
// the previous cell. `c_tanh`: tanh of the cell.
template <class T>
TNP_HOST_DEVICE TNP_INLINE LstmGates<T> lstm_gradients(const LstmGates<T>& s, T dh, T& dc, T c_tanh, T before) {
  const T total = dc + dh * s.output * (T(1) - c_tanh * c_tanh);
  dc = total * s.forget;
  return {total * s.fresh * s.in * (T(1) - s.in), total * before * s.forget * (T(1) - s.forget),
          total * s.in * (T(1) - s.fresh * s.fresh), dh * c_tanh * s.output * (T(1) - s.output)};
}

template <class T>
TNP_HOST_DEVICE TNP_INLINE T gru_state(T update, T fresh, T before) {
  return fresh + update * (before - fresh);
}
// `product`: the product that the reset gate multiplies.
template <class T>
struct GruGates {
  T reset, update, fresh, product;
};
// On return, dh is the gradient of the previous state without the part that flows through the
// matrix products. The input-side and state-side products have equal gradients, except the last
// state-side one: its gradient is `product`.
template <class T>
TNP_HOST_DEVICE TNP_INLINE GruGates<T> gru_gradients(const GruGates<T>& s, T& dh, T before) {
  const T dn = dh * (T(1) - s.update) * (T(1) - s.fresh * s.fresh);
  const T dz = dh * (before - s.fresh) * s.update * (T(1) - s.update);
  dh = dh * s.update;
  return {dn * s.product * s.reset * (T(1) - s.reset), dz, dn, dn * s.reset};
}

// The gradient of tanh, from its output h.
template <class T>
TNP_HOST_DEVICE TNP_INLINE T tanh_gradient(T dh, T h) {
  return dh * (T(1) - h * h);
}
template <class T>
TNP_HOST_DEVICE TNP_INLINE T relu_gradient(T dh, T h) {
  return h > T(0) ? dh : T(0);
}
template <class T>
TNP_HOST_DEVICE TNP_INLINE T relu(T x) {
  return x < T(0) ? T(0) : x;
}

}  // namespace recurrent_rules
}  // namespace tnp
