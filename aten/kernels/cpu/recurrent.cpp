// Recurrent layers on the CPU. Rows of the batch know nothing of each other: each thread takes some of them through all
// steps, forwards and backwards, and waits for nobody.
#include <algorithm>
#include <cmath>

#include "aten/core/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/recurrent.h"
#include "aten/kernels/cpu/block_products.h"
#include "aten/kernels/cpu/recurrent_loops.h"
#include "aten/kernels/cpu/vector_math.h"

namespace tnp::native {

namespace {

template <class T>
const RecurrentLoop<T>& loop_of() {
  using namespace recurrent_loops;
  static constexpr LoopVariants<RecurrentLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const RecurrentLoops& chosen = variants.choose()[0];
  if constexpr (std::is_same_v<T, float>)
    return chosen.floats;
  else
    return chosen.doubles;
}

template <class T>
void apply_sigmoid(T* x, int64_t n) {
  if (const auto f = chosen_vector_math_of<T>().sigmoid) {
    f(x, x, n);
  } else {
    for (int64_t i = 0; i < n; ++i) x[i] = T(1) / (T(1) + std::exp(-x[i]));
  }
}
template <class T>
void apply_tanh(const T* x, T* out, int64_t n) {
  if (const auto f = chosen_vector_math_of<T>().tanh) {
    f(x, out, n);
  } else {
    for (int64_t i = 0; i < n; ++i) out[i] = std::tanh(x[i]);
  }
}

enum class Mode { Tanh, Relu, Lstm, Gru };
Mode mode_of(std::string_view mode) {
  return mode == "lstm" ? Mode::Lstm : mode == "gru" ? Mode::Gru : mode == "rnn_relu" ? Mode::Relu : Mode::Tanh;
}

template <class T>
T* pointer(const Tensor& t) {
  return t.defined() && t.numel() > 0 ? t.data_ptr<T>() : nullptr;
}

// What forwards and backwards have in common.
template <class T>
struct Layer {
  const RecurrentLoop<T>& loop = loop_of<T>();
  Mode mode;
  bool reverse;
  IntList batch_sizes;
  int64_t steps, rows, h, gates;

  Layer(const Tensor& out, std::string_view name, bool backwards, IntList sizes)
      : mode(mode_of(name)),
        reverse(backwards),
        batch_sizes(sizes),
        steps(out.size(0)),
        rows(out.size(1)),
        h(out.size(2)),
        gates(mode == Mode::Lstm  ? 4
              : mode == Mode::Gru ? 3
                                  : 1) {}

  // The step that is the i-th to be taken.
  int64_t step(int64_t i) const { return reverse ? steps - 1 - i : i; }
  // How many of the rows before `end` take part in step t, counted from `begin`.
  int64_t active(int64_t t, int64_t begin, int64_t end) const {
    if (t < 0 || t >= steps) return 0;
    if (batch_sizes.empty()) return end - begin;
    return std::clamp<int64_t>(batch_sizes[static_cast<size_t>(t)] - begin, 0, end - begin);
  }
  // body(begin, end) for the rows of each thread.
  template <class F>
  void share_out(F&& body) const {
    const int64_t work = std::max<int64_t>(1, steps * gates * h * (h / 16 + 1));
    parallel_for(
        0, rows,
        std::max<int64_t>((rows + 2 * get_num_threads() - 1) / (2 * get_num_threads()), kParallelWork / work + 1),
        body);
  }
};

template <class T>
struct Forward : Layer<T> {
  using Layer<T>::loop, Layer<T>::mode, Layer<T>::h, Layer<T>::rows, Layer<T>::gates, Layer<T>::steps;
  const T *inputs, *h_0, *c_0, *weight_transposed, *bias;
  T *out, *h_n, *c_n, *saved, *cells;

  void run(int64_t begin, int64_t end) const {
    const int64_t count = end - begin, width = gates * h;
    const Tensor memory = empty_tensor({count * (width + h) + h}, scalar_type_of<T>);
    T *products = memory.data_ptr<T>(), *state = products + count * width, *some = state + count * h;
    BlockProducts<T> multiplied;
    std::copy_n(h_0 + begin * h, count * h, state);
    if (c_0) std::copy_n(c_0 + begin * h, count * h, c_n + begin * h);
    for (int64_t i = 0; i < steps; ++i) {
      const int64_t t = this->step(i), active = this->active(t, begin, end);
      T* to = out + (t * rows + begin) * h;
      multiplied.multiply(active, width, h, {state, h, 1}, {weight_transposed, width, 1}, products, width);
      for (int64_t r = 0; r < active; ++r) {
        const int64_t row = t * rows + begin + r;
        take_step(inputs + row * width, products + r * width, state + r * h, row, c_n ? c_n + (begin + r) * h : nullptr,
                  to + r * h, some);
      }
      std::copy_n(to, active * h, state);
      std::fill_n(to + active * h, (count - active) * h, T(0));
    }
    std::copy_n(state, count * h, h_n + begin * h);
  }

 private:
  // Of one row; `c` becomes the new cells. `some`: h elements.
  void take_step(const T* x, T* product, const T* before, int64_t row, T* c, T* to, T* some) const {
    if (mode == Mode::Lstm) {
      T *own = saved + row * 4 * h, *next = cells + row * h;
      loop.add(own, x, product, 4 * h);
      apply_sigmoid(own, 2 * h);
      apply_tanh(own + 2 * h, own + 2 * h, h);
      apply_sigmoid(own + 3 * h, h);
      loop.lstm_cells(next, own, c, h);
      std::copy_n(next, h, c);
      apply_tanh(next, some, h);
      loop.multiply(to, own + 3 * h, some, h);
    } else if (mode == Mode::Gru) {
      T* own = saved + row * 4 * h;
      if (bias) {
        for (int64_t j = 0; j < 3 * h; ++j) product[j] += bias[j];
      }
      loop.add(own, x, product, 2 * h);
      apply_sigmoid(own, 2 * h);
      std::copy_n(product + 2 * h, h, own + 3 * h);
      loop.multiply(some, own, own + 3 * h, h);
      loop.add(own + 2 * h, x + 2 * h, some, h);
      apply_tanh(own + 2 * h, own + 2 * h, h);
      loop.gru_state(to, own + h, own + 2 * h, before, h);
    } else {
      loop.add(to, x, product, h);
      if (mode == Mode::Tanh)
        apply_tanh(to, to, h);
      else
        loop.relu(to, h);
    }
  }
};

template <class T>
struct Backward : Layer<T> {
  using Layer<T>::loop, Layer<T>::mode, Layer<T>::h, Layer<T>::rows, Layer<T>::gates, Layer<T>::steps;
  const T *grad_out, *grad_h, *grad_c, *h_0, *c_0, *weight, *out, *saved, *cells;
  T *d_gates, *d_products, *before, *d_h0, *d_c0;

  void run(int64_t begin, int64_t end) const {
    const int64_t count = end - begin, width = gates * h;
    const Tensor memory = empty_tensor({count * h + h}, scalar_type_of<T>);
    T *more = memory.data_ptr<T>(), *some = more + count * h;
    BlockProducts<T> multiplied;
    T *dh = d_h0 + begin * h, *dc = d_c0 ? d_c0 + begin * h : nullptr;  // of the state after the step at hand
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
      const int64_t with_last = i == 0 ? 0 : this->active(last, begin, end);
      T* to = d_gates + (t * rows + begin) * width;
      T* of_products = d_products ? d_products + (t * rows + begin) * width : to;
      for (int64_t r = 0; r < count; ++r) {
        const int64_t row = t * rows + begin + r;
        const T* state = r < with_last ? out + (last * rows + begin + r) * h : h_0 + (begin + r) * h;
        std::copy_n(state, h, before + row * h);
        if (r >= active) {
          std::fill_n(to + r * width, width, T(0));
          if (d_products) std::fill_n(of_products + r * width, width, T(0));
          continue;
        }
        T* d = dh + r * h;
        if (grad_out) {
          const T* g = grad_out + row * h;
          for (int64_t j = 0; j < h; ++j) d[j] += g[j];
        }
        const T* c_before =
            cells ? (r < with_last ? cells + (last * rows + begin + r) * h : c_0 + (begin + r) * h) : nullptr;
        if (mode == Mode::Lstm) {
          apply_tanh(cells + row * h, some, h);
          loop.lstm_gradients(to + r * width, saved + row * 4 * h, d, dc + r * h, some, c_before, h);
        } else if (mode == Mode::Gru) {
          loop.gru_gradients(to + r * width, of_products + r * width, saved + row * 4 * h, d, state, h);
        } else if (mode == Mode::Tanh) {
          loop.tanh_gradient(to + r * width, d, out + row * h, h);
        } else {
          loop.relu_gradient(to + r * width, d, out + row * h, h);
        }
      }
      multiplied.multiply(active, h, width, {of_products, width, 1}, {weight, h, 1}, more, h);
      if (mode == Mode::Gru) {
        for (int64_t j = 0; j < active * h; ++j) dh[j] += more[j];
      } else {
        std::copy_n(more, active * h, dh);
      }
    }
  }
};

}  // namespace

void recurrent_steps_cpu(const Tensor& gates, const Tensor& h_0, const Tensor& c_0, const Tensor& weight_hh,
                         const Tensor& bias_hh, std::string_view mode, bool reverse, IntList batch_sizes,
                         const Tensor& out, const Tensor& h_n, const Tensor& c_n, const Tensor& saved,
                         const Tensor& cells) {
  visit<FloatTypes>(gates.dtype(), [&]<class T>() {
    const Tensor transposed = dense_copy(
        view_of(weight_hh, {weight_hh.size(1), weight_hh.size(0)}, {1, weight_hh.size(1)}, weight_hh.address()),
        weight_hh.dtype());
    const Forward<T> layer{{out, mode, reverse, batch_sizes},
                           pointer<T>(gates),
                           pointer<T>(h_0),
                           pointer<T>(c_0),
                           pointer<T>(transposed),
                           pointer<T>(bias_hh),
                           pointer<T>(out),
                           pointer<T>(h_n),
                           pointer<T>(c_n),
                           pointer<T>(saved),
                           pointer<T>(cells)};
    layer.share_out([&](int64_t begin, int64_t end) { layer.run(begin, end); });
  });
}

void recurrent_steps_backward_cpu(const Tensor& grad_out, const Tensor& grad_h, const Tensor& grad_c, const Tensor& h_0,
                                  const Tensor& c_0, const Tensor& weight_hh, std::string_view mode, bool reverse,
                                  IntList batch_sizes, const Tensor& out, const Tensor& saved, const Tensor& cells,
                                  const Tensor& grad_gates, const Tensor& grad_products, const Tensor& before,
                                  const Tensor& grad_h_0, const Tensor& grad_c_0) {
  visit<FloatTypes>(out.dtype(), [&]<class T>() {
    const Backward<T> layer{{out, mode, reverse, batch_sizes},
                            pointer<T>(grad_out),
                            pointer<T>(grad_h),
                            pointer<T>(grad_c),
                            pointer<T>(h_0),
                            pointer<T>(c_0),
                            pointer<T>(weight_hh),
                            pointer<T>(out),
                            pointer<T>(saved),
                            pointer<T>(cells),
                            pointer<T>(grad_gates),
                            pointer<T>(grad_products),
                            pointer<T>(before),
                            pointer<T>(grad_h_0),
                            pointer<T>(grad_c_0)};
    layer.share_out([&](int64_t begin, int64_t end) { layer.run(begin, end); });
  });
}

}  // namespace tnp::native
