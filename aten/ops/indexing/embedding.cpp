// Embedding: selects rows of a table. On the CPU, kernels process each selected row once. On other
// devices, the operators are composed of other operators.
#include <algorithm>
#include <cstring>

#include "aten/core/threads/parallel.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/embedding.h"
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

void check_indices(const Tensor& indices) {
  TNP_CHECK(indices.dtype() == ScalarType::Int64 || indices.dtype() == ScalarType::Int32, ErrorKind::Dtype,
            "{indices} are of ", indices.dtype(), ", not int64 or int32");
}

// Returns the indices, which must be on the CPU, as a dense int64 tensor. Raises an error unless
// all of them are in the range 0 to `rows` - 1.
Tensor checked(const Tensor& indices, int64_t rows) {
  const Tensor dense = to_dense(indices, ScalarType::Int64);
  const auto* i = dense.data_ptr<int64_t>();
  for (int64_t k = 0; k < dense.numel(); ++k)
    TNP_CHECK(i[k] >= 0 && i[k] < rows, ErrorKind::Index, "index ", i[k], " is out of range: there are ", rows,
              " rows");
  return dense;
}

DimVector result_sizes(const Tensor& indices, IntList weight) {
  DimVector sizes(indices.sizes());
  for (size_t d = 1; d < weight.size(); ++d) sizes.push_back(weight[d]);
  return sizes;
}

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

Tensor embedding(const Tensor& weight, const Tensor& indices, int64_t, bool, bool) {
  check_indices(indices);
  TNP_CHECK(weight.dim() > 0, ErrorKind::Shape, "{weight} is 0-d");
  TNP_CHECK(weight.device() == indices.device(), ErrorKind::Runtime, "{weight} is on ", weight.device(),
            ", {indices} on ", indices.device());
  const DimVector sizes = result_sizes(indices, weight.sizes());
  if (!weight.device().is_cpu()) {
    const Tensor flat = tnp::reshape(tnp::cast(indices, ScalarType::Int64), IntList{-1});
    return tnp::reshape(tnp::index_select(weight, 0, flat), sizes);
  }
  const Tensor i = checked(indices, weight.size(0)), w = to_dense(weight, weight.dtype());
  const Tensor out = empty_tensor(sizes, weight.dtype());
  const auto bytes = static_cast<size_t>(elements_of_row(weight.sizes())) * element_size(weight.dtype());
  if (out.numel() == 0) return out;
  const auto* from = static_cast<const char*>(w.data());
  auto* to = static_cast<char*>(out.data());
  const int64_t grain = std::max<int64_t>(kParallelWork * 8 / static_cast<int64_t>(bytes + 64), 1);
  parallel_for(0, i.numel(), grain, [&](int64_t begin, int64_t end) {
    const auto* row = i.data_ptr<int64_t>();
    for (int64_t k = begin; k < end; ++k)
      std::memcpy(to + static_cast<size_t>(k) * bytes, from + static_cast<size_t>(row[k]) * bytes, bytes);
  });
  return out;
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
