// The row of each element of a CSR matrix.
#pragma once

#include "aten/functions/copies.h"
#include "aten/functions/joining.h"
#include "aten/functions/signal.h"

namespace tnp::native {

inline Tensor row_counts(const Tensor& crow) { return tnp::cast(tnp::diff(crow), ScalarType::Int64); }
inline Tensor rows_of(const Tensor& crow, int64_t elements) {
  return tnp::repeat_interleave(row_counts(crow), std::optional(elements));
}

}  // namespace tnp::native
