// Rows of a table, alone and in bags: on the CPU by kernels that touch each row once, elsewhere by compositions.
#include <algorithm>
#include <cstring>
#include <vector>

#include "aten/core/parallel.h"
#include "aten/core/recording.h"
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
#include "aten/kernels/cpu/row_pieces.h"
#include "aten/native_functions/embedding.h"
#include "aten/ops/embedding.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

void check_indices(const Tensor& indices) {
  TNP_CHECK(indices.dtype() == ScalarType::Int64 || indices.dtype() == ScalarType::Int32, ErrorKind::Dtype,
            "{indices} are of ", indices.dtype(), ", not int64 or int32");
}

// Dense int64 indices of the CPU, each of which is at least 0 and below `rows`.
Tensor checked(const Tensor& indices, int64_t rows, ErrorKind kind = ErrorKind::Index) {
  const Tensor dense = to_dense(indices, ScalarType::Int64);
  const auto* i = dense.data_ptr<int64_t>();
  for (int64_t k = 0; k < dense.numel(); ++k)
    TNP_CHECK(i[k] >= 0 && i[k] < rows, kind, "index ", i[k], " is out of range: there are ", rows, " rows");
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

// How often each index is there.
Tensor frequencies(const Tensor& indices, int64_t rows, ScalarType dtype) {
  const Tensor flat = tnp::reshape(tnp::cast(indices, ScalarType::Int64), IntList{-1});
  return tnp::index_add(tnp::zeros(IntList{rows}, dtype, indices.device()), 0, flat,
                        tnp::ones(flat.sizes(), dtype, indices.device()), Scalar(1));
}

}  // namespace

// `grad`, of the shape of an embedding, without the rows of padding, and divided by frequencies if there are `rows`.
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

std::tuple<Tensor, Tensor, Tensor, Tensor> _embedding_bag(const Tensor& weight, const Tensor& indices,
                                                          const Tensor& offsets, int64_t mode,
                                                          const Tensor& per_sample_weights, int64_t padding_idx, bool) {
  TNP_CHECK(is_floating(weight.dtype()), ErrorKind::NotImplemented, "not implemented for ", weight.dtype());
  TNP_CHECK(weight.dim() == 2, ErrorKind::Shape, "{weight} of shape ", weight.sizes(), " is no matrix");
  TNP_CHECK(indices.dim() == 1 && offsets.dim() == 1, ErrorKind::Shape, "{indices} and {offsets} are not 1-d");
  check_indices(indices);
  check_indices(offsets);
  TNP_CHECK(mode >= 0 && mode <= 2, ErrorKind::Value, "{mode} is ", mode);
  TNP_CHECK(!per_sample_weights.defined() || mode == 0, ErrorKind::NotImplemented,
            "{per_sample_weights} are for sums only");
  TNP_CHECK(!per_sample_weights.defined() || std::ranges::equal(per_sample_weights.sizes(), indices.sizes()),
            ErrorKind::Shape, "{per_sample_weights} of shape ", per_sample_weights.sizes(), " for {indices} of shape ",
            indices.sizes());
  TNP_CHECK(weight.device().is_cpu() && indices.device().is_cpu() && offsets.device().is_cpu(),
            ErrorKind::NotImplemented, "embedding_bag is on the CPU only so far, not on ", weight.device());
  const int64_t n = indices.numel(), count = offsets.numel(), d = weight.size(1);
  const ScalarType dtype = compute_type(weight.dtype());
  const Tensor i = checked(indices, weight.size(0), ErrorKind::Runtime), o = to_dense(offsets, ScalarType::Int64),
               w = to_dense(weight, dtype),
               s = per_sample_weights.defined() ? to_dense(per_sample_weights, dtype) : Tensor();
  const auto* start = o.data_ptr<int64_t>();
  for (int64_t k = 0; k < count; ++k)
    TNP_CHECK(start[k] >= (k ? start[k - 1] : 0) && start[k] <= n && (k || start[k] == 0), ErrorKind::Shape,
              "{offsets} begin with 0, do not go back, and are at most ", n, "; number ", k, " is ", start[k]);
  const Tensor out = tnp::zeros(IntList{count, d}, dtype), bags = empty_tensor({n}, ScalarType::Int64),
               counts = tnp::zeros(IntList{count}, ScalarType::Int64),
               maxima = mode == 2 ? tnp::full(IntList{count, d}, Scalar(int64_t{-1}), ScalarType::Int64)
                                  : empty_tensor({0}, ScalarType::Int64);
  const auto* row = i.data_ptr<int64_t>();
  visit<FloatTypes>(dtype, [&]<class T>() {
    const T *table = w.data_ptr<T>(), *scale = s.defined() ? s.data_ptr<T>() : nullptr;
    parallel_for(0, count, std::max<int64_t>(kParallelWork / (d * (n / std::max<int64_t>(count, 1) + 1) + 1), 1),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t k = begin; k < end; ++k) {
                     T* to = out.data_ptr<T>() + k * d;
                     int64_t* places = mode == 2 ? maxima.data_ptr<int64_t>() + k * d : nullptr;
                     int64_t& size = counts.data_ptr<int64_t>()[k];
                     const int64_t stop = k + 1 < count ? start[k + 1] : n;
                     for (int64_t j = start[k]; j < stop; ++j) {
                       bags.data_ptr<int64_t>()[j] = k;
                       if (row[j] == padding_idx) continue;
                       const T *x = table + row[j] * d, factor = scale ? scale[j] : T(1);
                       if (mode == 2) {
                         for (int64_t c = 0; c < d; ++c)
                           if (size == 0 || x[c] > to[c]) to[c] = x[c], places[c] = row[j];
                       } else if (scale) {
#pragma GCC ivdep
                         for (int64_t c = 0; c < d; ++c) to[c] += x[c] * factor;
                       } else {
#pragma GCC ivdep
                         for (int64_t c = 0; c < d; ++c) to[c] += x[c];
                       }
                       ++size;
                     }
                     for (int64_t c = 0; mode == 1 && size > 1 && c < d; ++c) to[c] /= static_cast<T>(size);
                   }
                 });
  });
  return {to_dense(out, weight.dtype()), bags, counts, maxima};
}

std::tuple<Tensor, Tensor> embedding_bag_backward(const Tensor& grad, const Tensor& weight, const Tensor& indices,
                                                  const Tensor& bags, const Tensor& counts, const Tensor& maxima,
                                                  int64_t mode, const Tensor& per_sample_weights, int64_t padding_idx,
                                                  bool scale_grad_by_freq, std::span<const bool> output_mask) {
  TNP_CHECK(!any_needs_recording(grad), ErrorKind::NotImplemented, "embedding_bag has first derivatives only");
  const ScalarType dtype = compute_type(weight.dtype());
  const Tensor g = to_dense(grad, dtype), w = to_dense(weight, dtype), i = to_dense(indices, ScalarType::Int64),
               s = per_sample_weights.defined() ? to_dense(per_sample_weights, dtype) : Tensor();
  const int64_t n = i.numel(), d = weight.size(1);
  const Tensor to_weight = output_mask[0] ? tnp::zeros(weight.sizes(), dtype) : Tensor(),
               to_scale = output_mask[1] ? tnp::zeros(IntList{n}, dtype) : Tensor();
  const auto *row = i.data_ptr<int64_t>(), *bag = bags.data_ptr<int64_t>(), *size = counts.data_ptr<int64_t>();
  std::vector<int64_t> often(scale_grad_by_freq ? static_cast<size_t>(weight.size(0)) : 0);
  for (int64_t j = 0; scale_grad_by_freq && j < n; ++j) ++often[static_cast<size_t>(row[j])];
  visit<FloatTypes>(dtype, [&]<class T>() {
    const T* from = g.data_ptr<T>();
    if (output_mask[0] && mode == 2) {
      const auto* places = maxima.data_ptr<int64_t>();
      for_columns(d, counts.numel(), [&](int64_t first, int64_t end) {
        for (int64_t k = 0; k < counts.numel(); ++k)
          for (int64_t c = first; c < end; ++c)
            if (places[k * d + c] >= 0) to_weight.data_ptr<T>()[places[k * d + c] * d + c] += from[k * d + c];
      });
    } else if (output_mask[0]) {
      for_columns(d, n, [&](int64_t first, int64_t end) {
        for (int64_t j = 0; j < n; ++j) {
          if (row[j] == padding_idx) continue;
          T factor = s.defined() ? s.data_ptr<T>()[j] : T(1);
          if (mode == 1) factor /= static_cast<T>(size[bag[j]]);
          if (scale_grad_by_freq) factor /= static_cast<T>(often[static_cast<size_t>(row[j])]);
          const T* x = from + bag[j] * d;
          T* y = to_weight.data_ptr<T>() + row[j] * d;
#pragma GCC ivdep
          for (int64_t c = first; c < end; ++c) y[c] += x[c] * factor;
        }
      });
    }
    for (int64_t j = 0; output_mask[1] && j < n; ++j) {
      if (row[j] == padding_idx) continue;
      const T *x = from + bag[j] * d, *y = w.data_ptr<T>() + row[j] * d;
      double sum = 0;
      for (int64_t c = 0; c < d; ++c) sum += static_cast<double>(x[c]) * static_cast<double>(y[c]);
      to_scale.data_ptr<T>()[j] = static_cast<T>(sum);
    }
  });
  return {to_weight, to_scale};
}

}  // namespace tnp::native
