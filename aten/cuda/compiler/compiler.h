// Compiler of pointwise chains to CUDA kernels: the ChainCompiler that this library registers.
#pragma once

namespace tnp::gpu {

void register_compiler();

}  // namespace tnp::gpu
