// Recurrent layers on a GPU: one product for the inputs of all steps. Then each step needs one
// product with the state, and one elementwise launch with one thread per state element.
#include <cmath>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernel_functions/recurrent.h"
#include "aten/kernels/cuda/copying/cast.h"
#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/operands.h"
#include "aten/kernels/recurrent_rules.h"

namespace tnp {

namespace gpu {
namespace {

using Mode = RecurrentMode;

template <class T>
TNP_HOST_DEVICE T sigmoid(T x) {
  return T(1) / (T(1) + std::exp(-x));
}

template <class T>
struct Step {
  Mode mode;
  int64_t h, active;           // active: number of rows that take part in the step
  Division columns;            // division by h
  const T *inputs, *products;  // products of the weights with the inputs, and with the state
  const T *bias_ih, *bias_hh;  // null if there is no bias
  T *out, *state, *c;
  T *saved, *cells;  // null if no gradient is needed

  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t row = columns.quotient(i), j = i - row * h;
    if (row >= active) {
      out[i] = T(0);
      return;
    }
    const int64_t at = row * gates_of(mode) * h + j, to = row * 4 * h + j;
    auto of_input = [&](int64_t gate) { return inputs[at + gate * h] + (bias_ih ? bias_ih[gate * h + j] : T(0)); };
    auto of_state = [&](int64_t gate) { return products[at + gate * h] + (bias_hh ? bias_hh[gate * h + j] : T(0)); };
    T next;
    if (mode == Mode::Lstm) {
      const T in = sigmoid(of_input(0) + of_state(0)), forget = sigmoid(of_input(1) + of_state(1)),
              fresh = std::tanh(of_input(2) + of_state(2)), output = sigmoid(of_input(3) + of_state(3));
      const T cell = recurrent_rules::lstm_cell(in, forget, fresh, c[i]);
      c[i] = cell;
      if (saved) {
        saved[to] = in, saved[to + h] = forget, saved[to + 2 * h] = fresh, saved[to + 3 * h] = output;
        cells[i] = cell;
      }
      next = output * std::tanh(cell);
    } else if (mode == Mode::Gru) {
      const T reset = sigmoid(of_input(0) + of_state(0)), update = sigmoid(of_input(1) + of_state(1)),
              own = of_state(2), fresh = std::tanh(of_input(2) + reset * own);
      if (saved) saved[to] = reset, saved[to + h] = update, saved[to + 2 * h] = fresh, saved[to + 3 * h] = own;
      next = recurrent_rules::gru_state(update, fresh, state[i]);
    } else {
      const T x = of_input(0) + of_state(0);
      next = mode == Mode::Tanh ? std::tanh(x) : recurrent_rules::relu(x);
    }
    out[i] = state[i] = next;
  }
};

template <class T>
struct StepBackward {
  Mode mode;
  // active, with_last: number of rows that take part in this step, and in the previous one
  int64_t h, active, with_last;
  Division columns;
  const T *grad_out, *out, *saved, *cells;  // values of this step; grad_out may be null
  const T *last_out, *last_cells;           // values of the previous step
  const T *h_0, *c_0;
  // GRU only: a term that is still to be added to dh, for the first `more_rows` rows.
  const T* more;
  int64_t more_rows;
  T *d_gates, *d_products, *before, *dh, *dc;

  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t row = columns.quotient(i), j = i - row * h;
    const T state = row < with_last ? last_out[i] : h_0[i];
    before[i] = state;
    T d = dh[i];
    if (row < more_rows) d += more[i];
    if (row < active && grad_out) d += grad_out[i];
    if (mode == Mode::Lstm)
      lstm(i, row * 4 * h + j, row, d);
    else if (mode == Mode::Gru)
      gru(i, row * 3 * h + j, row * 4 * h + j, row, d, state);
    else
      d_gates[i] = row >= active        ? T(0)
                   : mode == Mode::Tanh ? recurrent_rules::tanh_gradient(d, out[i])
                                        : recurrent_rules::relu_gradient(d, out[i]);
  }

 private:
  TNP_HOST_DEVICE void lstm(int64_t i, int64_t at, int64_t row, T d) const {
    recurrent_rules::LstmGates<T> g{T(0), T(0), T(0), T(0)};
    if (row < active) {
      T own = dc[i];
      g = recurrent_rules::lstm_gradients<T>({saved[at], saved[at + h], saved[at + 2 * h], saved[at + 3 * h]}, d, own,
                                             std::tanh(cells[i]), row < with_last ? last_cells[i] : c_0[i]);
      dc[i] = own;
    }
    d_gates[at] = g.in, d_gates[at + h] = g.forget, d_gates[at + 2 * h] = g.fresh, d_gates[at + 3 * h] = g.output;
  }
  TNP_HOST_DEVICE void gru(int64_t i, int64_t at, int64_t from, int64_t row, T d, T state) const {
    recurrent_rules::GruGates<T> g{T(0), T(0), T(0), T(0)};
    if (row < active)
      g = recurrent_rules::gru_gradients<T>({saved[from], saved[from + h], saved[from + 2 * h], saved[from + 3 * h]}, d,
                                            state);
    dh[i] = d;
    d_gates[at] = d_products[at] = g.reset;
    d_gates[at + h] = d_products[at + h] = g.update;
    d_gates[at + 2 * h] = g.fresh, d_products[at + 2 * h] = g.product;
  }
};

template <class T>
struct AddTo {
  T* to;
  const T* from;
  TNP_HOST_DEVICE void operator()(int64_t i) const { to[i] += from[i]; }
};

// Parameters that the forward and backward passes share.
struct Layer {
  Mode mode;
  bool reverse;
  IntList batch_sizes;
  int64_t steps, rows, h, width;  // width: number of elements of all gates in a row
  Division columns;

  Layer(const Tensor& out, std::string_view name, bool backwards, IntList sizes)
      : mode(recurrent_mode(name)),
        reverse(backwards),
        batch_sizes(sizes),
        steps(out.size(0)),
        rows(out.size(1)),
        h(out.size(2)),
        width(gates_of(mode) * h),
        columns(h) {}

  // step(): the i-th step in the order of computation. active(): the number of rows that take part
  // in a step.
  int64_t step(int64_t i) const { return reverse ? steps - 1 - i : i; }
  int64_t active(int64_t t) const { return batch_sizes.empty() ? rows : batch_sizes[static_cast<size_t>(t)]; }
};

// Views `count` dense rows of `t` as a matrix of width `width`, starting at its n-th row.
Tensor rows_of(const Tensor& t, int64_t width, int64_t n, int64_t count) {
  return view_of(t, {count, width}, {width, 1}, static_cast<char*>(t.address()) + n * width * t.itemsize());
}
Tensor transposed(const Tensor& t) { return view_of(t, {t.size(1), t.size(0)}, {1, t.size(1)}, t.address()); }

}  // namespace
}  // namespace gpu

void native::recurrent_steps_cuda(const Tensor& input, const Tensor& h_0, const Tensor& c_0, const Tensor& weight_ih,
                                  const Tensor& weight_hh, const Tensor& bias_ih, const Tensor& bias_hh,
                                  std::string_view mode, bool reverse, IntList batch_sizes, bool keep,
                                  const Tensor& out, const Tensor& h_n, const Tensor& c_n, const Tensor& saved,
                                  const Tensor& cells) {
  using namespace gpu;
  if (h_n.numel() == 0) return;
  const Layer layer(out, mode, reverse, batch_sizes);
  const int64_t size = layer.rows * layer.h, all = layer.steps * layer.rows;
  const Device device = out.device();
  copy_into(h_n, h_0);
  if (c_0.defined()) copy_into(c_n, c_0);
  const Tensor gates = empty_tensor({all, layer.width}, input.dtype(), device),
               products = empty_tensor({layer.rows, layer.width}, input.dtype(), device);
  matmul_cuda(rows_of(input, input.size(2), 0, all), transposed(weight_ih), gates);
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    for (int64_t i = 0; i < layer.steps; ++i) {
      const int64_t t = layer.step(i), active = layer.active(t);
      matmul_cuda(rows_of(h_n, layer.h, 0, active), transposed(weight_hh), rows_of(products, layer.width, 0, active));
      for_each(size,
               Step<T>{layer.mode, layer.h, active, layer.columns, pointer<T>(gates) + t * layer.rows * layer.width,
                       pointer<T>(products), pointer<T>(bias_ih), pointer<T>(bias_hh), pointer<T>(out) + t * size,
                       pointer<T>(h_n), pointer<T>(c_n), keep ? pointer<T>(saved) + t * size * 4 : nullptr,
                       keep ? pointer<T>(cells) + t * size : nullptr},
               device);
    }
  });
}

void native::recurrent_steps_backward_cuda(const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c,
                                           const Tensor& h_0, const Tensor& c_0, const Tensor& weight_ih,
                                           const Tensor& weight_hh, std::string_view mode, bool reverse,
                                           IntList batch_sizes, const Tensor& out, const Tensor& saved,
                                           const Tensor& cells, bool of_input, const Tensor& grad_gates,
                                           const Tensor& grad_products, const Tensor& before, const Tensor& grad_input,
                                           const Tensor& grad_h_0, const Tensor& grad_c_0) {
  using namespace gpu;
  if (grad_h_0.numel() == 0) {
    if (of_input) fill_with(grad_input, Scalar(0));
    return;
  }
  const Layer layer(out, mode, reverse, batch_sizes);
  const int64_t size = layer.rows * layer.h;
  const Device device = out.device();
  auto begin = [](const Tensor& to, const Tensor& from) {
    if (from.defined())
      copy_into(to, from);
    else
      fill_with(to, Scalar(0));
  };
  // During the loop, grad_h_0 and grad_c_0 hold the gradients of the state after the current step.
  begin(grad_h_0, grad_h);
  if (grad_c_0.defined()) begin(grad_c_0, grad_c);
  const bool apart = layer.mode == Mode::Gru;
  const Tensor& of_products = apart ? grad_products : grad_gates;
  const Tensor more = apart ? empty_tensor(grad_h_0.sizes(), grad_h_0.dtype(), device) : Tensor();
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    // The address of step t in an array with `each` elements per state element. Null for an array
    // without memory; such an array is not read.
    auto at = [&](const Tensor& array, int64_t t, int64_t each) {
      T* first = pointer<T>(array);
      return first ? first + t * size * each : nullptr;
    };
    const int64_t gates = gates_of(layer.mode);
    int64_t more_rows = 0;
    for (int64_t i = layer.steps - 1; i >= 0; --i) {
      const int64_t t = layer.step(i), active = layer.active(t), last = i > 0 ? layer.step(i - 1) : 0;
      // In a packed batch that runs backwards, some rows begin later than others.
      const int64_t with_last = i > 0 ? layer.active(last) : 0;
      for_each(size,
               StepBackward<T>{layer.mode,
                               layer.h,
                               active,
                               with_last,
                               layer.columns,
                               at(grad_out, t, 1),
                               at(out, t, 1),
                               at(saved, t, 4),
                               at(cells, t, 1),
                               at(out, last, 1),
                               at(cells, last, 1),
                               pointer<T>(h_0),
                               pointer<T>(c_0),
                               pointer<T>(more),
                               more_rows,
                               at(grad_gates, t, gates),
                               at(grad_products, t, gates),
                               at(before, t, 1),
                               pointer<T>(grad_h_0),
                               pointer<T>(grad_c_0)},
               device);
      const Tensor& to = apart ? more : grad_h_0;
      matmul_cuda(rows_of(of_products, layer.width, t * layer.rows, active), weight_hh,
                  rows_of(to, layer.h, 0, active));
      if (apart) more_rows = active;
    }
    for_each(more_rows * layer.h, AddTo<T>{pointer<T>(grad_h_0), pointer<T>(more)}, device);
  });
  const int64_t all = layer.steps * layer.rows;
  if (of_input)
    matmul_cuda(rows_of(grad_gates, layer.width, 0, all), weight_ih, rows_of(grad_input, weight_ih.size(1), 0, all));
}

}  // namespace tnp
