// Recurrent cells (single steps) on a GPU: one thread per state element computes all its gates.
#include <cmath>

#include "aten/kernel_functions/recurrent_cells.h"
#include "aten/kernels/cuda/divider.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/operands.h"
#include "aten/kernels/recurrent_rules.h"

namespace tnp {

namespace gpu {
namespace {

template <class A>
TNP_HOST_DEVICE A sigmoid(A x) {
  return A(1) / (A(1) + std::exp(-x));
}

// Positions of gates: a row holds its gates one after the other, h elements each.
struct StatePlace {
  int64_t h;
  Division columns;
  explicit StatePlace(const Tensor& state) : h(state.sizes().back()), columns(h) {}
  TNP_HOST_DEVICE int64_t first_gate(int64_t i, int64_t count) const {
    const int64_t row = columns.quotient(i);
    return row * count * h + (i - row * h);
  }
};

template <class S>
struct LstmCell {
  using A = accumulate_t<S>;
  StatePlace place;
  const S *inputs, *products, *c;
  S *h_n, *c_n;
  A* saved;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t at = place.first_gate(i, 4), h = place.h;
    auto sum = [&](int64_t gate) {
      return static_cast<A>(inputs[at + gate * h]) + static_cast<A>(products[at + gate * h]);
    };
    const A in = sigmoid(sum(0)), forget = sigmoid(sum(1)), fresh = std::tanh(sum(2)), output = sigmoid(sum(3));
    const A cell = recurrent_rules::lstm_cell(in, forget, fresh, static_cast<A>(c[i]));
    saved[at] = in, saved[at + h] = forget, saved[at + 2 * h] = fresh, saved[at + 3 * h] = output;
    c_n[i] = S(cell);
    h_n[i] = S(output * std::tanh(cell));
  }
};

template <class S>
struct LstmCellGradients {
  using A = accumulate_t<S>;
  StatePlace place;
  const S *grad_h, *grad_c;  // null stands for zeros
  const S *c, *c_n;
  const A* saved;
  S *gates, *before;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t at = place.first_gate(i, 4), h = place.h;
    const A dh = grad_h ? static_cast<A>(grad_h[i]) : A(0);
    A dc = grad_c ? static_cast<A>(grad_c[i]) : A(0);
    const auto g = recurrent_rules::lstm_gradients<A>({saved[at], saved[at + h], saved[at + 2 * h], saved[at + 3 * h]},
                                                      dh, dc, std::tanh(static_cast<A>(c_n[i])), static_cast<A>(c[i]));
    gates[at] = S(g.in), gates[at + h] = S(g.forget), gates[at + 2 * h] = S(g.fresh), gates[at + 3 * h] = S(g.output);
    before[i] = S(dc);
  }
};

template <class S>
struct GruCell {
  using A = accumulate_t<S>;
  StatePlace place;
  const S *inputs, *products, *before;
  S* h_n;
  A* saved;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t at = place.first_gate(i, 3), to = place.first_gate(i, 4), h = place.h;
    auto of = [&](const S* gates, int64_t gate) { return static_cast<A>(gates[at + gate * h]); };
    const A reset = sigmoid(of(inputs, 0) + of(products, 0)), update = sigmoid(of(inputs, 1) + of(products, 1)),
            own = of(products, 2), fresh = std::tanh(of(inputs, 2) + reset * own);
    saved[to] = reset, saved[to + h] = update, saved[to + 2 * h] = fresh, saved[to + 3 * h] = own;
    h_n[i] = S(recurrent_rules::gru_state(update, fresh, static_cast<A>(before[i])));
  }
};

template <class S>
struct GruCellGradients {
  using A = accumulate_t<S>;
  StatePlace place;
  const S *grad, *state;
  const A* saved;
  S *of_input, *of_state, *before;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t at = place.first_gate(i, 3), from = place.first_gate(i, 4), h = place.h;
    A dh = static_cast<A>(grad[i]);
    const auto g = recurrent_rules::gru_gradients<A>(
        {saved[from], saved[from + h], saved[from + 2 * h], saved[from + 3 * h]}, dh, static_cast<A>(state[i]));
    of_input[at] = of_state[at] = S(g.reset);
    of_input[at + h] = of_state[at + h] = S(g.update);
    of_input[at + 2 * h] = S(g.fresh), of_state[at + 2 * h] = S(g.product);
    before[i] = S(dh);
  }
};

}  // namespace
}  // namespace gpu

void native::lstm_cell_cuda(const Tensor& input_gates, const Tensor& state_gates, const Tensor& c, const Tensor& h_n,
                            const Tensor& c_n, const Tensor& saved) {
  using namespace gpu;
  visit<FloatingTypes>(c.dtype(), [&]<class S>() {
    for_each(c.numel(),
             LstmCell<S>{StatePlace(c), pointer<S>(input_gates), pointer<S>(state_gates), pointer<S>(c),
                         pointer<S>(h_n), pointer<S>(c_n), pointer<accumulate_t<S>>(saved)},
             c.device());
  });
}

void native::lstm_cell_gradients_cuda(const Tensor& grad_h, const Tensor& grad_c, const Tensor& c, const Tensor& c_n,
                                      const Tensor& saved, const Tensor& grad_gates, const Tensor& grad_before) {
  using namespace gpu;
  visit<FloatingTypes>(c.dtype(), [&]<class S>() {
    for_each(c.numel(),
             LstmCellGradients<S>{StatePlace(c), pointer<S>(grad_h), pointer<S>(grad_c), pointer<S>(c), pointer<S>(c_n),
                                  pointer<accumulate_t<S>>(saved), pointer<S>(grad_gates), pointer<S>(grad_before)},
             c.device());
  });
}

void native::gru_cell_cuda(const Tensor& input_gates, const Tensor& state_gates, const Tensor& h, const Tensor& h_n,
                           const Tensor& saved) {
  using namespace gpu;
  visit<FloatingTypes>(h.dtype(), [&]<class S>() {
    for_each(h.numel(),
             GruCell<S>{StatePlace(h), pointer<S>(input_gates), pointer<S>(state_gates), pointer<S>(h), pointer<S>(h_n),
                        pointer<accumulate_t<S>>(saved)},
             h.device());
  });
}

void native::gru_cell_gradients_cuda(const Tensor& grad, const Tensor& h, const Tensor& saved,
                                     const Tensor& grad_input_gates, const Tensor& grad_state_gates,
                                     const Tensor& grad_before) {
  using namespace gpu;
  visit<FloatingTypes>(h.dtype(), [&]<class S>() {
    for_each(h.numel(),
             GruCellGradients<S>{StatePlace(h), pointer<S>(grad), pointer<S>(h), pointer<accumulate_t<S>>(saved),
                                 pointer<S>(grad_input_gates), pointer<S>(grad_state_gates), pointer<S>(grad_before)},
             h.device());
  });
}

}  // namespace tnp
