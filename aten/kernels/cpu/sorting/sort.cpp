// Sorting of all lines along an axis.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cpu/copying/lines.h"
#include "aten/kernels/cpu/sorting/radix_sort.h"
#include "aten/kernels/cpu/sorting/sort_loops.h"
#include "aten/kernels/index_geometry.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

namespace sort_loops {

TNP_DECLARE_LOOPS(SortLoops, table)

const LoopVariants<SortLoops>& variants() {
  static constexpr LoopVariants<SortLoops> all = TNP_LOOP_VARIANTS(table);
  return all;
}

std::span<const SortLoops> chosen() {
  static const std::span<const SortLoops> loops = variants().choose();
  return loops;
}

}  // namespace sort_loops

namespace {

// The approximate time for a line of n elements, in nanoseconds.
int64_t sort_work(int64_t n) { return n * 3 * static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n))); }

// Sorts 8-bit integers by counting each of the 256 values.
template <class T>
void counting_sort(T* v, int64_t n, bool descending) {
  int64_t counts[256] = {};
  constexpr int low = std::is_signed_v<T> ? -128 : 0;
  for (int64_t i = 0; i < n; ++i) ++counts[static_cast<int>(v[i]) - low];
  T* to = v;
  for (int k = 0; k < 256; ++k) {
    int value = descending ? 255 - k : k;
    to = std::fill_n(to, counts[value], static_cast<T>(value + low));
  }
}

struct Itself {
  template <class Key>
  Key operator()(const Key& key) const {
    return key;
  }
};

template <class T>
void radix_sort_values(T* v, int64_t n, bool descending) {
  using Key = RadixKey<T>;
  Scratch<typename Key::Bits> memory(2 * n);
  auto *keys = memory.data(), *spare = keys + n;
  const int64_t pieces = radix::pieces_of(n);
  const auto flip = static_cast<typename Key::Bits>(descending ? ~typename Key::Bits{0} : 0);
  radix::for_each_piece(n, pieces, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) keys[i] = static_cast<typename Key::Bits>(Key::encode(v[i]) ^ flip);
  });
  const auto* sorted = radix_sort(keys, spare, n, Itself{});
  radix::for_each_piece(n, pieces, [&](int64_t, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) v[i] = Key::decode(static_cast<typename Key::Bits>(sorted[i] ^ flip));
  });
}

template <class T>
bool is_nan(T v) {
  return static_cast<accumulate_t<T>>(v) != static_cast<accumulate_t<T>>(v);
}

// Whether there are NaNs or negative zeros: values that compare equal to values with different
// bits.
template <class T>
bool has_ties_that_differ(const T* v, int64_t n) {
  bool found = false;
  for (int64_t i = 0; i < n; ++i) found |= v[i] != v[i] || (v[i] == 0 && std::signbit(v[i]));
  return found;
}

// Sorts with vector instructions. Returns false if this machine does not have them, or if the sort
// must be stable and has ties that differ.
template <class T>
bool sort_by_vectors(T* v, int64_t n, bool descending, bool stable) {
  if constexpr (sort_loops::kSorts<T>) {
    const SortLoops* loops = sort_loops_of<T>();
    if (loops == nullptr) return false;
    if constexpr (std::is_floating_point_v<T>) {
      if (stable && has_ties_that_differ(v, n)) return false;
    }
    loops->sort(v, n, 2 * std::bit_width(static_cast<uint64_t>(n)));
    if (descending) std::reverse(v, v + n);
    return true;
  } else {
    return false;
  }
}

// The item that is moved when indices are sorted. It is small, because moving takes most of the
// time.
template <class Bits, class Index>
struct KeyedIndex {
  Bits key;
  Index index;
};

struct KeyOfItem {
  template <class Item>
  auto operator()(const Item& item) const {
    return item.key;
  }
};

// Sorts n items, stably. Long lines need room for n more items after the n items. Returns the
// result's first item. Not inline: all dtypes of one width share it.
template <class Item>
[[gnu::noinline]] Item* sort_items(Item* items, int64_t n) {
  if (n >= kRadixSortMinimum) return radix_sort(items, items + n, n, KeyOfItem{});
  radix::sort_by_comparing(items, n, KeyOfItem{});
  return items;
}

// The indices of a line before sorting: 0, 1, 2, …, or those at `from`.
struct IndexLine {
  const int64_t* from = nullptr;
  int64_t stride = 0;
  int64_t operator[](int64_t i) const { return from ? from[i * stride] : i; }
};

// Sorts indices stably. The key of index i is keys[i * stride]. `indices` may be in the memory of
// `to`.
template <class T, class Index>
void sort_indices_as(const T* keys, int64_t stride, int64_t n, bool descending, IndexLine indices, int64_t* to,
                     int64_t to_stride) {
  if constexpr (is_complex_v<T>) {
    std::vector<Index> order(static_cast<size_t>(n));
    // A descending sort reverses the line before and after, so that equal elements keep their order.
    for (int64_t i = 0; i < n; ++i)
      order[static_cast<size_t>(descending ? n - 1 - i : i)] = static_cast<Index>(indices[i]);
    std::stable_sort(order.begin(), order.end(), [keys, stride](Index a, Index b) {
      return SortLess<T>()(keys[static_cast<int64_t>(a) * stride], keys[static_cast<int64_t>(b) * stride]);
    });
    for (int64_t i = 0; i < n; ++i)
      to[i * to_stride] = static_cast<int64_t>(order[static_cast<size_t>(descending ? n - 1 - i : i)]);
  } else {
    using Bits = typename RadixKey<T>::Bits;
    // Lines that need 64-bit indices are rare, so all dtypes share the code for them.
    using Item = KeyedIndex<std::conditional_t<sizeof(Index) == 8, uint64_t, Bits>, Index>;
    const int64_t pieces = radix::pieces_of(n);
    const auto flip = static_cast<Bits>(descending ? ~Bits{0} : 0);
    Scratch<Item> memory(n >= kRadixSortMinimum ? 2 * n : n);
    Item* items = memory.data();
    radix::for_each_piece(n, pieces, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t index = indices[i];
        items[i] = {static_cast<Bits>(RadixKey<T>::encode_equal(keys[index * stride]) ^ flip),
                    static_cast<Index>(index)};
      }
    });
    items = sort_items(items, n);
    radix::for_each_piece(n, pieces, [&](int64_t, int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i * to_stride] = static_cast<int64_t>(items[i].index);
    });
  }
}

template <class T>
void sort_indices(const T* keys, int64_t stride, int64_t n, bool descending, IndexLine indices, int64_t* to,
                  int64_t to_stride) {
  if (n <= UINT32_MAX)
    sort_indices_as<T, uint32_t>(keys, stride, n, descending, indices, to, to_stride);
  else
    sort_indices_as<T, int64_t>(keys, stride, n, descending, indices, to, to_stride);
}

// Keeps the order of equal values with different bits (zeros and NaNs).
template <class T>
void stable_sort_values(T* v, int64_t n, bool descending) {
  Scratch<int64_t> order(n);
  sort_indices(v, 1, n, descending, {}, order.data(), 1);
  Scratch<T> values(n);
  std::copy_n(v, n, values.data());
  for (int64_t i = 0; i < n; ++i) v[i] = values[order[i]];
}

template <class T>
void sort_line(T* v, int64_t n, bool descending, bool stable) {
  if (sort_by_vectors(v, n, descending, stable)) return;
  if constexpr (sizeof(T) == 1) {
    if (n > 64) return counting_sort(v, n, descending);
  }
  if constexpr (is_complex_v<T>) {
    if (descending) std::reverse(v, v + n);
    std::stable_sort(v, v + n, SortLess<T>());
    if (descending) std::reverse(v, v + n);
  } else {
    if (is_floating_v<T> && stable) return stable_sort_values(v, n, descending);
    if constexpr (sizeof(T) > 1) {
      if (n >= kRadixSortMinimum) return radix_sort_values(v, n, descending);
    }
    // NaNs are the largest values. They are moved to the end first, so that < is a total order of
    // the remaining numbers.
    T* end = v + n;
    if constexpr (is_floating_v<T>) end = std::partition(v, end, [](T x) { return !is_nan(x); });
    std::sort(v, end);
    if (descending) std::reverse(v, v + n);
  }
}

// Sorts in place. `stable` matters only for equal values with different bits: -0.0 and 0.0, and
// NaNs.
void sort_lines(const Tensor& values, int64_t axis, bool descending, bool stable) {
  const int64_t n = values.size(axis);
  if (values.numel() == 0 || n < 2) return;
  for_each_line_in_place(values, axis, sort_work(n),
                         [&]<class T>(T* v, int64_t length) { sort_line<T>(v, length, descending, stable); });
}

// indices: int64, with the shape of `values`. Stable.
void argsort_lines(const Tensor& values, const Tensor& indices, int64_t axis, bool descending) {
  for_each_line_with_indices(values, indices, axis, 2 * sort_work(values.size(axis)),
                             [&](const auto* keys, int64_t stride, int64_t n, int64_t* to, int64_t to_stride) {
                               sort_indices(keys, stride, n, descending, {}, to, to_stride);
                             });
}

}  // namespace

void native::reorder_lines_cpu(const Tensor& indices, const Tensor& values, int64_t axis) {
  for_each_line_with_indices(values, indices, axis, 2 * sort_work(values.size(axis)),
                             [](const auto* keys, int64_t stride, int64_t n, int64_t* index, int64_t step) {
                               sort_indices(keys, stride, n, false, {index, step}, index, step);
                             });
}

namespace {

// values = input[indices] along `axis`.
void gather_lines(const Tensor& input, const Tensor& indices, const Tensor& values, int64_t axis) {
  int64_t n = input.size(axis);
  if (input.numel() == 0) return;
  Lines<3> lines({&input, &indices, &values}, axis);
  visit_dtype(input.dtype(), [&]<class T>() {
    lines.for_each(2 * n, [&](int64_t line) {
      const T* from = lines.at<T>(0, line);
      const int64_t* index = lines.at<int64_t>(1, line);
      T* to = lines.at<T>(2, line);
      for (int64_t i = 0; i < n; ++i) {
        int64_t at = index[i * lines.stride(1)];
        if (TNP_UNLIKELY(at < 0 || at >= n)) raise_out_of_bounds(at, axis, n, ErrorKind::Index);
        to[i * lines.stride(2)] = from[at * lines.stride(0)];
      }
    });
  });
}

}  // namespace

void native::permute_lines_cpu(const Tensor& input, const Tensor& indices, int64_t dim, const Tensor& out) {
  gather_lines(input, indices, at_least_one_axis(out), dim);
}

void native::sort_lines_cpu(const Tensor& self, int64_t dim, bool stable) { sort_lines(self, dim, false, stable); }

void native::stable_argsort_cpu(const Tensor& input, int64_t dim, bool descending, const Tensor& out) {
  argsort_lines(input, out, dim, descending);
}

void native::stable_sort_cpu(const Tensor& input, int64_t dim, bool descending, const Tensor& values,
                             const Tensor& indices) {
  argsort_lines(input, indices, dim, descending);
  gather_lines(input, indices, values, dim);
}

void native::sorted_lines_cpu(const Tensor& input, int64_t dim, bool stable, const Tensor& out) {
  copy_into(out, input);
  sort_lines(out, dim, false, stable);
}

}  // namespace tnp
