// Batch, group and root-mean-square normalisation: on the CPU one kernel forward and one for the gradients, elsewhere,
// and where gradients are differentiated again, compositions.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aten/core/recording.h"
#include "aten/core/thread_state.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/nn.h"
#include "aten/functions/normalization.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/statistics.h"
#include "aten/functions/transcendental.h"
#include "aten/iterator/dense.h"
#include "aten/kernels/cpu/channel_norm.h"
#include "aten/kernels/normalized_rows.h"
#include "aten/native_functions/normalization.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

Tensor wide(const Tensor& t, ScalarType dtype) { return t.defined() ? to_dense(t, dtype) : t; }
template <class T>
T* pointer(const Tensor& t) {
  return t.defined() ? t.data_ptr<T>() : nullptr;
}
Tensor wanted(bool is, IntList sizes, ScalarType dtype) { return is ? empty_tensor(sizes, dtype) : Tensor(); }

void check_floating(const Tensor& input) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
}
void check_channels(const Tensor& input, const Tensor& t, const char* name) {
  if (!t.defined()) return;
  TNP_CHECK(t.dim() == 1 && t.numel() == input.size(1), ErrorKind::Shape, "{", name, "} of shape ", t.sizes(),
            " is not of one number for each channel of {input}, whose shape is ", input.sizes());
  TNP_CHECK(t.device() == input.device(), ErrorKind::Runtime, "{", name, "} is on ", t.device(), ", {input} on ",
            input.device());
}

bool has_kernel(const Tensor& input) { return input.device().is_cpu() && input.numel() > 0; }

// The normalised input, and what came to it, of a composition.
struct Normalized {
  Tensor rstd, h;
  Normalized(const Tensor& x, const Tensor& mean, const Tensor& variance, double eps)
      : rstd(tnp::reciprocal(tnp::sqrt(variance + Scalar(eps)))), h(mean.defined() ? (x - mean) * rstd : x * rstd) {}
};
Tensor mean_over(const Tensor& t, IntList dims) { return tnp::mean(t, dims, true, {}); }
Tensor sum_over(const Tensor& t, IntList dims) { return dims.empty() ? t : tnp::sum(t, dims, false, {}); }
// rstd (g - mean(g) - h mean(g h))
Tensor input_gradient(const Tensor& g, const Normalized& n, IntList dims, bool centred) {
  const Tensor rest = n.h * mean_over(g * n.h, dims);
  return n.rstd * (centred ? g - mean_over(g, dims) - rest : g - rest);
}

DimVector range(int64_t begin, int64_t end) {
  DimVector dims;
  for (int64_t d = begin; d < end; ++d) dims.push_back(d);
  return dims;
}

}  // namespace

// ------------------------------------------------------------------------------------------- by the root mean square

Tensor rms_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight, std::optional<double> eps) {
  check_floating(input);
  auto smallest = [](ScalarType dtype) {
    switch (dtype) {
      case ScalarType::Float64:
        return std::numeric_limits<double>::epsilon();
      case ScalarType::Float16:
        return 0x1p-10;
      case ScalarType::BFloat16:
        return 0x1p-7;
      default:
        return static_cast<double>(std::numeric_limits<float>::epsilon());
    }
  };
  // PyTorch's is of the dtype that is computed in.
  const double chosen = eps ? *eps : smallest(compute_type(input.dtype()));
  return std::get<0>(tnp::native_rms_norm(input, normalized_shape, weight, chosen));
}

std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Tensor& input, IntList normalized_shape,
                                             const Tensor& rstd, const Tensor& weight, double eps,
                                             std::span<const bool> output_mask) {
  if (!any_needs_recording(grad, input, weight)) {
    const std::array<bool, 3> mask{output_mask[0], output_mask[1], false};
    const auto [grad_input, grad_weight, none] =
        tnp::layer_norm_gradients(grad, input, normalized_shape, Tensor(), rstd, weight, mask);
    return {grad_input, grad_weight};
  }
  const NormalizedRows rows(input, normalized_shape);
  const ScalarType dtype = compute_type(input.dtype());
  const Tensor x = tnp::cast(input, dtype), dy = tnp::cast(grad, dtype);
  const Normalized n(x, Tensor(), mean_over(tnp::square(x), rows.dims), eps);
  Tensor grad_input, grad_weight;
  if (output_mask[0])
    grad_input = input_gradient(weight.defined() ? dy * tnp::cast(weight, dtype) : dy, n, rows.dims, false);
  if (output_mask[1]) grad_weight = sum_over(dy * n.h, range(0, input.dim() - static_cast<int64_t>(rows.dims.size())));
  return {grad_input, grad_weight};
}

// ------------------------------------------------------------------------------------------------ groups of channels

namespace {

void check_groups(const Tensor& input, int64_t groups, const Tensor& weight, const Tensor& bias) {
  check_floating(input);
  TNP_CHECK(input.dim() >= 2, ErrorKind::Shape, "{input} of shape ", input.sizes(), " has fewer than 2 axes");
  TNP_CHECK(groups != 0, ErrorKind::ZeroDivision, "{num_groups} is 0");
  TNP_CHECK(groups > 0, ErrorKind::Shape, "{num_groups} is ", groups, ", which is not positive");
  TNP_CHECK(input.size(1) % groups == 0, ErrorKind::Shape, input.size(1),
            " channels of {input} cannot be shared out to ", groups, " groups");
  check_channels(input, weight, "weight");
  check_channels(input, bias, "bias");
}

// Of (n, groups, channels of each, length).
DimVector grouped(const Tensor& input, int64_t groups) {
  DimVector sizes{input.size(0), groups, input.size(1) / groups};
  int64_t length = 1;
  for (int64_t d = 2; d < input.dim(); ++d) length *= input.size(d);
  sizes.push_back(length);
  return sizes;
}
Tensor for_groups(const Tensor& t, const DimVector& sizes) {
  return tnp::reshape(t, IntList{int64_t{1}, sizes[1], sizes[2], int64_t{1}});
}
template <class T>
GroupNorm<T> group_kernel(const DimVector& sizes, const Tensor& weight) {
  return {sizes[0], sizes[1] * sizes[2], sizes[3], sizes[1], pointer<T>(weight)};
}

}  // namespace

Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias, double eps) {
  check_groups(input, num_groups, weight, bias);
  const int64_t values = input.size(1) > 0 ? input.numel() / input.size(1) * (input.size(1) / num_groups) : 0;
  TNP_CHECK(values != 1, ErrorKind::Value, "each group of {input}, whose shape is ", input.sizes(), ", has one value");
  return std::get<0>(tnp::native_group_norm(input, num_groups, weight, bias, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight,
                                                     const Tensor& bias, double eps) {
  check_groups(input, num_groups, weight, bias);
  const ScalarType dtype = compute_type(input.dtype());
  const DimVector sizes = grouped(input, num_groups);
  if (!has_kernel(input)) {
    const Tensor x = tnp::reshape(tnp::cast(input, dtype), sizes), mean = mean_over(x, IntList{2, 3});
    const Normalized n(x, mean, mean_over(tnp::square(x - mean), IntList{2, 3}), eps);
    Tensor out = n.h;
    if (weight.defined()) out = out * for_groups(tnp::cast(weight, dtype), sizes);
    if (bias.defined()) out = out + for_groups(tnp::cast(bias, dtype), sizes);
    return {tnp::cast(tnp::reshape(out, input.sizes()), input.dtype()), tnp::squeeze(mean, IntList{2, 3}),
            tnp::squeeze(n.rstd, IntList{2, 3})};
  }
  const Tensor x = to_dense(input, dtype), w = wide(weight, dtype), b = wide(bias, dtype);
  const DimVector each{sizes[0], sizes[1]};
  const Tensor out = empty_tensor(input.sizes(), dtype), mean = empty_tensor(each, dtype),
               rstd = empty_tensor(each, dtype);
  visit<FloatTypes>(dtype, [&]<class T>() {
    group_kernel<T>(sizes, w).forward(x.data_ptr<T>(), pointer<T>(b), eps, out.data_ptr<T>(), mean.data_ptr<T>(),
                                      rstd.data_ptr<T>());
  });
  return {to_dense(out, input.dtype()), mean, rstd};
}

std::tuple<Tensor, Tensor, Tensor> group_norm_backward(const Tensor& grad, const Tensor& input, int64_t num_groups,
                                                       const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                                       double eps, std::span<const bool> output_mask) {
  const ScalarType dtype = compute_type(input.dtype());
  const DimVector sizes = grouped(input, num_groups);
  const IntList channels = input.sizes().subspan(1, 1);
  if (!has_kernel(input) || any_needs_recording(grad, input, weight)) {
    const Tensor x = tnp::reshape(tnp::cast(input, dtype), sizes), dy = tnp::reshape(tnp::cast(grad, dtype), sizes);
    const Tensor centre = mean_over(x, IntList{2, 3});
    const Normalized n(x, centre, mean_over(tnp::square(x - centre), IntList{2, 3}), eps);
    Tensor grad_input, grad_weight, grad_bias;
    if (output_mask[0]) {
      const Tensor g = weight.defined() ? dy * for_groups(tnp::cast(weight, dtype), sizes) : dy;
      grad_input = tnp::reshape(input_gradient(g, n, IntList{2, 3}, true), input.sizes());
    }
    if (output_mask[1]) grad_weight = tnp::reshape(sum_over(dy * n.h, IntList{0, 3}), channels);
    if (output_mask[2]) grad_bias = tnp::reshape(sum_over(dy, IntList{0, 3}), channels);
    return {grad_input, grad_weight, grad_bias};
  }
  const Tensor x = to_dense(input, dtype), dy = to_dense(grad, dtype), w = wide(weight, dtype);
  const Tensor grad_input = wanted(output_mask[0], input.sizes(), dtype),
               grad_weight = wanted(output_mask[1], channels, dtype),
               grad_bias = wanted(output_mask[2], channels, dtype);
  visit<FloatTypes>(dtype, [&]<class T>() {
    group_kernel<T>(sizes, w).backward(dy.data_ptr<T>(), x.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>(),
                                       pointer<T>(grad_input), pointer<T>(grad_weight), pointer<T>(grad_bias));
  });
  return {grad_input, grad_weight, grad_bias};
}

// ----------------------------------------------------------------------------------------------------------- batches

namespace {

// A batch in the order in which kernels take it: samples, channels, and the rest; channels last where they lie so.
struct Batch {
  int64_t length = 1;
  bool last = false;
  DimVector order;  // of axes, channels last
  explicit Batch(const Tensor& input) {
    for (int64_t d = 2; d < input.dim(); ++d) length *= input.size(d);
    order.push_back(0);
    for (int64_t d = 2; d < input.dim(); ++d) order.push_back(d);
    order.push_back(1);
    last = input.dim() > 2 && !input.is_contiguous() && tnp::permute(input, order).is_contiguous();
  }
  // `t` in `dtype`, in this layout.
  Tensor laid_out(const Tensor& t, ScalarType dtype) const {
    return last ? to_dense(tnp::permute(t, order), dtype) : to_dense(t, dtype);
  }
  Tensor made(const Tensor& input, ScalarType dtype) const {
    return empty_tensor(last ? tnp::permute(input, order).sizes() : input.sizes(), dtype);
  }
  // As the caller sees it.
  Tensor seen(const Tensor& t) const {
    if (!last || !t.defined()) return t;
    DimVector back{0, t.dim() - 1};
    for (int64_t d = 1; d < t.dim() - 1; ++d) back.push_back(d);
    return tnp::permute(t, back);
  }
  template <class T>
  BatchNorm<T> kernel(const Tensor& input, const Tensor& weight) const {
    return {input.size(0), input.size(1), length, last, pointer<T>(weight)};
  }
};

DimVector but_channels(const Tensor& input) {
  DimVector dims{0};
  for (int64_t d = 2; d < input.dim(); ++d) dims.push_back(d);
  return dims;
}
Tensor for_channels(const Tensor& t, const Tensor& input) {
  DimVector sizes(static_cast<size_t>(input.dim()), 1);
  sizes[1] = input.size(1);
  return tnp::reshape(t, sizes);
}

}  // namespace

Tensor _batch_norm(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& running_mean,
                   const Tensor& running_var, bool training, double momentum, double eps) {
  const auto [out, mean, rstd, variance] =
      tnp::native_batch_norm(input, weight, bias, running_mean, running_var, training, eps);
  if (training && input.numel() > 0) {
    const double count = static_cast<double>(input.numel() / input.size(1));
    auto move = [&](const Tensor& running, const Tensor& now, double scale) {
      if (running.defined()) tnp::copy_(running, running * Scalar(1 - momentum) + now * Scalar(momentum * scale));
    };
    move(running_mean, mean, 1);
    move(running_var, variance, count / (count - 1));
  }
  return out;
}

std::tuple<Tensor, Tensor, Tensor, Tensor> native_batch_norm(const Tensor& input, const Tensor& weight,
                                                             const Tensor& bias, const Tensor& running_mean,
                                                             const Tensor& running_var, bool training, double eps) {
  check_floating(input);
  TNP_CHECK(input.dim() >= 2, ErrorKind::Shape, "{input} of shape ", input.sizes(), " has fewer than 2 axes");
  check_channels(input, weight, "weight");
  check_channels(input, bias, "bias");
  check_channels(input, running_mean, "running_mean");
  check_channels(input, running_var, "running_var");
  TNP_CHECK(training || (running_mean.defined() && running_var.defined()), ErrorKind::Runtime,
            "{running_mean} and {running_var} are needed unless {training}");
  const ScalarType dtype = compute_type(input.dtype());
  if (!has_kernel(input)) {
    const Tensor x = tnp::cast(input, dtype);
    const DimVector dims = but_channels(input);
    const Tensor mean = training ? mean_over(x, dims) : for_channels(tnp::cast(running_mean, dtype), x);
    const Tensor variance =
        training ? mean_over(tnp::square(x - mean), dims) : for_channels(tnp::cast(running_var, dtype), x);
    const Normalized n(x, mean, variance, eps);
    Tensor out = n.h;
    if (weight.defined()) out = out * for_channels(tnp::cast(weight, dtype), x);
    if (bias.defined()) out = out + for_channels(tnp::cast(bias, dtype), x);
    const IntList channels = input.sizes().subspan(1, 1);
    return {tnp::cast(out, input.dtype()), tnp::reshape(mean, channels), tnp::reshape(n.rstd, channels),
            tnp::reshape(variance, channels)};
  }
  const Batch batch(input);
  const Tensor x = batch.laid_out(input, dtype), w = wide(weight, dtype), b = wide(bias, dtype);
  const IntList channels = input.sizes().subspan(1, 1);
  // Copies: what is kept for the gradient does not change with the running numbers.
  const Tensor mean = training ? empty_tensor(channels, dtype) : dense_copy(running_mean, dtype),
               variance = training ? empty_tensor(channels, dtype) : dense_copy(running_var, dtype),
               rstd = empty_tensor(channels, dtype), out = batch.made(input, dtype);
  visit<FloatTypes>(dtype, [&]<class T>() {
    const BatchNorm<T> kernel = batch.kernel<T>(input, w);
    if (training) kernel.moments(x.data_ptr<T>(), mean.data_ptr<T>(), variance.data_ptr<T>());
    for (int64_t c = 0; c < input.size(1); ++c)
      rstd.data_ptr<T>()[c] = static_cast<T>(1 / std::sqrt(static_cast<double>(variance.data_ptr<T>()[c]) + eps));
    kernel.apply(x.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>(), pointer<T>(b), out.data_ptr<T>());
  });
  return {batch.seen(to_dense(out, input.dtype())), mean, rstd, variance};
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                                       const Tensor& rstd, const Tensor& weight, bool training,
                                                       double eps, std::span<const bool> output_mask) {
  const ScalarType dtype = compute_type(input.dtype());
  const IntList channels = input.sizes().subspan(1, 1);
  if (!has_kernel(input) || any_needs_recording(grad, input, weight)) {
    const Tensor x = tnp::cast(input, dtype), dy = tnp::cast(grad, dtype);
    const DimVector dims = but_channels(input);
    Tensor grad_input, grad_weight, grad_bias;
    // Not the saved results themselves, which have a history.
    auto alone = [&](const Tensor& t) {
      const NoGradGuard guard;
      return for_channels(tnp::clone(t), x);
    };
    const Tensor centre = training ? mean_over(x, dims) : alone(mean);
    Tensor r = training ? Tensor() : alone(rstd);
    if (training) r = tnp::reciprocal(tnp::sqrt(mean_over(tnp::square(x - centre), dims) + Scalar(eps)));
    const Tensor h = (x - centre) * r;
    if (output_mask[0]) {
      const Tensor g = weight.defined() ? dy * for_channels(tnp::cast(weight, dtype), x) : dy;
      grad_input = training ? r * (g - mean_over(g, dims) - h * mean_over(g * h, dims)) : r * g;
    }
    if (output_mask[1]) grad_weight = sum_over(dy * h, dims);
    if (output_mask[2]) grad_bias = sum_over(dy, dims);
    return {grad_input, grad_weight, grad_bias};
  }
  const Batch batch(input);
  const Tensor x = batch.laid_out(input, dtype), dy = batch.laid_out(grad, dtype), w = wide(weight, dtype);
  const Tensor grad_input = output_mask[0] ? batch.made(input, dtype) : Tensor(),
               grad_weight = wanted(output_mask[1], channels, dtype),
               grad_bias = wanted(output_mask[2], channels, dtype);
  visit<FloatTypes>(dtype, [&]<class T>() {
    batch.kernel<T>(input, w).backward(dy.data_ptr<T>(), x.data_ptr<T>(), mean.data_ptr<T>(), rstd.data_ptr<T>(),
                                       training, pointer<T>(grad_input), pointer<T>(grad_weight),
                                       pointer<T>(grad_bias));
  });
  return {batch.seen(grad_input), grad_weight, grad_bias};
}

}  // namespace tnp::native
