// Shape functions of Fourier transforms. Results are row-major.
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

namespace {

DimVector with_lengths(const Tensor& input, const DimVector& lengths, const DimVector& dims) {
  TNP_INTERNAL_ASSERT(!dims.empty() && lengths.size() == dims.size());
  DimVector sizes(input.sizes());
  for (size_t i = 0; i < dims.size(); ++i) sizes[static_cast<size_t>(dims[i])] = lengths[i];
  return sizes;
}

}  // namespace

void fft_c2c_axes(Outputs& outputs, Operand& input, DimVector& lengths, DimVector& dims, bool&,
                  std::span<const double>) {
  const ScalarType complex = to_complex(input->dtype());
  if (!input->is_complex()) input = native::to_dtype(input, to_real(complex));
  outputs.add(with_lengths(input, lengths, dims), complex);
}

void fft_r2c_axes(Outputs& outputs, Operand& input, DimVector& lengths, DimVector& dims, std::span<const double>) {
  check_real(input);
  const ScalarType complex = to_complex(input->dtype());
  input = native::to_dtype(input, to_real(complex));
  DimVector sizes = with_lengths(input, lengths, dims);
  sizes[static_cast<size_t>(dims[0])] = lengths[0] / 2 + 1;
  outputs.add(sizes, complex);
}

void fft_c2r_axes(Outputs& outputs, Operand& input, DimVector& lengths, DimVector& dims, std::span<const double>) {
  outputs.add(with_lengths(input, lengths, dims), to_real(to_complex(input->dtype())));
}

}  // namespace tnp::meta
