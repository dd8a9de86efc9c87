// Shape function of the gradient of an embedding table.
#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/embedding.h"

namespace tnp::meta {

void embedding_gradient(Outputs& outputs, Operand& grad, Operand& indices, DimVector& sizes, int64_t&, bool&) {
  const ScalarType taken = taken_dtype(outputs, grad->dtype());
  bring_number(outputs, grad);
  make_dense(grad, taken);
  make_dense(indices, ScalarType::Int64);
  outputs.add(sizes, taken);
}

}  // namespace tnp::meta
