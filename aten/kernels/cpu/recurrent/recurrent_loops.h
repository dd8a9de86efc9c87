// Loops of recurrent cells over one row of the batch, without sigmoid and tanh, compiled for each
// instruction set.
#pragma once

#include <cstdint>

#include "aten/core/threads/capability.h"

namespace tnp {

// n: the size of the state. Gates are contiguous, with n elements each.
template <class T>
struct RecurrentLoop {
  void (*add)(T* to, const T* x, int64_t n);  // to += x
  // c = f c_before + i g
  void (*lstm_cells)(T* c, const T* gates, const T* c_before, int64_t n);
  void (*multiply)(T* to, const T* x, const T* y, int64_t n);
  // The gradients of i, f, g, o from dh and dc. On return, dc is the gradient of the previous
  // cells. `c_tanh`: tanh of the cells.
  void (*lstm_gradients)(T* d_gates, const T* gates, const T* dh, T* dc, const T* c_tanh, const T* c_before, int64_t n);
  // h = n + z (h_before - n)
  void (*gru_state)(T* h, const T* z, const T* fresh, const T* before, int64_t n);
  // `saved`: r, z, n and the product that r multiplies. On return, dh is dh z.
  void (*gru_gradients)(T* d_gates, T* d_products, const T* saved, T* dh, const T* before, int64_t n);
  void (*relu)(T* x, int64_t n);
  // d = dh times the derivative at output h: 1 - h^2 for tanh, and 1 where h > 0 (else 0) for relu.
  void (*tanh_gradient)(T* d, const T* dh, const T* h, int64_t n);
  void (*relu_gradient)(T* d, const T* dh, const T* h, int64_t n);
};
struct RecurrentLoops {
  RecurrentLoop<float> floats;
  RecurrentLoop<double> doubles;
};

namespace recurrent_loops {
TNP_DECLARE_LOOPS(RecurrentLoops, loops)
}  // namespace recurrent_loops

}  // namespace tnp
