// Shape function of pick_along(), for reductions that return an index.
#include "aten/meta_functions/reductions.h"

namespace tnp::meta {

void pick_along(Outputs& outputs, Operand& input, Operand& indices, int64_t&) {
  outputs.add(indices->sizes(), input->dtype());
}

}  // namespace tnp::meta
