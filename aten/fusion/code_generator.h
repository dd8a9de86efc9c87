// Code generator: x86-64 machine code for sequences.
//
// Note [Generated code] The code is a loop over vectors that keeps each value of the sequence in a
// register. It is unrolled: it processes `num_copies` independent vectors, as many as the registers
// allow, to hide the latency of each operator. A value that finds no register is spilled; the
// allocator spills the value with the most distant next use. Numbers are read from memory, where
// they are repeated for each lane, or stay in spare registers.
//
// Each operator becomes the one or two instructions of its loop
// (aten/kernels/cpu/pointwise/pointwise_loops.h), with the same operands in the same order. Nothing
// is contracted, reordered or computed at another precision, so bits and floating-point flags are
// those of the separate operators. If both operands are NaN, the first one propagates, as in the
// loops over two arrays. In loops over an array and a number, the compiler and the element's
// position decide which NaN propagates. Block programs therefore keep a instruction with a NaN
// number out of sequences.
//
// Memories that exceed the second-level cache are prefetched a fixed distance ahead, beyond the
// processor's out-of-order window. The hardware prefetcher alone comes too late, the more so the
// more operators the loop has.
//
// If truth values are counted (InstructionSequence::counted), a vector of counters, integers as
// wide as a lane, is incremented in each lane whose truth value is true. The vector is stored after
// the loop.
#pragma once

#include <cstdint>
#include <vector>

#include "aten/core/threads/capability.h"
#include "aten/fusion/instruction_sequence.h"

namespace tnp::fusion {

// Bytes of one number in the code's data: the number, repeated in all lanes.
inline constexpr int kNumberBytes = 64;

struct GeneratedCode {
  std::vector<uint8_t> bytes;  // void (char* const* memories, const char* numbers, int64_t n)
  int iteration_elements = 0;  // elements per iteration; n is a positive multiple of it
  int lane_bytes = 0;
  struct Constant {
    ScalarType dtype;
    uint64_t bits;
  };
  std::vector<Constant> constants;  // appended to the sequence's numbers
};

// For AVX2, sequences must have one floating dtype and no casts between two. `capability` must not
// be Baseline.
TNP_API GeneratedCode generate_code(const InstructionSequence& sequence, CpuCapability capability);

}  // namespace tnp::fusion
