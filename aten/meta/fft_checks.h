// Checks of Fourier transforms' inputs, used by their shape functions and before inputs are trimmed
// or padded.
#pragma once

#include "aten/core/dialect.h"
#include "aten/core/tensor.h"

namespace tnp::meta {

inline void check_points(int64_t n) {
  TNP_CHECK(n >= 1 || !dialect().errors_are_numpys(), ErrorKind::Shape, "Invalid number of FFT data points (", n,
            ") specified.");
  TNP_CHECK(n >= 1, ErrorKind::Shape, "Invalid number of data points (", n, ") specified");
}

inline void check_real(const Tensor& input) {
  TNP_CHECK(!input.is_complex(), ErrorKind::Type,
            "ufunc 'rfft' not supported for the input types: {input} must be real, got ", input.dtype());
}

}  // namespace tnp::meta
