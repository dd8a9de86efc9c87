// The emulated device's memory: see docs/cuda.md, "Without a GPU". Host memory that only launches and copies may touch:
// in between, its pages are inaccessible, so that code of the CPU that follows a device's pointer is stopped by the
// processor.
#pragma once

#include <cstddef>
#include <functional>

#include "aten/core/macros.h"

namespace tnp::gpu::emulation {

// Whether what this thread gives to the device becomes a graph, which add_to_graph() puts it into. All else that opens
// the memory is what a graph does not hold, and raises.
bool is_capturing();
void add_to_graph(std::function<void()> work);

// Opens the memory while it lives. May be nested, and on several threads.
class Access {
 public:
  Access();
  ~Access();
  Access(const Access&) = delete;
  Access& operator=(const Access&) = delete;
};

// The same for kernels of others, which find them by dlsym: test/python/test_operator_examples.py.
extern "C" {
TNP_API void torch_np_emulation_open();
TNP_API void torch_np_emulation_close();
}

// Whether blocks and threads of a launch run from the last to the first.
bool backwards();

}  // namespace tnp::gpu::emulation
