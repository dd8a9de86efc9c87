// Histogram of small integers. Each block counts in shared memory if the table fits there, and then
// adds its table to the global one. Integer additions may come in any order: the counts are exact.
#include <algorithm>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/pointwise.h"

namespace tnp {

namespace gpu {
namespace {

constexpr int64_t kOwnTable = 4096;  // counts of 32 bits, per block

struct CountInBlocks {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  struct Shared {
    uint32_t counts[kOwnTable];
  };
  struct Private {};
  const int64_t* values;
  int64_t* counts;
  int64_t n, size;
  TNP_HOST_DEVICE int phases() const { return 3; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    if (phase == 0) {
      for (uint32_t v = place.thread; v < size; v += kThreads) shared.counts[v] = 0;
    } else if (phase == 1) {
      grid_stride_loop(place, n, [&](int64_t i) {
        const auto value = static_cast<uint64_t>(values[i]);
        if (value < static_cast<uint64_t>(size)) atomic_add(&shared.counts[value], 1u);
      });
    } else {
      for (uint32_t v = place.thread; v < size; v += kThreads) {
        if (shared.counts[v]) atomic_add(&counts[v], static_cast<int64_t>(shared.counts[v]));
      }
    }
  }
};

struct CountInPlace {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  const int64_t* values;
  int64_t* counts;
  int64_t n, size;
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, n, [&](int64_t i) {
      const auto value = static_cast<uint64_t>(values[i]);
      if (value < static_cast<uint64_t>(size)) atomic_add(&counts[value], int64_t{1});
    });
  }
};

}  // namespace
}  // namespace gpu

void native::count_values_cuda(const Tensor& input, int64_t size, const Tensor& out) {
  using namespace gpu;
  const Device device = input.device();
  fill_with(out, Scalar(0));
  const int64_t n = input.numel();
  const auto* values = reinterpret_cast<const int64_t*>(input.address());
  auto* counts = reinterpret_cast<int64_t*>(out.address());
  // A block's own table pays off if the block counts many more numbers than the table has entries.
  // The counts in that table stay below 2^32.
  const int64_t blocks = std::clamp<int64_t>(n / (8 * std::max<int64_t>(size, 512)), 1, 4096);
  if (size <= kOwnTable && n < (int64_t{1} << 42))
    launch(CountInBlocks{values, counts, n, size}, static_cast<uint32_t>(blocks), device);
  else
    launch(CountInPlace{values, counts, n, size}, grid_stride_blocks(n), device);
}

}  // namespace tnp
