// PyTorch's factorisations with LAPACK, and triangular systems with BLAS.
#include <algorithm>
#include <numeric>
#include <utility>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/factorisations.h"
#include "aten/kernels/blas.h"
#include "aten/kernels/cpu/linalg/lu_factorisation.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/ldl_pivots.h"
#include "aten/kernels/linalg_common.h"
#include "aten/kernels/linalg_stacks.h"

namespace tnp::native {

void linalg_lu_factor_cpu(const Tensor& input, bool, const Tensor& LU, const Tensor& pivots, const Tensor& info) {
  const int64_t m = input.size(-2), n = input.size(-1), k = std::min(m, n);
  if (info.numel() > 0) fill_with(info, Scalar(0));
  if (LU.numel() == 0) return;
  const Tensor a = column_major_copy(input, LU.dtype());
  visit<BlasTypes>(LU.dtype(), [&]<class T>() {
    const int64_t count = stack_size(a);
    for_each_matrix(count, cubic_work(m, n), [&](int64_t i) {
      auto rows = workspace<lapack::Int>(k);
      T* matrix = a.data_ptr<T>() + i * m * n;
      const int64_t found =
          m == n ? factorise_lu(n, matrix, rows.get(), count) : lapack::getrf(m, n, matrix, m, rows.get());
      std::transform(rows.get(), rows.get() + k, pivots.data_ptr<int32_t>() + i * k,
                     [](lapack::Int row) { return static_cast<int32_t>(row); });
      info.data_ptr<int32_t>()[i] = static_cast<int32_t>(found);
    });
  });
  copy_into(LU, a);
}

void lu_permutation_cpu(const Tensor& pivots, int64_t rows, const Tensor& out) {
  const int64_t k = pivots.size(-1), count = rows > 0 ? out.numel() / rows : 0;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* exchanged = pivots.data_ptr<int32_t>() + i * k;
    int64_t* order = out.data_ptr<int64_t>() + i * rows;
    std::iota(order, order + rows, int64_t{0});
    for (int64_t j = 0; j < k; ++j) {
      const int64_t other = int64_t{exchanged[j]} - 1;
      TNP_CHECK(other >= 0 && other < rows, ErrorKind::Domain, "pivots must be from 1 to ", rows, ", got ",
                exchanged[j]);
      std::swap(order[j], order[other]);
    }
  }
}

void linalg_solve_triangular_cpu(const Tensor& A, const Tensor& B, bool upper, bool unitriangular, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = A.size(-1), k = B.size(-1);
  const IntList stack = stack_sizes(out);
  copy_into(out, B);
  // A single matrix is not repeated for a stack of right-hand sides.
  const bool alone = stack_size(A) == 1;
  const Tensor a = alone ? dense_copy(A, out.dtype()) : dense_stack(A, stack, 2, out.dtype());
  visit<BlasTypes>(out.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(out), static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k),
                    [&](int64_t i) {
                      blas::trsm_left(upper, unitriangular, n, k, a.data_ptr<T>() + (alone ? 0 : i * n * n), n,
                                      out.data_ptr<T>() + i * n * k, k);
                    });
  });
}

void linalg_cholesky_ex_cpu(const Tensor& input, bool upper, const Tensor& L, const Tensor& info) {
  if (info.numel() > 0) fill_with(info, Scalar(0));
  if (L.numel() == 0) return;
  const int64_t n = input.size(-1);
  copy_into(L, input);
  visit<BlasTypes>(L.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(L), cubic_work(n, n) / 3, [&](int64_t i) {
      T* matrix = L.data_ptr<T>() + i * n * n;
      info.data_ptr<int32_t>()[i] = static_cast<int32_t>(lapack::potrf(upper ? 'L' : 'U', n, matrix, n));
      for (int64_t r = 0; r < n; ++r) {
        const int64_t first = upper ? 0 : r + 1, last = upper ? r : n;
        std::fill(matrix + r * n + first, matrix + r * n + std::max(first, last), T(0));
      }
    });
  });
}

void linalg_ldl_factor_cpu(const Tensor& input, bool hermitian, const Tensor& LD, const Tensor& pivots,
                           const Tensor& info) {
  if (info.numel() > 0) fill_with(info, Scalar(0));
  if (LD.numel() == 0) return;
  const int64_t n = input.size(-1);
  const Tensor a = column_major_copy(input, LD.dtype());
  visit<BlasTypes>(LD.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(a), cubic_work(n, n) / 3, [&](int64_t i) {
      auto rows = workspace<lapack::Int>(n);
      const int64_t found = lapack::sytrf(hermitian, 'L', n, a.data_ptr<T>() + i * n * n, n, rows.get());
      std::transform(rows.get(), rows.get() + n, pivots.data_ptr<int32_t>() + i * n,
                     [](lapack::Int row) { return static_cast<int32_t>(row); });
      info.data_ptr<int32_t>()[i] = static_cast<int32_t>(found);
      for (int64_t column = 1; column < n; ++column) {
        T* first = a.data_ptr<T>() + (i * n + column) * n;
        std::fill(first, first + column, T(0));
      }
    });
  });
  copy_into(LD, a);
}

void linalg_ldl_solve_cpu(const Tensor& LD, const Tensor& pivots, const Tensor& B, bool hermitian, const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t n = LD.size(-1), k = B.size(-1);
  const IntList stack = stack_sizes(out);
  const Tensor factors = column_major_copy(dense_stack(LD, stack, 2, out.dtype()), out.dtype());
  const Tensor x = empty_column_major(out.sizes(), out.dtype()),
               rows = dense_stack(pivots, stack, 1, ScalarType::Int64);
  copy_into(x, B);
  const int64_t* first = rows.data_ptr<int64_t>();
  for (int64_t i = 0; i < rows.numel(); i += n) check_ldl_pivots(first + i, n);
  visit<BlasTypes>(out.dtype(), [&]<class T>() {
    for_each_matrix(stack_size(out), static_cast<double>(n) * static_cast<double>(n) * static_cast<double>(k),
                    [&](int64_t i) {
                      lapack::sytrs(hermitian, 'L', n, k, factors.data_ptr<T>() + i * n * n, n, first + i * n,
                                    x.data_ptr<T>() + i * n * k, n);
                    });
  });
  copy_into(out, x);
}

}  // namespace tnp::native
