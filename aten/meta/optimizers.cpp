// The step of an optimiser: aten/ops/optimizers.cpp has checked and arranged everything.
#include "aten/meta_functions/optimizers.h"

namespace tnp::meta {

void update_parameters_(Outputs&, const Tensor& self, OperandList& tensors, std::string_view, std::span<const double>) {
  check_writeable(self, "{self}");
  TNP_INTERNAL_ASSERT(tensors.size() > 0);
}

}  // namespace tnp::meta
