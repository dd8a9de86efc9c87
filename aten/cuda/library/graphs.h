// CUDA graphs: the DeviceGraphs that this library registers.
#pragma once

#include "aten/cuda/caching_allocator.h"

namespace tnp::gpu {

void register_graphs(CachingAllocator& allocator);

}  // namespace tnp::gpu
