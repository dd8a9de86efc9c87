// Embedding bags on the CPU: one thread computes a bag, in the order of its indices.
#include "aten/kernels/embedding_bag.h"

#include <vector>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/embedding.h"
#include "aten/kernels/cpu/indexing/row_pieces.h"

namespace tnp::native {

namespace {

void check_rows(const Tensor& indices, int64_t rows) {
  const auto* row = indices.data_ptr<int64_t>();
  for (int64_t j = 0; j < indices.numel(); ++j)
    TNP_CHECK(row[j] >= 0 && row[j] < rows, ErrorKind::Runtime,
              "Expected idx >= 0 && idx < num_embeddings but found idx to be ", row[j], " of ", rows, " rows");
}

void check_offsets(const Tensor& offsets, int64_t n) {
  const auto* start = offsets.data_ptr<int64_t>();
  for (int64_t k = 0; k < offsets.numel(); ++k)
    TNP_CHECK(start[k] >= (k ? start[k - 1] : 0) && start[k] <= n && (k || start[k] == 0), ErrorKind::Shape,
              "{offsets} must begin with 0, not decrease, and be at most ", n, "; element ", k, " is ", start[k]);
}

template <class T>
T* data_or_null(const Tensor& t) {
  return t.defined() ? t.data_ptr<T>() : nullptr;
}

}  // namespace

void embedding_bag_cpu(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
                       const Tensor& per_sample_weights, int64_t padding_idx, bool, const Tensor& out,
                       const Tensor& bags, const Tensor& counts, const Tensor& maxima) {
  const int64_t n = indices.numel(), count = offsets.numel(), d = weight.size(1);
  const auto kind = static_cast<Bags>(mode);
  check_rows(indices, weight.size(0));
  check_offsets(offsets, n);
  fill_with(out, Scalar(0));
  if (count == 0) fill_with(bags, Scalar(0));
  const auto *start = offsets.data_ptr<int64_t>(), *row = indices.data_ptr<int64_t>();
  visit<FloatTypes>(weight.dtype(), [&]<class T>() {
    const T *table = weight.data_ptr<T>(), *scale = data_or_null<T>(per_sample_weights);
    const int64_t per_bag = d * (n / std::max<int64_t>(count, 1) + 1) + 1;
    parallel_for(0, count, std::max<int64_t>(kParallelWork / per_bag, 1), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        T* to = out.data_ptr<T>() + k * d;
        int64_t* places = kind == Bags::Max ? maxima.data_ptr<int64_t>() + k * d : nullptr;
        for (int64_t c = 0; places && c < d; ++c) places[c] = -1;
        const int64_t stop = k + 1 < count ? start[k + 1] : n;
        int64_t size = 0;
        for (int64_t j = start[k]; j < stop; ++j) {
          bags.data_ptr<int64_t>()[j] = k;
          if (row[j] == padding_idx) continue;
          const T *x = table + row[j] * d, factor = scale ? scale[j] : T(1);
          if (kind == Bags::Max) {
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
        for (int64_t c = 0; kind == Bags::Mean && size > 1 && c < d; ++c) to[c] /= static_cast<T>(size);
        counts.data_ptr<int64_t>()[k] = size;
      }
    });
  });
}

void embedding_bag_backward_cpu(const Tensor& grad, const Tensor& weight, const Tensor& indices, const Tensor& bags,
                                const Tensor& counts, const Tensor& maxima, int64_t mode,
                                const Tensor& per_sample_weights, int64_t padding_idx, bool scale_grad_by_freq,
                                std::span<const bool>, const Tensor& grad_weight, const Tensor& grad_scale) {
  // If there are no bags, no index is used.
  const int64_t n = counts.numel() > 0 ? indices.numel() : 0, d = weight.size(1);
  const auto kind = static_cast<Bags>(mode);
  const auto *row = indices.data_ptr<int64_t>(), *bag = bags.data_ptr<int64_t>(), *size = counts.data_ptr<int64_t>();
  std::vector<int64_t> often(scale_grad_by_freq ? static_cast<size_t>(weight.size(0)) : 0);
  for (int64_t j = 0; scale_grad_by_freq && j < n; ++j) ++often[static_cast<size_t>(row[j])];
  if (grad_weight.defined()) fill_with(grad_weight, Scalar(0));
  if (grad_scale.defined()) fill_with(grad_scale, Scalar(0));
  visit<FloatTypes>(weight.dtype(), [&]<class T>() {
    const T *from = grad.data_ptr<T>(), *scale = data_or_null<T>(per_sample_weights);
    if (grad_weight.defined() && kind == Bags::Max) {
      const auto* places = maxima.data_ptr<int64_t>();
      T* to = grad_weight.data_ptr<T>();
      for_columns(d, counts.numel(), [&](int64_t first, int64_t end) {
        for (int64_t k = 0; k < counts.numel(); ++k)
          for (int64_t c = first; c < end; ++c)
            if (places[k * d + c] >= 0) to[places[k * d + c] * d + c] += from[k * d + c];
      });
    } else if (grad_weight.defined()) {
      for_columns(d, n, [&](int64_t first, int64_t end) {
        for (int64_t j = 0; j < n; ++j) {
          if (row[j] == padding_idx) continue;
          T factor = scale ? scale[j] : T(1);
          if (kind == Bags::Mean) factor /= static_cast<T>(size[bag[j]]);
          if (scale_grad_by_freq) factor /= static_cast<T>(often[static_cast<size_t>(row[j])]);
          const T* x = from + bag[j] * d;
          T* y = grad_weight.data_ptr<T>() + row[j] * d;
#pragma GCC ivdep
          for (int64_t c = first; c < end; ++c) y[c] += x[c] * factor;
        }
      });
    }
    for (int64_t j = 0; grad_scale.defined() && j < n; ++j) {
      if (row[j] == padding_idx) continue;
      double sum = 0;
      const T *x = from + bag[j] * d, *y = weight.data_ptr<T>() + row[j] * d;
      for (int64_t c = 0; c < d; ++c) sum += static_cast<double>(x[c]) * static_cast<double>(y[c]);
      grad_scale.data_ptr<T>()[j] = static_cast<T>(sum);
    }
  });
}

}  // namespace tnp::native
