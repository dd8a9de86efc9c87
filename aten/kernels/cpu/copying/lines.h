// The one-dimensional lines along one axis of tensors that have the same shape except along that
// axis.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "aten/core/tensor.h"
#include "aten/core/threads/parallel.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

// Calls f with a contiguous copy of a strided line and writes the copy back.
template <class T, class F>
void on_line(T* line, int64_t stride, int64_t n, std::vector<T>& buffer, F&& f) {
  if (stride == 1) return f(line);
  buffer.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) buffer[static_cast<size_t>(i)] = line[i * stride];
  f(buffer.data());
  for (int64_t i = 0; i < n; ++i) line[i * stride] = buffer[static_cast<size_t>(i)];
}

template <size_t N>
class Lines {
 public:
  Lines(std::array<const Tensor*, N> tensors, int64_t axis) : tensors_(tensors), axis_(axis) {
    for (int64_t d = 0; d < tensors[0]->dim(); ++d) {
      if (d != axis) count_ *= tensors[0]->size(d);
    }
  }

  int64_t count() const { return count_; }
  int64_t stride(size_t i) const { return tensors_[i]->stride(axis_); }

  // The first element of line number `line` of the i-th tensor.
  template <class T>
  T* at(size_t i, int64_t line) const {
    const Tensor& t = *tensors_[i];
    int64_t offset = 0;
    for (int64_t d = t.dim() - 1; d >= 0; --d) {
      if (d == axis_) continue;
      offset += line % tensors_[0]->size(d) * t.stride(d);
      line /= tensors_[0]->size(d);
    }
    return t.data_ptr<T>() + offset;
  }

  // Calls body(line) for all lines. Several threads are used if `work`, the nanoseconds per line,
  // justifies it.
  template <class F>
  void for_each(int64_t work, F&& body) const {
    std::optional<LongWork> long_work;
    if (count_ == 1 && work > 10 * kParallelWork) long_work.emplace();
    parallel_for(0, count_, std::max<int64_t>(1, kParallelWork / std::max<int64_t>(work, 1)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t line = begin; line < end; ++line) body(line);
                 });
  }

 private:
  std::array<const Tensor*, N> tensors_;
  int64_t axis_, count_ = 1;
};

// Calls body(line, n) for each line of `values` along `axis`, in place, as a contiguous array of
// stored_t. Bools are 0 and 1.
template <class F>
void for_each_line_in_place(const Tensor& values, int64_t axis, int64_t work, F&& body) {
  const int64_t n = values.size(axis);
  if (is_bool(values.dtype())) copy_into(values, values);  // makes every byte 0 or 1: see stored_t
  Lines<1> lines({&values}, axis);
  visit_dtype(values.dtype(), [&]<class D>() {
    using T = stored_t<D>;
    lines.for_each(work, [&](int64_t line) {
      std::vector<T> buffer;
      on_line(lines.at<T>(0, line), lines.stride(0), n, buffer, [&](T* v) { body(v, n); });
    });
  });
}

// Calls body(keys, stride, n, indices, stride of the indices) for each line of `values` and the
// corresponding line of `indices`.
template <class F>
void for_each_line_with_indices(const Tensor& values, const Tensor& indices, int64_t axis, int64_t work, F&& body) {
  const Tensor keys = with_plain_bools(values);
  const int64_t n = keys.size(axis);
  if (keys.numel() == 0) return;
  Lines<2> lines({&keys, &indices}, axis);
  visit_dtype(keys.dtype(), [&]<class D>() {
    lines.for_each(work, [&](int64_t line) {
      body(static_cast<const stored_t<D>*>(lines.at<stored_t<D>>(0, line)), lines.stride(0), n,
           lines.at<int64_t>(1, line), lines.stride(1));
    });
  });
}

}  // namespace tnp
