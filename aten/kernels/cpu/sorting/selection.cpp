// Elements of lines by rank, and running extrema, with their indices.
#include <algorithm>
#include <limits>

#include "aten/core/memory/scratch.h"
#include "aten/iterator/dense.h"
#include "aten/iterator/layout.h"
#include "aten/kernel_functions/cumulative.h"
#include "aten/kernel_functions/selection.h"
#include "aten/kernels/cpu/copying/lines.h"
#include "aten/kernels/dense_lines.h"
#include "aten/kernels/sort_order.h"

namespace tnp::native {

namespace {

enum class Rank : uint8_t {
  Kth,        // the k-th smallest element, counted from 0; NaN is the largest
  Median,     // the lower median, or the first NaN
  NanMedian,  // the lower median of the elements that are not NaN
};

// An element as an integer key of the same order, and its index. Equal keys are ordered by their
// indices, so that all selection algorithms agree.
template <class Bits>
struct Ranked {
  Bits key;
  int64_t index;
  friend bool operator<(const Ranked& a, const Ranked& b) {
    return a.key < b.key || (a.key == b.key && a.index < b.index);
  }
};

template <class T>
using ranked_t = Ranked<typename RadixKey<T>::Bits>;

template <class T>
void fill_ranked(const T* keys, int64_t stride, int64_t n, typename RadixKey<T>::Bits flip, ranked_t<T>* to) {
  for (int64_t i = 0; i < n; ++i)
    to[i] = {static_cast<typename RadixKey<T>::Bits>(RadixKey<T>::encode_equal(keys[i * stride]) ^ flip), i};
}

// Finds the first k items in order. If k is small, uses a heap of k items: most elements are only
// compared with the heap's worst item. Otherwise uses quickselect.
template <class T>
void top_line(const T* keys, int64_t stride, int64_t n, int64_t k, bool largest, ranked_t<T>* items) {
  using Bits = typename RadixKey<T>::Bits;
  const auto flip = static_cast<Bits>(largest ? ~Bits{0} : 0);
  if (k <= n / 64) {
    fill_ranked(keys, stride, k, flip, items);
    std::make_heap(items, items + k);
    for (int64_t i = k; i < n; ++i) {
      const auto key = static_cast<Bits>(RadixKey<T>::encode_equal(keys[i * stride]) ^ flip);
      if (TNP_LIKELY(!(key < items[0].key))) continue;
      std::pop_heap(items, items + k);
      items[k - 1] = {key, i};
      std::push_heap(items, items + k);
    }
    std::sort_heap(items, items + k);
    return;
  }
  fill_ranked(keys, stride, n, flip, items);
  if (k < n) std::nth_element(items, items + k, items + n);
  std::sort(items, items + k);
}

// The index of the element with this rank. The caller reads the element itself there, because equal
// keys may be different values (0.0 and -0.0).
template <class T>
int64_t ranked_place(const T* keys, int64_t stride, int64_t n, Rank rank, int64_t k, ranked_t<T>* items) {
  fill_ranked(keys, stride, n, 0, items);
  if (rank != Rank::Kth) {
    int64_t numbers = n;
    if constexpr (is_floating_v<T>) {
      constexpr auto nan = std::numeric_limits<typename RadixKey<T>::Bits>::max();
      numbers = std::partition(items, items + n, [](const auto& item) { return item.key != nan; }) - items;
      if (numbers < n && (rank == Rank::Median || numbers == 0))
        return std::min_element(items + numbers, items + n)->index;
    }
    n = numbers;
    k = (n - 1) / 2;
  }
  std::nth_element(items, items + k, items + n);
  return items[k].index;
}

// Calls body(line, T*) for real dtypes.
template <class F>
void for_each_real_line(const Tensor& input, int64_t axis, const Tensor& values, const Tensor& indices, F&& body) {
  const Tensor plain = with_plain_bools(input);
  Lines<3> lines({&plain, &values, &indices}, axis);
  const int64_t n = plain.size(axis);
  visit<RealTypes>(plain.dtype(), [&]<class D>() {
    using T = stored_t<D>;
    lines.for_each(8 * n, [&](int64_t line) {
      body(static_cast<const T*>(lines.at<T>(0, line)), lines.stride(0), lines.at<T>(1, line), lines.stride(1),
           lines.at<int64_t>(2, line), lines.stride(2));
    });
  });
}

}  // namespace

void topk_cpu(const Tensor& input, int64_t k, int64_t axis, bool largest, bool /*sorted*/, const Tensor& values,
              const Tensor& indices) {
  const int64_t n = input.size(axis);
  if (values.numel() == 0) return;
  if (values.dim() == 0)
    return topk_cpu(input, k, axis, largest, true, at_least_one_axis(values), at_least_one_axis(indices));
  for_each_real_line(
      input, axis, at_least_one_axis(values), at_least_one_axis(indices),
      [=]<class T>(const T* keys, int64_t stride, T* to, int64_t to_stride, int64_t* at, int64_t at_stride) {
        Scratch<ranked_t<T>> items(k <= n / 64 ? k : n);
        top_line(keys, stride, n, k, largest, items.data());
        for (int64_t i = 0; i < k; ++i) {
          at[i * at_stride] = items[i].index;
          to[i * to_stride] = keys[items[i].index * stride];
        }
      });
}

namespace {

// Selects one element of each line. Lines are not empty.
void select_ranked(const Tensor& input, int64_t axis, Rank rank, int64_t k, const Tensor& values,
                   const Tensor& indices) {
  const int64_t n = input.size(axis);
  if (values.numel() == 0) return;
  DimVector one(input.sizes());
  one[static_cast<size_t>(axis)] = 1;
  auto with_axis = [&](const Tensor& t) { return view_of(t, one, contiguous_strides(one), t.address()); };
  for_each_real_line(input, axis, with_axis(values), with_axis(indices),
                     [=]<class T>(const T* keys, int64_t stride, T* to, int64_t, int64_t* at, int64_t) {
                       Scratch<ranked_t<T>> items(n);
                       *at = ranked_place(keys, stride, n, rank, k, items.data());
                       *to = keys[*at * stride];
                     });
}

// The extremum up to each position, and its index. Among equal elements, the last one is chosen. NaN
// propagates.
void running_extremum(const Tensor& input, int64_t axis, bool largest, const Tensor& values, const Tensor& indices) {
  const Tensor plain = with_plain_bools(to_dense(input, input.dtype()));
  const DenseLines lines(plain.sizes(), axis);
  if (plain.numel() == 0) return;
  visit<RealTypes>(plain.dtype(), [&]<class D>() {
    using T = stored_t<D>;
    using Wide = std::conditional_t<is_reduced_float_v<T>, float, T>;
    const T* from = reinterpret_cast<const T*>(plain.data());
    T* to = reinterpret_cast<T*>(values.data());
    auto* at = indices.data_ptr<int64_t>();
    parallel_for(0, lines.count(), std::max<int64_t>(1, kParallelWork / (2 * lines.n)),
                 [&](int64_t begin, int64_t end) {
                   for (int64_t line = begin; line < end; ++line) {
                     int64_t i = lines.first(line), place = 0;
                     T best = from[i];
                     for (int64_t k = 0; k < lines.n; ++k, i += lines.inner) {
                       const Wide x = static_cast<Wide>(from[i]), so_far = static_cast<Wide>(best);
                       // A NaN always replaces the extremum, and nothing but a NaN replaces a NaN.
                       const bool taken = x != x || (largest ? x >= so_far : x <= so_far);
                       if (taken) best = from[i], place = k;
                       to[i] = best;
                       at[i] = place;
                     }
                   }
                 });
  });
}

}  // namespace

void kthvalue_cpu(const Tensor& input, int64_t k, int64_t dim, bool /*keepdim*/, const Tensor& values,
                  const Tensor& indices) {
  select_ranked(input, dim, Rank::Kth, k - 1, values, indices);
}
void median_dim_cpu(const Tensor& input, int64_t dim, bool /*keepdim*/, const Tensor& values, const Tensor& indices) {
  select_ranked(input, dim, Rank::Median, 0, values, indices);
}
void nanmedian_dim_cpu(const Tensor& input, int64_t dim, bool /*keepdim*/, const Tensor& values,
                       const Tensor& indices) {
  select_ranked(input, dim, Rank::NanMedian, 0, values, indices);
}

void cummax_cpu(const Tensor& input, int64_t dim, const Tensor& values, const Tensor& indices) {
  running_extremum(input, dim, true, values, indices);
}
void cummin_cpu(const Tensor& input, int64_t dim, const Tensor& values, const Tensor& indices) {
  running_extremum(input, dim, false, values, indices);
}

}  // namespace tnp::native
