// Bytes of a vector register of the instruction set that a file is compiled for. What depends on it is in the namespace
// of the instruction set, or has it as a template argument: instances for one are never taken for those of another.
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
