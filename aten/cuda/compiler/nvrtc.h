// NVRTC, CUDA's runtime compiler library, opened on first use.
#pragma once

#include <string>

namespace tnp::gpu {

bool has_nvrtc();

struct Compiled {
  std::string code;  // empty if the compilation failed
  std::string log;
};
// Compiles `source` to machine code if `architecture` is e.g. "sm_90", and to PTX if it is e.g.
// "compute_90". The options are those of the library's own kernels.
Compiled compile_by_nvrtc(const std::string& source, const std::string& architecture);

}  // namespace tnp::gpu
