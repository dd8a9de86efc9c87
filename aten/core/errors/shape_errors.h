// Messages about shapes that do not fit, in the words of the calling face.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "aten/core/macros.h"

namespace tnp {

// A part of a message: a shape as a Python list, "[2, 3]". A shape itself is written as a tuple.
struct AsList {
  std::span<const int64_t> shape;
};
TNP_API void append(std::string& out, AsList list);

// Raises Shape for operands whose sizes `a` and `b` of axis `dim` of the result differ. `shapes` are
// those of all operands.
[[noreturn]] TNP_API void raise_not_broadcastable(int64_t a, int64_t b, size_t dim, const std::string& shapes);

// Raises Shape for factors of a matrix product whose inner sizes differ, in PyTorch's words.
[[noreturn]] TNP_API void raise_not_multipliable(std::span<const int64_t> a, std::span<const int64_t> b);

}  // namespace tnp
