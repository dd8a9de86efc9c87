// searchsorted: one binary search per thread. Neighbouring threads with similar keys read the same
// values.
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/sort_order.h"

namespace tnp {

namespace gpu {
namespace {

template <class T>
struct Search {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const stored_t<T>*values, *keys;
  const int64_t* order;  // null if the values are sorted
  int64_t* places;
  int64_t n, each, count;  // number of values per line, of keys per line, and of all keys
  bool right;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [&](int64_t i) {
      const T key = static_cast<T>(keys[i]);
      const int64_t first = i / each * n;
      const SortLess<T> less;
      int64_t low = 0, high = n;
      while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const T value = static_cast<T>(values[first + (order ? order[first + middle] : middle)]);
        if (right ? !less(key, value) : less(value, key))
          low = middle + 1;
        else
          high = middle;
      }
      places[i] = low;
    });
  }
};

}  // namespace
}  // namespace gpu

void native::search_sorted_cuda(const Tensor& values, const Tensor& order, const Tensor& keys, bool right,
                                const Tensor& out) {
  using namespace gpu;
  if (keys.numel() == 0) return;
  const int64_t n = values.size(-1), lines = n > 0 ? values.numel() / n : 1;
  const auto* permutation = order.defined() ? reinterpret_cast<const int64_t*>(order.address()) : nullptr;
  visit_dtype(values.dtype(), [&]<class T>() {
    Search<T> kernel{reinterpret_cast<const stored_t<T>*>(values.address()),
                     reinterpret_cast<const stored_t<T>*>(keys.address()),
                     permutation,
                     reinterpret_cast<int64_t*>(out.address()),
                     n,
                     keys.numel() / lines,
                     keys.numel(),
                     right};
    launch(kernel, grid_stride_blocks(keys.numel()), values.device());
  });
}

}  // namespace tnp
