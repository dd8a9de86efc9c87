// Distances between vectors.
#include <algorithm>
#include <cmath>

#include "aten/core/numbers/promotion.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/distances.h"
#include "aten/functions/indexing.h"
#include "aten/functions/norms.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/meta/linalg_checks.h"
#include "aten/native_functions/distances.h"
#include "aten/ops/copying/beside.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

void check_floats(const Tensor& t, const char* name) {
  TNP_CHECK(t.dtype() == ScalarType::Float32 || t.dtype() == ScalarType::Float64, ErrorKind::Dtype, "{", name,
            "} must be of float32 or float64, got ", t.dtype());
}

}  // namespace

Tensor cdist_by_product(const Tensor& x1, const Tensor& x2) {
  auto squares = [](const Tensor& x) { return tnp::sum(x * x, IntList{-1}, true, std::nullopt); };
  const Tensor product = tnp::matmul(x1 * Scalar(-2.0), tnp::transpose(x2, -2, -1));
  tnp::add_(product, squares(x1));
  tnp::add_(product, tnp::transpose(squares(x2), -2, -1));
  return tnp::sqrt(tnp::clamp_min(product, Scalar(0.0)));
}

Tensor cdist(const Tensor& x1, const Tensor& x2, double p, std::string_view compute_mode) {
  const bool always = compute_mode == "use_mm_for_euclid_dist";
  const bool never = compute_mode == "donot_use_mm_for_euclid_dist";
  TNP_CHECK(always || never || compute_mode == "use_mm_for_euclid_dist_if_necessary", ErrorKind::Value, "'",
            compute_mode, "' is not a valid {compute_mode}");
  TNP_CHECK(x1.dim() >= 2 && x2.dim() >= 2, ErrorKind::Shape,
            "{x1} and {x2} must have at least 2 dimensions, got shapes ", x1.sizes(), " and ", x2.sizes());
  TNP_CHECK(x1.size(-1) == x2.size(-1), ErrorKind::Shape, "{x1} of shape ", x1.sizes(), " and {x2} of shape ",
            x2.sizes(), " must have equally long rows");
  check_floats(x1, "x1"), check_floats(x2, "x2");
  TNP_CHECK(p >= 0, ErrorKind::Domain, "{p} must not be negative, got ", p);
  const ScalarType dtype = promote_types(x1.dtype(), x2.dtype());
  const DimVector stack = broadcast_shapes(meta::stack_of(x1), meta::stack_of(x2));
  const int64_t count = numel_of(stack), n = x1.size(-2), k = x2.size(-2), m = x1.size(-1);
  auto rows = [&](const Tensor& x, int64_t length) {
    const Tensor same = x.dtype() == dtype ? x : tnp::cast(x, dtype);
    return tnp::reshape(tnp::expand(same, meta::stacked(stack, {length, m})), {count, length, m});
  };
  constexpr int64_t kFew = 25;
  const bool by_product = p == 2 && !never && (always || n > kFew || k > kFew) && count * n * k * m > 0;
  const Tensor a = rows(x1, n), b = rows(x2, k);
  return tnp::reshape(by_product ? tnp::cdist_by_product(a, b) : tnp::cdist_stack(a, b, p),
                      meta::stacked(stack, {n, k}));
}

// Computes the distances of all pairs and selects those above the diagonal.
Tensor pdist(const Tensor& input, double p) {
  TNP_CHECK(input.dim() == 2, ErrorKind::Shape, "{input} must have 2 dimensions, got shape ", input.sizes());
  check_floats(input, "input");
  TNP_CHECK(p >= 0, ErrorKind::Domain, "{p} must not be negative, got ", p);
  const int64_t n = input.size(0), count = n * (n - 1) / 2;
  Tensor places = empty_tensor({count}, ScalarType::Int64);
  int64_t* place = places.data_ptr<int64_t>();
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) *place++ = i * n + j;
  }
  places = beside(input.device(), places);
  const Tensor rows = tnp::unsqueeze(input, 0);
  return tnp::index_select(tnp::reshape(tnp::cdist_stack(rows, rows, p), {n * n}), 0, places);
}

Tensor pairwise_distance(const Tensor& x1, const Tensor& x2, double p, double eps, bool keepdim) {
  const Tensor difference = x1 - x2 + Scalar(eps);
  return tnp::linalg_vector_norm(difference, Scalar(p), IntList{-1}, keepdim, std::nullopt);
}

Tensor cosine_similarity(const Tensor& x1, const Tensor& x2, int64_t dim, double eps) {
  const ScalarType dtype = result_type(x1, x2);
  TNP_CHECK(is_floating(dtype), ErrorKind::Dtype, "expected {x1} and {x2} of floats, got ", x1.dtype(), " and ",
            x2.dtype());
  auto given = [&](const Tensor& x) { return x.dtype() == dtype ? x : tnp::cast(x, dtype); };
  const Tensor operands[] = {given(x1), given(x2)};
  const std::vector<Tensor> same = tnp::broadcast_tensors(operands);
  auto length = [&](const Tensor& x) {
    return tnp::clamp_min(tnp::linalg_vector_norm(x, Scalar(2), IntList{dim}, true, std::nullopt), Scalar(eps));
  };
  const Tensor na = length(same[0]), nb = length(same[1]);
  const bool vectors = same[0].dim() > 0;
  if (is_reduced_float(dtype) || !vectors) {  // products of 16-bit floats would overflow
    const Tensor a = same[0] / na, b = same[1] / nb;
    return vectors ? tnp::vecdot(a, b, dim) : a * b;
  }
  auto as_result = [&](const Tensor& norm) { return tnp::squeeze(norm, IntList{dim}); };
  return tnp::vecdot(same[0], same[1], dim) / as_result(na) / as_result(nb);
}

}  // namespace tnp::native
