// The affine map that dropout applies to each element: out = x scale + shift.
#pragma once

#include <cmath>

#include "aten/core/numbers/dtype.h"

namespace tnp {

struct DropoutRule {
  double scale, kept_shift, dropped_shift;  // for dropped elements the scale is 0
};

// Each element is kept with probability `keep`. `alpha`: alpha dropout, which replaces dropped
// elements by SELU's value at minus infinity and preserves mean 0 and variance 1 (Klambauer et al.,
// arXiv 1706.02515).
inline DropoutRule dropout_rule(ScalarType dtype, double keep, bool alpha) {
  // Divides in the precision of the loop, as PyTorch does.
  const bool wide = dtype == ScalarType::Float64 || dtype == ScalarType::Complex128;
  if (!alpha) return {wide ? 1 / keep : double{1 / static_cast<float>(keep)}, 0, 0};
  constexpr double kSaturated = 1.7580993408473766;
  const double drop = 1 - keep, scale = 1 / std::sqrt((kSaturated * kSaturated * drop + 1) * keep);
  return {scale, kSaturated * scale * drop, kSaturated * scale * drop - kSaturated * scale};
}

}  // namespace tnp
