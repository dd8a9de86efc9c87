// Eigenvalues and eigenvectors.
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/cuda/linalg/linalg.h"

namespace tnp {

namespace gpu {
namespace {

// Unpacks eigenvectors of real matrices from LAPACK's format (see geev in solver.h) into complex
// columns of a row-major matrix.
template <class R>
struct UnpackVectors {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const R *w, *packed;
  Complex<R>* out;
  int64_t n, total;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, total, [this](int64_t i) {
      const int64_t j = i % n, r = i / n % n, matrix = i / n / n;
      const R imaginary = w[(2 * matrix + 1) * n + j];
      const R* column = packed + (matrix * n + j) * n + r;
      if (imaginary > 0 && j + 1 < n)
        out[i] = Complex<R>(column[0], column[n]);
      else if (imaginary < 0 && j > 0)
        out[i] = Complex<R>(column[-n], -column[0]);
      else
        out[i] = Complex<R>(column[0]);
    });
  }
};

// Converts w (count, 2, n) of real and imaginary parts to complex numbers.
void join_parts(const Tensor& out, const Tensor& w) {
  const int64_t n = w.size(2);
  const DimVector sizes{w.size(0), n}, strides{2 * n, 2}, parts{2 * n, 1};
  for (int64_t part = 0; part < 2; ++part) {
    copy_into(view_of(out, sizes, strides, out.address() + part * w.itemsize(), w.dtype()),
              view_of(w, sizes, parts, w.address() + part * n * w.itemsize()));
  }
}

void unpack_vectors(const Tensor& out, const Tensor& w, const Tensor& packed) {
  visit<FloatTypes>(packed.dtype(), [&]<class R>() {
    launch(UnpackVectors<R>{reinterpret_cast<const R*>(w.address()), reinterpret_cast<const R*>(packed.address()),
                            reinterpret_cast<Complex<R>*>(out.address()), w.size(2), out.numel()},
           grid_stride_blocks(out.numel()), out.device());
  });
}

}  // namespace
}  // namespace gpu

namespace native {

using namespace gpu;

void linalg_eigh_cuda(const Tensor& input, bool upper, bool vectors, const Tensor& eigenvalues,
                      const Tensor& eigenvectors) {
  if (input.numel() == 0) return;
  const ScalarType dtype = eigenvectors.dtype();
  // A real symmetric matrix equals its transpose, so the matrix is passed without transposing, and
  // the opposite triangle is read. See Note [Row-major LAPACK].
  const bool real = !is_complex(dtype);
  const Tensor a = real ? dense_copy(input, dtype) : columns_of(input, dtype);
  check_info(solver::syevd(vectors, upper != real ? 'U' : 'L', stack_of(a), rows_of(eigenvalues)),
             linalg_errors::eigenvalues);
  if (vectors) copy_into(eigenvectors, transposed(a));
}

void linalg_eig_cuda(const Tensor& input, bool vectors, const Tensor& eigenvalues, const Tensor& eigenvectors) {
  if (input.numel() == 0) return;
  const ScalarType complex = eigenvalues.dtype(), dtype = input.is_complex() ? complex : to_real(complex);
  const Tensor a = columns_of(input, dtype);
  check_finite(a, linalg_errors::not_finite, linalg_errors::not_finite_kind());
  const DimVector two{stack_size(input), 2, input.size(-1)};
  const Tensor values = is_complex(dtype) ? rows_of(eigenvalues) : empty_tensor(two, dtype, input.device());
  const Tensor columns = vectors ? empty_tensor(a.sizes(), dtype, input.device()) : Tensor();
  check_info(solver::geev(stack_of(a), values, vectors ? stack_of(columns) : Tensor()), linalg_errors::eigenvalues);
  if (!is_complex(dtype)) join_parts(eigenvalues, values);
  if (vectors && is_complex(dtype))
    copy_into(eigenvectors, transposed(columns));
  else if (vectors)
    unpack_vectors(eigenvectors, values, columns);
}

}  // namespace native
}  // namespace tnp
