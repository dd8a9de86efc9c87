// Shape function of the gradient of as_strided.
#include "aten/meta_functions/shape.h"

namespace tnp::meta {

void restride(Outputs& outputs, Operand& input, DimVector&, int64_t&, DimVector& to_size, DimVector&, int64_t&) {
  outputs.add(to_size, input->dtype());
}

}  // namespace tnp::meta
