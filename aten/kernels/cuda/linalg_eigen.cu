// Eigenvalues and eigenvectors.
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linalg.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/cuda/linalg.h"

namespace tnp {

namespace gpu {
namespace {

// Eigenvectors of real matrices from LAPACK's packing (see geev in solver.h) to complex columns of a row-major matrix.
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

// w (count, 2, n) of real and imaginary parts into complex ones.
void join_parts(const Tensor& out, const Tensor& w) {
  for (int64_t part = 0; part < 2; ++part) {
    const DimVector sizes{w.size(0), w.size(2)}, strides{2 * w.size(2), 2};
    copy_into(view_of(out, sizes, strides, out.address() + part * w.itemsize(), w.dtype()), tnp::select(w, 1, part));
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

std::tuple<Tensor, Tensor> linalg_eigh_cuda(const Tensor& input, bool upper, bool vectors) {
  check_square(input);
  const int64_t n = input.size(-1);
  const ScalarType dtype = linalg_dtype(input.dtype());
  // A real symmetric matrix is its transpose, whose other triangle is then the one to be read: see Note [Row-major
  // LAPACK].
  const bool real = !is_complex(dtype);
  const Tensor a = real ? dense_copy(input, dtype) : columns_of(input, dtype);
  Tensor w = empty_stack(input, {n}, to_real(dtype));
  if (a.numel() > 0)
    check_info(solver::syevd(vectors, upper != real ? 'U' : 'L', stack_of(a), rows_of(w)), linalg_errors::eigenvalues);
  return {w, vectors ? dense_copy(transposed(a), dtype) : empty_tensor({0}, dtype, input.device())};
}

std::tuple<Tensor, Tensor> linalg_eig_cuda(const Tensor& input, bool vectors) {
  check_square(input);
  const int64_t n = input.size(-1), count = stack_size(input);
  const ScalarType dtype = linalg_dtype(input.dtype()), complex = to_complex(dtype);
  Tensor w = empty_stack(input, {n}, complex),
         v = vectors ? empty_stack(input, {n, n}, complex) : empty_tensor({0}, complex, input.device());
  if (input.numel() == 0) return {w, v};
  const Tensor a = columns_of(input, dtype);
  check_finite(a, linalg_errors::not_finite);
  const Tensor parts = is_complex(dtype) ? rows_of(w) : empty_tensor({count, 2, n}, dtype, input.device());
  const Tensor columns = vectors ? empty_tensor(a.sizes(), dtype, input.device()) : Tensor();
  check_info(solver::geev(stack_of(a), parts, vectors ? stack_of(columns) : Tensor()), linalg_errors::eigenvalues);
  if (!is_complex(dtype)) join_parts(w, parts);
  if (vectors && is_complex(dtype))
    v = dense_copy(transposed(columns), dtype);
  else if (vectors)
    unpack_vectors(v, parts, columns);
  return {w, v};
}

}  // namespace native
}  // namespace tnp
