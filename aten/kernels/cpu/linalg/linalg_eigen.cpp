// Eigenvalues and eigenvectors.
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cpu/linalg/symmetric_eigen.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::native {

// Ascending eigenvalues, and orthonormal eigenvectors in columns, of Hermitian matrices. Only one
// triangle is read. Without `vectors`, the second result is empty.
void linalg_eigh_cpu(const Tensor& input, bool upper, bool vectors, const Tensor& eigenvalues,
                     const Tensor& eigenvectors) {
  const int64_t n = input.size(-1);
  if (input.numel() == 0) return;
  const ScalarType dtype = eigenvectors.dtype();
  // A real symmetric matrix equals its transpose, so the other triangle is read instead of
  // transposing: see Note [Row-major LAPACK].
  const bool transposed = !is_complex(dtype);
  const Tensor a = transposed ? dense_copy(input, dtype) : column_major_copy(input, dtype);
  visit<BlasTypes>(dtype, [&]<class T>() {
    for_each_matrix(stack_size(a), 5 * cubic_work(n, n), [&](int64_t i) {
      T* matrix = a.data_ptr<T>() + i * n * n;
      auto* values = eigenvalues.data_ptr<real_t<T>>() + i * n;
      const char uplo = upper != transposed ? 'U' : 'L';
      const bool parts = vectors && in_parts(uplo, n, matrix);
      const int64_t info = parts ? eigenvectors_in_parts(uplo, n, matrix, values)
                                 : lapack::syevd(vectors ? 'V' : 'N', uplo, n, matrix, values);
      TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::eigenvalues);
    });
  });
  if (vectors) copy_into(eigenvectors, view_of(a, a.sizes(), column_major_strides(a.sizes()), a.data()));
}

// Complex eigenvalues, and eigenvectors of length 1 in columns, of general matrices.
void linalg_eig_cpu(const Tensor& input, bool vectors, const Tensor& eigenvalues, const Tensor& eigenvectors) {
  if (input.numel() == 0) return;
  const int64_t n = input.size(-1);
  const ScalarType complex = eigenvalues.dtype(), dtype = input.is_complex() ? complex : to_real(complex);
  const Tensor a = column_major_copy(input, dtype), v = vectors ? empty_column_major(input.sizes(), complex) : Tensor();
  const char job = vectors ? 'V' : 'N';
  auto check = [](int64_t info) { TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::eigenvalues); };
  visit<BlasTypes>(dtype, [&]<class T>() {
    using C = Complex<real_t<T>>;
    TNP_CHECK(!not_finite(a.data_ptr<T>(), a.numel()), linalg_errors::not_finite_kind(), linalg_errors::not_finite);
    for_each_matrix(stack_size(a), 20 * cubic_work(n, n), [&](int64_t i) {
      T* matrix = a.data_ptr<T>() + i * n * n;
      C* values = eigenvalues.data_ptr<C>() + i * n;
      C* to = vectors ? v.data_ptr<C>() + i * n * n : nullptr;
      if constexpr (is_complex_v<T>) {
        check(lapack::geev(job, n, matrix, values, to));
      } else {
        auto re = workspace<T>(n), im = workspace<T>(n), packed = workspace<T>(vectors ? n * n : 1);
        check(lapack::geev(job, n, matrix, re.get(), im.get(), packed.get()));
        for (int64_t j = 0; j < n; ++j) values[j] = C(re[static_cast<size_t>(j)], im[static_cast<size_t>(j)]);
        for (int64_t j = 0; vectors && j < n; ++j) {
          const T* column = packed.get() + j * n;
          if (im[static_cast<size_t>(j)] == 0) {
            for (int64_t r = 0; r < n; ++r) to[j * n + r] = C(column[r]);
          } else {  // a conjugate pair shares two columns: real and imaginary parts
            for (int64_t r = 0; r < n; ++r) {
              to[j * n + r] = C(column[r], column[n + r]);
              to[(j + 1) * n + r] = C(column[r], -column[n + r]);
            }
            ++j;
          }
        }
      }
    });
  });
  if (vectors) copy_into(eigenvectors, v);
}

}  // namespace tnp::native
