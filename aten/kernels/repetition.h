// What repeat_interleave is about, on every device.
#pragma once

#include <optional>

#include "aten/core/tensor.h"

namespace tnp {

// A tensor (outer, n, inner) becomes (outer, total, inner): each of n entries as often as its count says.
struct Repetition {
  int64_t outer = 1, n = 1, inner = 1, total = 0;
  Tensor counts;  // int64 and contiguous, one or n
};

// All but `total`; raises if `repeats` do not fit.
TNP_API Repetition repetition_of(IntList size, const Tensor& repeats, std::optional<int64_t> dim);
TNP_API DimVector repeated_shape(IntList size, std::optional<int64_t> dim, int64_t total);

// `entries` times `count`, which somebody asked for: raises if that is negative, or too much.
TNP_API int64_t repeated_total(int64_t entries, int64_t count);

}  // namespace tnp
