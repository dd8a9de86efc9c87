// NVRTC, CUDA's compiler as a library, opened when it is first needed.
#pragma once

#include <string>

namespace tnp::gpu {

bool has_nvrtc();

struct Compiled {
  std::string code;  // empty if the compiler refused
  std::string log;
};
// For "sm_90", machine code; for "compute_90", PTX. The options are those that the library's own kernels have.
Compiled compile_by_nvrtc(const std::string& source, const std::string& architecture);

}  // namespace tnp::gpu
