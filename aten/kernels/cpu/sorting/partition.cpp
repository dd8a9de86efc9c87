// partition and argpartition: place the elements that sorting would put at the positions `kth`,
// with no larger element before each.
//
// Source: Floyd and Rivest, Commun. ACM 18 (1975) 165-172. Two elements of a sorted sample almost
// surely enclose the wanted one, so all elements outside of them are discarded at once.
#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "aten/core/memory/scratch.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/layout.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cpu/copying/lines.h"
#include "aten/kernels/cpu/sorting/sort_loops.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

namespace {

// From this size on, argpartition makes two passes over the array, because moving the indices
// during selection is slower.
constexpr int64_t kTwoPasses = 3000;
// Up to this size, elements are sorted instead of partitioned.
constexpr int64_t kFew = 600;
constexpr int64_t kFewCompared = 32;  // the same limit without vector instructions

// Moves the elements that fulfil `wanted` to the front and returns their number. A block without
// such elements costs one comparison per vector. In other blocks, every element is exchanged
// without a branch, which would be mispredicted.
template <class T, class F>
int64_t move_front(T* v, int64_t n, F wanted) {
  constexpr int64_t kBlock = 64;
  int64_t found = 0, i = 0;
  auto exchange = [&](int64_t end) {
    for (; i < end; ++i) {
      T x = v[i];
      v[i] = v[found];
      v[found] = x;
      found += wanted(x);
    }
  };
  while (i + kBlock <= n) {
    int any = 0;
    for (int64_t k = 0; k < kBlock; ++k) any |= wanted(v[i + k]);
    if (any)
      exchange(i + kBlock);
    else
      i += kBlock;
  }
  exchange(n);
  return found;
}

// Moves the elements less than the pivot (or equal to it, if `or_equal`) to the front and returns
// their number.
template <class T>
int64_t move_less(T* v, int64_t n, T pivot, bool or_equal) {
  if constexpr (sort_loops::kSorts<T>) {
    if (const SortLoops* loops = sort_loops_of<T>()) return loops->move_less(v, n, &pivot, or_equal);
  }
  if (or_equal) return move_front(v, n, [pivot](T x) { return !(pivot < x); });
  return move_front(v, n, [pivot](T x) { return x < pivot; });
}

template <class T>
void sort_few(T* v, int64_t n) {
  if constexpr (sort_loops::kSorts<T>) {
    if (const SortLoops* loops = sort_loops_of<T>())
      return loops->sort(v, n, 2 * std::bit_width(static_cast<uint64_t>(n)));
  }
  std::sort(v, v + n);
}

// Finishes a selection of at most kFew remaining elements.
template <class T>
void select_few(T* v, int64_t n, int64_t k) {
  if constexpr (sort_loops::kSorts<T>) {
    if (n <= kFew && sort_loops_of<T>()) return sort_few(v, n);
  }
  std::nth_element(v, v + k, v + n);
}

// Like std::nth_element; `v` has no NaN.
template <class T>
void select(T* v, int64_t n, int64_t k) {
  std::vector<T> sample;
  for (int attempt = 0; n > kFew && attempt < 30; ++attempt) {
    const int64_t size = std::clamp<int64_t>(n / 256, 32, 4096), step = n / size;
    sample.clear();
    for (int64_t i = 0; i < size; ++i)
      // Uses irregular steps, so that the sample does not resonate with a period of the data.
      sample.push_back(v[i * step + i * 0x9e3779b1 % step]);
    const double share = static_cast<double>(k) / static_cast<double>(n), places = static_cast<double>(size);
    const auto rank = static_cast<int64_t>(share * (places - 1)),
               margin = static_cast<int64_t>(3 * std::sqrt(places * share * (1 - share))) + 2;
    const int64_t low_rank = rank - margin, high_rank = rank + margin;
    sort_few(sample.data(), size);
    const T low = sample[static_cast<size_t>(std::max<int64_t>(low_rank, 0))],
            high = sample[static_cast<size_t>(std::min(high_rank, size - 1))];
    const int64_t before = n;
    // Restricts v to [begin, end) if k is in it.
    auto keep = [&](int64_t begin, int64_t end) {
      if (k < begin || k >= end) return false;
      v += begin, n = end - begin, k -= begin;
      return true;
    };
    auto cut_above = [&] {
      if (high_rank >= size) return;
      const int64_t all = n, in = move_less(v, n, high, true);
      if (!keep(0, in)) keep(in, all);
    };
    auto cut_below = [&] {
      if (low_rank < 0) return;
      const int64_t all = n, out = move_less(v, n, low, false);
      if (!keep(0, out)) keep(out, all);
    };
    if (share < 0.5)
      cut_above(), cut_below();
    else
      cut_below(), cut_above();
    if (n <= before / 2) continue;
    // If there are few distinct values, removes all elements equal to one of them.
    const T pivot = sample[static_cast<size_t>(rank)];
    const int64_t all = n, less = move_less(v, n, pivot, false);
    if (keep(0, less)) continue;
    const int64_t equal = move_less(v + less, n - less, pivot, true);
    if (k < less + equal) return;
    keep(less + equal, all);
  }
  select_few(v, n, k);
}

// Calls nth_element for each position in `kth`, on the range after the previous position.
template <class It, class Less>
void partition_by_comparing(It begin, It end, IntList kth, Less less) {
  // partition() of numbers sorts short lines, too, so that argpartition() gives the same order.
  if (end - begin <= kFewCompared) return std::sort(begin, end, less);
  It from = begin;
  for (int64_t k : kth) {
    It at = begin + k;
    if (at < from) continue;
    std::nth_element(from, at, end, less);
    from = at + 1;
  }
}

template <class T>
void partition_line(T* v, int64_t n, IntList kth) {
  if constexpr (is_complex_v<T> || is_reduced_float_v<T>) {
    partition_by_comparing(v, v + n, kth, SortLess<T>());
  } else {
    int64_t numbers = n;
    if constexpr (is_floating_v<T>) {
      int64_t missing = 0;
      for (int64_t i = 0; i < n; ++i) missing += v[i] != v[i];
      if (missing > 0) numbers = move_front(v, n, [](T x) { return x == x; });
    }
    // argpartition() sorts lines this short, too
    if (numbers <= kFewCompared) return sort_few(v, numbers);
    int64_t from = 0;
    for (int64_t k : kth) {
      if (k < from) continue;
      if (k >= numbers) break;
      select(v + from, numbers - from, k - from);
      from = k + 1;
    }
  }
}

// Partitions a copy to find the value at position k. Then the indices are written to the less,
// equal or greater part, in ascending order and without a branch.
template <class T>
void argpartition_by_value(const T* keys, int64_t stride, int64_t n, IntList kth, int64_t* to, int64_t to_stride) {
  Scratch<T> copy(n);
  for (int64_t i = 0; i < n; ++i) copy[i] = keys[i * stride];
  partition_line(copy.data(), n, kth);
  const T pivot = copy[kth[0]];
  auto move = [&](auto is_less, auto is_greater) {
    int64_t less = 0, greater = 0;
    for (int64_t i = 0; i < n; ++i) less += is_less(copy[i]), greater += is_greater(copy[i]);
    int64_t front = 0, middle = less, back = n - greater;
    for (int64_t i = 0; i < n; ++i) {
      const T x = keys[i * stride];
      const int64_t before = is_less(x), behind = is_greater(x);
      to[(middle + ((front - middle) & -before) + ((back - middle) & -behind)) * to_stride] = i;
      front += before, back += behind, middle += 1 - before - behind;
    }
  };
  if (pivot != pivot)
    move([](T x) { return x == x; }, [](T) { return false; });
  else
    // NaN counts as greater
    move([=](T x) { return x < pivot; }, [=](T x) { return !(x <= pivot); });
}

// An element as a key, and its index. Real numbers have integer keys of the same order, so that all
// dtypes share the code.
template <class Key>
struct Entry {
  Key key;
  int64_t index;
};

template <class T>
auto partition_key(T x) {
  if constexpr (is_complex_v<T>)
    return x;
  else
    return uint64_t{RadixKey<T>::encode_equal(x)};
}

template <class Key>
[[gnu::noinline]] void partition_entries(Entry<Key>* entries, int64_t n, IntList kth) {
  partition_by_comparing(entries, entries + n, kth,
                         [](const auto& a, const auto& b) { return SortLess<Key>()(a.key, b.key); });
}

}  // namespace

void native::partition_lines_cpu(const Tensor& values, IntList kth, int64_t axis) {
  if (values.numel() == 0 || kth.empty()) return;
  for_each_line_in_place(values, axis, 2 * values.size(axis),
                         [&]<class T>(T* v, int64_t n) { partition_line(v, n, kth); });
}

void native::partitioned_lines_cpu(const Tensor& input, IntList kth, int64_t dim, const Tensor& out) {
  copy_into(out, input);
  partition_lines_cpu(out, kth, dim);
}

void native::argpartitioned_lines_cpu(const Tensor& values, IntList kth, int64_t axis, const Tensor& indices) {
  for_each_line_with_indices(values, indices, axis, 16 * values.size(axis),
                             [&]<class T>(const T* keys, int64_t stride, int64_t n, int64_t* to, int64_t to_stride) {
                               if constexpr (sort_loops::kSorts<T>) {
                                 if (kth.size() == 1 && n >= kTwoPasses)
                                   return argpartition_by_value(keys, stride, n, kth, to, to_stride);
                               }
                               Scratch<Entry<decltype(partition_key(T{}))>> entries(n);
                               for (int64_t i = 0; i < n; ++i) entries[i] = {partition_key(keys[i * stride]), i};
                               partition_entries(entries.data(), n, kth);
                               for (int64_t i = 0; i < n; ++i) to[i * to_stride] = entries[i].index;
                             });
}

}  // namespace tnp
