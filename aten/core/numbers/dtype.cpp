#include "aten/core/numbers/dtype.h"

namespace tnp {

const char* dtype_name(ScalarType t) {
  static constexpr const char* names[kNumScalarTypes] = {"bool",     "uint8",   "uint16",  "uint32",    "uint64",
                                                         "int8",     "int16",   "int32",   "int64",     "float16",
                                                         "bfloat16", "float32", "float64", "complex64", "complex128"};
  return names[static_cast<int>(t)];
}

void detail::raise_unsupported_dtype(ScalarType t) { TNP_RAISE(ErrorKind::Dtype, "not supported for dtype ", t); }

}  // namespace tnp
