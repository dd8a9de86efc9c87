// Orthogonal factorisations: QR and SVD.
#include <algorithm>
#include <limits>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/linalg/linalg.h"

namespace tnp::native {

using namespace gpu;

void linalg_qr_cuda(const Tensor& input, bool complete, const Tensor& Q, const Tensor& R) {
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n), cols = complete ? m : k;
  if (input.numel() == 0) return fill_with_identity(Q);
  const ScalarType dtype = Q.dtype();
  auto stacked = [&](IntList tail) {
    DimVector sizes(input.sizes().subspan(0, input.sizes().size() - 2));
    sizes.append(tail);
    return empty_tensor(sizes, dtype, input.device());
  };
  const Tensor a = columns_of(input, dtype), tau = stacked({{k}}), q = stacked({{cols, m}});
  solver::geqrf(stack_of(a), rows_of(tau));
  copy_into(R, some_rows(transposed(a), 0, cols));
  keep_triangle(R, true);
  // Q starts as the reflectors; the columns beyond them are not read.
  const int64_t known = std::min(cols, n);
  if (cols > known) fill_with(q, Scalar(0));
  copy_into(some_rows(q, 0, known), some_rows(a, 0, known));
  solver::orgqr(stack_of(q), rows_of(tau));
  copy_into(Q, transposed(q));
}

void linalg_qr_raw_cuda(const Tensor& input, const Tensor& h, const Tensor& tau) {
  if (h.numel() == 0) return;
  copy_into(h, transposed(input));
  solver::geqrf(stack_of(h), rows_of(tau));
}

// solver::gesvd needs at least as many rows as columns. A wide row-major A is passed unchanged;
// LAPACK sees its transpose, so U and Vh change places. See Note [Row-major LAPACK].
void linalg_svd_cuda(const Tensor& input, bool, bool compute_uv, const Tensor& U, const Tensor& S, const Tensor& Vh) {
  if (input.numel() == 0) {
    if (compute_uv) fill_with_identity(U), fill_with_identity(Vh);
    return;
  }
  const ScalarType dtype = U.dtype();
  const bool tall = input.size(-2) > input.size(-1);
  const Tensor a = tall ? columns_of(input, dtype) : dense_copy(input, dtype);
  // The library may not terminate if there are infinities. Matrices that contain them are replaced
  // by zeros, and their results by NaN, as on the CPU. Other matrices are not affected.
  const Tensor spoilt = find_infinite(a, linalg_errors::svd);
  if (spoilt.defined()) fill_chosen(a, spoilt, 0);
  auto factorise = [&](const Tensor& left, const Tensor& right) {
    check_info(solver::gesvd(stack_of(a), rows_of(S), left, right), linalg_errors::svd);
    for (const Tensor& result : {S, left, right})
      if (spoilt.defined() && result.defined()) fill_chosen(result, spoilt, std::numeric_limits<double>::quiet_NaN());
  };
  if (!compute_uv) return factorise({}, {});
  if (!tall) return factorise(stack_of(Vh), stack_of(U));
  // gesvd returns U of a tall matrix transposed.
  auto empty_transposed = [](const Tensor& t) { return empty_tensor(transposed(t).sizes(), t.dtype(), t.device()); };
  const Tensor left = empty_transposed(U), right = empty_transposed(Vh);
  factorise(stack_of(left), stack_of(right));
  copy_into(U, transposed(left)), copy_into(Vh, transposed(right));
}

}  // namespace tnp::native
