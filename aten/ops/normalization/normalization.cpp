// Batch, group and root-mean-square normalisation. If their gradients are to be differentiated
// again, these are computed by differentiable operators.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "aten/core/needs_derivatives.h"
#include "aten/core/threads/thread_state.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/nn.h"
#include "aten/functions/normalization.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/statistics.h"
#include "aten/functions/transcendental.h"
#include "aten/fusion/last_use.h"
#include "aten/kernels/normalized_rows.h"
#include "aten/native_functions/normalization.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

void check_floating(const Tensor& input) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
}
// The reciprocal standard deviation and the normalised input, computed by differentiable operators.
struct Normalized {
  Tensor rstd, h;
  Normalized(const Tensor& x, const Tensor& mean, const Tensor& variance, double eps)
      : rstd(tnp::reciprocal(tnp::sqrt(variance + Scalar(eps)))), h(mean.defined() ? (x - mean) * rstd : x * rstd) {}
};
Tensor mean_over(const Tensor& t, IntList dims) {
  const fusion::UsedAgain again(t);
  return tnp::mean(t, dims, true, {});
}
Tensor sum_over(const Tensor& t, IntList dims) { return dims.empty() ? t : tnp::sum(t, dims, false, {}); }
// The gradient of the input: rstd (g - mean(g) - h mean(g h)). Without `centred`, the term mean(g)
// is omitted.
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

// ------------------------------------------------------------ root mean square normalisation

Tensor rms_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight, std::optional<double> eps) {
  if (is_complex(input.dtype())) {  // as PyTorch: by the square root of the complex mean of squares
    const NormalizedRows rows(input, normalized_shape);
    const double least = input.dtype() == ScalarType::Complex128 ? std::numeric_limits<double>::epsilon()
                                                                 : double{std::numeric_limits<float>::epsilon()};
    const Tensor h = Normalized(input, Tensor(), mean_over(input * input, rows.dims), eps.value_or(least)).h;
    return weight.defined() ? h * weight : h;
  }
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
  // PyTorch's default for eps is the machine epsilon of the dtype in which the operator computes.
  const double chosen = eps ? *eps : smallest(compute_type(input.dtype()));
  return std::get<0>(tnp::native_rms_norm(input, normalized_shape, weight, chosen));
}

std::tuple<Tensor, Tensor> rms_norm_backward(const Tensor& grad, const Tensor& input, IntList normalized_shape,
                                             const Tensor& rstd, const Tensor& weight, double eps,
                                             std::span<const bool> output_mask) {
  if (!needs_derivatives(grad, input, weight)) {
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

// ------------------------------------------------------------------------ group normalisation

namespace {

// The shape (n, groups, channels per group, length), where length is the product of the spatial
// sizes.
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
}  // namespace

Tensor group_norm(const Tensor& input, int64_t num_groups, const Tensor& weight, const Tensor& bias, double eps) {
  // native_group_norm() raises all other errors.
  const bool shared = input.dim() >= 2 && input.size(1) > 0 && num_groups > 0 && input.size(1) % num_groups == 0;
  const int64_t values = shared ? input.numel() / input.size(1) * (input.size(1) / num_groups) : 0;
  TNP_CHECK(values != 1, ErrorKind::Value, "expected several values in each group of {input} of shape ", input.sizes(),
            ", got one");
  return std::get<0>(tnp::native_group_norm(input, num_groups, weight, bias, eps));
}

std::tuple<Tensor, Tensor, Tensor> group_norm_backward(const Tensor& grad, const Tensor& input, int64_t num_groups,
                                                       const Tensor& mean, const Tensor& rstd, const Tensor& weight,
                                                       double eps, std::span<const bool> output_mask) {
  if (!needs_derivatives(grad, input, weight))
    return tnp::group_norm_gradients(grad, input, num_groups, mean, rstd, weight, output_mask);
  const ScalarType dtype = compute_type(input.dtype());
  const DimVector sizes = grouped(input, num_groups);
  const IntList channels = input.sizes().subspan(1, 1);
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

// ------------------------------------------------------------------------ batch normalisation

namespace {

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
    // Updates of the running statistics are not recorded, because otherwise the graph would grow
    // with every training step.
    const NoGradGuard guard;
    auto move = [&](const Tensor& running, const Tensor& now, double scale) {
      if (!running.defined()) return;
      const Tensor near = tnp::cast(scale == 1 ? now : now * Scalar(scale), running.dtype());
      tnp::lerp_(running, near, wrapped_number(Scalar(momentum)));
    };
    move(running_mean, mean, 1);
    move(running_var, variance, count / (count - 1));
  }
  return out;
}

std::tuple<Tensor, Tensor, Tensor> batch_norm_backward(const Tensor& grad, const Tensor& input, const Tensor& mean,
                                                       const Tensor& rstd, const Tensor& weight, bool training,
                                                       double eps, std::span<const bool> output_mask) {
  if (!needs_derivatives(grad, input, weight))
    return tnp::batch_norm_gradients(grad, input, mean, rstd, weight, training, output_mask);
  const ScalarType dtype = compute_type(input.dtype());
  const Tensor x = tnp::cast(input, dtype), dy = tnp::cast(grad, dtype);
  const DimVector dims = but_channels(input);
  Tensor grad_input, grad_weight, grad_bias;
  // Copies a saved result of the forward pass, because the result has a history and the copy has
  // none.
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

}  // namespace tnp::native
