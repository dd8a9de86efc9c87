// CUB's DeviceScan reads and writes each number once. DeviceScan combines the totals of preceding
// blocks in varying order. For integers, that order does not change the results.
#include <cub/device/device_scan.cuh>

#include "aten/cuda/launch.h"
#include "aten/kernels/cuda/cub_memory.h"
#include "aten/kernels/cuda/reduction/integer_scan.h"

namespace tnp::gpu {

namespace {

struct Plus {
  __host__ __device__ uint64_t operator()(uint64_t a, uint64_t b) const { return a + b; }
};
struct Times {
  __host__ __device__ uint64_t operator()(uint64_t a, uint64_t b) const { return a * b; }
};

}  // namespace

void scan_integers(IntegerScan kind, const uint64_t* in, uint64_t* out, int64_t n, Device device) {
  const LaunchScope scope(device);
  auto* stream = static_cast<cudaStream_t>(scope.stream());
  with_cub_memory(device, [&](void* memory, size_t& bytes) {
    return kind == IntegerScan::Sums ? cub::DeviceScan::InclusiveScan(memory, bytes, in, out, Plus(), n, stream)
                                     : cub::DeviceScan::InclusiveScan(memory, bytes, in, out, Times(), n, stream);
  });
}

}  // namespace tnp::gpu
