// Classification losses on the CPU: cross entropy in one pass over the input, and NLL loss, which
// picks the target's element.
#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <vector>

#include "aten/kernel_functions/losses.h"
#include "aten/kernels/class_lines.h"
#include "aten/kernels/cpu/copying/share_lines.h"
#include "aten/kernels/cpu/reduction/row_loops.h"

namespace tnp {

namespace {

void check_target(int64_t target, int64_t classes, int64_t ignore_index) {
  TNP_CHECK(target == ignore_index || (target >= 0 && target < classes), ErrorKind::Index, "Target ", target,
            " is out of bounds: there are ", classes, " classes");
}

// Cross entropy over n classes. `input` is (outer, n, inner) with the classes along the middle
// axis. `target` (outer, inner) holds class indices. All are dense.
template <class T>
struct CrossEntropy {
  int64_t outer, n, inner;
  const T* input;
  const int64_t* target;
  const T* weight;  // one per class, or null
  int64_t ignore_index;
  double smoothing;

  // Writes the loss of each line and log(sum(exp(input))), and returns the sum of the targets'
  // weights. Raises Index if a target is out of range.
  double forward(T* loss, T* lse) const;
  // The gradient of the input, times `factor`. `grad`: the gradients of the losses, with stride
  // `grad_step` (0 or 1).
  void backward(const T* grad, int64_t grad_step, double factor, const T* lse, T* to) const;
};

template <class T>
double CrossEntropy<T>::forward(T* loss, T* lse) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const int64_t count = outer * inner;
  for (int64_t i = 0; i < count; ++i) check_target(target[i], n, ignore_index);
  if (n == 0) {  // all targets are ignored
    std::fill_n(loss, count, T(0));
    std::fill_n(lse, count, -std::numeric_limits<T>::infinity());
    return 0;
  }
  const double all = weight ? std::accumulate(weight, weight + n, 0.0) : static_cast<double>(n);
  auto one = [&](int64_t o, int64_t i) {
    const int64_t at = o * inner + i, t = target[at];
    if (t == ignore_index) {
      loss[at] = 0;
      return;
    }
    const T* x = input + o * n * inner + i;
    double l = (1 - smoothing) * (weight ? weight[t] : T(1)) * static_cast<double>(lse[at] - x[t * inner]);
    if (smoothing != 0) {
      double sum = 0;
      for (int64_t k = 0; k < n; ++k) sum += static_cast<double>(x[k * inner]) * (weight ? weight[k] : T(1));
      l += smoothing / static_cast<double>(n) * (static_cast<double>(lse[at]) * all - sum);
    }
    loss[at] = static_cast<T>(l);
  };
  const DenseLines lines(IntList{outer, n, inner}, 1);
  share_lines(
      lines, 1,
      [&](int64_t first, int64_t rows) {
        loops.log_sum_exp(input + first * n, lse + first, rows, n);
        for (int64_t k = first; k < first + rows; ++k) one(k, 0);
      },
      [&](int64_t first, int64_t columns) {
        const int64_t o = first / (n * inner), i = first % (n * inner);
        loops.log_sum_exp_columns(input + first, lse + o * inner + i, n, inner, columns);
        for (int64_t k = i; k < i + columns; ++k) one(o, k);
      });
  double total = 0;
  for (int64_t i = 0; i < count; ++i)
    if (target[i] != ignore_index) total += weight ? weight[target[i]] : T(1);
  return total;
}

template <class T>
void CrossEntropy<T>::backward(const T* grad, int64_t grad_step, double factor, const T* lse, T* to) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const double all = weight ? std::accumulate(weight, weight + n, 0.0) : static_cast<double>(n);
  const double share = smoothing / static_cast<double>(n);
  // dx = g ((1 - s) w_t + s / n sum(w)) softmax(x) - g s / n w - g (1 - s) w_t at the target.
  auto parts = [&](int64_t at) {
    const int64_t t = target[at];
    const double g = t == ignore_index ? 0 : static_cast<double>(grad[at * grad_step]) * factor;
    const double own = t == ignore_index ? 0 : g * (1 - smoothing) * (weight ? weight[t] : T(1));
    return std::array<double, 3>{own + g * share * all, g * share, own};
  };
  const DenseLines lines(IntList{outer, n, inner}, 1);
  share_lines(
      lines, 1,
      [&](int64_t first, int64_t rows) {
        for (int64_t at = first; at < first + rows; ++at) {
          const auto [all_of, shift, own] = parts(at);
          T* row = to + at * n;
          if (all_of == 0) {  // the gradient is 0 even if inputs are infinite
            std::fill_n(row, n, T(0));
            continue;
          }
          loops.softmax_scaled(input + at * n, lse[at], static_cast<T>(all_of), static_cast<T>(shift), weight, row, n);
          row[target[at]] -= static_cast<T>(own);
        }
      },
      [&](int64_t first, int64_t columns) {
        const int64_t o = first / (n * inner), i = first % (n * inner);
        std::array<T, kColumnsOfTask> x, zeros{}, factors, shifts, owns;
        for (int64_t k = 0; k < columns; ++k) {
          const auto [all_of, shift, own] = parts(o * inner + i + k);
          factors[k] = static_cast<T>(all_of), shifts[k] = static_cast<T>(shift), owns[k] = static_cast<T>(own);
        }
        const T* sums = lse + o * inner + i;
        for (int64_t c = 0; c < n; ++c) {
          const T* from = input + first + c * inner;
          T* row = to + first + c * inner;
          for (int64_t k = 0; k < columns; ++k) x[k] = from[k] - sums[k];
          loops.softmax_scaled(x.data(), T(0), T(1), T(0), nullptr, x.data(), columns);
          const T w = weight ? weight[c] : T(1);
          for (int64_t k = 0; k < columns; ++k) {
            const T v = factors[k] == T(0) ? zeros[k] : x[k] * factors[k];
            row[k] = v - shifts[k] * w;
          }
        }
        for (int64_t k = 0; k < columns; ++k) {
          const int64_t t = target[o * inner + i + k];
          if (t != ignore_index) to[first + t * inner + k] -= owns[k];
        }
      });
}

template <class T>
CrossEntropy<T> cross_entropy(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t ignore_index,
                              double smoothing) {
  const DenseLines lines = class_lines(input);
  return {lines.outer,
          lines.n,
          lines.inner,
          input.data_ptr<T>(),
          target.data_ptr<int64_t>(),
          weight.defined() ? weight.data_ptr<T>() : nullptr,
          ignore_index,
          smoothing};
}

}  // namespace

void native::cross_entropy_cpu(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t reduction,
                               int64_t ignore_index, double label_smoothing, const Tensor& loss, const Tensor& lse,
                               const Tensor& total) {
  const auto how = static_cast<LossReduction>(reduction);
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    std::vector<T> own(how == LossReduction::None ? 0 : static_cast<size_t>(target.numel()));
    T* losses = how == LossReduction::None ? loss.data_ptr<T>() : own.data();
    const double weights =
        cross_entropy<T>(input, target, weight, ignore_index, label_smoothing).forward(losses, lse.data_ptr<T>());
    *total.data_ptr<T>() = static_cast<T>(weights);
    if (how == LossReduction::None) return;
    const double sum = std::accumulate(own.begin(), own.end(), 0.0);
    *loss.data_ptr<T>() = static_cast<T>(how == LossReduction::Mean ? sum / weights : sum);
  });
}

void native::cross_entropy_gradient_cpu(const Tensor& grad, const Tensor& input, const Tensor& target,
                                        const Tensor& lse, const Tensor& total, const Tensor& weight, int64_t reduction,
                                        int64_t ignore_index, double label_smoothing, const Tensor& out) {
  if (out.numel() == 0) return;
  const auto how = static_cast<LossReduction>(reduction);
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const double factor = how == LossReduction::Mean ? 1 / static_cast<double>(*total.data_ptr<T>()) : 1;
    cross_entropy<T>(input, target, weight, ignore_index, label_smoothing)
        .backward(grad.data_ptr<T>(), how == LossReduction::None ? 1 : 0, factor, lse.data_ptr<T>(), out.data_ptr<T>());
  });
}

void native::nll_loss_cpu(const Tensor& input, const Tensor& target, const Tensor& weight, int64_t reduction,
                          int64_t ignore_index, const Tensor& loss, const Tensor& total) {
  const auto how = static_cast<LossReduction>(reduction);
  const DenseLines lines = class_lines(input);
  const auto* targets = target.data_ptr<int64_t>();
  for (int64_t k = 0; k < target.numel(); ++k) check_target(targets[k], lines.n, ignore_index);
  visit<FloatingTypes>(input.dtype(), [&]<class S>() {
    using T = accumulate_t<S>;
    const S* x = input.data_ptr<S>();
    const T* weights = weight.defined() ? weight.data_ptr<T>() : nullptr;
    S* out = loss.data_ptr<S>();
    double sum = 0, all = 0;
    for (int64_t k = 0; k < target.numel(); ++k) {
      const int64_t t = targets[k];
      const bool counts = t != ignore_index;
      const T w = !counts ? T(0) : weights ? weights[t] : T(1);
      const T own = counts ? -w * static_cast<T>(x[lines.first(k) + t * lines.inner]) : T(0);
      if (how == LossReduction::None)
        out[k] = S(own);
      else
        sum += static_cast<double>(own);
      all += static_cast<double>(w);
    }
    *total.data_ptr<T>() = static_cast<T>(all);
    if (how != LossReduction::None) *out = S(static_cast<T>(how == LossReduction::Mean ? sum / all : sum));
  });
}

void native::nll_loss_backward_cpu(const Tensor& grad_output, const Tensor& target, IntList sizes, const Tensor& total,
                                   const Tensor& weight, int64_t reduction, int64_t ignore_index, const Tensor& out) {
  if (out.numel() == 0) return;
  const auto how = static_cast<LossReduction>(reduction);
  const DenseLines lines(sizes, class_axis(out));
  visit<FloatingTypes>(out.dtype(), [&]<class S>() {
    using T = accumulate_t<S>;
    S* to = out.data_ptr<S>();
    std::fill_n(to, out.numel(), S(T(0)));
    const T factor = how == LossReduction::Mean ? T(1) / *total.data_ptr<T>() : T(1);
    const S* grads = grad_output.data_ptr<S>();
    const T* weights = weight.defined() ? weight.data_ptr<T>() : nullptr;
    for (int64_t k = 0; k < target.numel(); ++k) {
      const int64_t t = target.data_ptr<int64_t>()[k];
      if (t == ignore_index) continue;
      const T g = static_cast<T>(grads[how == LossReduction::None ? k : 0]) * factor;
      to[lines.first(k) + t * lines.inner] = S(weights ? -weights[t] * g : -g);
    }
  });
}

}  // namespace tnp
