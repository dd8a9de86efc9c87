// Shape function of an optimiser step. aten/ops/optimizers/optimizers.cpp has checked and arranged
// the arguments.
#include "aten/meta_functions/optimizers.h"

namespace tnp::meta {

void update_parameters_(Outputs&, const Tensor& self, OperandList& tensors, std::string_view, std::span<const double>) {
  check_writeable(self, "{self}");
  TNP_INTERNAL_ASSERT(tensors.size() > 0);
}

}  // namespace tnp::meta
