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

}  // namespace tnp
