// Fourier transforms by ducc, compiled for each instruction set.
#pragma once

#include "aten/core/threads/capability.h"
#include "aten/kernels/cpu/fourier/line_transform.h"

namespace tnp {

struct LineTransformLoops {
  std::shared_ptr<const LineTransform> (*make)(const LinePlan& plan);
};

}  // namespace tnp
