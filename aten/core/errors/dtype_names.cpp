#include "aten/core/errors/dtype_names.h"

#include "aten/core/errors/error.h"

namespace tnp {

void append(std::string& out, InTorch name) {
  switch (name.dtype) {
    case ScalarType::Bool:
      return append(out, "Bool");
    case ScalarType::UInt8:
      return append(out, "Byte");
    case ScalarType::Int8:
      return append(out, "Char");
    case ScalarType::Int16:
      return append(out, "Short");
    case ScalarType::Int32:
      return append(out, "Int");
    case ScalarType::Int64:
      return append(out, "Long");
    case ScalarType::UInt16:
      return append(out, "UInt16");
    case ScalarType::UInt32:
      return append(out, "UInt32");
    case ScalarType::UInt64:
      return append(out, "UInt64");
    case ScalarType::Float16:
      return append(out, "Half");
    case ScalarType::BFloat16:
      return append(out, "BFloat16");
    case ScalarType::Float32:
      return append(out, "Float");
    case ScalarType::Float64:
      return append(out, "Double");
    case ScalarType::Complex64:
      return append(out, "ComplexFloat");
    case ScalarType::Complex128:
      return append(out, "ComplexDouble");
  }
}

}  // namespace tnp
