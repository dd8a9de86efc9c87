// Indices of nonzero elements: first in the flattened tensor, then along each axis.
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cuda/atomic_add.h"
#include "aten/kernels/cuda/grid_stride.h"
#include "aten/kernels/cuda/indexing/compaction.h"

namespace tnp {

namespace gpu {
namespace {

// Each block counts in shared memory and adds its count to the total.
struct CountTrue {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  struct Shared {
    uint32_t count;
  };
  struct Private {};
  const uint8_t* mask;
  int64_t* total;
  int64_t n;
  TNP_HOST_DEVICE int phases() const { return 3; }
  TNP_HOST_DEVICE void run(int phase, Place place, Shared& shared, Private&) const {
    if (phase == 0) {
      if (place.thread == 0) shared.count = 0;
    } else if (phase == 1) {
      uint32_t own = 0;
      grid_stride_loop(place, n, [&](int64_t i) { own += mask[i] != 0; });
      if (own > 0) atomic_add(&shared.count, own);
    } else if (place.thread == 0 && shared.count > 0) {
      atomic_add(total, static_cast<int64_t>(shared.count));
    }
  }
};

int64_t count_true(const uint8_t* mask, int64_t n, Device device) {
  const Tensor total = empty_tensor({1}, ScalarType::Int64, device), read = empty_tensor({1}, ScalarType::Int64);
  fill_with(total, Scalar(0));
  // The grid has so many blocks that each of them counts fewer than 2^32 elements.
  launch(CountTrue{mask, reinterpret_cast<int64_t*>(total.address()), n}, grid_stride_blocks(n), device);
  copy_across(read, total, false);
  return *read.data_ptr<int64_t>();
}

struct PlacesAlongAxes {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  int64_t* rows;  // (axes, count); at first, the last row holds the indices in the flattened tensor
  int64_t count;
  int32_t axes;
  int64_t sizes[kMaxDims];
  TNP_HOST_DEVICE void run(Place place) const {
    grid_stride_loop(place, count, [&](int64_t i) {
      int64_t at = rows[(axes - 1) * count + i];
      for (int d = axes - 1; d >= 0; --d) {
        const int64_t rest = at / sizes[d];
        rows[d * count + i] = at - rest * sizes[d];
        at = rest;
      }
    });
  }
};

}  // namespace
}  // namespace gpu

// Returns one row of indices per axis. The host reads the count, because the count determines the
// size of the result.
Tensor native::nonzero_rows_cuda(const Tensor& input) {
  const Device device = input.device();
  const Tensor mask = native::dense_copy(input, ScalarType::Bool);  // a nonzero byte is true
  const int64_t n = mask.numel(), axes = mask.dim();
  if (n == 0) return empty_tensor({axes, 0}, ScalarType::Int64, device);
  const int64_t count = gpu::count_true(reinterpret_cast<const uint8_t*>(mask.address()), n, device);
  Tensor rows = empty_tensor({axes, count}, ScalarType::Int64, device);
  if (rows.numel() == 0) return rows;
  auto* to = reinterpret_cast<int64_t*>(rows.address());
  gpu::compact_places(reinterpret_cast<const uint8_t*>(mask.address()), n, to + (axes - 1) * count, count, device);
  if (axes == 1) return rows;
  gpu::PlacesAlongAxes kernel{to, count, static_cast<int32_t>(axes), {}};
  for (int64_t d = 0; d < axes; ++d) kernel.sizes[d] = mask.size(d);
  gpu::launch(kernel, gpu::grid_stride_blocks(count), device);
  return rows;
}

}  // namespace tnp
