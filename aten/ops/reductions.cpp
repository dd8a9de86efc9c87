// Operators made of reductions: extrema with their places, var and std in both faces' terms.
#include <cstring>

#include "aten/functions.h"
#include "aten/autograd/variable.h"
#include "aten/native_functions.h"
#include "aten/ops/operators.h"

namespace tnp {

namespace {

OptIntList as_list(const std::optional<int64_t>& dim) {
  return dim ? OptIntList(IntList(&*dim, 1)) : OptIntList();
}

// The elements of `input` at `indices` along `dim`; both have the same shape but for `dim`, where indices has 1.
Tensor pick(const Tensor& input, const Tensor& indices, int64_t dim) {
  Tensor out = empty_tensor(indices.sizes(), input.dtype());
  if (out.numel() == 0) return out;
  int64_t step = input.dim() ? input.stride(dim) * input.itemsize() : 0, itemsize = input.itemsize();
  DimVector one = input.sizes();
  if (input.dim()) one[static_cast<size_t>(dim)] = 1;
  Tensor starts = view_of(input, one, input.strides(), input.data());
  // Walks the first elements of all lines; their bytes are read at the place that `indices` says.
  Tensor result = view_of(out, one, contiguous_strides(one), out.data());
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
  auto drop = [&](const Tensor& t) { return view_of(t, sizes, contiguous_strides(sizes), t.data()); };
  return {drop(values), drop(indices)};
}

int64_t count_reduced(const Tensor& input, const OptIntList& dim) {
  if (!dim) return input.numel();
  int64_t n = 1;
  for (int64_t d : wrap_dims(*dim, input.dim())) n *= input.size(d);
  return n;
}

}  // namespace

Tensor native::argmax(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  return tnp::argmax_over(input, as_list(dim), keepdim, std::nullopt);
}
Tensor native::argmin(const Tensor& input, std::optional<int64_t> dim, bool keepdim) {
  return tnp::argmin_over(input, as_list(dim), keepdim, std::nullopt);
}

Tensor native::max(const Tensor& input) { return tnp::amax(input, std::nullopt, false); }
Tensor native::min(const Tensor& input) { return tnp::amin(input, std::nullopt, false); }
Tensor native::max_other(const Tensor& input, const Tensor& other) { return tnp::maximum(input, other); }
Tensor native::min_other(const Tensor& input, const Tensor& other) { return tnp::minimum(input, other); }
std::tuple<Tensor, Tensor> native::max_dim_cpu(const Tensor& input, int64_t dim, bool keepdim) {
  return with_indices(input, tnp::argmax_over(input, IntList(&dim, 1), true, std::nullopt), dim, keepdim);
}
std::tuple<Tensor, Tensor> native::min_dim_cpu(const Tensor& input, int64_t dim, bool keepdim) {
  return with_indices(input, tnp::argmin_over(input, IntList(&dim, 1), true, std::nullopt), dim, keepdim);
}
Tensor native::ptp(const Tensor& input, OptIntList dim, bool keepdim) {
  return tnp::amax(input, dim, keepdim) - tnp::amin(input, dim, keepdim);
}

Tensor native::var(const Tensor& input, OptIntList dim, const Scalar& correction, bool keepdim) {
  ReduceOptions options;
  options.parameter = correction.to<double>();
  return tnp::variance(input, dim, keepdim, std::nullopt, options);
}
Tensor native::std(const Tensor& input, OptIntList dim, const Scalar& correction, bool keepdim) {
  return tnp::sqrt(native::var(input, dim, correction, keepdim));
}
Tensor native::var_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return tnp::var(input, dim, Scalar(unbiased ? 1 : 0), keepdim);
}
Tensor native::std_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return tnp::std(input, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

Tensor native::variance_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, const Scalar& ddof, bool keepdim,
                           const Tensor& where, const Tensor& mean, const std::optional<Scalar>& correction) {
  double divisor_less = ddof.to<double>();
  if (correction) {
    TNP_CHECK(divisor_less == 0, ErrorKind::Value, "ddof and correction can't be provided simultaneously.");
    divisor_less = correction->to<double>();
  }
  if (!mean.defined() && !needs_recording(input)) {
    ReduceOptions options;
    options.parameter = divisor_less;
    options.where = where;
    return tnp::variance(input, dim, keepdim, dtype, options);
  }
  Tensor x = dtype ? tnp::cast(input, *dtype) : is_integral(input.dtype()) ? tnp::cast(input, default_dtype()) : input;
  if (!mean.defined() && !where.defined()) return tnp::var(x, dim, Scalar(divisor_less), keepdim);
  // In terms of operators that are differentiable themselves.
  auto total = [&](const Tensor& t) { return tnp::sum(t, dim, keepdim, std::nullopt); };
  auto total_kept = [&](const Tensor& t) { return tnp::sum(t, dim, true, std::nullopt); };
  Tensor weight = where.defined() ? tnp::cast(tnp::expand(where, x.sizes()), to_real(x.dtype())) : Tensor();
  Tensor count = where.defined() ? total(weight) : wrapped_number(Scalar(count_reduced(x, dim)));
  Tensor middle = mean.defined() ? mean
                  : total_kept(x * weight) / total_kept(weight);
  Tensor deviation = x - middle;
  Tensor squares = tnp::is_complex(x.dtype()) ? tnp::square(tnp::real(deviation)) + tnp::square(tnp::imag(deviation)) : tnp::square(deviation);
  if (where.defined()) squares = squares * weight;
  return total(squares) / tnp::maximum(count - Scalar(divisor_less), wrapped_number(Scalar(0.0)));
}
Tensor native::deviation_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, const Scalar& ddof, bool keepdim,
                            const Tensor& where, const Tensor& mean, const std::optional<Scalar>& correction) {
  if (needs_recording(input) && !dtype && !where.defined() && !mean.defined() && !is_integral(input.dtype())) {
    TNP_CHECK(!correction || ddof.to<double>() == 0, ErrorKind::Value, "ddof and correction can't be provided simultaneously.");
    return tnp::std(input, dim, correction.value_or(ddof), keepdim);
  }
  return tnp::sqrt(native::variance_np(input, dim, dtype, ddof, keepdim, where, mean, correction));
}

}  // namespace tnp
