// Recurrent layers on the CPU. The rows of the batch are independent. Each thread takes some rows
// through all steps, forward and backward, without synchronisation. The weights are packed once for
// all steps.
#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/recurrent.h"
#include "aten/kernels/cpu/linalg/packed_products.h"
#include "aten/kernels/cpu/recurrent/gate_functions.h"
#include "aten/kernels/recurrent_rules.h"

namespace tnp::native {

namespace {

using Mode = RecurrentMode;

template <class T>
T* pointer(const Tensor& t) {
  return t.defined() && t.numel() > 0 ? t.data_ptr<T>() : nullptr;
}

// The minimum number of rows of an efficient product. A product with fewer rows waits for the
// weights.
constexpr int64_t kFew = 14;

// Members that the forward and backward passes share.
template <class T>
struct Layer {
  const RecurrentLoop<T>& loop = recurrent_loop_of<T>();
  Mode mode;
  bool reverse;
  IntList batch_sizes;
  int64_t steps, rows, k, h, gates;

  Layer(const Tensor& out, int64_t inputs, std::string_view name, bool backwards, IntList sizes)
      : mode(recurrent_mode(name)),
        reverse(backwards),
        batch_sizes(sizes),
        steps(out.size(0)),
        rows(out.size(1)),
        k(inputs),
        h(out.size(2)),
        gates(gates_of(mode)) {}

  // The i-th step in the order of computation.
  int64_t step(int64_t i) const { return reverse ? steps - 1 - i : i; }
  // The number of rows in [begin, end) that take part in step t.
  int64_t active(int64_t t, int64_t begin, int64_t end) const {
    if (t < 0 || t >= steps) return 0;
    if (batch_sizes.empty()) return end - begin;
    return std::clamp<int64_t>(batch_sizes[static_cast<size_t>(t)] - begin, 0, end - begin);
  }
  // Calls body(begin, end) for groups of rows. The groups are small enough to balance the load of
  // the threads, and large enough that multiplying the weights takes longer than loading them from
  // the cache.
  template <class F>
  void share_out(F&& body) const {
    const int64_t work = std::max<int64_t>(1, steps * gates * h * (h / 16 + 1)), threads = get_num_threads();
    const int64_t pieces = threads * std::max<int64_t>(1, (rows + kFew * threads - 1) / (kFew * threads));
    parallel_for(0, rows, std::max<int64_t>((rows + pieces - 1) / pieces, kParallelWork / work + 1), body);
  }
};

// The stride between rows that products read. Rows at multiples of a page would evict each other
// from the cache.
template <class T>
int64_t padded(int64_t n) {
  constexpr int64_t kLine = 64 / static_cast<int64_t>(sizeof(T));
  return (n + kLine - 1) / kLine * kLine + kLine;
}

// The weights of a layer and its biases.
template <class T>
struct Weights {
  // The product of the state for a GRU's new gate is separate and has its own bias.
  PackedMatrix<T> of_input, of_state, new_of_state;
  Tensor biases;
  const T *bias, *bias_of_state;

  Weights(const Tensor& ih, const Tensor& hh, const Tensor& bias_ih, const Tensor& bias_hh, Mode mode)
      : Weights(pointer<T>(ih), pointer<T>(hh), pointer<T>(bias_ih), pointer<T>(bias_hh), ih.size(1), hh.size(1),
                hh.size(0), mode == Mode::Gru ? 2 * hh.size(1) : hh.size(0)) {}

 private:
  Weights(const T* ih, const T* hh, const T* b_ih, const T* b_hh, int64_t k, int64_t h, int64_t width, int64_t joint)
      : of_input(k, width, {ih, 1, k}),
        of_state(h, joint, {hh, 1, h}),
        new_of_state(h, width - joint, {hh + joint * h, 1, h}),
        biases(empty_tensor({width}, scalar_type_of<T>)),
        bias(biases.data_ptr<T>()),
        bias_of_state(b_hh ? b_hh + joint : nullptr) {
    T* sum = biases.data_ptr<T>();
    for (int64_t j = 0; j < width; ++j) sum[j] = (b_ih ? b_ih[j] : T(0)) + (b_hh && j < joint ? b_hh[j] : T(0));
  }
};

template <class T>
struct Forward : Layer<T> {
  using Layer<T>::loop, Layer<T>::mode, Layer<T>::h, Layer<T>::k, Layer<T>::rows, Layer<T>::gates, Layer<T>::steps;
  const Weights<T>& weights;
  const T *input, *h_0, *c_0;
  T *out, *h_n, *c_n, *saved, *cells;  // `saved` and `cells` are null if no gradient is needed

  void run(int64_t begin, int64_t end) const {
    const int64_t count = end - begin, width = gates * h, line = padded<T>(h);
    // If there are few rows, the products with the inputs are computed for several steps at once.
    const int64_t ahead = std::clamp<int64_t>(kFew / std::max<int64_t>(count, 1), 1, std::max<int64_t>(steps, 1));
    const int64_t of_inputs = ahead * count * padded<T>(k), of_gates = saved || !is_gated() ? 0 : count * 4 * h;
    const Tensor memory =
        empty_tensor({of_inputs + count * (ahead * width + line) + of_gates + 2 * h}, scalar_type_of<T>);
    T *inputs = memory.data_ptr<T>(), *products = inputs + of_inputs, *state = products + ahead * count * width,
      *own_gates = state + count * line, *some = own_gates + of_gates;
    BlockProducts<T> library;
    for (int64_t r = 0; r < count; ++r) std::copy_n(h_0 + (begin + r) * h, h, state + r * line);
    if (c_0) std::copy_n(c_0 + begin * h, count * h, c_n + begin * h);
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = this->step(i), active = this->active(t, begin, end), row = t * rows + begin;
      if (i % ahead == 0) multiply_inputs(i, std::min(ahead, steps - i), begin, end, inputs, products, library);
      const T* x = products + i % ahead * count * width;
      T *to = out + row * h, *own = saved ? saved + row * 4 * h : own_gates;
      weights.of_state.multiply(active, state, line, x, width, is_gated() ? own : to, is_gated() ? 4 * h : h, library);
      if (mode == Mode::Lstm) {
        for (int64_t r = 0; r < active; ++r)
          lstm_step(own + r * 4 * h, cells ? cells + (row + r) * h : some + h, c_n + (begin + r) * h, to + r * h, some);
      } else if (mode == Mode::Gru) {
        weights.new_of_state.multiply(active, state, line, weights.bias_of_state, 0, own + 3 * h, 4 * h, library);
        for (int64_t r = 0; r < active; ++r)
          gru_step(own + r * 4 * h, x + r * width + 2 * h, state + r * line, to + r * h);
      } else if (mode == Mode::Tanh) {
        apply_tanh(to, to, active * h);
      } else {
        loop.relu(to, active * h);
      }
      for (int64_t r = 0; r < active; ++r) std::copy_n(to + r * h, h, state + r * line);
      std::fill_n(to + active * h, (count - active) * h, T(0));
    }
    for (int64_t r = 0; r < count; ++r) std::copy_n(state + r * line, h, h_n + (begin + r) * h);
  }

 private:
  bool is_gated() const { return mode == Mode::Lstm || mode == Mode::Gru; }
  // Computes the input products of the i-th step and the following ones, for all rows, including
  // rows that take no part in a step.
  void multiply_inputs(int64_t i, int64_t count_of_steps, int64_t begin, int64_t end, T* inputs, T* products,
                       BlockProducts<T>& library) const {
    const int64_t count = end - begin, line = padded<T>(k), width = gates * h;
    for (int64_t s = 0; s < count_of_steps; ++s) {
      const T* from = input + (this->step(i + s) * rows + begin) * k;
      for (int64_t r = 0; r < count; ++r) std::copy_n(from + r * k, k, inputs + (s * count + r) * line);
    }
    weights.of_input.multiply(count_of_steps * count, inputs, line, weights.bias, 0, products, width, library);
  }
  // Computes one row. `own`: the row's gates, which the function replaces by their activations. `c`
  // and `next` receive the new cells. `some`: a buffer of h elements.
  void lstm_step(T* own, T* next, T* c, T* to, T* some) const {
    apply_sigmoid(own, 2 * h);
    apply_tanh(own + 2 * h, own + 2 * h, h);
    apply_sigmoid(own + 3 * h, h);
    loop.lstm_cells(next, own, c, h);
    std::copy_n(next, h, c);
    apply_tanh(next, some, h);
    loop.multiply(to, own + 3 * h, some, h);
  }
  // Computes one row. `x`: the input's contribution to the new gate.
  void gru_step(T* own, const T* x, const T* before, T* to) const {
    apply_sigmoid(own, 2 * h);
    loop.multiply(own + 2 * h, own, own + 3 * h, h);
    loop.add(own + 2 * h, x, h);
    apply_tanh(own + 2 * h, own + 2 * h, h);
    loop.gru_state(to, own + h, own + 2 * h, before, h);
  }
};

template <class T>
struct Backward : Layer<T> {
  using Layer<T>::loop, Layer<T>::mode, Layer<T>::h, Layer<T>::k, Layer<T>::rows, Layer<T>::gates, Layer<T>::steps;
  const PackedMatrix<T>&weight, &weight_of_input;
  const T *grad_out, *grad_h, *grad_c, *h_0, *c_0, *out, *saved, *cells;
  T *d_gates, *d_products, *before, *d_input, *d_h0, *d_c0;

  void run(int64_t begin, int64_t end) const {
    const int64_t count = end - begin, width = gates * h, line = padded<T>(width);
    const Tensor memory = empty_tensor({2 * count * line + h}, scalar_type_of<T>);
    // Gradients that are multiplied by weights: those of the gates, and those of the products with
    // the state. The two differ only in a GRU.
    T *of_gates = memory.data_ptr<T>(), *of_products = d_products ? of_gates + count * line : of_gates,
      *some = of_gates + 2 * count * line;
    BlockProducts<T> library;
    // Gradients of the state after the current step.
    T *dh = d_h0 + begin * h, *dc = d_c0 ? d_c0 + begin * h : nullptr;
    auto start = [&](T* to, const T* from) {
      if (from)
        std::copy_n(from + begin * h, count * h, to);
      else
        std::fill_n(to, count * h, T(0));
    };
    start(dh, grad_h);
    if (dc) start(dc, grad_c);
    for (int64_t i = steps - 1; i >= 0; --i) {
      const int64_t t = this->step(i), active = this->active(t, begin, end), last = this->step(i - 1);
      const int64_t with_last = i == 0 ? 0 : this->active(last, begin, end), first_row = t * rows + begin;
      for (int64_t r = 0; r < count; ++r) {
        const int64_t row = first_row + r;
        const T* state = r < with_last ? out + (last * rows + begin + r) * h : h_0 + (begin + r) * h;
        std::copy_n(state, h, before + row * h);
        if (r >= active) {
          std::fill_n(d_gates + row * width, width, T(0));
          if (d_products) std::fill_n(d_products + row * width, width, T(0));
          if (d_input) std::fill_n(d_input + row * k, k, T(0));
          continue;
        }
        T *d = dh + r * h, *own = of_gates + r * line;
        if (grad_out) loop.add(d, grad_out + row * h, h);
        if (mode == Mode::Lstm) {
          const T* c_before = r < with_last ? cells + (last * rows + begin + r) * h : c_0 + (begin + r) * h;
          apply_tanh(cells + row * h, some, h);
          loop.lstm_gradients(own, saved + row * 4 * h, d, dc + r * h, some, c_before, h);
        } else if (mode == Mode::Gru) {
          loop.gru_gradients(own, of_products + r * line, saved + row * 4 * h, d, state, h);
          std::copy_n(of_products + r * line, width, d_products + row * width);
        } else if (mode == Mode::Tanh) {
          loop.tanh_gradient(own, d, out + row * h, h);
        } else {
          loop.relu_gradient(own, d, out + row * h, h);
        }
        std::copy_n(own, width, d_gates + row * width);
      }
      weight.multiply(active, of_products, line, mode == Mode::Gru ? dh : nullptr, h, dh, h, library);
      if (d_input) weight_of_input.multiply(active, of_gates, line, nullptr, 0, d_input + first_row * k, k, library);
    }
  }
};

}  // namespace

void recurrent_steps_cpu(const Tensor& input, const Tensor& h_0, const Tensor& c_0, const Tensor& weight_ih,
                         const Tensor& weight_hh, const Tensor& bias_ih, const Tensor& bias_hh, std::string_view mode,
                         bool reverse, IntList batch_sizes, bool /*keep*/, const Tensor& out, const Tensor& h_n,
                         const Tensor& c_n, const Tensor& saved, const Tensor& cells) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const Weights<T> weights(weight_ih, weight_hh, bias_ih, bias_hh, recurrent_mode(mode));
    const Forward<T> layer{{out, input.size(2), mode, reverse, batch_sizes},
                           weights,
                           pointer<T>(input),
                           pointer<T>(h_0),
                           pointer<T>(c_0),
                           pointer<T>(out),
                           pointer<T>(h_n),
                           pointer<T>(c_n),
                           pointer<T>(saved),
                           pointer<T>(cells)};
    layer.share_out([&](int64_t begin, int64_t end) { layer.run(begin, end); });
  });
}

void recurrent_steps_backward_cpu(const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c, const Tensor& h_0,
                                  const Tensor& c_0, const Tensor& weight_ih, const Tensor& weight_hh,
                                  std::string_view mode, bool reverse, IntList batch_sizes, const Tensor& out,
                                  const Tensor& saved, const Tensor& cells, bool of_input, const Tensor& grad_gates,
                                  const Tensor& grad_products, const Tensor& before, const Tensor& grad_input,
                                  const Tensor& grad_h_0, const Tensor& grad_c_0) {
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    const int64_t h = out.size(2), width = weight_hh.size(0), k = of_input ? weight_ih.size(1) : 0;
    const PackedMatrix<T> weight(width, h, {pointer<T>(weight_hh), h, 1});
    const PackedMatrix<T> weight_of_input(width, k, {pointer<T>(weight_ih), k, 1});
    const Backward<T> layer{{out, k, mode, reverse, batch_sizes},
                            weight,
                            weight_of_input,
                            pointer<T>(grad_out),
                            pointer<T>(grad_h),
                            pointer<T>(grad_c),
                            pointer<T>(h_0),
                            pointer<T>(c_0),
                            pointer<T>(out),
                            pointer<T>(saved),
                            pointer<T>(cells),
                            pointer<T>(grad_gates),
                            pointer<T>(grad_products),
                            pointer<T>(before),
                            pointer<T>(grad_input),
                            pointer<T>(grad_h_0),
                            pointer<T>(grad_c_0)};
    layer.share_out([&](int64_t begin, int64_t end) { layer.run(begin, end); });
  });
}

}  // namespace tnp::native
