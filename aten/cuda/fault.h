// What a kernel found wrong: it writes it into memory that the host sees, and goes on with something harmless. The host
// looks there whenever it waits for the device, and raises then; with TORCH_NP_CUDA_CHECK=1 it waits after every such
// launch.
#pragma once

#include <cstdint>

#include "aten/core/device.h"
#include "aten/core/error.h"
#include "aten/core/macros.h"

namespace tnp::gpu {

struct IndexFault {
  int64_t found;  // 0: nothing
  int64_t index, axis, size;
  ErrorKind kind;  // what is raised

  // By any number of threads; one of them is told of, of the first kernel that found something.
  TNP_HOST_DEVICE void report(ErrorKind error, int64_t number, int64_t of_axis, int64_t of_size) {
    if (found) return;
    index = number;
    axis = of_axis;
    size = of_size;
    kind = error;
    found = 1;
  }
};

// Of a device; pinned memory, for kernels to write into.
IndexFault* fault_of(Device device);
// After the device was waited for: raises what was found, once, if there was something.
void raise_fault(int device);
bool checks_at_once();
// After a launch of a kernel that may find one.
void check_fault(Device device);

}  // namespace tnp::gpu
