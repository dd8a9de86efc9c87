// Sorting and partitioning of all lines along an axis, and the order that they sort by.
#pragma once

#include "aten/core/tensor.h"

namespace tnp {

// NumPy's order: NaN is the largest; complex numbers by their real, then their imaginary part.
template <class T>
struct SortLess {
  bool operator()(T a, T b) const {
    if constexpr (is_complex_v<T>) {
      if (a.re < b.re) return a.im == a.im || b.im != b.im;
      if (a.re > b.re) return b.im != b.im && a.im == a.im;
      if (a.re == b.re || (a.re != a.re && b.re != b.re)) return a.im < b.im || (b.im != b.im && a.im == a.im);
      return b.re != b.re;
    } else if constexpr (is_reduced_float_v<T>) {
      return SortLess<float>()(static_cast<float>(a), static_cast<float>(b));
    } else if constexpr (std::is_floating_point_v<T>) {
      return a < b || (b != b && a == a);
    } else {
      return a < b;
    }
  }
};

// In place. `stable` matters to values only where equal ones differ: -0.0 and 0.0, and NaNs.
void sort_lines(const Tensor& values, int64_t axis, bool descending, bool stable);
// indices: int64, of the shape of `input`. Equal elements keep their order.
void argsort_lines(const Tensor& input, const Tensor& indices, int64_t axis, bool descending);
// Sorts by `keys` what `indices` (a permutation along `axis`) already has in some order; equal keys keep that order.
void reorder_lines(const Tensor& keys, const Tensor& indices, int64_t axis);
// values[indices] along `axis`
void gather_lines(const Tensor& input, const Tensor& indices, const Tensor& values, int64_t axis);
// `kth`: ascending, in bounds.
void partition_lines(const Tensor& values, int64_t axis, IntList kth);
void argpartition_lines(const Tensor& input, const Tensor& indices, int64_t axis, IntList kth);
// places: int64, where `keys` would go into `values`, before what equals them or (`right`) after. All are contiguous, keys and
// values of one dtype; `order`: undefined, or the indices, in bounds, that sort `values`.
void search_sorted(const Tensor& values, const Tensor& order, const Tensor& keys, bool right, const Tensor& places);

}  // namespace tnp
