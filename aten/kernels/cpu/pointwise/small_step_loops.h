// Operands whose elements lie a few places apart, brought together for the loop over dense ones.
#pragma once

#include <cstdint>

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif

namespace tnp {

using StridedLoop = void (*)(char* const* data, const int64_t* strides, int64_t n);

inline namespace TNP_CPU_CAPABILITY {

// Note [Small steps] Every second number (a[::2], z.real), one channel of a picture, numbers backwards: read one by
// one, they keep a loop from using registers. Instead they are shuffled out of full registers into pieces that stay in
// L1, and `loop` is called for those. What lies between the elements is read as well, and
// dropped: it may be another array's, which another thread writes at the time. `sizes` are those of the elements;
// operands come after the outputs. False, and nothing done: some operand has larger steps, or an output has gaps, or
// nothing has small steps.
bool run_in_pieces(StridedLoop loop, char* const* data, const int64_t* strides, const int64_t* sizes, int outputs,
                   int inputs, int64_t n);

constexpr int64_t kFewForPieces = 32;  // of fewer numbers, it does not pay

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
