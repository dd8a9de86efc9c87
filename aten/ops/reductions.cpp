// Operators made of reductions: extrema with their places, var and std in both faces' terms.
#include <algorithm>
#include <cstring>

#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/operators.h"

namespace tnp {

namespace {

// The elements of `input` at `indices` along `dim`; both have the same shape but for `dim`, where indices has 1.
Tensor pick(const Tensor& input, const Tensor& indices, int64_t dim) {
  if (!input.device().is_cpu()) return input.dim() == 0 ? tnp::clone(input) : tnp::take_along_dim(input, indices, dim);
  Tensor out = empty_tensor(indices.sizes(), input.dtype());
  if (out.numel() == 0) return out;
  int64_t step = input.dim() ? input.stride(dim) * input.itemsize() : 0, itemsize = input.itemsize();
  DimVector one = input.sizes();
  if (input.dim()) one[static_cast<size_t>(dim)] = 1;
  Tensor starts = view_of(input, one, input.strides(), input.address());
  // Walks the first elements of all lines; their bytes are read at the place that `indices` says.
  Tensor result = view_of(out, one, contiguous_strides(one), out.address());
  Iterator iterator;
  ScalarType bytes = input.dtype();
  iterator.output(result, bytes, bytes).input(starts, bytes).input(indices, ScalarType::Int64).build();
  iterator.for_each_with([&](char* const* data, const int64_t* steps, int64_t n) {
    for (int64_t i = 0; i < n; ++i) {
      int64_t at = *reinterpret_cast<const int64_t*>(data[2] + i * steps[2]);
      std::memcpy(data[0] + i * steps[0], data[1] + i * steps[1] + at * step, static_cast<size_t>(itemsize));
    }
  });
  return out;
}

std::tuple<Tensor, Tensor> with_indices(const Tensor& input, Tensor indices, int64_t dim, bool keepdim) {
  dim = wrap_dim(dim, input.dim());
  Tensor values = pick(input, indices, dim);
  if (keepdim || input.dim() == 0) return {values, indices};
  DimVector sizes = values.sizes();
  sizes.erase(static_cast<size_t>(dim));
  auto drop = [&](const Tensor& t) { return view_of(t, sizes, contiguous_strides(sizes), t.address()); };
  return {drop(values), drop(indices)};
}

int64_t count_reduced(const Tensor& input, const OptIntList& dim) {
  if (!dim) return input.numel();
  int64_t n = 1;
  for (int64_t d : wrap_dims(*dim, input.dim())) n *= input.size(d);
  return n;
}

}  // namespace

Tensor native::max(const Tensor& input) { return tnp::amax(input, std::nullopt, false); }
Tensor native::min(const Tensor& input) { return tnp::amin(input, std::nullopt, false); }
Tensor native::max_other(const Tensor& input, const Tensor& other) { return tnp::maximum(input, other); }
Tensor native::min_other(const Tensor& input, const Tensor& other) { return tnp::minimum(input, other); }
std::tuple<Tensor, Tensor> native::max_dim(const Tensor& input, int64_t dim, bool keepdim) {
  return with_indices(input, tnp::argmax(input, dim, true), dim, keepdim);
}
std::tuple<Tensor, Tensor> native::min_dim(const Tensor& input, int64_t dim, bool keepdim) {
  return with_indices(input, tnp::argmin(input, dim, true), dim, keepdim);
}
Tensor native::ptp(const Tensor& input, OptIntList dim, bool keepdim) {
  return tnp::amax(input, dim, keepdim) - tnp::amin(input, dim, keepdim);
}

namespace {

ReduceOptions with_correction(double correction, const Tensor& where = {}) {
  ReduceOptions options;
  options.parameter = correction;
  options.where = where;
  return options;
}

double one_of(const Scalar& ddof, const std::optional<Scalar>& correction) {
  if (!correction) return ddof.to<double>();
  TNP_CHECK(ddof.to<double>() == 0, ErrorKind::Value, "ddof and correction can't be provided simultaneously.");
  return correction->to<double>();
}

// The caller knows the mean already: deviations from that, in operators that differentiate through it.
Tensor variance_about(const Tensor& mean, const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype,
                      double correction, bool keepdim, const Tensor& where) {
  Tensor x = dtype                        ? tnp::cast(input, *dtype)
             : is_integral(input.dtype()) ? tnp::cast(input, floating_dtype_of_integers())
                                          : input;
  Tensor deviation = x - mean;
  Tensor squares = deviation.is_complex() ? tnp::square(tnp::real(deviation)) + tnp::square(tnp::imag(deviation))
                                          : tnp::square(deviation);
  ReduceOptions options;
  options.where = where;
  if (!where.defined()) {
    auto n = static_cast<double>(count_reduced(squares, dim));
    return tnp::sum(squares, dim, keepdim, std::nullopt) / Scalar(std::max(n - correction, 0.0));
  }
  Tensor n = tnp::sum(tnp::cast(tnp::expand(where, squares.sizes()), squares.dtype()), dim, keepdim, std::nullopt);
  return tnp::sum(squares, dim, keepdim, std::nullopt, options) /
         tnp::maximum(n - Scalar(correction), wrapped_number(Scalar(0.0)));
}

}  // namespace

Tensor native::var(const Tensor& input, OptIntList dim, const Scalar& correction, bool keepdim) {
  return tnp::variance(input, dim, keepdim, std::nullopt, with_correction(correction.to<double>()));
}
Tensor native::std(const Tensor& input, OptIntList dim, const Scalar& correction, bool keepdim) {
  return tnp::deviation(input, dim, keepdim, std::nullopt, with_correction(correction.to<double>()));
}
Tensor native::var_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return native::var(input, dim, Scalar(unbiased ? 1 : 0), keepdim);
}
Tensor native::std_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return native::std(input, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

Tensor native::variance_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, const Scalar& ddof,
                           bool keepdim, const Tensor& where, const Tensor& mean,
                           const std::optional<Scalar>& correction) {
  double less = one_of(ddof, correction);
  if (mean.defined()) return variance_about(mean, input, dim, dtype, less, keepdim, where);
  return tnp::variance(input, dim, keepdim, dtype, with_correction(less, where));
}
Tensor native::deviation_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, const Scalar& ddof,
                            bool keepdim, const Tensor& where, const Tensor& mean,
                            const std::optional<Scalar>& correction) {
  double less = one_of(ddof, correction);
  if (mean.defined()) return tnp::sqrt(variance_about(mean, input, dim, dtype, less, keepdim, where));
  return tnp::deviation(input, dim, keepdim, dtype, with_correction(less, where));
}

}  // namespace tnp
