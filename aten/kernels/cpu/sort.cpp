#include "aten/kernels/cpu/sort.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "aten/kernels/cpu/lines.h"
#include "aten/kernels/cpu/radix_sort.h"

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
void radix_sort_values(T* v, int64_t n, bool descending) {
  using Key = RadixKey<T>;
  std::vector<typename Key::Bits> keys(static_cast<size_t>(n)), spare(static_cast<size_t>(n));
  for (int64_t i = 0; i < n; ++i) keys[static_cast<size_t>(i)] = Key::encode(v[i]);
  const auto* sorted = radix_sort(keys.data(), spare.data(), n, [](auto key) { return key; });
  for (int64_t i = 0; i < n; ++i) v[i] = Key::decode(sorted[descending ? n - 1 - i : i]);
}

template <class T>
bool is_nan(T v) {
  if constexpr (is_complex_v<T>) return v.re != v.re || v.im != v.im;
  else if constexpr (is_floating_v<T>) return static_cast<accumulate_t<T>>(v) != static_cast<accumulate_t<T>>(v);
  else return false;
}

template <class T>
void sort_line(T* v, int64_t n, bool descending, bool stable) {
  SortLess<T> less;
  if constexpr (sizeof(T) == 1) {
    if (n > 64) return counting_sort(v, n, descending);
  }
  if constexpr (is_complex_v<T>) {
    if (descending) std::stable_sort(v, v + n, [&](T a, T b) { return less(b, a); });
    else std::stable_sort(v, v + n, less);
    return;
  } else {
    if (is_floating_v<T> && stable) {
      if (descending) std::stable_sort(v, v + n, [&](T a, T b) { return less(b, a); });
      else std::stable_sort(v, v + n, less);
      return;
    }
    // Without NaN, which is the largest, the plain order is total.
    T *begin = v, *end = v + n;
    if constexpr (is_floating_v<T>) {
      if (descending) begin = std::partition(v, end, is_nan<T>);
      else end = std::partition(v, end, [](T x) { return !is_nan(x); });
    }
    if (end - begin >= kRadixSortMinimum) radix_sort_values(begin, end - begin, descending);
    else if (descending) std::sort(begin, end, [](T a, T b) { return b < a; });
    else std::sort(begin, end);
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

// -0.0 equals 0.0: their keys must, too.
template <class T>
T without_sign_of_zero(T v) {
  if constexpr (is_floating_v<T>) return T(static_cast<accumulate_t<T>>(v) + accumulate_t<T>(0));
  else return v;
}

// Stable, by keys in SortLess's order.
template <class T>
void sort_entries(std::vector<Entry<T>>& entries, bool descending) {
  auto n = static_cast<int64_t>(entries.size());
  if constexpr (!is_complex_v<T>) {
    if (n >= kRadixSortMinimum) {
      using Bits = typename RadixKey<T>::Bits;
      auto key_of = [descending](const Entry<T>& e) {
        Bits key = is_nan(e.key) ? static_cast<Bits>(~Bits{0}) : RadixKey<T>::encode(without_sign_of_zero(e.key));
        return static_cast<Bits>(descending ? ~key : key);
      };
      std::vector<Entry<T>> spare(entries.size());
      if (radix_sort(entries.data(), spare.data(), n, key_of) == spare.data()) entries.swap(spare);
      return;
    }
  }
  SortLess<T> less;
  if (descending) std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return less(b.key, a.key); });
  else std::stable_sort(entries.begin(), entries.end(), [&](const auto& a, const auto& b) { return less(a.key, b.key); });
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
      sort_entries(entries, descending);
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
      sort_entries(entries, false);
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
