// Stream compaction on the emulated device: a loop over host memory.
#include "aten/cuda/emulation.h"
#include "aten/kernels/cuda/indexing/compaction.h"

namespace tnp::gpu {

void compact_places(const uint8_t* mask, int64_t n, int64_t* places, int64_t count, Device) {
  const emulation::Access access;
  int64_t found = 0;
  for (int64_t i = 0; i < n && found < count; ++i) {
    if (mask[i]) places[found++] = i;
  }
}

}  // namespace tnp::gpu
