// What dropout makes of elements: out = x scale + shift.
#pragma once

#include <cmath>

#include "aten/core/numbers/dtype.h"

namespace tnp {

struct DropoutRule {
  double scale, kept_shift, dropped_shift;  // of those that are dropped the scale is 0
};

// Elements stay with probability `keep`. `alpha`: those that do not become SELU's value at minus infinity, and mean 0
// and variance 1 stay (Klambauer et al., arXiv 1706.02515).
inline DropoutRule dropout_rule(ScalarType dtype, double keep, bool alpha) {
  // In the precision of the loop, as PyTorch divides.
  const bool wide = dtype == ScalarType::Float64 || dtype == ScalarType::Complex128;
  if (!alpha) return {wide ? 1 / keep : double{1 / static_cast<float>(keep)}, 0, 0};
  constexpr double kSaturated = 1.7580993408473766;
  const double drop = 1 - keep, scale = 1 / std::sqrt((kSaturated * kSaturated * drop + 1) * keep);
  return {scale, kSaturated * scale * drop, kSaturated * scale * drop - kSaturated * scale};
}

}  // namespace tnp
