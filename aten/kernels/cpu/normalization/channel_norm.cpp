// Batch and group normalisation on the CPU.
#include <algorithm>
#include <cmath>
#include <vector>

#include "aten/core/threads/parallel.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/normalization.h"
#include "aten/kernels/channel_batch.h"
#include "aten/kernels/cpu/reduction/row_loops.h"

namespace tnp {

namespace {

// An array of T: (batch, channels, length), or in memory (batch, length, channels) if `last`.
// `weight` and `bias` hold one number per channel and may be null, which means ones and zeros.
template <class T>
struct BatchNorm {
  int64_t batch, channels, length;
  bool last;
  const T* weight;

  // Computes the mean and the variance (divided by n) of each channel.
  void moments(const T* x, T* mean, T* variance) const;
  // out = (x - mean) rstd weight + bias
  void apply(const T* x, const T* mean, const T* rstd, const T* bias, T* out) const;
  // Computes the gradients. A null result pointer means that this gradient is not needed. Unless
  // `training`, mean and rstd do not depend on the input.
  void backward(const T* grad, const T* x, const T* mean, const T* rstd, bool training, T* grad_input, T* grad_weight,
                T* grad_bias) const;
};

// Like BatchNorm, for groups of channels within each sample. `mean` and `rstd` have shape (batch,
// groups).
template <class T>
struct GroupNorm {
  int64_t batch, channels, length, groups;
  const T* weight;
  void forward(const T* x, const T* bias, double eps, T* out, T* mean, T* rstd) const;
  void backward(const T* grad, const T* x, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                T* grad_bias) const;
};

template <class F>
void each(int64_t count, int64_t work, F&& body) {
  parallel_for(0, count, std::max<int64_t>(kParallelWork / std::max<int64_t>(work, 1), 1),
               [&](int64_t begin, int64_t end) {
                 for (int64_t k = begin; k < end; ++k) body(k);
               });
}

// A matrix whose columns are channels is processed in blocks of rows and bands of columns.
constexpr int64_t kBlock = 32, kBand = 64;

// Calls body(first column, number of columns) for bands of columns of `rows` rows each.
template <class F>
void each_band(int64_t rows, int64_t columns, F&& body) {
  each((columns + kBand - 1) / kBand, rows * kBand,
       [&](int64_t band) { body(band * kBand, std::min(kBand, columns - band * kBand)); });
}

template <class T>
void BatchNorm<T>::moments(const T* x, T* mean, T* variance) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const double count = static_cast<double>(batch * length);
  if (last || length == 1) {
    const int64_t rows = batch * length;
    each_band(rows, channels, [&](int64_t first, int64_t width) {
      T part[kBand], near[kBand];
      double sum[kBand] = {}, squares[kBand] = {};
      for (int64_t row = 0; row < rows; row += kBlock) {
        loops.column_sums(x + row * channels + first, std::min(kBlock, rows - row), channels, width, part);
        for (int64_t c = 0; c < width; ++c) sum[c] += static_cast<double>(part[c]);
      }
      for (int64_t c = 0; c < width; ++c) near[c] = mean[first + c] = static_cast<T>(sum[c] / count);
      for (int64_t row = 0; row < rows; row += kBlock) {
        loops.column_squares(x + row * channels + first, near, std::min(kBlock, rows - row), channels, width, part);
        for (int64_t c = 0; c < width; ++c) squares[c] += static_cast<double>(part[c]);
      }
      for (int64_t c = 0; c < width; ++c) {
        const double off = sum[c] / count - static_cast<double>(near[c]);
        variance[first + c] = static_cast<T>(std::max(squares[c] / count - off * off, 0.0));
      }
    });
    return;
  }
  each(channels, batch * length, [&](int64_t c) {
    double m = 0, s = 0;
    for (int64_t n = 0; n < batch; ++n) {  // combined as in moments() of row_loops.cpp
      double own, about;
      loops.moments(x + (n * channels + c) * length, length, &own, &about);
      const double between = own - m, before = static_cast<double>(n), all = before + 1;
      m += between / all;
      s += about + between * between * before / all * static_cast<double>(length);
    }
    mean[c] = static_cast<T>(m);
    variance[c] = static_cast<T>(s / count);
  });
}

template <class T>
void BatchNorm<T>::apply(const T* x, const T* mean, const T* rstd, const T* bias, T* out) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  std::vector<T> scale(static_cast<size_t>(channels)), shift(static_cast<size_t>(channels));
  for (int64_t c = 0; c < channels; ++c) {
    scale[c] = weight ? rstd[c] * weight[c] : rstd[c];
    shift[c] = (bias ? bias[c] : T(0)) - mean[c] * scale[c];
  }
  if (last || length == 1)
    each(batch * length, channels, [&](int64_t row) {
      loops.affine_each(x + row * channels, scale.data(), shift.data(), out + row * channels, channels);
    });
  else
    each(batch * channels, length, [&](int64_t k) {
      loops.affine(x + k * length, scale[k % channels], shift[k % channels], out + k * length, length);
    });
}

// With h = (x - mean) rstd: grad_weight = sum(grad h), grad_bias = sum(grad), and grad_input =
// rstd weight (grad - mean(grad) - h mean(grad h)).
template <class T>
void BatchNorm<T>::backward(const T* grad, const T* x, const T* mean, const T* rstd, bool training, T* grad_input,
                            T* grad_weight, T* grad_bias) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const double count = static_cast<double>(batch * length);
  std::vector<T> a(static_cast<size_t>(channels)), b(a.size()), shift(a.size());
  auto finish = [&](int64_t c, double plain, double by_x) {
    const double r = static_cast<double>(rstd[c]), w = weight ? static_cast<double>(weight[c]) : 1.0;
    if (grad_weight) grad_weight[c] = static_cast<T>(by_x * r);
    if (grad_bias) grad_bias[c] = static_cast<T>(plain);
    a[c] = static_cast<T>(r * w);
    b[c] = training ? static_cast<T>(-r * r * r * w * by_x / count) : T(0);
    shift[c] = training ? static_cast<T>(-r * w * plain / count) : T(0);
  };
  const bool sums = training || grad_weight || grad_bias;
  if (last || length == 1) {
    const int64_t rows = batch * length;
    each_band(2 * rows, channels, [&](int64_t first, int64_t width) {
      T plain[kBand], by_x[kBand];
      double p[kBand] = {}, q[kBand] = {};
      for (int64_t row = 0; sums && row < rows; row += kBlock) {
        const int64_t at = row * channels + first;
        loops.column_gradient_sums(grad + at, x + at, mean + first, std::min(kBlock, rows - row), channels, width,
                                   plain, by_x);
        for (int64_t c = 0; c < width; ++c) p[c] += static_cast<double>(plain[c]), q[c] += static_cast<double>(by_x[c]);
      }
      for (int64_t c = 0; c < width; ++c) finish(first + c, p[c], q[c]);
    });
    if (!grad_input) return;
    each(rows, channels, [&](int64_t row) {
      const int64_t at = row * channels;
      loops.affine_each_backward(grad + at, x + at, mean, a.data(), b.data(), shift.data(), grad_input + at, channels);
    });
    return;
  }
  each(channels, 2 * batch * length, [&](int64_t c) {
    double p = 0, q = 0;
    for (int64_t n = 0; sums && n < batch; ++n) {
      const int64_t at = (n * channels + c) * length;
      double plain, by_x;
      loops.gradient_sums(grad + at, x + at, mean[c], length, &plain, &by_x);
      p += plain, q += by_x;
    }
    finish(c, p, q);
    for (int64_t n = 0; grad_input && n < batch; ++n) {
      const int64_t at = (n * channels + c) * length;
      loops.affine_backward(grad + at, x + at, mean[c], a[c], b[c], shift[c], grad_input + at, length);
    }
  });
}

template <class T>
void GroupNorm<T>::forward(const T* x, const T* bias, double eps, T* out, T* mean, T* rstd) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const int64_t own = channels / groups, size = own * length;
  each(batch * groups, 2 * size, [&](int64_t k) {
    double m, squares;
    loops.moments(x + k * size, size, &m, &squares);
    mean[k] = static_cast<T>(m);
    rstd[k] = static_cast<T>(1 / std::sqrt(squares / static_cast<double>(size) + eps));
    for (int64_t c = 0; c < own; ++c) {
      const int64_t channel = k % groups * own + c, at = (k * own + c) * length;
      const T scale = weight ? rstd[k] * weight[channel] : rstd[k];
      loops.affine(x + at, scale, (bias ? bias[channel] : T(0)) - mean[k] * scale, out + at, length);
    }
  });
}

template <class T>
void GroupNorm<T>::backward(const T* grad, const T* x, const T* mean, const T* rstd, T* grad_input, T* grad_weight,
                            T* grad_bias) const {
  const RowLoops<T>& loops = row_loops::of<T>();
  const int64_t own = channels / groups;
  const double size = static_cast<double>(own * length);
  std::vector<double> plain(static_cast<size_t>(batch * channels)), by_x(plain.size());
  each(batch * groups, 3 * own * length, [&](int64_t k) {
    double p = 0, q = 0;
    for (int64_t c = k * own; c < (k + 1) * own; ++c) {
      loops.gradient_sums(grad + c * length, x + c * length, mean[k], length, &plain[c], &by_x[c]);
      const double w = weight ? static_cast<double>(weight[c % channels]) : 1;
      p += w * plain[c], q += w * by_x[c];
    }
    if (!grad_input) return;
    const double r = static_cast<double>(rstd[k]);
    const T b = static_cast<T>(-r * r * r * q / size), shift = static_cast<T>(-r * p / size);
    for (int64_t c = k * own; c < (k + 1) * own; ++c) {
      const T a = weight ? rstd[k] * weight[c % channels] : rstd[k];
      loops.affine_backward(grad + c * length, x + c * length, mean[k], a, b, shift, grad_input + c * length, length);
    }
  });
  for (int64_t c = 0; c < channels && (grad_weight || grad_bias); ++c) {
    double w = 0, b = 0;
    for (int64_t n = 0; n < batch; ++n) {
      w += by_x[n * channels + c] * static_cast<double>(rstd[n * groups + c / own]);
      b += plain[n * channels + c];
    }
    if (grad_weight) grad_weight[c] = static_cast<T>(w);
    if (grad_bias) grad_bias[c] = static_cast<T>(b);
  }
}

template <class T>
T* pointer(const Tensor& t) {
  return t.defined() ? t.data_ptr<T>() : nullptr;
}
template <class T>
BatchNorm<T> batch_norm(const Tensor& input, const Tensor& weight) {
  const ChannelBatch b(input);
  return {b.batch, b.channels, b.length, b.last, pointer<T>(weight)};
}
template <class T>
GroupNorm<T> group_norm(const Tensor& input, int64_t groups, const Tensor& weight) {
  const ChannelBatch b(input);
  return {b.batch, b.channels, b.length, groups, pointer<T>(weight)};
}

}  // namespace

void native::native_group_norm_cpu(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias,
                                   double eps, const Tensor& out, const Tensor& mean, const Tensor& rstd) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    group_norm<T>(input, num_groups, weight)
        .forward(input.data_ptr<T>(), pointer<T>(bias), eps, out.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>());
  });
}

void native::group_norm_gradients_cpu(const Tensor& grad, const Tensor& input, int64_t num_groups, const Tensor& mean,
                                      const Tensor& rstd, const Tensor& weight, std::span<const bool>,
                                      const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_bias) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    group_norm<T>(input, num_groups, weight)
        .backward(grad.data_ptr<T>(), input.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>(),
                  pointer<T>(grad_input), pointer<T>(grad_weight), pointer<T>(grad_bias));
  });
}

void native::native_batch_norm_cpu(const Tensor& input, const Tensor& weight, const Tensor& bias,
                                   const Tensor& running_mean, const Tensor& running_var, bool training, double eps,
                                   const Tensor& out, const Tensor& mean, const Tensor& rstd, const Tensor& variance) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    const BatchNorm<T> kernel = batch_norm<T>(input, weight);
    if (training) {
      kernel.moments(input.data_ptr<T>(), mean.data_ptr<T>(), variance.data_ptr<T>());
      // Copies, because the values saved for the gradient must not change when the running
      // statistics do.
    } else {
      std::copy_n(running_mean.data_ptr<T>(), kernel.channels, mean.data_ptr<T>());
      std::copy_n(running_var.data_ptr<T>(), kernel.channels, variance.data_ptr<T>());
    }
    for (int64_t c = 0; c < kernel.channels; ++c)
      rstd.data_ptr<T>()[c] = static_cast<T>(1 / std::sqrt(static_cast<double>(variance.data_ptr<T>()[c]) + eps));
    kernel.apply(input.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>(), pointer<T>(bias), out.data_ptr<T>());
  });
}

void native::batch_norm_gradients_cpu(const Tensor& grad, const Tensor& input, const Tensor& mean, const Tensor& rstd,
                                      const Tensor& weight, bool training, std::span<const bool>,
                                      const Tensor& grad_input, const Tensor& grad_weight, const Tensor& grad_bias) {
  visit<FloatTypes>(input.dtype(), [&]<class T>() {
    batch_norm<T>(input, weight)
        .backward(grad.data_ptr<T>(), input.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>(), training,
                  pointer<T>(grad_input), pointer<T>(grad_weight), pointer<T>(grad_bias));
  });
}

}  // namespace tnp
