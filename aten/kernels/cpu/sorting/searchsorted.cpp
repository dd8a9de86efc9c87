// searchsorted: several interleaved binary searches.
//
// All searches in one array take the same number of steps, so several run in parallel without
// branches. Their memory accesses overlap.
#include <algorithm>

#include "aten/core/threads/parallel.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/pointwise.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

namespace {

constexpr int kTogether = 16;

// Whether the key's position is after `value`. No key may be NaN: NaNs are last in the order and
// are searched separately.
template <class T, bool right>
struct Behind {
  bool operator()(T value, T key) const {
    if constexpr (std::is_arithmetic_v<T>)
      return right ? value <= key : value < key;
    else
      return right ? !SortLess<T>()(key, value) : SortLess<T>()(value, key);
  }
};
template <class T, bool right>
struct BehindWithNan {
  bool operator()(T value, T key) const { return right ? !SortLess<T>()(key, value) : SortLess<T>()(value, key); }
};

// The positions of `count` keys. value_at(i) is the i-th of n values in ascending order.
template <int count, class T, class At, class IsBehind>
void search(int64_t n, At value_at, const T* keys, IsBehind is_behind, int64_t* places) {
  int64_t low[count] = {};
  if (n > 0) {
    for (int64_t left = n; left > 1;) {
      const int64_t half = left / 2;
      for (int k = 0; k < count; ++k)
        low[k] += half & -static_cast<int64_t>(is_behind(value_at(low[k] + half - 1), keys[k]));
      left -= half;
    }
    for (int k = 0; k < count; ++k) low[k] += is_behind(value_at(low[k]), keys[k]);
  }
  for (int k = 0; k < count; ++k) places[k] = low[k];
}

template <class T, bool right, class At>
void search_all(int64_t n, At value_at, const T* keys, int64_t count, int64_t* places) {
  int64_t i = 0;
  for (; i + kTogether <= count; i += kTogether) {
    bool nan = false;
    if constexpr (std::is_floating_point_v<T>) {
      for (int k = 0; k < kTogether; ++k) nan |= keys[i + k] != keys[i + k];
    }
    if (nan)
      search<kTogether>(n, value_at, keys + i, BehindWithNan<T, right>(), places + i);
    else
      search<kTogether>(n, value_at, keys + i, Behind<T, right>(), places + i);
  }
  for (; i < count; ++i) search<1>(n, value_at, keys + i, BehindWithNan<T, right>(), places + i);
}

}  // namespace

void native::search_sorted_cpu(const Tensor& values, const Tensor& order, const Tensor& keys, bool right,
                               const Tensor& out) {
  const int64_t n = values.size(-1), lines = n > 0 ? values.numel() / n : 1;
  const int64_t each = lines > 0 ? keys.numel() / lines : 0;
  visit_dtype(values.dtype(), [&]<class T>() {
    const T *v = values.data_ptr<T>(), *wanted = keys.data_ptr<T>();
    const int64_t* permutation = order.defined() ? order.data_ptr<int64_t>() : nullptr;
    int64_t* to = out.data_ptr<int64_t>();
    auto search_with = [&](int64_t begin, int64_t end, auto value_at) {
      if (right)
        search_all<T, true>(n, value_at, wanted + begin, end - begin, to + begin);
      else
        search_all<T, false>(n, value_at, wanted + begin, end - begin, to + begin);
    };
    parallel_for(0, keys.numel(), 1000, [&](int64_t begin, int64_t end) {
      while (begin < end) {
        const int64_t line = begin / each, stop = std::min(end, (line + 1) * each);
        const T* own = v + line * n;
        if (permutation) {
          const int64_t* places = permutation + line * n;
          search_with(begin, stop, [=](int64_t i) { return own[places[i]]; });
        } else {
          search_with(begin, stop, [=](int64_t i) { return own[i]; });
        }
        begin = stop;
      }
    });
  });
}

}  // namespace tnp
