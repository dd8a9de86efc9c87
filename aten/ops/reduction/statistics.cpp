// Means, variances and standard deviations for both faces.
#include <algorithm>

#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/statistics.h"
#include "aten/fusion/last_use.h"
#include "aten/iterator/watched.h"
#include "aten/native_functions/statistics.h"
#include "aten/ops/operators.h"
#include "aten/ops/out.h"

namespace tnp {

namespace {

int64_t count_reduced(const Tensor& input, const OptIntList& dim) {
  if (!dim) return input.numel();
  int64_t n = 1;
  for (int64_t d : wrap_dims(*dim, input.dim())) n *= input.size(d);
  return n;
}

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

// Raises Axis if `input` is 0-d and `dim` is given, as NumPy's mean and var do. (NumPy's sum
// accepts axis 0 of a scalar.)
void check_axes_of_scalar(const Tensor& input, const OptIntList& dim) {
  if (input.dim() == 0 && dim) wrap_dims(*dim, 0);
}

// `total` / `count`, in `dtype`.
Tensor share(const Tensor& total, const Tensor& count, ScalarType dtype) {
  const Tensor quotient = total / count;
  return quotient.dtype() == dtype ? quotient : tnp::cast(quotient, dtype);
}

// The number of elements that are reduced to each result.
Tensor count_of(const Tensor& input, const OptIntList& dim, bool keepdim, const Tensor& where) {
  if (!where.defined()) return wrapped_number(Scalar(static_cast<double>(count_reduced(input, dim))));
  return tnp::sum(tnp::cast(tnp::expand(where, input.sizes()), ScalarType::Float64), dim, keepdim, std::nullopt);
}

// Note [Means in other dtypes]: mean() and var() with dtype= of an integer or bool, or of a real
// dtype for complex input. The result is the same as that of NumPy's steps in that dtype: the sum,
// the mean and the sum of squares are each rounded or wrapped to that dtype. Only the final
// quotient is cast directly to the dtype of `out`.
Tensor mean_in(const Tensor& input, OptIntList dim, ScalarType dtype, bool keepdim, const Tensor& where,
               const Tensor& out = {}) {
  ReduceOptions options;
  options.where = where;
  return share(tnp::sum(input, dim, keepdim, dtype, options), count_of(input, dim, keepdim, where),
               out.defined() ? out.dtype() : dtype);
}

Tensor variance_in(const Tensor& input, OptIntList dim, ScalarType dtype, double correction, bool keepdim,
                   const Tensor& where, const Tensor& mean, const Tensor& out) {
  const fusion::UsedAgain again(input);
  const Tensor deviation = input - (mean.defined() ? mean : mean_in(input, dim, dtype, true, where));
  const Tensor squares = input.is_complex() ? tnp::square(tnp::real(deviation)) + tnp::square(tnp::imag(deviation))
                                            : tnp::mul(deviation, deviation);
  ReduceOptions options;
  options.where = where;
  const Tensor freedom =
      tnp::maximum(count_of(input, dim, keepdim, where) - Scalar(correction), wrapped_number(Scalar(0.0)));
  return share(tnp::sum(squares, dim, keepdim, dtype, options), freedom, out.defined() ? out.dtype() : dtype);
}

bool takes_steps_in(const Tensor& input, std::optional<ScalarType> dtype) {
  return dtype && dialect().variance_takes_its_steps_in_dtype() &&
         (is_integral(*dtype) || is_complex(*dtype) || input.is_complex());
}

// The variance about `mean`, computed by operators that are also differentiable with respect to
// `mean`.
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

// Issues NumPy's warning if a mean has no elements, or if a variance has at most `correction`
// elements. With a mask, checks first whether all results are finite. If they are, no divisor was
// 0, and the elements need not be counted.
void warn_of_nothing(const char* message, const Tensor& result, const Tensor& input, OptIntList dim,
                     const Tensor& where, double correction = 0) {
  if (!wants_floating_point_errors(input.device())) return;
  if (TNP_LIKELY(!where.defined())) {
    if (TNP_UNLIKELY(static_cast<double>(count_reduced(input, dim)) <= correction)) report_runtime_warning(message);
    return;
  }
  const NoGradGuard no_grad;
  auto all = [](const Tensor& t) { return tnp::all(t, std::nullopt, false).item<bool>(); };
  if (is_integral(result.dtype()) || all(tnp::isfinite(result))) return;
  const Tensor count = count_of(input, dim, false, where);
  if (!all(tnp::gt(count, wrapped_number(Scalar(correction))))) report_runtime_warning(message);
}
constexpr const char* kEmptySlice = "Mean of empty slice";
constexpr const char* kNoFreedom = "Degrees of freedom <= 0 for slice";

}  // namespace

Tensor native::var(const Tensor& input, OptIntList dim, const std::optional<Scalar>& correction, bool keepdim) {
  return tnp::variance(input, dim, keepdim, std::nullopt, with_correction(correction.value_or(Scalar(1)).to<double>()));
}
Tensor native::std(const Tensor& input, OptIntList dim, const std::optional<Scalar>& correction, bool keepdim) {
  return tnp::deviation(input, dim, keepdim, std::nullopt,
                        with_correction(correction.value_or(Scalar(1)).to<double>()));
}
Tensor native::var_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return native::var(input, dim, Scalar(unbiased ? 1 : 0), keepdim);
}
Tensor native::std_unbiased(const Tensor& input, OptIntList dim, bool unbiased, bool keepdim) {
  return native::std(input, dim, Scalar(unbiased ? 1 : 0), keepdim);
}

Tensor native::var_unbiased_all(const Tensor& input, bool unbiased) {
  return native::var(input, std::nullopt, Scalar(unbiased ? 1 : 0), false);
}
Tensor native::std_unbiased_all(const Tensor& input, bool unbiased) {
  return native::std(input, std::nullopt, Scalar(unbiased ? 1 : 0), false);
}

Tensor native::mean_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, bool keepdim,
                       const Tensor& out, const Tensor& where) {
  check_axes_of_scalar(input, dim);
  Tensor result;
  if (dtype && is_integral(*dtype)) {
    result = into_out(out, mean_in(input, dim, *dtype, keepdim, where, out));
  } else {
    ReduceOptions options;
    options.out = out;
    options.where = where;
    result = tnp::mean(input, dim, keepdim, dtype, options);
  }
  warn_of_nothing(kEmptySlice, result, input, dim, where);
  return result;
}

Tensor native::variance_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, const Scalar& ddof,
                           bool keepdim, const Tensor& out, const Tensor& where, const Tensor& mean,
                           const std::optional<Scalar>& correction) {
  check_axes_of_scalar(input, dim);
  const double less = one_of(ddof, correction);
  Tensor result;
  if (dtype && takes_steps_in(input, dtype)) {
    result = into_out(out, variance_in(input, dim, *dtype, less, keepdim, where, mean, out));
  } else if (mean.defined()) {
    result = into_out(out, variance_about(mean, input, dim, dtype, less, keepdim, where));
  } else {
    ReduceOptions options = with_correction(less, where);
    options.out = out;
    result = tnp::variance(input, dim, keepdim, dtype, options);
  }
  warn_of_nothing(kNoFreedom, result, input, dim, where, less);
  return result;
}
Tensor native::deviation_np(const Tensor& input, OptIntList dim, std::optional<ScalarType> dtype, const Scalar& ddof,
                            bool keepdim, const Tensor& out, const Tensor& where, const Tensor& mean,
                            const std::optional<Scalar>& correction) {
  check_axes_of_scalar(input, dim);
  const double less = one_of(ddof, correction);
  auto checked = [&](const Tensor& result) {
    warn_of_nothing(kNoFreedom, result, input, dim, where, less);
    return result;
  };
  auto check_root = [](ScalarType root, ScalarType to) {
    TNP_CHECK(can_cast(root, to, Casting::SameKind), ErrorKind::Casting, "Cannot cast ufunc 'sqrt' output from dtype('",
              root, "') to dtype('", to, "') with casting rule 'same_kind'");
  };
  if (out.defined()) check_root(is_floating(out.dtype()) ? out.dtype() : ScalarType::Float64, out.dtype());
  if (dtype && takes_steps_in(input, dtype)) {
    Tensor root = tnp::sqrt(variance_in(input, dim, *dtype, less, keepdim, where, mean, out));
    if (out.defined() || root.dtype() == *dtype) return checked(into_out(out, root));
    // NumPy computes the roots of arrays in place, and therefore checks the cast for arrays only
    if (root.dim() > 0) check_root(root.dtype(), *dtype);
    return checked(tnp::cast(root, *dtype));
  }
  if (mean.defined())
    return checked(into_out(out, tnp::sqrt(variance_about(mean, input, dim, dtype, less, keepdim, where))));
  ReduceOptions options = with_correction(less, where);
  options.out = out;
  return checked(tnp::deviation(input, dim, keepdim, dtype, options));
}

}  // namespace tnp
