// PyTorch's names of dtypes in messages: "Float" for float32.
#pragma once

#include <string>

#include "aten/core/macros.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

// A part of a message: the dtype by PyTorch's name. A dtype itself is written as "float32".
struct InTorch {
  ScalarType dtype;
};
TNP_API void append(std::string& out, InTorch name);

}  // namespace tnp
