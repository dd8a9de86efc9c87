// Orthogonal factorisations: QR, SVD, and least squares by SVD.
#include <vector>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::native {

// A = Q R by Householder reflections. `complete`: Q is (m, m) and R (m, n); otherwise Q is (m, k)
// and R (k, n), with k = min(m, n).
void linalg_qr_cpu(const Tensor& input, bool complete, const Tensor& Q, const Tensor& R) {
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n), cols = complete ? m : k;
  const Tensor a = column_major_copy(input, Q.dtype()), q = empty_column_major(Q.sizes(), Q.dtype());
  visit<BlasTypes>(Q.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(a), 2 * cubic_work(m, n), [&](int64_t i) {
      T *from = a.data_ptr<T>() + i * m * n, *to_q = q.data_ptr<T>() + i * m * cols,
        *to_r = R.data_ptr<T>() + i * cols * n;
      auto tau = workspace<T>(k);
      if (k > 0) lapack::geqrf(m, n, from, m, tau.get());
      for (int64_t row = 0; row < cols; ++row) {
        for (int64_t col = 0; col < n; ++col) to_r[row * n + col] = col >= row ? from[col * m + row] : T(0);
      }
      // Q starts as the reflectors. Columns beyond them start as columns of the identity, which
      // orgqr fills in itself.
      std::copy_n(from, m * std::min(cols, n), to_q);
      if (cols > n) std::fill(to_q + m * n, to_q + m * cols, T(0));
      if (m > 0 && cols > 0) {
        if (k > 0) {
          lapack::orgqr(m, cols, k, to_q, m, tau.get());
        } else {
          for (int64_t j = 0; j < cols; ++j) to_q[j * m + j] = T(1);
        }
      }
    });
  });
  if (Q.numel() > 0) copy_into(Q, q);
}

// Householder vectors and their factors in LAPACK's format: h (..., n, m) transposed, tau (..., k).
void linalg_qr_raw_cpu(const Tensor& input, const Tensor& h, const Tensor& tau) {
  if (h.numel() == 0) return;
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n);
  copy_into(view_of(h, input.sizes(), column_major_strides(input.sizes()), h.address()), input);
  visit<BlasTypes>(h.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(h), 2 * cubic_work(m, n),
                    [&](int64_t i) { lapack::geqrf(m, n, h.data_ptr<T>() + i * m * n, m, tau.data_ptr<T>() + i * k); });
  });
}

// A = U diag(S) Vh, with descending singular values. Without `compute_uv`, U and Vh are empty.
//
// Unlike the other factorisations (Note [Row-major LAPACK]) this works on a column-major copy. The
// factors of the transpose would be U and Vh exchanged, but with other signs, which programs rely
// on. For example, a single column has Vh = 1, as in NumPy and PyTorch.
void linalg_svd_cpu(const Tensor& input, bool full_matrices, bool compute_uv, const Tensor& U, const Tensor& S,
                    const Tensor& Vh) {
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n);
  const int64_t u_cols = full_matrices ? m : k, v_rows = full_matrices ? n : k;
  if (input.numel() == 0) {  // nothing to factorise
    if (compute_uv) fill_with_identity(U), fill_with_identity(Vh);
    return;
  }
  const Tensor a = column_major_copy(input, U.dtype());
  const Tensor u = compute_uv ? empty_column_major(U.sizes(), U.dtype()) : Tensor();
  const Tensor vh = compute_uv ? empty_column_major(Vh.sizes(), Vh.dtype()) : Tensor();
  visit<BlasTypes>(a.dtype(), [&]<class T>() {
    const char job = !compute_uv ? 'N' : full_matrices ? 'A' : 'S';
    for_each_matrix(stack_size(a), 10 * cubic_work(m, n), [&](int64_t i) {
      const NotFinite odd = not_finite(a.data_ptr<T>() + i * m * n, m * n);
      TNP_CHECK(!odd.nan, ErrorKind::LinAlg, linalg_errors::svd);
      if (odd.infinity) {  // as in NumPy, only NaN is an error
        const auto nan = std::numeric_limits<real_t<T>>::quiet_NaN();
        std::fill_n(S.data_ptr<real_t<T>>() + i * k, k, nan);
        if (!compute_uv) return;
        std::fill_n(u.data_ptr<T>() + i * m * u_cols, m * u_cols, T(nan));
        std::fill_n(vh.data_ptr<T>() + i * v_rows * n, v_rows * n, T(nan));
        return;
      }
      T* left = compute_uv ? u.data_ptr<T>() + i * m * u_cols : nullptr;
      T* right = compute_uv ? vh.data_ptr<T>() + i * v_rows * n : nullptr;
      int64_t info = lapack::gesdd(job, m, n, a.data_ptr<T>() + i * m * n, S.data_ptr<real_t<T>>() + i * k, left, m,
                                   right, compute_uv ? v_rows : 1);
      TNP_CHECK(info == 0 && !std::isnan(S.data_ptr<real_t<T>>()[i * k]), ErrorKind::LinAlg, linalg_errors::svd);
    });
  });
  if (!compute_uv) return;
  copy_into(U, u);
  copy_into(Vh, vh);
}

// The x of least norm that minimises |b - a x|, the effective rank of a, and its singular values.
// `input` (m, n), `other` (m, k). `rest`: the last m - n rows of the solved right-hand sides, whose
// squares are the residuals.
void linalg_lstsq_cpu(const Tensor& input, const Tensor& other, double rcond, const Tensor& solution,
                      const Tensor& rest, const Tensor& rank, const Tensor& singular_values) {
  const ScalarType dtype = solution.dtype();
  const int64_t m = input.size(0), n = input.size(1), k = other.size(1), rows = std::max(m, n), least = std::min(m, n);
  // LAPACK does not compute the rank without a right-hand side
  const int64_t columns = std::max<int64_t>(k, 1);
  const Tensor a = column_major_copy(input, dtype), b = empty_column_major({{rows, columns}}, dtype);
  std::vector<int64_t> spoilt;
  *rank.data_ptr<int32_t>() = 0;
  if (b.numel() > 0) fill_with(b, Scalar(0));
  if (other.numel() > 0) copy_into(view_of(b, {m, k}, {1, std::max<int64_t>(rows, 1)}, b.address()), other);
  visit<BlasTypes>(dtype, [&]<class T>() {
    if (least > 0) {
      TNP_CHECK(!not_finite(a.data_ptr<T>(), m * n), ErrorKind::LinAlg, linalg_errors::least_squares);
      // A right-hand side that is not finite must not affect the other solutions. It is replaced by
      // zeros, and its own solution becomes NaN.
      for (int64_t c = 0; c < k; ++c) {
        T* side = b.data_ptr<T>() + c * rows;
        if (!not_finite(side, m)) continue;
        spoilt.push_back(c);
        std::fill_n(side, rows, T(0));
      }
      lapack::Int found = 0;
      int64_t info = lapack::gelsd(m, n, columns, a.data_ptr<T>(), b.data_ptr<T>(), rows,
                                   singular_values.data_ptr<real_t<T>>(), static_cast<real_t<T>>(rcond), &found);
      TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::least_squares);
      *rank.data_ptr<int32_t>() = static_cast<int32_t>(found);
      for (int64_t c : spoilt)
        std::fill_n(b.data_ptr<T>() + c * rows, rows, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
    }
    for (int64_t c = 0; c < k; ++c) {
      for (int64_t r = 0; r < n; ++r)
        solution.data_ptr<T>()[r * k + c] = least > 0 ? b.data_ptr<T>()[c * rows + r] : T(0);
      for (int64_t r = n; r < m; ++r) rest.data_ptr<T>()[(r - n) * k + c] = b.data_ptr<T>()[c * rows + r];
    }
  });
}

}  // namespace tnp::native
