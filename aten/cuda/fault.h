// What a kernel found wrong: it writes it into memory that the host sees, and goes on with something harmless. The host
// looks there whenever it waits for the device, and raises then; with TORCH_NP_CUDA_CHECK=1 it waits after every such
// launch.
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"
#include "aten/core/errors/error.h"
#include "aten/core/macros.h"

namespace tnp::gpu {

struct IndexFault {
  // What the number is to name, and so how the error says it.
  enum class Of : int64_t { Axis, Classes, Pivots };

  int64_t found;  // 0: nothing, or a thread is writing it down; 1: that is done
  int64_t index, axis, size;
  Of of;
  ErrorKind kind;  // what is raised
  // How many faults the host has taken, and, in the device's memory, how many threads have written down. (Not every
  // system lets a GPU change the host's memory by atomics.)
  uint32_t taken;
  uint32_t* written;

  // By any number of threads; one of them is told of, of the first kernel that found something.
  TNP_HOST_DEVICE void report(ErrorKind error, int64_t number, int64_t of_axis, int64_t of_size) {
    report(Of::Axis, error, number, of_axis, of_size);
  }
  // A class that is none of so many.
  TNP_HOST_DEVICE void report_class(ErrorKind error, int64_t number, int64_t classes) {
    report(Of::Classes, error, number, 0, classes);
  }
  // A pivot, counted from 1, that is none of so many rows.
  TNP_HOST_DEVICE void report_pivot(int64_t number, int64_t rows) {
    report(Of::Pivots, ErrorKind::Domain, number, 0, rows);
  }

 private:
  TNP_HOST_DEVICE void report(Of what, ErrorKind error, int64_t number, int64_t of_axis, int64_t of_size) {
#if defined(__CUDA_ARCH__)
    if (*static_cast<volatile int64_t*>(&found)) return;
    const uint32_t turn = *static_cast<volatile uint32_t*>(&taken);
    if (atomicCAS(written, turn, turn + 1) != turn) return;
#else
    if (found) return;
#endif
    index = number;
    axis = of_axis;
    size = of_size;
    of = what;
    kind = error;
#if defined(__CUDA_ARCH__)
    __threadfence_system();  // the host may look while another stream's kernel is here
    *static_cast<volatile int64_t*>(&found) = 1;
#else
    found = 1;
#endif
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
