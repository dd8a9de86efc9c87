// Repeats entries by counts (Note [Repetitions]). A binary search in the cumulative sums of the
// counts finds the entry of each element of the result.
#include "aten/core/numbers/element_bits.h"
#include "aten/functors/functor.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/joining.h"
#include "aten/kernel_functions/reductions.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/index_geometry.h"
#include "aten/kernels/repetition.h"

namespace tnp {

namespace gpu {
namespace {

// The entry of repetition r: the first whose repetitions end after r.
TNP_HOST_DEVICE int64_t entry_of(const int64_t* ends, int64_t n, int64_t r) {
  int64_t low = 0, high = n - 1;
  while (low < high) {
    const int64_t middle = (low + high) / 2;
    if (ends[middle] > r)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

// out[o, i, k]: the sum of in[o, r, k] over the repetitions r of entry i, added in the CPU's order.
template <class T>
struct SumRepetitions {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const T* in;
  T* out;
  const int64_t* ends;  // cumulative counts: where the repetitions of each entry end
  int64_t outer, n, inner, total;
  TNP_HOST_DEVICE void run(Place place) const {
    using Acc = accumulate_t<T>;
    grid_stride_loop(place, outer * n * inner, [&](int64_t at) {
      const int64_t o = at / (n * inner), i = at / inner % n, k = at % inner;
      Acc sum(0);
      for (int64_t r = i > 0 ? ends[i - 1] : 0; r < ends[i]; ++r)
        sum += static_cast<Acc>(in[(o * total + r) * inner + k]);
      out[at] = convert<T>(sum);
    });
  }
};

// out[o, r, k] = in[o, i, k], where r is one of the repetitions of entry i.
template <class Bits>
struct RepeatEntries {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const Bits* in;
  Bits* out;
  const int64_t* ends;    // cumulative counts: where the repetitions of each entry end
  const int64_t* places;  // the entry of each repetition; if null, found by searching `ends`
  int64_t outer, n, inner, total;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, outer * total * inner, [&](int64_t at) {
      const int64_t line = at / inner, o = line / total, r = line - o * total;
      const int64_t i = places ? places[r] : entry_of(ends, n, r);
      out[at] = in[(o * n + i) * inner + (at - line * inner)];
    });
  }
};

struct FindEntries {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const int64_t* ends;
  int64_t* places;
  int64_t n, total;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, total, [this](int64_t r) { places[r] = entry_of(ends, n, r); });
  }
};

int64_t* integers(const Tensor& t) { return reinterpret_cast<int64_t*>(t.address()); }

// Cumulative counts: where the repetitions of each entry end.
Tensor ends_of(const Tensor& repeats) {
  Tensor ends = empty_tensor(repeats.sizes(), ScalarType::Int64, repeats.device());
  native::cumsum_cuda(repeats, 0, ScalarType::Int64, ends);
  return ends;
}

}  // namespace
}  // namespace gpu

void native::repeat_interleave_cuda(const Tensor& input, const Tensor& repeats, std::optional<int64_t>,
                                    const Tensor& out) {
  if (out.numel() == 0) return;
  const int64_t outer = input.size(0), n = input.size(1), inner = input.size(2), total = out.numel() / (outer * inner);
  if (repeats.numel() == 1) {
    const DimVector sizes{outer, n, total / n, inner};
    return copy_into(view_of(out, sizes, contiguous_strides(sizes), out.address()),
                     view_of(input, sizes, {n * inner, inner, 0, 1}, input.address()));
  }
  const Tensor ends = gpu::ends_of(repeats);
  Tensor places;
  if (outer * inner > 1) {
    places = empty_tensor({total}, ScalarType::Int64, out.device());
    gpu::launch(gpu::FindEntries{gpu::integers(ends), gpu::integers(places), n, total}, gpu::grid_stride_blocks(total),
                out.device());
  }
  visit_size(out.dtype(), [&]<class Bits>() {
    gpu::RepeatEntries<Bits> kernel{reinterpret_cast<const Bits*>(input.address()),
                                    reinterpret_cast<Bits*>(out.address()),
                                    gpu::integers(ends),
                                    places.defined() ? gpu::integers(places) : nullptr,
                                    outer,
                                    n,
                                    inner,
                                    total};
    gpu::launch(kernel, gpu::grid_stride_blocks(out.numel()), out.device());
  });
}

void native::sum_repetitions_cuda(const Tensor& grad, const Tensor& repeats, IntList size, std::optional<int64_t>,
                                  const Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor ends = gpu::ends_of(repeats);
  const int64_t total = grad.numel() / (size[0] * size[2]);
  visit_dtype(out.dtype(), [&]<class T>() {
    gpu::SumRepetitions<T> kernel{reinterpret_cast<const T*>(grad.address()),
                                  reinterpret_cast<T*>(out.address()),
                                  gpu::integers(ends),
                                  size[0],
                                  size[1],
                                  size[2],
                                  total};
    gpu::launch(kernel, gpu::grid_stride_blocks(out.numel()), out.device());
  });
}

}  // namespace tnp
