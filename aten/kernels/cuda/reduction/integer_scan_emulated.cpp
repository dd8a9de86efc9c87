// Scans on the emulated device: a loop over host memory.
#include "aten/cuda/emulation.h"
#include "aten/kernels/cuda/reduction/integer_scan.h"

namespace tnp::gpu {

void scan_integers(IntegerScan kind, const uint64_t* in, uint64_t* out, int64_t n, Device) {
  const emulation::Access access;
  uint64_t value = kind == IntegerScan::Sums ? 0 : 1;
  for (int64_t k = 0; k < n; ++k) out[k] = value = kind == IntegerScan::Sums ? value + in[k] : value * in[k];
}

}  // namespace tnp::gpu
