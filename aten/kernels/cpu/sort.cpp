#include "aten/kernels/cpu/sort.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "aten/kernels/cpu/lines.h"

namespace tnp {

namespace {

// About nanoseconds for a line of n elements.
int64_t sort_work(int64_t n) { return n * 3 * static_cast<int64_t>(std::bit_width(static_cast<uint64_t>(n))); }

// Gives f a contiguous copy of a strided line, and writes it back.
template <class T, class F>
void on_line(T* line, int64_t stride, int64_t n, std::vector<T>& buffer, F&& f) {
  if (stride == 1) return f(line);
  buffer.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) buffer[static_cast<size_t>(i)] = line[i * stride];
  f(buffer.data());
  for (int64_t i = 0; i < n; ++i) line[i * stride] = buffer[static_cast<size_t>(i)];
}

// std::vector<bool> is no array.
template <class T>
using Stored = std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>;

// There are only 256 values: count them.
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

template <class T>
void sort_line(T* v, int64_t n, bool descending, bool stable) {
  SortLess<T> less;
  if constexpr (sizeof(T) == 1) {
    if (n > 64) return counting_sort(v, n, descending);
  }
  if (descending) {
    std::stable_sort(v, v + n, [&](T a, T b) { return less(b, a); });
  } else if constexpr (std::is_integral_v<T>) {
    std::sort(v, v + n);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (stable) return std::stable_sort(v, v + n, less);
    T* end = std::partition(v, v + n, [](T x) { return x == x; });  // without NaN, the plain order is total
    std::sort(v, end);
  } else {
    std::stable_sort(v, v + n, less);
  }
}

template <class T>
struct Entry {
  T key;
  int64_t index;
};

template <class T>
void load_entries(const T* keys, int64_t stride, int64_t n, std::vector<Entry<T>>& entries) {
  entries.resize(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) entries[static_cast<size_t>(i)] = {keys[i * stride], i};
}

template <class T>
void store_indices(const std::vector<Entry<T>>& entries, int64_t* to, int64_t stride) {
  for (size_t i = 0; i < entries.size(); ++i) to[static_cast<int64_t>(i) * stride] = entries[i].index;
}

// nth_element at each of `kth`, on what lies beyond the one before it.
template <class It, class Less>
void partition_line(It begin, It end, IntList kth, Less less) {
  It from = begin;
  for (int64_t k : kth) {
    It at = begin + k;
    if (at < from) continue;
    std::nth_element(from, at, end, less);
    from = at + 1;
  }
}

}  // namespace

void sort_lines(const Tensor& values, int64_t axis, bool descending, bool stable) {
  int64_t n = values.size(axis);
  if (values.numel() == 0 || n < 2) return;
  Lines<1> lines({&values}, axis);
  visit_dtype(values.dtype(), [&]<class D>() {
    using T = Stored<D>;
    lines.for_each(sort_work(n), [&](int64_t line) {
      std::vector<T> buffer;
      on_line(lines.at<T>(0, line), lines.stride(0), n, buffer, [&](T* v) { sort_line<T>(v, n, descending, stable); });
    });
  });
}

void argsort_lines(const Tensor& input, const Tensor& indices, int64_t axis, bool descending) {
  int64_t n = input.size(axis);
  if (input.numel() == 0) return;
  Lines<2> lines({&input, &indices}, axis);
  visit_dtype(input.dtype(), [&]<class D>() {
    using T = Stored<D>;
    lines.for_each(2 * sort_work(n), [&](int64_t line) {
      std::vector<Entry<T>> entries;
      load_entries(lines.at<T>(0, line), lines.stride(0), n, entries);
      SortLess<T> less;
      if (descending) std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return less(b.key, a.key); });
      else std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return less(a.key, b.key); });
      store_indices(entries, lines.at<int64_t>(1, line), lines.stride(1));
    });
  });
}

void reorder_lines(const Tensor& keys, const Tensor& indices, int64_t axis) {
  int64_t n = keys.size(axis);
  if (keys.numel() == 0) return;
  Lines<2> lines({&keys, &indices}, axis);
  visit_dtype(keys.dtype(), [&]<class D>() {
    using T = Stored<D>;
    lines.for_each(2 * sort_work(n), [&](int64_t line) {
      const T* key = lines.at<T>(0, line);
      int64_t* index = lines.at<int64_t>(1, line);
      std::vector<Entry<T>> entries(static_cast<size_t>(n));
      for (int64_t i = 0; i < n; ++i) {
        int64_t at = index[i * lines.stride(1)];
        entries[static_cast<size_t>(i)] = {key[at * lines.stride(0)], at};
      }
      SortLess<T> less;
      std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return less(a.key, b.key); });
      store_indices(entries, index, lines.stride(1));
    });
  });
}

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
        TNP_CHECK(at >= 0 && at < n, ErrorKind::Index, "index ", at, " is out of bounds for axis ", axis, " with size ", n);
        to[i * lines.stride(2)] = from[at * lines.stride(0)];
      }
    });
  });
}

void partition_lines(const Tensor& values, int64_t axis, IntList kth) {
  int64_t n = values.size(axis);
  if (values.numel() == 0 || kth.empty()) return;
  Lines<1> lines({&values}, axis);
  visit_dtype(values.dtype(), [&]<class D>() {
    using T = Stored<D>;
    lines.for_each(8 * n, [&](int64_t line) {
      std::vector<T> buffer;
      on_line(lines.at<T>(0, line), lines.stride(0), n, buffer, [&](T* v) { partition_line(v, v + n, kth, SortLess<T>()); });
    });
  });
}

void argpartition_lines(const Tensor& input, const Tensor& indices, int64_t axis, IntList kth) {
  int64_t n = input.size(axis);
  if (input.numel() == 0) return;
  Lines<2> lines({&input, &indices}, axis);
  visit_dtype(input.dtype(), [&]<class D>() {
    using T = Stored<D>;
    lines.for_each(16 * n, [&](int64_t line) {
      std::vector<Entry<T>> entries;
      load_entries(lines.at<T>(0, line), lines.stride(0), n, entries);
      SortLess<T> less;
      partition_line(entries.begin(), entries.end(), kth, [&](const auto& a, const auto& b) { return less(a.key, b.key); });
      store_indices(entries, lines.at<int64_t>(1, line), lines.stride(1));
    });
  });
}

}  // namespace tnp
