// Layer normalisation: on the CPU one kernel forward and one for the three gradients, elsewhere a composition.
#include "aten/kernels/cpu/layer_norm.h"

#include "aten/core/recording.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/nn.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/statistics.h"
#include "aten/iterator/dense.h"
#include "aten/native_functions/nn.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

// `input` as rows of the elements that are normalised together.
struct Rows {
  DimVector dims;   // the axes of a row
  DimVector sizes;  // of what there is one of a row: 1 along these axes
  int64_t count = 1, length = 1;

  Rows(const Tensor& input, IntList normalized_shape) : sizes(input.sizes()) {
    const size_t n = normalized_shape.size();
    TNP_CHECK(n > 0, ErrorKind::Shape, "{normalized_shape} is empty");
    TNP_CHECK(n <= sizes.size() && std::equal(normalized_shape.begin(), normalized_shape.end(), sizes.end() - n),
              ErrorKind::Shape, "{normalized_shape} ", normalized_shape, " is not the end of {input}'s shape ",
              input.sizes());
    for (size_t i = 0; i < sizes.size(); ++i) {
      (i + n < sizes.size() ? count : length) *= sizes[i];
      if (i + n < sizes.size()) continue;
      sizes[i] = 1;
      dims.push_back(static_cast<int64_t>(i));
    }
  }
};

// The dtype that the kernel computes in.
ScalarType wide(const Tensor& t) { return compute_type(t.dtype()); }
Tensor wide(const Tensor& t, ScalarType dtype) { return t.defined() ? to_dense(t, dtype) : t; }
template <class T>
T* pointer(const Tensor& t) {
  return t.defined() ? t.data_ptr<T>() : nullptr;
}

void check_parameter(const Tensor& t, IntList normalized_shape, const Tensor& input, const char* name) {
  if (!t.defined()) return;
  TNP_CHECK(std::ranges::equal(t.sizes(), normalized_shape), ErrorKind::Shape, "{", name, "} of shape ", t.sizes(),
            " is not of {normalized_shape} ", normalized_shape);
  TNP_CHECK(t.device() == input.device(), ErrorKind::Value, "{", name, "} is on ", t.device(), ", {input} on ",
            input.device());
}

}  // namespace

Tensor layer_norm(const Tensor& input, IntList normalized_shape, const Tensor& weight, const Tensor& bias, double eps) {
  return std::get<0>(tnp::native_layer_norm(input, normalized_shape, weight, bias, eps));
}

std::tuple<Tensor, Tensor, Tensor> native_layer_norm(const Tensor& input, IntList normalized_shape,
                                                     const Tensor& weight, const Tensor& bias, double eps) {
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  const Rows rows(input, normalized_shape);
  check_parameter(weight, normalized_shape, input, "weight");
  check_parameter(bias, normalized_shape, input, "bias");
  const ScalarType dtype = wide(input);
  if (!input.device().is_cpu()) {
    const Tensor x = tnp::cast(input, dtype), mean = tnp::mean(x, rows.dims, true), centred = x - mean;
    const Tensor rstd = tnp::reciprocal(tnp::sqrt(tnp::mean(tnp::square(centred), rows.dims, true) + Scalar(eps)));
    Tensor out = centred * rstd;
    if (weight.defined()) out = out * tnp::cast(weight, dtype);
    if (bias.defined()) out = out + tnp::cast(bias, dtype);
    return {tnp::cast(out, input.dtype()), mean, rstd};
  }
  const Tensor x = to_dense(input, dtype), w = wide(weight, dtype), b = wide(bias, dtype);
  const Tensor out = empty_tensor(input.sizes(), dtype), mean = empty_tensor(rows.sizes, dtype),
               rstd = empty_tensor(rows.sizes, dtype);
  visit<FloatTypes>(dtype, [&]<class T>() {
    LayerNorm<T>{rows.count, rows.length, pointer<T>(w)}.forward(x.data_ptr<T>(), pointer<T>(b), eps, out.data_ptr<T>(),
                                                                 mean.data_ptr<T>(), rstd.data_ptr<T>());
  });
  return {to_dense(out, input.dtype()), mean, rstd};
}

namespace {

// From `input` itself, not from the saved `mean` and `rstd`: these depend on it.
std::tuple<Tensor, Tensor, Tensor> composed_backward(const Tensor& grad, const Tensor& input, const Rows& rows,
                                                     const Tensor& weight, double eps, std::span<const bool> wanted) {
  const ScalarType dtype = wide(input);
  const Tensor x = tnp::cast(input, dtype), dy = tnp::cast(grad, dtype);
  const Tensor centred = x - tnp::mean(x, rows.dims, true);
  const Tensor rstd = tnp::reciprocal(tnp::sqrt(tnp::mean(tnp::square(centred), rows.dims, true) + Scalar(eps)));
  const Tensor h = centred * rstd;
  Tensor grad_input, grad_weight, grad_bias;
  if (wanted[0]) {
    const Tensor g = weight.defined() ? dy * tnp::cast(weight, dtype) : dy;
    grad_input = rstd * (g - tnp::mean(g, rows.dims, true) - h * tnp::mean(g * h, rows.dims, true));
  }
  DimVector leading;
  for (int64_t i = 0; i < input.dim() - static_cast<int64_t>(rows.dims.size()); ++i) leading.push_back(i);
  auto over_rows = [&](const Tensor& t) { return leading.empty() ? t : tnp::sum(t, leading, false); };
  if (wanted[1]) grad_weight = over_rows(dy * h);
  if (wanted[2]) grad_bias = over_rows(dy);
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace

std::tuple<Tensor, Tensor, Tensor> layer_norm_backward(const Tensor& grad, const Tensor& input,
                                                       IntList normalized_shape, const Tensor& mean, const Tensor& rstd,
                                                       const Tensor& weight, double eps,
                                                       std::span<const bool> output_mask) {
  const Rows rows(input, normalized_shape);
  const bool recorded = any_needs_recording(grad, input, weight);
  if (recorded || !input.device().is_cpu()) return composed_backward(grad, input, rows, weight, eps, output_mask);
  const ScalarType dtype = wide(input);
  const Tensor x = to_dense(input, dtype), dy = to_dense(grad, dtype), w = wide(weight, dtype);
  auto wanted = [&](size_t i, IntList sizes) { return output_mask[i] ? empty_tensor(sizes, dtype) : Tensor(); };
  const Tensor grad_input = wanted(0, input.sizes()), grad_weight = wanted(1, normalized_shape),
               grad_bias = wanted(2, normalized_shape);
  visit<FloatTypes>(dtype, [&]<class T>() {
    LayerNorm<T>{rows.count, rows.length, pointer<T>(w)}.backward(dy.data_ptr<T>(), x.data_ptr<T>(), mean.data_ptr<T>(),
                                                                  rstd.data_ptr<T>(), pointer<T>(grad_input),
                                                                  pointer<T>(grad_weight), pointer<T>(grad_bias));
  });
  return {grad_input, grad_weight, grad_bias};
}

}  // namespace tnp::native
