#include <thrust/iterator/counting_iterator.h>
#include <cub/device/device_select.cuh>

#include "aten/cuda/launch.h"
#include "aten/kernels/cuda/cub_memory.h"
#include "aten/kernels/cuda/indexing/compaction.h"

namespace tnp::gpu {

void compact_places(const uint8_t* mask, int64_t n, int64_t* places, int64_t, Device device) {
  const LaunchScope scope(device);
  auto* stream = static_cast<cudaStream_t>(scope.stream());
  // CUB writes the count here. The caller already knows it.
  const Tensor found = empty_tensor({1}, ScalarType::Int64, device);
  with_cub_memory(device, [&](void* memory, size_t& bytes) {
    return cub::DeviceSelect::Flagged(memory, bytes, thrust::counting_iterator<int64_t>(0), mask, places,
                                      reinterpret_cast<int64_t*>(found.address()), n, stream);
  });
}

}  // namespace tnp::gpu
