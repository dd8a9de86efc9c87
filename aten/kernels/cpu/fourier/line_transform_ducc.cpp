// Fourier transforms by ducc: chooses the variant of line_transform_loops.cpp for this machine's
// instruction set.
#include "aten/kernels/cpu/fourier/line_transform_loops.h"

namespace tnp {

namespace line_transforms {
TNP_DECLARE_LOOPS(LineTransformLoops, loops)
}  // namespace line_transforms

std::shared_ptr<const LineTransform> make_line_transform(const LinePlan& plan) {
  using namespace line_transforms;
  static constexpr LoopVariants<LineTransformLoops> variants = TNP_LOOP_VARIANTS(loops);
  static const LineTransformLoops chosen = variants.choose().front();
  return chosen.make(plan);
}

}  // namespace tnp
