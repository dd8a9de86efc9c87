// Eigenvalues and eigenvectors.
#include <utility>

#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/lapack.h"
#include "aten/kernels/linalg_common.h"

namespace tnp::native {

// Of Hermitian matrices, of which only one triangle is read: ascending eigenvalues, orthonormal eigenvectors in
// columns. Without `vectors`, the second result is empty.
std::tuple<Tensor, Tensor> linalg_eigh_cpu(const Tensor& input, bool upper, bool vectors) {
  check_square(input);
  const int64_t n = input.size(-1);
  const ScalarType dtype = linalg_dtype(input.dtype());
  // A real symmetric matrix is its transpose, whose other triangle is then the one to be read: see Note [Row-major
  // LAPACK].
  const bool transposed = !is_complex(dtype);
  Tensor a = transposed ? dense_copy(input, dtype) : column_major_copy(input, dtype),
         w = empty_stack(input, {n}, to_real(dtype));
  visit<BlasTypes>(dtype, [&]<class T>() {
    for_each_matrix(n > 0 ? stack_size(a) : 0, 5 * cubic_work(n, n), [&](int64_t i) {
      int64_t info = lapack::syevd(vectors ? 'V' : 'N', upper != transposed ? 'U' : 'L', n, a.data_ptr<T>() + i * n * n,
                                   w.data_ptr<real_t<T>>() + i * n);
      TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::eigenvalues);
    });
  });
  if (!vectors) return {w, empty_tensor({0}, dtype)};
  if (!transposed) return {w, dense_copy(a, dtype)};
  DimVector strides(a.strides());
  std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  return {w, dense_copy(view_of(a, a.sizes(), strides, a.data()), dtype)};
}

// Of general matrices: complex eigenvalues, and eigenvectors of length 1 in columns.
std::tuple<Tensor, Tensor> linalg_eig_cpu(const Tensor& input, bool vectors) {
  check_square(input);
  const int64_t n = input.size(-1);
  const ScalarType dtype = linalg_dtype(input.dtype()), complex = to_complex(dtype);
  Tensor a = column_major_copy(input, dtype), w = empty_stack(input, {n}, complex);
  Tensor v = vectors ? empty_column_major(input, n, n, complex) : empty_tensor({0}, complex);
  const char job = vectors ? 'V' : 'N';
  auto check = [](int64_t info) { TNP_CHECK(info == 0, ErrorKind::LinAlg, linalg_errors::eigenvalues); };
  visit<BlasTypes>(dtype, [&]<class T>() {
    using C = Complex<real_t<T>>;
    for (int64_t i = 0; i < a.numel(); ++i) {
      T x = a.data_ptr<T>()[i];
      bool finite;
      if constexpr (is_complex_v<T>)
        finite = std::isfinite(x.re) && std::isfinite(x.im);
      else
        finite = std::isfinite(x);
      TNP_CHECK(finite, ErrorKind::LinAlg, linalg_errors::not_finite);
    }
    for_each_matrix(n > 0 ? stack_size(a) : 0, 20 * cubic_work(n, n), [&](int64_t i) {
      T* matrix = a.data_ptr<T>() + i * n * n;
      C* values = w.data_ptr<C>() + i * n;
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
          } else {  // a conjugate pair shares two columns: real and imaginary part
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
  return {w, vectors ? dense_copy(v, complex) : v};
}

}  // namespace tnp::native
