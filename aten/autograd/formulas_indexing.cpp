#include "aten/autograd/formulas_indexing.h"

#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/ops/indexing/indexing.h"

namespace tnp::formulas {

Tensor zero_indexed(const Tensor& grad, TensorList indices, int64_t position) {
  Tensor out = tnp::clone(grad);
  tnp::put_indexed_(out, indices, scalar_tensor(Scalar(0), grad.dtype(), grad.device()), false, position);
  return out;
}

Tensor stayed_indexed(const Tensor& grad, TensorList indices, int64_t position) {
  Tensor values = tnp::index(grad, indices, position);
  // Writes the values' indices to their positions; reading them back shows which value was written
  // last. Axes without an index get size 1, since all their positions behave alike.
  DimVector sizes(static_cast<size_t>(grad.dim()), 1);
  for (size_t d = 0; d < indices.size(); ++d)
    if (indices[d].defined()) sizes[d] = grad.sizes()[d];
  Tensor last = empty_tensor(sizes, ScalarType::Int64, grad.device());
  DimVector places = indexed_shape(last, indices, position);
  Tensor number = tnp::reshape(tnp::arange(Scalar(numel_of(places)), ScalarType::Int64, grad.device()), places);
  tnp::put_indexed_(last, indices, number, false, position);
  return tnp::where(tnp::eq(tnp::index(last, indices, position), number), values, wrapped_number(Scalar(0)));
}

}  // namespace tnp::formulas
