// Chains of pointwise operators as kernels of CUDA: the ChainCompiler that this library registers.
#pragma once

namespace tnp::gpu {

void register_compiler();

}  // namespace tnp::gpu
