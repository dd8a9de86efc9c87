// Matrix products with an addend (addmm, baddbmm, addmv, ...), and products of several tensors
// (multi_dot, kron, ...).
#include <algorithm>
#include <limits>

#include "aten/core/errors/shape_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/core/numbers/range.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/matrix_products.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/native_functions/matrix_products.h"
#include "aten/ops/copying/beside.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

bool is(const Scalar& value, double number) { return !value.is_complex() && value.to<double>() == number; }

void check_dims(const Tensor& t, int64_t dims, const char* name) {
  TNP_CHECK(t.dim() == dims, ErrorKind::Shape, "{", name, "} must have ", dims, " dimensions, got shape ", t.sizes());
}

void check_same_dtype(const Tensor& a, const Tensor& b, const char* first, const char* second) {
  TNP_CHECK(a.dtype() == b.dtype(), ErrorKind::Dtype, "{", first, "} and {", second, "} must have the same dtype, got ",
            a.dtype(), " and ", b.dtype());
}

// Raises unless `value` is a valid factor for sums of this dtype.
void check_factor(const Scalar& value, ScalarType dtype, const char* name) {
  TNP_CHECK(!is_integral(dtype) || value.is_integral(), ErrorKind::Dtype, "{", name,
            "} must be an integer for tensors of dtype ", dtype);
  TNP_CHECK(is_complex(dtype) || !value.is_complex(), ErrorKind::Dtype, "{", name,
            "} must be real for tensors of dtype ", dtype);
}

// Returns the factor `value` for a sum in `dtype`. For integer dtypes the factor is truncated, as
// in PyTorch.
Scalar factor_of(const Scalar& value, ScalarType dtype, const char* name) {
  check_fits(value, compute_type(dtype));
  if (!is_integral(dtype) || value.is_integral()) return check_factor(value, dtype, name), value;
  TNP_CHECK(!value.is_complex(), ErrorKind::Dtype, "{", name, "} must be real for tensors of dtype ", dtype);
  return Scalar(static_cast<int64_t>(value.to<double>()));
}

// beta * input + alpha * product, computed in place in `product`, which must not be shared.
Tensor added(const Tensor& input, const Tensor& product, const Scalar& given_beta, const Scalar& given_alpha) {
  const Scalar beta = factor_of(given_beta, product.dtype(), "beta"),
               alpha = factor_of(given_alpha, product.dtype(), "alpha");
  const DimVector sizes(product.sizes());
  TNP_CHECK(IntList(broadcast_shapes(input.sizes(), sizes)) == IntList(sizes), ErrorKind::Shape, "{input} of shape ",
            input.sizes(), " does not broadcast to ", IntList(sizes));
  if (!is(alpha, 1)) tnp::mul_(product, wrapped_number(alpha));
  if (is(beta, 0)) return product;
  tnp::add_(product, is(beta, 1) ? input : tnp::mul(input, wrapped_number(beta)));
  return product;
}

void check_depth(int64_t a, int64_t b, const Tensor& left, const Tensor& right) {
  if (TNP_UNLIKELY(a != b)) raise_not_multipliable(left.sizes(), right.sizes());
}

void check_stacks(const Tensor& input, const Tensor& batch1, const Tensor& batch2) {
  check_dims(batch1, 3, "batch1"), check_dims(batch2, 3, "batch2");
  check_same_dtype(batch1, batch2, "batch1", "batch2"), check_same_dtype(input, batch1, "input", "batch1");
  TNP_CHECK(batch1.size(0) == batch2.size(0), ErrorKind::Shape, "{batch1} has ", batch1.size(0),
            " matrices and {batch2} ", batch2.size(0));
  check_depth(batch1.size(2), batch2.size(1), batch1, batch2);
}

}  // namespace

Tensor addmm(const Tensor& input, const Tensor& mat1, const Tensor& mat2, const Scalar& beta, const Scalar& alpha) {
  check_dims(mat1, 2, "mat1"), check_dims(mat2, 2, "mat2");
  check_same_dtype(mat1, mat2, "mat1", "mat2"), check_same_dtype(input, mat1, "input", "mat1");
  check_depth(mat1.size(1), mat2.size(0), mat1, mat2);
  return added(input, tnp::matmul(mat1, mat2), beta, alpha);
}

Tensor addmv(const Tensor& input, const Tensor& mat, const Tensor& vec, const Scalar& beta, const Scalar& alpha) {
  check_dims(mat, 2, "mat"), check_dims(vec, 1, "vec");
  check_same_dtype(mat, vec, "mat", "vec"), check_same_dtype(input, mat, "input", "mat");
  check_depth(mat.size(1), vec.size(0), mat, vec);
  return added(input, tnp::matmul(mat, vec), beta, alpha);
}

Tensor baddbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
               const Scalar& alpha) {
  check_stacks(input, batch1, batch2);
  return added(input, tnp::matmul(batch1, batch2), beta, alpha);
}

Tensor addbmm(const Tensor& input, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
              const Scalar& alpha) {
  check_stacks(input, batch1, batch2);
  const int64_t b = batch1.size(0), n = batch1.size(1), k = batch1.size(2), m = batch2.size(2);
  return tnp::addmm(input, tnp::reshape(tnp::transpose(batch1, 0, 1), {n, b * k}), tnp::reshape(batch2, {b * k, m}),
                    beta, alpha);
}

Tensor addr(const Tensor& input, const Tensor& vec1, const Tensor& vec2, const Scalar& beta, const Scalar& alpha) {
  check_dims(vec1, 1, "vec1"), check_dims(vec2, 1, "vec2");
  const Tensor product = tnp::outer(vec1, vec2);
  const ScalarType dtype = result_type(input, product);
  check_factor(beta, dtype, "beta"), check_factor(alpha, dtype, "alpha");
  check_fits(beta, dtype), check_fits(alpha, dtype);
  TNP_CHECK(IntList(broadcast_shapes(input.sizes(), product.sizes())) == IntList(product.sizes()), ErrorKind::Shape,
            "{input} of shape ", input.sizes(), " does not broadcast to ", product.sizes());
  auto times = [&](const Tensor& x, const Scalar& factor) {  // a factor does not change the dtype, even of bool
    if (is(factor, 1)) return x;
    return tnp::cast(x, dtype) * (dtype == ScalarType::Bool ? Scalar(!is(factor, 0)) : factor);
  };
  const Tensor scaled = times(product, alpha);
  if (is(beta, 0)) return scaled.dtype() == dtype ? scaled : tnp::cast(scaled, dtype);
  return times(input, beta) + scaled;
}

Tensor ger(const Tensor& input, const Tensor& vec2) {
  check_dims(input, 1, "input"), check_dims(vec2, 1, "vec2");
  return tnp::outer(input, vec2);
}

// Reshapes both operands so that each axis of the result is a pair of adjacent axes, one of each
// operand, and merges these pairs.
Tensor kron(const Tensor& input, const Tensor& other) {
  const int64_t dims = std::max(input.dim(), other.dim());
  DimVector left, right, sizes;
  for (int64_t d = 0; d < dims; ++d) {
    const int64_t a = d - (dims - input.dim()), b = d - (dims - other.dim());
    const int64_t n = a < 0 ? 1 : input.size(a), m = b < 0 ? 1 : other.size(b);
    left.append({n, 1}), right.append({1, m}), sizes.push_back(n * m);
  }
  return tnp::reshape(tnp::reshape(input, left) * tnp::reshape(other, right), sizes);
}

Tensor cross_along(const Tensor& input, const Tensor& other, int64_t dim) {
  Tensor a = input, b = other;
  if (a.dim() != b.dim() || a.size(dim) != b.size(dim)) {
    const Tensor operands[] = {input, other};
    const std::vector<Tensor> same = tnp::broadcast_tensors(operands);
    a = same[0], b = same[1];
  }
  dim = wrap_dim(dim, a.dim());
  // The components 2, 0, 1 of the product are those of a b' - a' b, where ' moves the components 1, 2, 0 to 0, 1, 2.
  auto moved = [&](const Tensor& x) { return tnp::roll(x, IntList{-1}, IntList{dim}); };
  return moved(a * moved(b) - moved(a) * b);
}

Tensor linalg_cross(const Tensor& input, const Tensor& other, int64_t dim) {
  TNP_CHECK(input.dim() == other.dim(), ErrorKind::Shape, "{input} of shape ", input.sizes(), " and {other} of shape ",
            other.sizes(), " must have the same number of dimensions");
  dim = wrap_dim(dim, input.dim());
  TNP_CHECK(input.dim() > 0 && input.size(dim) == 3 && other.size(dim) == 3, ErrorKind::Shape,
            "{input} and {other} must have 3 elements along axis ", dim, ", got shapes ", input.sizes(), " and ",
            other.sizes());
  return tnp::cross_along(input, other, dim);
}

Tensor cross(const Tensor& input, const Tensor& other, std::optional<int64_t> dim) {
  if (dim) return native::linalg_cross(input, other, *dim);
  const DimVector sizes = broadcast_shapes(input.sizes(), other.sizes());
  const auto* first = std::find(sizes.begin(), sizes.end(), 3);
  TNP_CHECK(first != sizes.end(), ErrorKind::Shape, "no axis of {input} ", input.sizes(), " and {other} ",
            other.sizes(), " has 3 elements");
  return native::linalg_cross(input, other, static_cast<int64_t>(first - sizes.begin()));
}

namespace {

// Multiplies the factors first ... last in the order given by `split`.
Tensor multiply_in_order(const std::vector<Tensor>& factors, const std::vector<std::vector<size_t>>& split,
                         size_t first, size_t last) {
  if (first == last) return factors[first];
  const size_t middle = split[first][last];
  return tnp::matmul(multiply_in_order(factors, split, first, middle),
                     multiply_in_order(factors, split, middle + 1, last));
}

}  // namespace

Tensor linalg_multi_dot(TensorList tensors) {
  const size_t count = tensors.size();
  TNP_CHECK(count >= 2, ErrorKind::Shape, "{tensors} must be at least 2 tensors, got ", static_cast<int64_t>(count));
  std::vector<Tensor> factors(tensors.begin(), tensors.end());
  const bool row = factors.front().dim() == 1, column = factors.back().dim() == 1;
  if (row) factors.front() = tnp::unsqueeze(factors.front(), 0);
  if (column) factors.back() = tnp::unsqueeze(factors.back(), 1);
  for (size_t i = 0; i < count; ++i) {
    check_dims(factors[i], 2, "tensors");
    check_same_dtype(factors[0], factors[i], "tensors", "tensors");
    if (i > 0) check_depth(factors[i - 1].size(1), factors[i].size(0), factors[i - 1], factors[i]);
  }
  // cost[i][j]: the number of multiplications of the best order for the factors i ... j.
  std::vector<std::vector<double>> cost(count, std::vector<double>(count, 0));
  std::vector<std::vector<size_t>> split(count, std::vector<size_t>(count, 0));
  for (size_t length = 1; length < count; ++length) {
    for (size_t i = 0; i + length < count; ++i) {
      const size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (size_t k = i; k < j; ++k) {
        const double work = cost[i][k] + cost[k + 1][j] +
                            static_cast<double>(factors[i].size(0)) * static_cast<double>(factors[k].size(1)) *
                                static_cast<double>(factors[j].size(1));
        if (work < cost[i][j]) cost[i][j] = work, split[i][j] = k;
      }
    }
  }
  Tensor result = multiply_in_order(factors, split, 0, count - 1);
  if (row) result = tnp::squeeze(result, IntList{0});
  return column ? tnp::squeeze(result, IntList{-1}) : result;
}

Tensor chain_matmul(TensorList matrices) {
  TNP_CHECK(!matrices.empty(), ErrorKind::Shape, "Expected one or more matrices");
  for (const Tensor& m : matrices) check_dims(m, 2, "matrices");
  return matrices.size() == 1 ? tnp::clone(matrices[0]) : native::linalg_multi_dot(matrices);
}

Tensor linalg_vecdot(const Tensor& x, const Tensor& y, int64_t dim) {
  check_same_dtype(x, y, "x", "y");
  TNP_CHECK(!is_integral(x.dtype()), ErrorKind::NotImplemented, "{x} must be of floats or complex numbers, got ",
            x.dtype());
  const Tensor operands[] = {x, y};
  const std::vector<Tensor> same = tnp::broadcast_tensors(operands);
  if (same[0].dim() == 0) return wrap_dim(dim, 0), conjugated(same[0]) * same[1];
  return tnp::vecdot(same[0], same[1], dim);
}

Tensor linalg_matmul(const Tensor& input, const Tensor& other) { return tnp::matmul(input, other); }

Tensor linalg_diagonal(const Tensor& A, int64_t offset, int64_t dim1, int64_t dim2) {
  return tnp::diagonal(A, offset, wrap_dim(dim1, A.dim(), "dim1"), wrap_dim(dim2, A.dim(), "dim2"));
}

Tensor block_diag(TensorList tensors) {
  if (tensors.empty()) return empty_tensor({1, 0}, default_dtype());
  std::vector<Tensor> blocks;
  ScalarType dtype = tensors[0].dtype();
  int64_t cols = 0;
  for (const Tensor& t : tensors) {
    TNP_CHECK(t.dim() <= 2, ErrorKind::Shape, "{tensors} must have at most 2 dimensions, got shape ", t.sizes());
    blocks.push_back(tnp::atleast_2d(t));
    dtype = promote_types(dtype, t.dtype());
    cols += blocks.back().size(1);
  }
  std::vector<Tensor> rows;
  int64_t before = 0;
  for (const Tensor& block : blocks) {
    const int64_t n = block.size(0), m = block.size(1);
    auto zeros = [&](int64_t width) { return tnp::zeros({n, width}, dtype, block.device()); };
    const Tensor parts[] = {zeros(before), block.dtype() == dtype ? block : tnp::cast(block, dtype),
                            zeros(cols - before - m)};
    rows.push_back(tnp::cat(parts, 1));
    before += m;
  }
  return tnp::cat(rows, 0);
}

Tensor cartesian_prod(TensorList tensors) {
  TNP_CHECK(!tensors.empty(), ErrorKind::Shape, "cartesian_prod: expected at least one tensor");
  for (const Tensor& t : tensors) check_dims(t, 1, "tensors");
  if (tensors.size() == 1) return tnp::clone(tensors[0]);
  DimVector sizes;
  for (const Tensor& t : tensors) {
    check_same_dtype(tensors[0], t, "tensors", "tensors");
    sizes.push_back(t.size(0));
  }
  std::vector<Tensor> columns;
  for (size_t i = 0; i < tensors.size(); ++i) {
    DimVector shape(sizes.size(), 1);
    shape[i] = sizes[i];
    columns.push_back(tnp::reshape(tnp::expand(tnp::reshape(tensors[i], shape), sizes), {-1}));
  }
  return tnp::stack(columns, 1);
}

Tensor combinations(const Tensor& input, int64_t r, bool with_replacement) {
  check_dims(input, 1, "input");
  TNP_CHECK(r >= 0, ErrorKind::Shape, "{r} must be at least 0, got ", r);
  const int64_t n = input.size(0);
  if (r == 0) return empty_tensor({0}, input.dtype(), input.device());
  // All combinations of r indices, in lexicographic order.
  std::vector<int64_t> indices, row(static_cast<size_t>(r));
  auto extend = [&](auto&& self, size_t place, int64_t least) -> void {
    if (place == row.size()) {
      indices.insert(indices.end(), row.begin(), row.end());
      return;
    }
    for (int64_t i = least; i < n; ++i) row[place] = i, self(self, place + 1, with_replacement ? i : i + 1);
  };
  extend(extend, 0, 0);
  const auto total = static_cast<int64_t>(indices.size());
  Tensor index = empty_tensor({total}, ScalarType::Int64);
  std::copy(indices.begin(), indices.end(), index.data_ptr<int64_t>());
  index = beside(input.device(), index);
  return tnp::reshape(tnp::index_select(input, 0, index), {total / r, r});
}

Tensor linalg_vander(const Tensor& x, std::optional<int64_t> N) {
  TNP_CHECK(x.dtype() != ScalarType::Bool, ErrorKind::Dtype, "not implemented for bool");
  const int64_t count = N ? *N : x.dim() > 0 ? x.size(-1) : 1;
  TNP_CHECK(count > 1, ErrorKind::Shape, "{N} must be above 1, got ", count);
  const Tensor base = is_integral(x.dtype()) ? tnp::cast(x, ScalarType::Int64) : x;
  DimVector sizes(base.sizes());
  if (sizes.empty()) sizes.push_back(1);
  sizes.push_back(count - 1);
  const Tensor powers = tnp::cumprod(tnp::expand(tnp::unsqueeze(base, -1), sizes), -1);
  sizes.back() = 1;
  const Tensor parts[] = {tnp::ones(sizes, base.dtype(), base.device()), powers};
  return tnp::cat(parts, -1);
}

Tensor vander(const Tensor& x, std::optional<int64_t> N, bool increasing) {
  check_dims(x, 1, "x");
  const int64_t count = N.value_or(x.size(0));
  TNP_CHECK(count >= 0, ErrorKind::Shape, "{N} must be non-negative, got ", count);
  const Tensor base = is_integral(x.dtype()) ? tnp::cast(x, ScalarType::Int64) : x;
  if (count == 0) return empty_tensor({x.size(0), 0}, base.dtype(), base.device());
  Tensor result = tnp::ones({x.size(0), 1}, base.dtype(), base.device());
  if (count > 1) {
    const Tensor parts[] = {result, tnp::cumprod(tnp::expand(tnp::unsqueeze(base, -1), {x.size(0), count - 1}), -1)};
    result = tnp::cat(parts, -1);
  }
  return increasing ? result : tnp::flip(result, {-1});
}

}  // namespace tnp::native
