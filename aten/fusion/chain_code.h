// Machine code of chains.
//
// Note [Chain code] A loop over vectors, in which each value of the chain has a register. Some vectors go through it
// side by side (`num_copies`), as many as there are registers for, since an operator waits for the one before it. What
// finds no register goes to the stack, the value first that is needed last. Numbers are read from memory, where they
// lie once for each lane, or stay in registers that are left over. Each operator is the one instruction, or two, that
// its loop (aten/kernels/cpu/pointwise/pointwise_loops.h) consists of, on the same operands in the same order: nothing
// is contracted, exchanged or computed with other bits, and the flags are those of the operators. NaN: of two operands
// the first one's goes on, as in the loops over two arrays. In loops over an array and a number it depends on the
// compiler and on the place of an element which goes on, so that a step with a number that is NaN is no step of a
// chain (block programs leave it alone).
//
// What is far away is asked for some elements before it is read: beyond what an out-of-order window holds, and as much
// longer as the loop has operators, the processor's own reading ahead comes late.
//
// Truth values that are counted (Chain::counted) have a vector of counts, integers of as many bytes as a lane, to which
// 1 is added wherever one is true. It is written in the end.
#pragma once

#include <cstdint>
#include <vector>

#include "aten/core/threads/capability.h"
#include "aten/fusion/chain.h"

namespace tnp::fusion {

// Numbers of a code are of so many bytes, all lanes alike.
inline constexpr int kNumberBytes = 64;

struct ChainCode {
  std::vector<uint8_t> bytes;  // void (char* const* memories, const char* numbers, int64_t n)
  int step = 0;                // elements: n is a multiple of it, and not 0
  int lane_bytes = 0;
  struct Constant {
    ScalarType dtype;
    uint64_t bits;
  };
  std::vector<Constant> constants;  // which come after the chain's numbers
};

// For AVX2 chains of one floating dtype, without casts between two. `capability` is not Baseline.
TNP_API ChainCode make_chain_code(const Chain& chain, CpuCapability capability);

}  // namespace tnp::fusion
