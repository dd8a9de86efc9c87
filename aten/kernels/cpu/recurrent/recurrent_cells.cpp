// Single steps of recurrent networks (cells) on the CPU, all gates of a row in one pass.
#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/recurrent_cells.h"
#include "aten/kernels/cpu/recurrent/gate_functions.h"

namespace tnp::native {

namespace {

constexpr int64_t kCost = 32;  // cost per element of the state, including its gates

// Calls body(row, h, buffer) for each row; the buffer has h elements.
template <class T, class F>
void for_rows(const Tensor& state, F&& body) {
  const int64_t h = state.sizes().back(), rows = h == 0 ? 0 : state.numel() / h;
  parallel_for(0, rows, std::max<int64_t>(kParallelWork / std::max<int64_t>(kCost * h, 1), 1),
               [&](int64_t begin, int64_t end) {
                 const Tensor memory = empty_tensor({h}, scalar_type_of<T>);
                 for (int64_t row = begin; row < end; ++row) body(row, h, memory.data_ptr<T>());
               });
}

// A row of `width` elements, or null if the tensor is undefined.
template <class T>
T* row_of(const Tensor& t, int64_t row, int64_t width) {
  return t.defined() ? t.data_ptr<T>() + row * width : nullptr;
}

}  // namespace

void lstm_cell_cpu(const Tensor& input_gates, const Tensor& state_gates, const Tensor& c, const Tensor& h_n,
                   const Tensor& c_n, const Tensor& saved) {
  visit<FloatTypes>(c.dtype(), [&]<class T>() {
    const RecurrentLoop<T>& loop = recurrent_loop_of<T>();
    for_rows<T>(c, [&](int64_t row, int64_t h, T* some) {
      T *own = row_of<T>(saved, row, 4 * h), *next = row_of<T>(c_n, row, h);
      std::copy_n(row_of<T>(input_gates, row, 4 * h), 4 * h, own);
      loop.add(own, row_of<T>(state_gates, row, 4 * h), 4 * h);
      apply_sigmoid(own, 2 * h);
      apply_tanh(own + 2 * h, own + 2 * h, h);
      apply_sigmoid(own + 3 * h, h);
      loop.lstm_cells(next, own, row_of<T>(c, row, h), h);
      apply_tanh(next, some, h);
      loop.multiply(row_of<T>(h_n, row, h), own + 3 * h, some, h);
    });
  });
}

void lstm_cell_gradients_cpu(const Tensor& grad_h, const Tensor& grad_c, const Tensor& c, const Tensor& c_n,
                             const Tensor& saved, const Tensor& grad_gates, const Tensor& grad_before) {
  visit<FloatTypes>(c.dtype(), [&]<class T>() {
    const RecurrentLoop<T>& loop = recurrent_loop_of<T>();
    const Tensor zeros = empty_tensor({c.sizes().back()}, scalar_type_of<T>);
    std::fill_n(zeros.data_ptr<T>(), zeros.numel(), T(0));
    for_rows<T>(c, [&](int64_t row, int64_t h, T* some) {
      const T *dh = grad_h.defined() ? row_of<T>(grad_h, row, h) : zeros.data_ptr<T>(),
              *dc = grad_c.defined() ? row_of<T>(grad_c, row, h) : zeros.data_ptr<T>();
      T* before = row_of<T>(grad_before, row, h);
      std::copy_n(dc, h, before);
      apply_tanh(row_of<T>(c_n, row, h), some, h);
      loop.lstm_gradients(row_of<T>(grad_gates, row, 4 * h), row_of<T>(saved, row, 4 * h), dh, before, some,
                          row_of<T>(c, row, h), h);
    });
  });
}

void gru_cell_cpu(const Tensor& input_gates, const Tensor& state_gates, const Tensor& h, const Tensor& h_n,
                  const Tensor& saved) {
  visit<FloatTypes>(h.dtype(), [&]<class T>() {
    const RecurrentLoop<T>& loop = recurrent_loop_of<T>();
    for_rows<T>(h, [&](int64_t row, int64_t n, T* some) {
      T* own = row_of<T>(saved, row, 4 * n);
      const T* products = row_of<T>(state_gates, row, 3 * n);
      std::copy_n(row_of<T>(input_gates, row, 3 * n), 3 * n, own);
      std::copy_n(products + 2 * n, n, own + 3 * n);
      loop.add(own, products, 2 * n);
      apply_sigmoid(own, 2 * n);
      loop.multiply(some, own, own + 3 * n, n);
      loop.add(own + 2 * n, some, n);
      apply_tanh(own + 2 * n, own + 2 * n, n);
      loop.gru_state(row_of<T>(h_n, row, n), own + n, own + 2 * n, row_of<T>(h, row, n), n);
    });
  });
}

void gru_cell_gradients_cpu(const Tensor& grad, const Tensor& h, const Tensor& saved, const Tensor& grad_input_gates,
                            const Tensor& grad_state_gates, const Tensor& grad_before) {
  visit<FloatTypes>(h.dtype(), [&]<class T>() {
    const RecurrentLoop<T>& loop = recurrent_loop_of<T>();
    for_rows<T>(h, [&](int64_t row, int64_t n, T*) {
      T* before = row_of<T>(grad_before, row, n);
      std::copy_n(row_of<T>(grad, row, n), n, before);
      loop.gru_gradients(row_of<T>(grad_input_gates, row, 3 * n), row_of<T>(grad_state_gates, row, 3 * n),
                         row_of<T>(saved, row, 4 * n), before, row_of<T>(h, row, n), n);
    });
  });
}

}  // namespace tnp::native
