// Variants of matmul: each checks its arguments, arranges axes, and calls matmul once.

#include <algorithm>
#include "aten/core/errors/dtype_names.h"
#include "aten/core/errors/shape_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/dispatch/out.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/iterator/watched.h"
#include "aten/native_functions/products.h"
#include "aten/ops/operators.h"
#include "aten/ops/out.h"

namespace tnp::native {

namespace {

// Raises Dtype if the dtypes differ, as PyTorch's matrix products do.
void check_same_dtype(const Tensor& a, const Tensor& b) {
  TNP_CHECK(a.dtype() == b.dtype(), ErrorKind::Dtype, "expected both tensors to have same dtype, but found ", a.dtype(),
            " and ", b.dtype());
}

void check_aligned(const Tensor& a, int64_t dim_a, const Tensor& b, int64_t dim_b) {
  TNP_CHECK(a.size(dim_a) == b.size(dim_b) || dialect().errors_are_numpys(), ErrorKind::Shape,
            "the last dimension must match on both input tensors but got shapes ", AsList{a.sizes()}, " and ",
            AsList{b.sizes()});
  TNP_CHECK(a.size(dim_a) == b.size(dim_b), ErrorKind::Shape, "shapes ", a.sizes(), " and ", b.sizes(),
            " not aligned: ", a.size(dim_a), " (dim ", dim_a, ") != ", b.size(dim_b), " (dim ", dim_b, ")");
}

void check_dims(const Tensor& t, int64_t dims, const char* name) {
  TNP_CHECK(t.dim() == dims, ErrorKind::Shape, "{", name, "} must have ", dims, " dimensions, got shape ", t.sizes());
}

}  // namespace

// Sums over pairs of axes, dim_input[i] of `input` and dim_other[i] of `other`, as one matrix
// product.
Tensor tensordot_axes(const Tensor& input, const Tensor& other, IntList dim_input, IntList dim_other) {
  const FloatingPointWatch watch(watched_on(input.device(), "dot"));
  TNP_CHECK(dim_input.size() == dim_other.size(), ErrorKind::Shape, "shape-mismatch for sum");
  DimVector over_a = wrap_dims(dim_input, input.dim(), "dim_input"),
            over_b = wrap_dims(dim_other, other.dim(), "dim_other");
  for (size_t i = 0; i < over_a.size(); ++i) {
    TNP_CHECK(input.size(over_a[i]) == other.size(over_b[i]), ErrorKind::Shape, "shape-mismatch for sum");
  }
  auto rest_of = [](const Tensor& t, const DimVector& over) {
    DimVector rest;
    for (int64_t d = 0; d < t.dim(); ++d) {
      if (std::find(over.begin(), over.end(), d) == over.end()) rest.push_back(d);
    }
    return rest;
  };
  DimVector rest_a = rest_of(input, over_a), rest_b = rest_of(other, over_b), sizes;
  int64_t rows = 1, depth = 1, cols = 1;
  for (int64_t d : rest_a) rows *= input.size(d), sizes.push_back(input.size(d));
  for (int64_t d : rest_b) cols *= other.size(d), sizes.push_back(other.size(d));
  for (int64_t d : over_a) depth *= input.size(d);
  DimVector order_a = rest_a, order_b = over_b;
  order_a.append(over_a);
  order_b.append(rest_b);
  Tensor a = tnp::reshape(tnp::permute(input, order_a), {rows, depth}),
         b = tnp::reshape(tnp::permute(other, order_b), {depth, cols});
  return tnp::reshape(tnp::matmul(a, b), sizes);
}

// NumPy's dot: 0-d arrays multiply; otherwise the last axis of `input` is summed against the
// second-to-last of `other`.
Tensor dot_general(const Tensor& input, const Tensor& other, const Tensor& out) {
  const FloatingPointWatch watch(watched_on(input.device(), "dot"));
  const bool has_number = input.dim() == 0 || other.dim() == 0;
  const ScalarType dtype = result_type(input, other);
  // For dtypes without BLAS, NumPy's product with a number is multiply(), which accepts any `out`.
  const bool takes_any_out = has_number && (is_integral(dtype) || is_reduced_float(dtype));
  TNP_CHECK(!out.defined() || takes_any_out || (out.is_contiguous() && out.dtype() == dtype), ErrorKind::Value,
            "{out} is not acceptable: it must be C-contiguous and of dtype ", dtype, ", got dtype ", out.dtype(),
            " and strides ", out.strides());
  if (has_number) {
    if (out.defined() && !takes_any_out)
      check_out(out, (input.dim() == 0 ? other : input).sizes(), dtype, out.device());
    PointwiseOptions options;
    options.out[0] = out;
    return tnp::mul(input, other, options);
  }
  int64_t a = input.dim() - 1, b = std::max<int64_t>(other.dim() - 2, 0);
  check_aligned(input, a, other, b);
  if (other.dim() <= 2) return tnp::matmul(input, other, {out});
  Tensor result = tnp::tensordot_axes(input, other, {a}, {b});
  if (out.defined()) check_out(out, result.sizes(), result.dtype(), result.device());
  return into_out(out, result);
}

// Raises PyTorch's errors of dot() and vdot().
static void check_vectors(const Tensor& a, const Tensor& b) {
  TNP_CHECK(a.dim() == 1 && b.dim() == 1, ErrorKind::Shape, "1D tensors expected, but got ", a.dim(), "D and ", b.dim(),
            "D tensors");
  TNP_CHECK(a.dtype() == b.dtype() || dialect().errors_are_numpys(), ErrorKind::Dtype,
            "dot : expected both vectors to have same dtype, but found ", InTorch{a.dtype()}, " and ",
            InTorch{b.dtype()});
  if (TNP_UNLIKELY(a.numel() != b.numel())) raise_not_multipliable(a.sizes(), b.sizes());
}

Tensor dot(const Tensor& input, const Tensor& tensor) {
  const FloatingPointWatch watch(watched_on(input.device(), "dot"));
  check_vectors(input, tensor);
  return tnp::matmul(input, tensor);
}

Tensor vdot(const Tensor& input, const Tensor& other) {
  if (!dialect().errors_are_numpys()) check_vectors(input, other);
  const NoErrorWatchGuard unwatched;  // as in NumPy
  Tensor a = tnp::reshape(input, {-1}), b = tnp::reshape(other, {-1});
  TNP_CHECK(a.numel() == b.numel(), ErrorKind::Shape, "cannot reshape array of size ", b.numel(), " into shape ",
            a.sizes());
  return tnp::matmul(conjugated(a), b);
}

Tensor inner(const Tensor& input, const Tensor& other) {
  const FloatingPointWatch watch(watched_on(input.device(), "dot"));
  if (input.dim() == 0 || other.dim() == 0) return tnp::mul(input, other);
  check_aligned(input, input.dim() - 1, other, other.dim() - 1);
  if (input.dim() <= 2 && other.dim() == 1) return tnp::matmul(input, other);
  return tnp::tensordot_axes(input, other, {-1}, {-1});
}

Tensor outer(const Tensor& input, const Tensor& vec2) {
  if (!dialect().errors_are_numpys()) check_dims(input, 1, "input"), check_dims(vec2, 1, "vec2");
  return tnp::mul(tnp::unsqueeze(tnp::reshape(input, {-1}), 1), tnp::unsqueeze(tnp::reshape(vec2, {-1}), 0));
}

Tensor mm(const Tensor& input, const Tensor& mat2) {
  check_dims(input, 2, "input");
  check_dims(mat2, 2, "mat2");
  check_same_dtype(input, mat2);
  return tnp::matmul(input, mat2);
}

Tensor mv(const Tensor& input, const Tensor& vec) {
  check_dims(input, 2, "input");
  check_dims(vec, 1, "vec");
  check_same_dtype(input, vec);
  return tnp::matmul(input, vec);
}

Tensor bmm(const Tensor& input, const Tensor& mat2) {
  check_dims(input, 3, "input");
  check_dims(mat2, 3, "mat2");
  check_same_dtype(input, mat2);
  TNP_CHECK(input.size(0) == mat2.size(0), ErrorKind::Shape, "bmm: batches of {input} ", input.sizes(), " and {mat2} ",
            mat2.sizes(), " differ");
  return tnp::matmul(input, mat2);
}

// The sum of conj(x_i) y_i along axis `dim` of both operands. The other axes broadcast.
Tensor vecdot(const Tensor& input, const Tensor& other, int64_t dim) {
  const FloatingPointWatch watch(watched_on(input.device(), "vecdot"));
  auto last = [&](const Tensor& t, int operand) {
    TNP_CHECK(t.dim() > 0, ErrorKind::Shape, "Input operand ", operand,
              " does not have enough dimensions (has 0, gufunc core with signature (n),(n)->() requires 1)");
    return tnp::movedim(t, {dim}, {-1});
  };
  Tensor a = last(input, 0), b = last(other, 1);
  TNP_CHECK(a.size(-1) == b.size(-1), ErrorKind::Shape,
            "Input operand 1 has a mismatch in its core dimension 0, "
            "with gufunc signature (n),(n)->() (size ",
            b.size(-1), " is different from ", a.size(-1), ")");
  return tnp::squeeze(tnp::squeeze(tnp::matmul(tnp::unsqueeze(conjugated(a), -2), tnp::unsqueeze(b, -1)), IntList{-1}),
                      IntList{-1});
}

Tensor matvec(const Tensor& input, const Tensor& other) {
  const FloatingPointWatch watch(watched_on(input.device(), "matvec"));
  TNP_CHECK(input.dim() > 1 && other.dim() > 0, ErrorKind::Shape,
            "an input operand does not have enough dimensions for signature (m,n),(n)->(m)");
  TNP_CHECK(input.size(-1) == other.size(-1), ErrorKind::Shape,
            "Input operand 1 has a mismatch in its core dimension 0, "
            "with gufunc signature (m,n),(n)->(m) (size ",
            other.size(-1), " is different from ", input.size(-1), ")");
  return tnp::squeeze(tnp::matmul(input, tnp::unsqueeze(other, -1)), IntList{-1});
}

Tensor vecmat(const Tensor& input, const Tensor& other) {
  const FloatingPointWatch watch(watched_on(input.device(), "vecmat"));
  TNP_CHECK(input.dim() > 0 && other.dim() > 1, ErrorKind::Shape,
            "an input operand does not have enough dimensions for signature (n),(n,m)->(m)");
  TNP_CHECK(input.size(-1) == other.size(-2), ErrorKind::Shape,
            "Input operand 1 has a mismatch in its core dimension 0, "
            "with gufunc signature (n),(n,m)->(m) (size ",
            other.size(-2), " is different from ", input.size(-1), ")");
  return tnp::squeeze(tnp::matmul(tnp::unsqueeze(conjugated(input), -2), other), IntList{-2});
}

Tensor trace_axes(const Tensor& input, int64_t offset, int64_t dim1, int64_t dim2, std::optional<ScalarType> dtype) {
  return tnp::sum(tnp::diagonal(input, offset, dim1, dim2), IntList{-1}, false, dtype);
}

Tensor trace(const Tensor& input) {
  check_dims(input, 2, "input");
  return tnp::trace_axes(input, 0, 0, 1, std::nullopt);
}

}  // namespace tnp::native
