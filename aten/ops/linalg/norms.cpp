// PyTorch's norms, on vector_norm().
#include <cmath>

#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/linalg.h"
#include "aten/functions/norms.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/native_functions/norms.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

double order_of(const Scalar& value) {
  TNP_CHECK(!value.is_complex(), ErrorKind::Dtype, "the order of a norm must be real, got ", value);
  return value.to<double>();
}

Tensor norm_of_vectors(const Tensor& x, double ord, OptIntList dim, bool keepdim, std::optional<ScalarType> dtype) {
  TNP_CHECK(!is_integral(x.dtype()), ErrorKind::NotImplemented, "norms are of floats and complex numbers, got ",
            x.dtype());
  TNP_CHECK(!dtype || (!is_integral(*dtype) && is_complex(*dtype) == x.is_complex()), ErrorKind::Dtype,
            "{dtype} must be of the kind of ", x.dtype(), ", got ", dtype.value_or(x.dtype()));
  if (dim && dim->empty()) dim = std::nullopt;
  const Tensor given = dtype && *dtype != x.dtype() ? tnp::cast(x, *dtype) : x;
  if (!is_reduced_float(given.dtype())) return tnp::vector_norm(given, ord, dim, keepdim);
  return tnp::cast(tnp::vector_norm(tnp::cast(given, ScalarType::Float32), ord, dim, keepdim), given.dtype());
}

Tensor norm_of_singular_values(const Tensor& input, IntList dim, bool keepdim) {
  TNP_CHECK(dim.size() == 2, ErrorKind::Shape, "{dim} must be two axes, got ", dim);
  const DimVector axes = wrap_dims(dim, input.dim());
  TNP_CHECK(axes[0] != axes[1], ErrorKind::RepeatedAxis, "{dim} has an axis twice: ", dim);
  const Tensor s = tnp::svdvals(tnp::movedim(input, axes, {-2, -1}), std::nullopt);
  Tensor result = tnp::sum(s, IntList{-1}, false, std::nullopt);
  if (!keepdim) return result;
  DimVector sizes(input.sizes());
  for (int64_t d : axes) sizes[static_cast<size_t>(d)] = 1;
  return tnp::reshape(result, sizes);
}

}  // namespace

Tensor linalg_vector_norm(const Tensor& x, const Scalar& ord, OptIntList dim, bool keepdim,
                          std::optional<ScalarType> dtype) {
  const double order = order_of(ord);
  TNP_CHECK(x.numel() > 0 || dim || (order >= 0 && !std::isinf(order)), ErrorKind::Runtime, "the norm of order ", order,
            " of an empty tensor is not defined");
  return norm_of_vectors(x, order, dim, keepdim, dtype);
}

Tensor norm(const Tensor& input, std::optional<std::string_view> p, OptIntList dim, bool keepdim,
            std::optional<ScalarType> dtype) {
  if (!p || *p == "fro") return norm_of_vectors(input, 2, dim, keepdim, dtype);
  TNP_CHECK(*p == "nuc", ErrorKind::Runtime, "{p} must be 'fro', 'nuc' or a number, got '", *p, "'");
  const Tensor given = dtype && *dtype != input.dtype() ? tnp::cast(input, *dtype) : input;
  if (dim) return norm_of_singular_values(given, *dim, keepdim);
  return native::nuclear_norm(given, keepdim);
}

Tensor norm_Scalar(const Tensor& input, const Scalar& p, OptIntList dim, bool keepdim,
                   std::optional<ScalarType> dtype) {
  return norm_of_vectors(input, order_of(p), dim, keepdim, dtype);
}

Tensor frobenius_norm(const Tensor& input, IntList dim, bool keepdim) {
  TNP_CHECK(dim.size() <= 2, ErrorKind::Shape, "{dim} must be at most two axes, got ", dim);
  return norm_of_vectors(input, 2, OptIntList(dim), keepdim, std::nullopt);
}

Tensor nuclear_norm(const Tensor& input, bool keepdim) {
  TNP_CHECK(input.dim() == 2, ErrorKind::Shape, "{input} must have 2 dimensions, got shape ", input.sizes());
  return norm_of_singular_values(input, {0, 1}, keepdim);
}

Tensor nuclear_norm_dim(const Tensor& input, IntList dim, bool keepdim) {
  return norm_of_singular_values(input, dim, keepdim);
}

Tensor norm_except_dim(const Tensor& v, int64_t pow, int64_t dim) {
  const auto order = static_cast<double>(pow);
  if (dim == -1) return norm_of_vectors(v, order, std::nullopt, false, std::nullopt);
  const int64_t kept = wrap_dim(dim, v.dim());
  DimVector others;
  for (int64_t d = 0; d < v.dim(); ++d)
    if (d != kept) others.push_back(d);
  if (others.empty()) return tnp::abs(v);
  return norm_of_vectors(v, order, OptIntList(IntList(others)), true, std::nullopt);
}

Tensor dist(const Tensor& input, const Tensor& other, const Scalar& p) {
  return norm_of_vectors(input - other, order_of(p), std::nullopt, false, std::nullopt);
}

Tensor renorm(const Tensor& input, const Scalar& p, int64_t dim, const Scalar& maxnorm) {
  TNP_CHECK(!p.is_complex() && !maxnorm.is_complex(), ErrorKind::Dtype, "{p} and {maxnorm} must be real");
  TNP_CHECK(p.to<double>() > 0, ErrorKind::Domain, "{p} must be positive, got ", p);
  const double most = maxnorm.to<double>();
  TNP_CHECK(most >= 0, ErrorKind::Domain, "{maxnorm} must not be negative, got ", maxnorm);
  TNP_CHECK(input.dim() > 1, ErrorKind::Shape, "{input} must have at least 2 dimensions, got shape ", input.sizes());
  const int64_t kept = wrap_dim(dim, input.dim());
  DimVector others;
  for (int64_t d = 0; d < input.dim(); ++d)
    if (d != kept) others.push_back(d);
  const bool reduced = is_reduced_float(input.dtype());
  const Tensor wide = reduced ? tnp::cast(input, ScalarType::Float32) : input;
  const Tensor norms = norm_of_vectors(wide, p.to<double>(), OptIntList(IntList(others)), true, std::nullopt);
  // As in PyTorch: the small addend keeps the rounded result below the bound.
  const Tensor factor = tnp::where(tnp::gt(norms, wrapped_number(Scalar(most))), Scalar(most) / (norms + Scalar(1e-7)),
                                   tnp::ones_like(norms));
  const Tensor result = wide * factor;
  return reduced ? tnp::cast(result, input.dtype()) : result;
}

}  // namespace tnp::native
