#include "aten/autograd/sparse_gradients.h"

#include <array>

#include "aten/autograd/accumulate_grad.h"
#include "aten/autograd/linear.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/embedding.h"
#include "aten/functions/indexing.h"
#include "aten/functions/joining.h"
#include "aten/functions/scatter.h"
#include "aten/functions/shape.h"
#include "aten/functions/sorting.h"

namespace tnp {

namespace {

// A COO gradient's elements, numbered in row-major order of the sparse axes.
Tensor positions(const SparseParts& parts, IntList sizes, int64_t* total) {
  const int64_t axes = parts.indices.size(0);
  Tensor at = zeros(IntList{parts.indices.size(1)}, ScalarType::Int64, parts.indices.device());
  *total = 1;
  for (int64_t axis = 0; axis < axes; ++axis) {
    const int64_t n = sizes[static_cast<size_t>(axis)];
    at = add(mul(at, wrapped_number(Scalar(n))), select(parts.indices, 0, axis));
    *total *= n;
  }
  return at;
}

const SparseParts& coo_parts(const Tensor& gradient) {
  const SparseParts& parts = sparse_parts(gradient);
  TNP_CHECK(parts.layout == SparseLayout::Coo, ErrorKind::NotImplemented,
            "gradients of compressed sparse layouts are not summed by backward passes");
  return parts;
}

Tensor added_to(const Tensor& dense, const Tensor& sparse) {
  const SparseParts& parts = coo_parts(sparse);
  int64_t total;
  const Tensor at = positions(parts, sparse.sizes(), &total);
  DimVector flat{total};
  for (int64_t d = parts.indices.size(0); d < sparse.dim(); ++d) flat.push_back(sparse.size(d));
  return reshape(index_add(reshape(dense, flat), 0, at, cast(parts.values, dense.dtype()), Scalar(1)), dense.sizes());
}

}  // namespace

Tensor coo_to_dense(const Tensor& sparse) {
  return added_to(zeros(sparse.sizes(), sparse.dtype(), device_of_parts(sparse)), sparse);
}

Tensor own_sparse_gradient(const Tensor& sparse) {
  SparseParts parts = sparse_parts(sparse);
  constexpr uint32_t kOwners = 2;  // the parts of `sparse`, and these
  if (parts.values.requires_grad() || (parts.values.is_contiguous() && is_exclusive(parts.values, kOwners)))
    return sparse;
  parts.values = identity_copy(parts.values);
  return make_sparse(std::move(parts), sparse.sizes());
}

Tensor sparse_copy(const Tensor& sparse) {
  SparseParts parts = sparse_parts(sparse);
  for (Tensor* part : {&parts.indices, &parts.plain, &parts.values}) {
    if (part->defined()) *part = identity_copy(detach(*part));
  }
  return make_sparse(std::move(parts), sparse.sizes());
}

Tensor sum_of_sparse_gradients(const Tensor& a, const Tensor& b) {
  if (!is_sparse(b)) return added_to(b, a);
  if (!is_sparse(a)) return added_to(a, b);
  const SparseParts &first = coo_parts(a), &second = coo_parts(b);
  if (first.indices.size(0) != second.indices.size(0)) return added_to(coo_to_dense(a), b);
  SparseParts sum;
  sum.indices = cat(std::array{first.indices, second.indices}, 1);
  sum.values = cat(std::array{first.values, second.values}, 0);
  return make_sparse(std::move(sum), a.sizes());
}

Tensor embedding_weight_backward(const Tensor& grad, const Tensor& indices, IntList sizes, int64_t padding_idx,
                                 bool scale_grad_by_freq, bool sparse) {
  if (!sparse) return embedding_backward(grad, indices, sizes, padding_idx, scale_grad_by_freq);
  TNP_CHECK(!scale_grad_by_freq, ErrorKind::Runtime,
            "embedding_backward: scale_grad_by_freq not supported with sparse gradients");
  DimVector flat{indices.numel()};
  flat.append(sizes.subspan(1));
  Tensor at = reshape(cast(indices, ScalarType::Int64), IntList{indices.numel()});
  Tensor values = reshape(grad, flat);
  if (padding_idx >= 0) {
    const Tensor kept = ne(at, wrapped_number(Scalar(padding_idx)));
    const Tensor places = reshape(nonzero_rows(kept), IntList{-1});
    at = index_select(at, 0, places);
    values = index_select(values, 0, places);
  }
  SparseParts parts;
  parts.indices = reshape(at, IntList{1, at.numel()});
  parts.values = std::move(values);
  return make_sparse(std::move(parts), sizes);
}

}  // namespace tnp
