// An error that a kernel found, such as an index out of bounds. The kernel writes it into
// host-visible memory and continues with a harmless value. The host checks that memory whenever it
// waits for the device, and raises then. With TORCH_NP_CUDA_CHECK=1 the host waits after every
// launch that can report a fault.
#pragma once

#include <cstdint>

#include "aten/core/devices/device.h"
#include "aten/core/errors/error.h"
#include "aten/core/macros.h"

namespace tnp::gpu {

struct IndexFault {
  // The meaning of `index`, which selects the error's text.
  enum class Of : int64_t { Axis, Classes, Pivots };

  int64_t found;  // 1 once a fault is completely written, else 0
  int64_t index, axis, size;
  Of of;
  ErrorKind kind;  // kind of the error to raise
  // `taken`: how many faults the host has raised. `*written`, in device memory: how many faults
  // threads have written. (Not every system lets a GPU change host memory atomically.)
  uint32_t taken;
  uint32_t* written;

  // May be called by any number of threads. The host raises the fault of one of them, from the
  // first kernel that reported one.
  TNP_HOST_DEVICE void report(ErrorKind error, int64_t number, int64_t of_axis, int64_t of_size) {
    report(Of::Axis, error, number, of_axis, of_size);
  }
  // Reports a class index outside of 0 to classes - 1.
  TNP_HOST_DEVICE void report_class(ErrorKind error, int64_t number, int64_t classes) {
    report(Of::Classes, error, number, 0, classes);
  }
  // Reports a pivot (counted from 1) outside of 1 to rows.
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
    // The host may read the fault while this kernel still runs, when it waits for another stream.
    __threadfence_system();
    *static_cast<volatile int64_t*>(&found) = 1;
#else
    found = 1;
#endif
  }
};

// The fault of a device, in pinned memory that kernels can write to.
IndexFault* fault_of(Device device);
// Raises the fault that kernels reported, if any, and resets it. Call this function after waiting
// for the device.
void raise_fault(int device);
bool checks_at_once();
// With TORCH_NP_CUDA_CHECK=1, waits for the device and raises its fault. Call this function after
// launching a kernel that may report a fault.
void check_fault(Device device);

}  // namespace tnp::gpu
