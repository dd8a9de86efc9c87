// Shape functions of the pairwise distances of rows.
#include "aten/meta_functions/distances.h"
#include "aten/iterator/dense.h"

namespace tnp::meta {

void cdist_stack(Outputs& outputs, Operand& x1, Operand& x2, double&) {
  TNP_CHECK(x1->dim() == 3 && x2->dim() == 3 && x1->size(0) == x2->size(0) && x1->size(2) == x2->size(2),
            ErrorKind::Shape, "{x1} of shape ", x1->sizes(), " and {x2} of shape ", x2->sizes(), " do not fit");
  TNP_CHECK(x1->dtype() == ScalarType::Float32 || x1->dtype() == ScalarType::Float64, ErrorKind::Dtype,
            "distances are of float32 and float64, got ", x1->dtype());
  const ScalarType dtype = x1->dtype();
  x1 = native::to_dense(x1, dtype), x2 = native::to_dense(x2, dtype);
  outputs.add({{x1->size(0), x1->size(1), x2->size(1)}}, dtype);
}

void cdist_backward(Outputs& outputs, Operand& grad_output, Operand& x1, Operand& x2, double&, Operand& distances) {
  const ScalarType dtype = x1->dtype();
  grad_output = native::to_dense(grad_output, dtype), distances = native::to_dense(distances, dtype);
  x1 = native::to_dense(x1, dtype), x2 = native::to_dense(x2, dtype);
  outputs.add(x1->sizes(), dtype);
}

}  // namespace tnp::meta
