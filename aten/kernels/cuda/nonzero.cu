// The places of elements that are not zero: in the flattened tensor first, and then along each axis.
#include "aten/functions/comparison.h"
#include "aten/functions/copies.h"
#include "aten/functions/reductions.h"
#include "aten/kernel_functions/sorting.h"
#include "aten/kernels/cuda/compaction.h"
#include "aten/kernels/cuda/grid_stride.h"

namespace tnp {

namespace gpu {
namespace {

struct PlacesAlongAxes {
  static constexpr uint32_t kThreads = kGridStrideThreads;
  int64_t* rows;  // (axes, count); the last one has the places in the flattened tensor
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

// One row for each axis. The count is read on the CPU: how large a result is must be known there.
Tensor native::nonzero_rows_cuda(const Tensor& input) {
  const Device device = input.device();
  const Tensor mask = tnp::contiguous(tnp::ne(input, wrapped_number(Scalar(0))));
  const int64_t n = mask.numel(), axes = mask.dim();
  if (n == 0) return empty_tensor({axes, 0}, ScalarType::Int64, device);
  const auto count = tnp::sum(mask, std::nullopt, false, ScalarType::Int64).item<int64_t>();
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
