// Gradients of embedding, composed of other operators.

#include "aten/functions/embedding.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"
#include "aten/iterator/dense.h"
#include "aten/native_functions/embedding.h"
#include "aten/ops/indexing/embedding.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

int64_t elements_of_row(IntList sizes) {
  int64_t n = 1;
  for (size_t d = 1; d < sizes.size(); ++d) n *= sizes[d];
  return n;
}

// For each index from 0 to `rows` - 1, the number of its occurrences in `indices`.
Tensor frequencies(const Tensor& indices, int64_t rows, ScalarType dtype) {
  const Tensor flat = tnp::reshape(tnp::cast(indices, ScalarType::Int64), IntList{-1});
  return tnp::index_add(tnp::zeros(IntList{rows}, dtype, indices.device()), 0, flat,
                        tnp::ones(flat.sizes(), dtype, indices.device()), Scalar(1));
}

}  // namespace

// See embedding.h.
Tensor embedding_weights(const Tensor& grad, const Tensor& indices, int64_t padding_idx, int64_t rows) {
  DimVector sizes(indices.sizes());
  while (static_cast<int64_t>(sizes.size()) < grad.dim()) sizes.push_back(1);
  Tensor result = grad;
  if (rows > 0) {
    const Tensor flat = tnp::reshape(tnp::cast(indices, ScalarType::Int64), IntList{-1});
    const Tensor often = tnp::index_select(frequencies(indices, rows, grad.dtype()), 0, flat);
    result = result / tnp::reshape(often, sizes);
  }
  if (padding_idx < 0) return result;
  return tnp::where(tnp::reshape(tnp::ne(indices, wrapped_number(Scalar(padding_idx))), sizes), result,
                    wrapped_number(Scalar(0.0)));
}

Tensor embedding_backward(const Tensor& grad_output, const Tensor& indices, IntList sizes, int64_t padding_idx,
                          bool scale_grad_by_freq) {
  if (is_floating(grad_output.dtype()))
    return tnp::embedding_gradient(grad_output, indices, sizes, padding_idx, scale_grad_by_freq);
  const int64_t rows = sizes[0], n = elements_of_row(sizes);
  const Tensor flat = tnp::reshape(tnp::cast(indices, ScalarType::Int64), IntList{-1});
  const Tensor g = tnp::reshape(embedding_weights(grad_output, indices, padding_idx, scale_grad_by_freq ? rows : 0),
                                IntList{flat.numel(), n});
  return tnp::reshape(tnp::index_add(tnp::zeros(IntList{rows, n}, g.dtype(), g.device()), 0, flat, g, Scalar(1)),
                      sizes);
}

}  // namespace tnp::native
