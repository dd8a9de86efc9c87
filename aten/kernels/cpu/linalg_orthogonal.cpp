// Orthogonal factorisations: QR, singular values, and least squares upon them.
#include <vector>
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::native {

// A = Q R by Householder reflections. `complete`: Q is (m, m) and R (m, n); else (m, k) and (k, n), k = min(m, n).
std::tuple<Tensor, Tensor> linalg_qr_cpu(const Tensor& input, bool complete) {
  check_matrices(input);
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n), cols = complete ? m : k;
  const ScalarType dtype = linalg_dtype(input.dtype());
  Tensor a = column_major_copy(input, dtype), q = empty_column_major(input, m, cols, dtype),
         r = empty_stack(input, {cols, n}, dtype);
  visit<BlasTypes>(dtype, [&]<class T>() {
    for_each_matrix(stack_size(a), 2 * cubic_work(m, n), [&](int64_t i) {
      T *from = a.data_ptr<T>() + i * m * n, *to_q = q.data_ptr<T>() + i * m * cols,
        *to_r = r.data_ptr<T>() + i * cols * n;
      auto tau = workspace<T>(k);
      if (k > 0) lapack::geqrf(m, n, from, m, tau.get());
      for (int64_t row = 0; row < cols; ++row) {
        for (int64_t col = 0; col < n; ++col) to_r[row * n + col] = col >= row ? from[col * m + row] : T(0);
      }
      // Q starts as the reflectors; columns beyond them as those of the identity, which orgqr fills in itself.
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
  return {dense_copy(q, dtype), r};
}

// Householder vectors and their factors, as LAPACK leaves them: h (..., n, m) transposed, tau (..., k).
std::tuple<Tensor, Tensor> linalg_qr_raw_cpu(const Tensor& input) {
  check_matrices(input);
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n);
  const ScalarType dtype = linalg_dtype(input.dtype());
  Tensor h = empty_stack(input, {n, m}, dtype), tau = empty_stack(input, {k}, dtype);
  Tensor a = column_major_copy(input, dtype);
  visit<BlasTypes>(dtype, [&]<class T>() {
    for_each_matrix(stack_size(a), 2 * cubic_work(m, n), [&](int64_t i) {
      T* to = h.data_ptr<T>() + i * m * n;
      std::copy_n(a.data_ptr<T>() + i * m * n, m * n, to);
      if (k > 0) lapack::geqrf(m, n, to, m, tau.data_ptr<T>() + i * k);
    });
  });
  return {h, tau};
}

// A = U diag(S) Vh, singular values descending. Without `compute_uv`, U and Vh are empty.
// See Note [Row-major LAPACK]: the factors of the transpose are ours in exchanged places.
std::tuple<Tensor, Tensor, Tensor> linalg_svd_cpu(const Tensor& input, bool full_matrices, bool compute_uv) {
  check_matrices(input);
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n);
  const ScalarType dtype = linalg_dtype(input.dtype());
  const int64_t u_cols = full_matrices ? m : k, v_rows = full_matrices ? n : k;
  Tensor a = dense_copy(input, dtype), s = empty_stack(input, {k}, to_real(dtype));
  Tensor u = compute_uv ? empty_stack(input, {m, u_cols}, dtype) : empty_tensor({0}, dtype);
  Tensor vh = compute_uv ? empty_stack(input, {v_rows, n}, dtype) : empty_tensor({0}, dtype);
  if (a.numel() == 0) {
    for (Tensor* t : {&u, &vh}) {  // nothing to factorise: identities
      if (t->numel() == 0) continue;
      fill_with(*t, Scalar(0));
      visit<BlasTypes>(dtype, [&]<class T>() {
        int64_t rows = t->size(-2), cols = t->size(-1);
        for (int64_t i = 0; i < stack_size(*t); ++i) {
          for (int64_t j = 0; j < std::min(rows, cols); ++j) t->data_ptr<T>()[(i * rows + j) * cols + j] = T(1);
        }
      });
    }
    return {u, s, vh};
  }
  visit<BlasTypes>(dtype, [&]<class T>() {
    const char job = !compute_uv ? 'N' : full_matrices ? 'A' : 'S';
    for_each_matrix(stack_size(a), 10 * cubic_work(m, n), [&](int64_t i) {
      const NotFinite odd = not_finite(a.data_ptr<T>() + i * m * n, m * n);
      TNP_CHECK(!odd.nan, ErrorKind::LinAlg, linalg_errors::svd);
      if (odd.infinity) {  // NumPy: an error for NaN only
        const auto nan = std::numeric_limits<real_t<T>>::quiet_NaN();
        std::fill_n(s.data_ptr<real_t<T>>() + i * k, k, nan);
        if (!compute_uv) return;
        std::fill_n(u.data_ptr<T>() + i * m * u_cols, m * u_cols, T(nan));
        std::fill_n(vh.data_ptr<T>() + i * v_rows * n, v_rows * n, T(nan));
        return;
      }
      T* left = compute_uv ? vh.data_ptr<T>() + i * v_rows * n : nullptr;
      T* right = compute_uv ? u.data_ptr<T>() + i * m * u_cols : nullptr;
      int64_t info = lapack::gesdd(job, n, m, a.data_ptr<T>() + i * m * n, s.data_ptr<real_t<T>>() + i * k, left, n,
                                   right, compute_uv ? u_cols : 1);
      TNP_CHECK(info == 0 && !std::isnan(s.data_ptr<real_t<T>>()[i * k]), ErrorKind::LinAlg, linalg_errors::svd);
    });
  });
  return {u, s, vh};
}

// x of least norm that minimises |b - a x|, the effective rank of a, and its singular values. `input` (m, n), `other`
// (m, k). The last m - n rows of the solved right sides, whose squares are the residuals, are `rest`.
std::tuple<Tensor, Tensor, Tensor, Tensor> linalg_lstsq_cpu(const Tensor& input, const Tensor& other, double rcond) {
  const ScalarType dtype = check_least_squares(input, other);
  const int64_t m = input.size(-2), n = input.size(-1), k = other.size(-1), rows = std::max(m, n),
                least = std::min(m, n);
  const int64_t columns = std::max<int64_t>(k, 1);  // LAPACK refuses to find the rank without a right side
  Tensor a = column_major_copy(input, dtype), b = empty_column_major(input, rows, columns, dtype);
  Tensor x = empty_tensor({n, k}, dtype), s = empty_tensor({least}, to_real(dtype)),
         rank = empty_tensor({}, ScalarType::Int32);
  std::vector<int64_t> spoilt;
  Tensor rest = empty_tensor({std::max<int64_t>(m - n, 0), k}, dtype);
  *rank.data_ptr<int32_t>() = 0;
  if (b.numel() > 0) fill_with(b, Scalar(0));
  if (other.numel() > 0) copy_into(view_of(b, {m, k}, {1, std::max<int64_t>(rows, 1)}, b.address()), other);
  visit<BlasTypes>(dtype, [&]<class T>() {
    if (least > 0) {
      TNP_CHECK(!not_finite(a.data_ptr<T>(), m * n), ErrorKind::LinAlg, linalg_errors::least_squares);
      // A right side that is not finite spoils its own solution, and no other.
      for (int64_t c = 0; c < k; ++c) {
        T* side = b.data_ptr<T>() + c * rows;
        if (!not_finite(side, m)) continue;
        spoilt.push_back(c);
        std::fill_n(side, rows, T(0));
      }
      lapack::Int found = 0;
      int64_t info = lapack::gelsd(m, n, columns, a.data_ptr<T>(), b.data_ptr<T>(), rows, s.data_ptr<real_t<T>>(),
                                   static_cast<real_t<T>>(rcond), &found);
      TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::least_squares);
      *rank.data_ptr<int32_t>() = static_cast<int32_t>(found);
      for (int64_t c : spoilt)
        std::fill_n(b.data_ptr<T>() + c * rows, rows, T(std::numeric_limits<real_t<T>>::quiet_NaN()));
    }
    for (int64_t c = 0; c < k; ++c) {
      for (int64_t r = 0; r < n; ++r) x.data_ptr<T>()[r * k + c] = least > 0 ? b.data_ptr<T>()[c * rows + r] : T(0);
      for (int64_t r = n; r < m; ++r) rest.data_ptr<T>()[(r - n) * k + c] = b.data_ptr<T>()[c * rows + r];
    }
  });
  return {x, rest, rank, s};
}

}  // namespace tnp::native
