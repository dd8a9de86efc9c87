// Bytes of a vector register in the instruction set that the including file is compiled for. Code
// that depends on it must be in the instruction set's namespace or have it as a template argument.
// Otherwise the linker could merge instances of different instruction sets.
#pragma once

namespace tnp {

#if defined(__AVX512F__)
constexpr int kRegisterBytes = 64;
#elif defined(__AVX2__)
constexpr int kRegisterBytes = 32;
#else
constexpr int kRegisterBytes = 16;
#endif

}  // namespace tnp
