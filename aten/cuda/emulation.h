// The emulated device's memory (docs/cuda.md, "Without a GPU"): host memory that only launches and
// copies may access. At all other times its pages are protected, so that CPU code which
// dereferences a device pointer crashes.
#pragma once

#include <cstddef>
#include <functional>

#include "aten/core/macros.h"

namespace tnp::gpu::emulation {

// Whether this thread is capturing a graph. Launches and copies within the device then call
// add_to_graph(). Any other operation that accesses the memory cannot be part of a graph and
// raises.
bool is_capturing();
void add_to_graph(std::function<void()> work);

// RAII scope that makes the device's memory accessible. Scopes may be nested, and several threads
// may hold one.
class Access {
 public:
  Access();
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
};

// Open and close such a scope for kernels of other libraries, which find these functions by dlsym:
// test/python/library/test_operator_examples.py.
extern "C" {
TNP_API void torch_np_emulation_open();
TNP_API void torch_np_emulation_close();
}

// Whether launches run their blocks and threads from the last to the first.
bool backwards();

}  // namespace tnp::gpu::emulation
