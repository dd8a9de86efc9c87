// Shape functions of Fourier transforms along one axis. Results are row-major.
#include "aten/meta_functions/fft.h"
#include "aten/iterator/dense.h"
#include "aten/meta/fft_checks.h"

namespace tnp::meta {

namespace {

// Adds a result with the sizes of `input`, except n along `dim`.
void add_with_length(Outputs& outputs, const Tensor& input, int64_t dim, int64_t n, ScalarType dtype) {
  DimVector sizes(input.sizes());
  sizes[static_cast<size_t>(dim)] = n;
  outputs.add(sizes, dtype);
}

}  // namespace

void fft_c2c(Outputs& outputs, Operand& input, int64_t& dim, bool&, double&) {
  dim = wrap_dim(dim, input->dim());
  check_points(input->size(dim));
  const ScalarType complex = to_complex(input->dtype());
  if (!input->is_complex()) input = native::to_dtype(input, to_real(complex));
  outputs.add(input->sizes(), complex);
}

void fft_r2c(Outputs& outputs, Operand& input, int64_t& dim, double&) {
  dim = wrap_dim(dim, input->dim());
  const int64_t n = input->size(dim);
  check_points(n);
  check_real(input);
  const ScalarType complex = to_complex(input->dtype());
  input = native::to_dtype(input, to_real(complex));
  add_with_length(outputs, input, dim, n / 2 + 1, complex);
}

void fft_c2r(Outputs& outputs, Operand& input, int64_t& n, int64_t& dim, double&) {
  dim = wrap_dim(dim, input->dim());
  check_points(n);
  TNP_CHECK(input->size(dim) == n / 2 + 1, ErrorKind::Shape, "irfft: ", n, " points need ", n / 2 + 1, " inputs, got ",
            input->size(dim));
  add_with_length(outputs, input, dim, n, to_real(to_complex(input->dtype())));
}

}  // namespace tnp::meta
