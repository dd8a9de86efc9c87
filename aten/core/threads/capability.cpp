// Detection of the processor's instruction sets, cached after the first call.
#include "aten/core/threads/capability.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace tnp {

namespace {

CpuCapability of_machine() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
                    __builtin_cpu_supports("bmi2");
  if (avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl")) {
    return CpuCapability::AVX512;
  }
  if (avx2) return CpuCapability::AVX2;
#endif
  return CpuCapability::Baseline;
}

CpuCapability wanted() {
  const char* text = std::getenv("TORCH_NP_CPU_CAPABILITY");
  if (text == nullptr) return CpuCapability::AVX512;
  const std::string_view name = text;
  if (name == "baseline") return CpuCapability::Baseline;
  if (name == "avx2") return CpuCapability::AVX2;
  if (name != "avx512" && !name.empty()) {
    std::fprintf(
        stderr,
        "torch_np: TORCH_NP_CPU_CAPABILITY is '%s', but must be 'baseline', 'avx2' or 'avx512'; it is ignored\n", text);
  }
  return CpuCapability::AVX512;
}

}  // namespace

CpuCapability cpu_capability() {
  static const CpuCapability capability = std::min(of_machine(), wanted());
  return capability;
}

}  // namespace tnp
