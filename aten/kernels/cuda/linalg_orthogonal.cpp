// Orthogonal factorisations: QR, singular values, and least squares upon them.
#include <algorithm>
#include <limits>

#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/creation.h"
#include "aten/functions/products.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/linalg.h"

namespace tnp::native {

using namespace gpu;

namespace {

// Zeros, with ones on the diagonal.
void fill_with_identity(const Tensor& t) {
  if (t.numel() == 0) return;
  const int64_t rows = t.size(-2), cols = t.size(-1);
  fill_with(t, Scalar(0));
  fill_with(view_of(t, DimVector{stack_size(t), std::min(rows, cols)}, DimVector{rows * cols, cols + 1}, t.address()),
            Scalar(1));
}

}  // namespace

std::tuple<Tensor, Tensor> linalg_qr_cuda(const Tensor& input, bool complete) {
  check_matrices(input);
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n), cols = complete ? m : k;
  const ScalarType dtype = linalg_dtype(input.dtype());
  Tensor q = empty_stack(input, {cols, m}, dtype);
  if (k == 0 || stack_size(input) == 0) {
    fill_with_identity(q);
    return {dense_copy(transposed(q), dtype), empty_stack(input, {cols, n}, dtype)};
  }
  const Tensor a = columns_of(input, dtype), tau = empty_stack(input, {k}, dtype);
  solver::geqrf(stack_of(a), rows_of(tau));
  const Tensor r = tnp::triu(tnp::narrow(transposed(a), -2, 0, cols));
  // Q starts as the reflectors; the columns beyond them are not read.
  const int64_t known = std::min(cols, n);
  if (cols > known) fill_with(q, Scalar(0));
  copy_into(tnp::narrow(q, -2, 0, known), tnp::narrow(a, -2, 0, known));
  solver::orgqr(stack_of(q), rows_of(tau));
  return {dense_copy(transposed(q), dtype), r};
}

std::tuple<Tensor, Tensor> linalg_qr_raw_cuda(const Tensor& input) {
  check_matrices(input);
  const ScalarType dtype = linalg_dtype(input.dtype());
  Tensor h = columns_of(input, dtype), tau = empty_stack(input, {std::min(input.size(-2), input.size(-1))}, dtype);
  if (h.numel() > 0) solver::geqrf(stack_of(h), rows_of(tau));
  return {h, tau};
}

// LAPACK's matrix has as many rows as columns at least: for a wide A it is the transpose, whose factors are ours in
// exchanged places. See Note [Row-major LAPACK].
std::tuple<Tensor, Tensor, Tensor> linalg_svd_cuda(const Tensor& input, bool full_matrices, bool compute_uv) {
  check_matrices(input);
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n);
  const ScalarType dtype = linalg_dtype(input.dtype());
  const int64_t u_cols = full_matrices ? m : k, v_rows = full_matrices ? n : k;
  Tensor s = empty_stack(input, {k}, to_real(dtype));
  auto factor = [&](int64_t rows, int64_t cols) {
    return compute_uv ? empty_stack(input, {rows, cols}, dtype) : empty_tensor({0}, dtype, input.device());
  };
  if (input.numel() == 0) {
    Tensor u = factor(m, u_cols), vh = factor(v_rows, n);
    if (compute_uv) fill_with_identity(u), fill_with_identity(vh);
    return {u, s, vh};
  }
  const bool tall = m > n;
  const Tensor a = tall ? columns_of(input, dtype) : dense_copy(input, dtype);
  check_finite(a, linalg_errors::svd);
  // In memory: U of a tall matrix lies transposed, and so does that of the transpose, which is our Vh.
  Tensor left = tall ? factor(u_cols, m) : factor(v_rows, n), right = factor(k, k);
  auto given = [&](const Tensor& t) { return compute_uv ? stack_of(t) : Tensor(); };
  check_info(solver::gesvd(stack_of(a), rows_of(s), given(left), given(right)), linalg_errors::svd);
  if (!compute_uv) return {left, s, right};
  if (tall) return {dense_copy(transposed(left), dtype), s, dense_copy(transposed(right), dtype)};
  return {right, s, left};
}

// A tall A is first brought to its R, and the right sides to Q^H b, whose rows beyond R's are what no x reaches. Then,
// by the singular values of what is left, x = V S^-1 U^H b without those that count as zero.
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq_cuda(const Tensor& input, const Tensor& other, double rcond) {
  const ScalarType dtype = check_least_squares(input, other), real = to_real(dtype);
  const int64_t m = input.size(0), n = input.size(1), k = other.size(1), least = std::min(m, n);
  const Device device = input.device();
  Tensor rank = empty_tensor({}, ScalarType::Int32, device);
  fill_with(rank, Scalar(0));
  Tensor rest = native::dense_copy(tnp::narrow(other, 0, std::min(n, m), std::max<int64_t>(m - n, 0)), dtype);
  if (least == 0) {
    Tensor x = empty_tensor({n, k}, dtype, device);
    if (x.numel() > 0) fill_with(x, Scalar(0));
    return {x, rest, rank, empty_tensor({0}, real, device)};
  }
  Tensor a = dense_copy(input, dtype), b = dense_copy(other, dtype);
  check_finite(a, linalg_errors::least_squares);
  if (m > n) {
    const Tensor reflectors = columns_of(a, dtype), tau = empty_tensor({n}, dtype, device);
    solver::geqrf(stack_of(reflectors), rows_of(tau));
    const Tensor columns = columns_of(b, dtype);
    if (k > 0) solver::ormqr(stack_of(reflectors), rows_of(tau), stack_of(columns));
    b = transposed(tnp::narrow(columns, 1, 0, n));
    rest = dense_copy(transposed(tnp::narrow(columns, 1, n, m - n)), dtype);
    a = tnp::triu(tnp::narrow(transposed(reflectors), 0, 0, n));
  }
  const auto [u, s, vh] = linalg_svd_cuda(a, false, true);
  // As LAPACK's gelsd.
  const double eps = real == ScalarType::Float32 ? std::numeric_limits<float>::epsilon() / 2
                                                 : std::numeric_limits<double>::epsilon() / 2;
  const double least_size =
      real == ScalarType::Float32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const Tensor relative = tnp::mul(tnp::narrow(s, 0, 0, 1), wrapped_number(Scalar(rcond < 0 ? eps : rcond)));
  const Tensor counts = tnp::gt(s, tnp::maximum(relative, wrapped_number(Scalar(least_size))));
  copy_into(rank, tnp::sum(counts, std::nullopt, false, std::nullopt));
  const Tensor one = wrapped_number(Scalar(1)), zero = wrapped_number(Scalar(0));
  const Tensor inverse = tnp::where(counts, tnp::div(one, tnp::where(counts, s, one)), zero);
  auto adjoint = [](const Tensor& t) { return t.is_complex() ? tnp::conj(transposed(t)) : transposed(t); };
  const Tensor x = tnp::matmul(adjoint(vh), tnp::mul(tnp::unsqueeze(inverse, -1), tnp::matmul(adjoint(u), b)));
  return {dense_copy(x, dtype), rest, rank, s};
}

}  // namespace tnp::native
