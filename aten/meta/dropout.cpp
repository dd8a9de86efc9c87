// Shape function of dropout.
#include "aten/meta_functions/dropout.h"
#include "aten/iterator/layout.h"

namespace tnp::meta {

void dropped(Outputs& outputs, Operand& input, double&, bool&, Generator*) {
  const std::optional<DimVector> strides = strides_in_order(input->sizes(), Order::K, input);
  outputs.add(input->sizes(), input->dtype()).strides = strides;
  outputs.add(input->sizes(), ScalarType::Bool).strides = strides;
}

}  // namespace tnp::meta
