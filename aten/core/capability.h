// CPU capability: the instruction set that the element loops use. The loops are compiled once per
// instruction set (cmake/loops.cmake), each in its own namespace. The first call selects the best
// one that the machine supports.
#pragma once

#include <cstdint>
#include <span>

#include "aten/core/macros.h"

namespace tnp {

enum class CpuCapability : uint8_t { Baseline, AVX2, AVX512 };

// The environment variable TORCH_NP_CPU_CAPABILITY=baseline (or avx2, avx512) lowers the
// capability.
TNP_API CpuCapability cpu_capability();

// Tables of the same loops, one per instruction set. A table that was not compiled is null.
template <class Loop>
struct LoopVariants {
  using Table = std::span<const Loop> (*)();
  Table baseline, avx2 = nullptr, avx512 = nullptr;
  std::span<const Loop> choose() const {
    const CpuCapability have = cpu_capability();
    if (avx512 && have >= CpuCapability::AVX512) return avx512();
    if (avx2 && have >= CpuCapability::AVX2) return avx2();
    return baseline();
  }
};

// TNP_DECLARE_LOOPS(Loop, add) declares the tables. TNP_LOOP_VARIANTS(add) collects them, in files
// for which cmake/loops.cmake defines the compiled variants.
#if defined(TNP_WITH_AVX2)
#define TNP_DECLARE_AVX2(Loop, name) \
  namespace avx2 {                   \
  std::span<const Loop> name();      \
  }
#define TNP_LOOPS_AVX2(name) &avx2::name
#else
#define TNP_DECLARE_AVX2(Loop, name)
#define TNP_LOOPS_AVX2(name) nullptr
#endif
#if defined(TNP_WITH_AVX512)
#define TNP_DECLARE_AVX512(Loop, name) \
  namespace avx512 {                   \
  std::span<const Loop> name();        \
  }
#define TNP_LOOPS_AVX512(name) &avx512::name
#else
#define TNP_DECLARE_AVX512(Loop, name)
#define TNP_LOOPS_AVX512(name) nullptr
#endif
#define TNP_DECLARE_LOOPS(Loop, name) \
  namespace baseline {                \
  std::span<const Loop> name();       \
  }                                   \
  TNP_DECLARE_AVX2(Loop, name) TNP_DECLARE_AVX512(Loop, name)
#define TNP_LOOP_VARIANTS(f) {TNP_WITH_BASELINE ? &baseline::f : nullptr, TNP_LOOPS_AVX2(f), TNP_LOOPS_AVX512(f)}

}  // namespace tnp
