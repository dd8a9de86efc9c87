// The instruction set of the elementwise loops. Each loop is compiled once per instruction set
// (cmake/loops.cmake), in a namespace of its own. The first call selects the best set that the
// processor supports.
#pragma once

#include <cstdint>
#include <span>

#include "aten/core/macros.h"

namespace tnp {

enum class CpuCapability : uint8_t { Baseline, AVX2, AVX512 };

// The instruction set in use. The environment variable TORCH_NP_CPU_CAPABILITY=baseline (avx2,
// avx512) selects a lower one than the processor's best.
TNP_API CpuCapability cpu_capability();

// Tables of the same loops, one per instruction set. A table is null if its instruction set is not
// in TORCH_NP_CPU_CAPABILITIES (cmake/loops.cmake).
template <class Loop>
struct LoopVariants {
  using Table = std::span<const Loop> (*)();
  Table baseline, avx2, avx512;
  std::span<const Loop> choose() const {
    const CpuCapability have = cpu_capability();
    if (avx512 && have >= CpuCapability::AVX512) return avx512();
    if (avx2 && have >= CpuCapability::AVX2) return avx2();
    return (baseline ? baseline : avx2 ? avx2 : avx512)();
  }
};

// TNP_DECLARE_LOOPS(Loop, add) declares the tables of `add`; TNP_LOOP_VARIANTS(add) is the
// initialiser of its LoopVariants. The symbols are weak, so that the linker makes those of missing
// instruction sets null.
#define TNP_DECLARE_LOOPS(Loop, name)         \
  namespace baseline {                        \
  [[gnu::weak]] std::span<const Loop> name(); \
  }                                           \
  namespace avx2 {                            \
  [[gnu::weak]] std::span<const Loop> name(); \
  }                                           \
  namespace avx512 {                          \
  [[gnu::weak]] std::span<const Loop> name(); \
  }
#define TNP_LOOP_VARIANTS(name) {&baseline::name, &avx2::name, &avx512::name}

}  // namespace tnp
