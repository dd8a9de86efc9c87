// Embedding bags on GPUs: one thread per column of a bag. A first launch checks the indices and
// offsets, with one thread for each, and reports those out of bounds. The following kernels skip
// these.
#include "aten/kernels/embedding_bag.h"

#include "aten/cuda/fault.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/embedding.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/for_each.h"

namespace tnp {

namespace gpu {
namespace {

template <class T>
T* data_or_null(const Tensor& t) {
  return t.defined() ? reinterpret_cast<T*>(t.address()) : nullptr;
}

// The row of each index, and the start of each bag.
struct BagRows {
  const int64_t *row, *start;
  int64_t n, count, rows, padding_idx;
  TNP_HOST_DEVICE bool exists(int64_t j) const { return row[j] >= 0 && row[j] < rows; }
  TNP_HOST_DEVICE bool takes_part(int64_t j) const { return exists(j) && row[j] != padding_idx; }
  TNP_HOST_DEVICE int64_t begin(int64_t k) const {
    const int64_t from = k == count ? n : start[k];
    return from < 0 ? 0 : from > n ? n : from;
  }
  // The last bag that begins at index j or before.
  TNP_HOST_DEVICE int64_t bag_of(int64_t j) const {
    // Bags below `low` begin at j or before, bags from `high` on begin after j.
    int64_t low = 0, high = count;
    while (low < high) {
      const int64_t middle = (low + high) / 2;
      if (start[middle] <= j)
        low = middle + 1;
      else
        high = middle;
    }
    return low > 0 ? low - 1 : 0;
  }
};

// One thread per index and offset. `counts` must be zeroed.
struct SortIntoBags {
  BagRows in;
  int64_t *bags, *counts;
  IndexFault* fault;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    if (i < in.count) {
      const int64_t least = i ? in.start[i - 1] : 0, from = in.start[i];
      if (from < least || from > in.n || (i == 0 && from != 0)) fault->report(ErrorKind::Shape, from, 0, in.n + 1);
    }
    if (i >= in.n) return;
    if (!in.exists(i)) fault->report(ErrorKind::Runtime, in.row[i], 0, in.rows);
    const int64_t bag = in.bag_of(i);
    bags[i] = bag;
    if (in.count > 0 && in.takes_part(i)) atomic_add(counts + bag, int64_t{1});
  }
};

template <class T>
struct CombineBag {
  BagRows in;
  Bags kind;
  int64_t d;
  const T *table, *scale;
  const int64_t* counts;
  T* out;
  int64_t* maxima;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t k = i / d, c = i % d, end = in.begin(k + 1);
    T total = T(0);
    int64_t place = -1;
    for (int64_t j = in.begin(k); j < end; ++j) {
      if (!in.takes_part(j)) continue;
      const T x = table[in.row[j] * d + c];
      if (kind == Bags::Max) {
        if (place < 0 || x > total) total = x, place = in.row[j];
      } else {
        total += scale ? x * scale[j] : x;
      }
    }
    if (kind == Bags::Mean && counts[k] > 1) total /= static_cast<T>(counts[k]);
    if (kind == Bags::Max) maxima[i] = place;
    out[i] = total;
  }
};

struct CountRows {
  BagRows in;
  int64_t* often;
  TNP_HOST_DEVICE void operator()(int64_t j) const {
    if (in.exists(j)) atomic_add(often + in.row[j], int64_t{1});
  }
};

// One thread per index and column. Indices that do not take part are skipped.
template <class T>
struct SpreadOverRows {
  BagRows in;
  int64_t d;
  const T *grad, *scale;
  // `counts` is null unless the kind is Mean; `often` is null unless gradients are scaled by
  // frequency
  const int64_t *bags, *counts, *often;
  T* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    const int64_t j = i / d, c = i % d;
    if (!in.takes_part(j)) return;
    T factor = scale ? scale[j] : T(1);
    if (counts) factor /= static_cast<T>(counts[bags[j]]);
    if (often) factor /= static_cast<T>(often[in.row[j]]);
    atomic_add(to + in.row[j] * d + c, grad[bags[j] * d + c] * factor);
  }
};

template <class T>
struct SpreadOverMaxima {
  int64_t d;
  const T* grad;
  const int64_t* maxima;
  T* to;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    if (maxima[i] >= 0) atomic_add(to + maxima[i] * d + i % d, grad[i]);
  }
};

// One warp per index: the dot product of its row with the gradient of its bag.
template <class T>
struct ProductsOfRows {
  static constexpr uint32_t kThreads = 32;
  struct Shared {
    double part[kThreads];
  };
  struct Private {};
  BagRows in;
  int64_t d, first;  // first: the first index of this launch
  const T *grad, *table;
  const int64_t* bags;
  T* to;
  TNP_HOST_DEVICE int phases() const { return 6; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    const int64_t j = first + place.block;
    if (phase == 0) {
      double sum = 0;
      if (in.takes_part(j)) {
        const T *x = grad + bags[j] * d, *y = table + in.row[j] * d;
        for (int64_t c = place.thread; c < d; c += kThreads)
          sum += static_cast<double>(x[c]) * static_cast<double>(y[c]);
      }
      shared.part[place.thread] = sum;
      return;
    }
    const uint32_t half = kThreads >> phase;
    if (place.thread < half) shared.part[place.thread] += shared.part[place.thread + half];
    if (half == 1 && place.thread == 0) to[j] = static_cast<T>(shared.part[0]);
  }
};

}  // namespace
}  // namespace gpu

namespace native {

using namespace gpu;

void embedding_bag_cuda(const Tensor& weight, const Tensor& indices, const Tensor& offsets, int64_t mode,
                        const Tensor& per_sample_weights, int64_t padding_idx, bool, const Tensor& out,
                        const Tensor& bags, const Tensor& counts, const Tensor& maxima) {
  const Device device = weight.device();
  const BagRows rows{data_or_null<const int64_t>(indices),
                     data_or_null<const int64_t>(offsets),
                     indices.numel(),
                     offsets.numel(),
                     weight.size(0),
                     padding_idx};
  if (counts.numel() > 0) fill_with(counts, Scalar(0));
  for_each(std::max(rows.n, rows.count),
           SortIntoBags{rows, data_or_null<int64_t>(bags), data_or_null<int64_t>(counts), fault_of(device)}, device);
  check_fault(device);
  visit<FloatTypes>(weight.dtype(), [&]<class T>() {
    for_each(out.numel(),
             CombineBag<T>{rows, static_cast<Bags>(mode), weight.size(1), data_or_null<const T>(weight),
                           data_or_null<const T>(per_sample_weights), data_or_null<const int64_t>(counts),
                           data_or_null<T>(out), data_or_null<int64_t>(maxima)},
             device);
  });
}

void embedding_bag_backward_cuda(const Tensor& grad, const Tensor& weight, const Tensor& indices, const Tensor& bags,
                                 const Tensor& counts, const Tensor& maxima, int64_t mode,
                                 const Tensor& per_sample_weights, int64_t padding_idx, bool scale_grad_by_freq,
                                 std::span<const bool>, const Tensor& grad_weight, const Tensor& grad_scale) {
  const Device device = weight.device();
  const auto kind = static_cast<Bags>(mode);
  const int64_t d = weight.size(1);
  // If there are no bags, no index is used.
  const BagRows rows{data_or_null<const int64_t>(indices),
                     nullptr,
                     counts.numel() > 0 ? indices.numel() : 0,
                     counts.numel(),
                     weight.size(0),
                     padding_idx};
  const auto* bag = data_or_null<const int64_t>(bags);
  if (grad_weight.defined() && grad_weight.numel() > 0) fill_with(grad_weight, Scalar(0));
  if (grad_scale.defined() && grad_scale.numel() > 0) fill_with(grad_scale, Scalar(0));
  Tensor often;
  if (scale_grad_by_freq && rows.rows > 0) {
    often = empty_tensor({rows.rows}, ScalarType::Int64, device);
    fill_with(often, Scalar(0));
    for_each(rows.n, CountRows{rows, data_or_null<int64_t>(often)}, device);
  }
  visit<FloatTypes>(weight.dtype(), [&]<class T>() {
    const T* from = data_or_null<const T>(grad);
    if (grad_weight.defined() && kind == Bags::Max) {
      for_each(grad.numel(),
               SpreadOverMaxima<T>{d, from, data_or_null<const int64_t>(maxima), data_or_null<T>(grad_weight)}, device);
    } else if (grad_weight.defined()) {
      for_each(rows.n * d,
               SpreadOverRows<T>{rows, d, from, data_or_null<const T>(per_sample_weights), bag,
                                 kind == Bags::Mean ? data_or_null<const int64_t>(counts) : nullptr,
                                 data_or_null<const int64_t>(often), data_or_null<T>(grad_weight)},
               device);
    }
    for (int64_t first = 0; grad_scale.defined() && first < rows.n; first += kMaxBlocks) {
      launch(ProductsOfRows<T>{rows, d, first, from, data_or_null<const T>(weight), bag, data_or_null<T>(grad_scale)},
             static_cast<uint32_t>(std::min<int64_t>(rows.n - first, kMaxBlocks)), device);
    }
  });
}

}  // namespace native
}  // namespace tnp
