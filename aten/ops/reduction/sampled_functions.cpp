// Differences and integrals of sampled functions, and covariances of observations.
#include <algorithm>

#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/joining.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/signal.h"
#include "aten/functions/sorting.h"
#include "aten/native_functions/signal.h"
#include "aten/ops/operators.h"

namespace tnp::native {

Tensor diff(const Tensor& input, int64_t n, int64_t dim, const Tensor& prepend, const Tensor& append) {
  TNP_CHECK(input.dim() > 0, ErrorKind::Shape, "diff expects {input} to be at least one-dimensional");
  TNP_CHECK(n >= 0, ErrorKind::Shape, "{n} must be at least 0, got ", n);
  dim = wrap_dim(dim, input.dim());
  Tensor x = input;
  if ((prepend.defined() || append.defined()) && n > 0) {
    std::vector<Tensor> parts;
    for (const Tensor& t : {prepend, input, append}) {
      if (!t.defined()) continue;
      TNP_CHECK(t.dim() == input.dim(), ErrorKind::Shape,
                "diff expects {prepend} or {append} to be the same dimension as {input}, got ", t.sizes(), " for ",
                input.sizes());
      for (int64_t d = 0; d < t.dim(); ++d)
        TNP_CHECK(d == dim || t.size(d) == input.size(d), ErrorKind::Shape,
                  "diff expects the shape of tensor to {prepend} or {append} to match that of {input} except along the "
                  "differencing dimension; got ",
                  t.sizes(), " for ", input.sizes());
      parts.push_back(t);
    }
    x = tnp::cat(parts, dim);
  }
  if (n == 0) return tnp::clone(x);
  n = std::min(n, x.size(dim));
  for (int64_t i = 0; i < n; ++i) {
    const int64_t length = std::max<int64_t>(x.size(dim) - 1, 0);
    const Tensor later = tnp::narrow(x, dim, std::min<int64_t>(1, x.size(dim)), length);
    const Tensor earlier = tnp::narrow(x, dim, 0, length);
    x = x.dtype() == ScalarType::Bool ? tnp::ne(later, earlier) : later - earlier;
  }
  return x;
}

namespace {

// For each pair of adjacent samples along `dim`, their sum times their distance. This is twice the
// area of the trapezoid.
Tensor areas(const Tensor& y, const Tensor& x, const std::optional<Scalar>& dx, int64_t dim) {
  TNP_CHECK(!x.defined() || !dx, ErrorKind::Type, "one of {x} and {dx} may be given, not both");
  TNP_CHECK(y.dtype() != ScalarType::Bool, ErrorKind::NotImplemented, "{y} must not be of bool");
  TNP_CHECK(!x.defined() || x.dtype() != ScalarType::Bool, ErrorKind::NotImplemented, "{x} must not be of bool");
  TNP_CHECK(y.dim() > 0, ErrorKind::Axis, "{dim} ", dim, " is out of range for a number");
  dim = wrap_dim(dim, y.dim());
  const int64_t n = y.size(dim);
  auto both = [&](const Tensor& t, int64_t axis) {
    const int64_t length = std::max<int64_t>(t.size(axis) - 1, 0);
    return std::pair(tnp::narrow(t, axis, std::min<int64_t>(1, t.size(axis)), length), tnp::narrow(t, axis, 0, length));
  };
  const auto [later, earlier] = both(y, dim);
  if (!x.defined()) return dx ? (later + earlier) * *dx : later + earlier;
  Tensor points = x;
  if (x.dim() == 1) {
    TNP_CHECK(x.size(0) == n, ErrorKind::Shape, "{x} of shape ", x.sizes(), " does not fit ", n, " samples of {y}");
    DimVector sizes(static_cast<size_t>(y.dim()), 1);
    sizes[static_cast<size_t>(dim)] = n;
    points = tnp::reshape(x, sizes);
  } else if (x.dim() < y.dim()) {
    DimVector sizes(static_cast<size_t>(y.dim() - x.dim()), 1);
    sizes.append(x.sizes());
    points = tnp::reshape(x, sizes);
  }
  const int64_t axis = points.dim() == y.dim() ? dim : dim + points.dim() - y.dim();
  const auto [after, before] = both(points, axis);
  return (later + earlier) * (after - before);
}

}  // namespace

Tensor trapezoid(const Tensor& y, const Tensor& x, const std::optional<Scalar>& dx, int64_t dim) {
  if (y.dim() > 0 && y.size(wrap_dim(dim, y.dim())) == 0) {
    DimVector sizes(y.sizes());
    const int64_t axis = wrap_dim(dim, y.dim());
    for (size_t d = static_cast<size_t>(axis); d + 1 < sizes.size(); ++d) sizes[d] = sizes[d + 1];
    sizes.resize(sizes.size() - 1);
    return tnp::zeros(sizes, y.dtype(), y.device());
  }
  return tnp::sum(areas(y, x, dx, dim), IntList{dim}, false, std::nullopt) / Scalar(2.0);
}

Tensor cumulative_trapezoid(const Tensor& y, const Tensor& x, const std::optional<Scalar>& dx, int64_t dim) {
  return tnp::cumsum(areas(y, x, dx, dim), dim) / Scalar(2.0);
}

namespace {

void check_weights(const Tensor& w, int64_t observations, const char* name) {
  TNP_CHECK(w.dim() <= 1, ErrorKind::Shape, "{", name, "} must have at most 1 dimension, got shape ", w.sizes());
  TNP_CHECK(w.numel() == observations, ErrorKind::Shape, "{", name, "} of shape ", w.sizes(), " does not fit ",
            observations, " observations");
  if (w.numel() == 0 || w.device().is_meta()) return;
  TNP_CHECK(tnp::min(w).item<double>() >= 0, ErrorKind::Domain, "{", name, "} must not be negative");
}

}  // namespace

Tensor cov(const Tensor& input, int64_t correction, const Tensor& fweights, const Tensor& aweights) {
  TNP_CHECK(input.dim() <= 2, ErrorKind::Shape, "{input} must have at most 2 dimensions, got shape ", input.sizes());
  TNP_CHECK(input.dtype() != ScalarType::Bool, ErrorKind::NotImplemented, "{input} must not be of bool");
  const Tensor x = input.dim() < 2 ? tnp::reshape(input, {1, -1}) : input;
  const int64_t observations = x.size(1);
  Tensor weights;
  if (fweights.defined()) {
    TNP_CHECK(is_integral(fweights.dtype()) && fweights.dtype() != ScalarType::Bool, ErrorKind::Dtype,
              "{fweights} must be of integers, got ", fweights.dtype());
    check_weights(fweights, observations, "fweights");
    weights = fweights;
  }
  if (aweights.defined()) {
    TNP_CHECK(is_floating(aweights.dtype()), ErrorKind::Dtype, "{aweights} must be of floats, got ", aweights.dtype());
    check_weights(aweights, observations, "aweights");
    weights = weights.defined() ? weights * aweights : aweights;
  }
  const Tensor count = tnp::ones({}, ScalarType::Int64, input.device()) * Scalar(observations);
  const Tensor total = weights.defined() ? tnp::sum(weights, std::nullopt, false, std::nullopt) : count;
  TNP_CHECK(!weights.defined() || observations == 0 || total.device().is_meta() || total.item<double>() != 0,
            ErrorKind::Domain, "the weights sum to zero");
  const Tensor sums = tnp::sum(weights.defined() ? x * weights : x, IntList{1}, true, std::nullopt);
  const Tensor mean = sums / total;
  Tensor factor;
  if (aweights.defined() && correction != 0) {
    const Tensor squares = fweights.defined() ? weights * aweights : aweights * aweights;
    factor = total - Scalar(correction) * tnp::sum(squares, std::nullopt, false, std::nullopt) / total;
  } else {
    factor = total - Scalar(correction);
  }
  if (!factor.device().is_meta()) factor = tnp::where(factor <= Scalar(0), tnp::zeros_like(factor), factor);
  const Tensor deviations = x - mean;
  const Tensor weighted = weights.defined() ? deviations * weights : deviations;
  const Tensor a = weighted.dtype() == deviations.dtype() ? deviations : tnp::cast(deviations, weighted.dtype());
  const Tensor result = tnp::matmul(a, conjugated(tnp::transpose(weighted, 0, 1))) / factor;
  return x.size(0) == 1 || input.dim() < 2 ? tnp::squeeze(result) : result;
}

Tensor corrcoef(const Tensor& input) {
  const Tensor c = native::cov(input, 1, Tensor(), Tensor());
  if (c.dim() == 0) return c / c;
  const Tensor deviation = tnp::sqrt(c.is_complex() ? tnp::real(tnp::diagonal(c)) : tnp::diagonal(c));
  const Tensor result = c / tnp::unsqueeze(deviation, 1) / tnp::unsqueeze(deviation, 0);
  // Rounding may have produced correlation coefficients slightly above 1 or below -1.
  auto within = [](const Tensor& t) {
    return tnp::clamp(t, std::optional<Scalar>(Scalar(-1.0)), std::optional<Scalar>(Scalar(1.0)));
  };
  if (!result.is_complex()) return within(result);
  const Tensor parts[] = {within(tnp::real(result)), within(tnp::imag(result))};
  return tnp::view_as_complex(tnp::stack(parts, -1));
}

}  // namespace tnp::native
