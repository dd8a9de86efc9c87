// Casts between any two dtypes, as loops: data[0][i] = convert(data[1][i]).
#pragma once

#include "aten/iterator/iterator.h"

namespace tnp {

// The same dtype twice: a copy.
TNP_API Loop cast_loop(ScalarType to, ScalarType from);

// One element.
inline void cast_element(void* to, ScalarType to_dtype, const void* from, ScalarType from_dtype) {
  char* data[] = {static_cast<char*>(to), const_cast<char*>(static_cast<const char*>(from))};
  const int64_t strides[] = {0, 0};
  cast_loop(to_dtype, from_dtype)(data, strides, 1);
}

// Whether it meets numbers that the other dtype does not hold: NaN as an integer, or one that is too large for a float.
TNP_API bool cast_has_errors(ScalarType to, ScalarType from);
// NumPy's warning, which is no RuntimeWarning but a ComplexWarning, of casts that drop imaginary parts.
TNP_API extern const char kDiscardsImaginaryPart[];
// Records it, if it is one of these, and the call came by NumPy's face.
TNP_API void record_discarded_imaginary_part(ScalarType to, ScalarType from);
// Records the floating-point errors of the cast of a number. See Note [Floating-point errors].
TNP_API void record_cast_errors(const Scalar& number, ScalarType dtype);

}  // namespace tnp
