// Casts between any two dtypes, as loops: data[0][i] = convert(data[1][i]).
#pragma once

#include "aten/iterator/iterator.h"

namespace tnp {

// The loop that casts `from` to `to`; a plain copy if the dtypes are equal.
TNP_API Loop cast_loop(ScalarType to, ScalarType from);

// Casts one element.
inline void cast_element(void* to, ScalarType to_dtype, const void* from, ScalarType from_dtype) {
  char* data[] = {static_cast<char*>(to), const_cast<char*>(static_cast<const char*>(from))};
  const int64_t strides[] = {0, 0};
  cast_loop(to_dtype, from_dtype)(data, strides, 1);
}

// Whether the cast can overflow or be invalid: NaN to an integer, or a value too large for a float
// dtype.
TNP_API bool cast_has_errors(ScalarType to, ScalarType from);
// NumPy's ComplexWarning for casts that drop imaginary parts.
TNP_API extern const char kDiscardsImaginaryPart[];
// Reports that warning if the cast drops imaginary parts and the call came through NumPy's face.
TNP_API void report_discarded_imaginary_part(ScalarType to, ScalarType from);
// Reports the floating-point errors of casting one number. See Note [Floating-point errors].
TNP_API void report_cast_errors(const Scalar& number, ScalarType dtype);

}  // namespace tnp
