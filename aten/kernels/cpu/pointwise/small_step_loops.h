// Gathers operands with small strides into dense buffers for the dense loop.
#pragma once

#include <cstdint>

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp {

using StridedLoop = void (*)(char* const* data, const int64_t* strides, int64_t n);

inline namespace TNP_CPU_CAPABILITY {

// Note [Small steps] Small strides occur in every second number (a[::2], z.real), one channel of a
// picture, or reversed arrays. Element-wise reads would keep a loop from being vectorised. Instead,
// elements are shuffled out of full registers into buffers that stay in L1, and `loop` runs on
// these. The bytes between the elements are read as well, and dropped. They may belong to another
// array, which another thread may be writing. `sizes` are the element sizes; operands come after
// the outputs. Returns false, without running `loop`, if an operand has larger strides, an output
// is not dense, or no operand has a small stride.
bool run_in_pieces(StridedLoop loop, char* const* data, const int64_t* strides, const int64_t* sizes, int outputs,
                   int inputs, int64_t n);

constexpr int64_t kFewForPieces = 32;  // gathering does not pay for fewer numbers

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
