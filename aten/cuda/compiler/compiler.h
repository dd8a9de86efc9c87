// Compiler of fused pointwise operators to CUDA kernels: the KernelCompiler that this library
// registers.
#pragma once

namespace tnp::gpu {

void register_compiler();

}  // namespace tnp::gpu
