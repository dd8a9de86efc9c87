// Shape predicates and checks.
#pragma once

#include "aten/core/containers/dim_vector.h"

namespace tnp {

// Whether an array of shape `from` broadcasts to the shape `to`.
inline bool broadcasts_to(IntList from, IntList to) {
  if (from.size() > to.size()) return false;
  const size_t lead = to.size() - from.size();
  for (size_t d = 0; d < from.size(); ++d)
    if (from[d] != 1 && from[d] != to[lead + d]) return false;
  return true;
}

[[noreturn]] TNP_API TNP_COLD void raise_too_many_dimensions(size_t ndim);
// Raises Value for more dimensions than kMaxDims.
inline void check_ndim(size_t ndim) {
  if (TNP_UNLIKELY(ndim > kMaxDims)) raise_too_many_dimensions(ndim);
}

}  // namespace tnp
