// Geometry of repeat_interleave, on every device.
//
// Note [Repetitions] A tensor (outer, n, inner) becomes (outer, total, inner): each of n entries is
// repeated as often as its count says. Kernels receive the tensor densely in that shape, and
// `repeats` as int64: one count for all entries, or n counts. With a single count, kernels take its
// value from the shapes.
#pragma once

#include <optional>

#include "aten/kernels/dense_lines.h"

namespace tnp {

// The entries along `dim` of a tensor of shape `size`. Without `dim`, the entries of the flattened
// tensor.
inline DenseLines repeated_lines(IntList size, std::optional<int64_t> dim) {
  if (dim) return DenseLines(size, *dim);
  DenseLines flat({}, 0);
  for (int64_t length : size) flat.n *= length;
  return flat;
}

}  // namespace tnp
