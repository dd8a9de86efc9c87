// Chooses the loops over lines for this processor's instruction set.
#include "aten/kernels/cpu/reduction/row_loops.h"

namespace tnp::row_loops {

const RowLoopsOfFloats& chosen() {
  static const RowLoopsOfFloats& found = LoopVariants<RowLoopsOfFloats> TNP_LOOP_VARIANTS(loops).choose()[0];
  return found;
}

}  // namespace tnp::row_loops
