// The operations of chains as instructions, for AVX2 and for AVX-512, over the lanes of one vector each.
//
// A truth value of each lane is a bit of a mask register with AVX-512. With AVX2 it is all bits of a lane as wide as
// the chain's numbers.
#pragma once

#include "aten/core/threads/capability.h"
#include "aten/fusion/assembler.h"
#include "aten/fusion/chain.h"

namespace tnp::fusion {

enum class RegisterClass : uint8_t { Vector, Mask };

class VectorInstructions {
 public:
  VectorInstructions(Assembler& assembler, CpuCapability capability, int lanes, ScalarType lane_type);

  RegisterClass class_of(ScalarType t) const {
    return t == ScalarType::Bool && has_masks_ ? RegisterClass::Mask : RegisterClass::Vector;
  }
  int num_registers(RegisterClass c) const { return c == RegisterClass::Mask ? 8 : has_masks_ ? 32 : 16; }
  // Mask register 0 stands for no mask.
  int first_register(RegisterClass c) const { return c == RegisterClass::Mask ? 1 : 0; }

  // Between registers and the program's memory, where truth values are bytes. `temporary`: a vector register.
  void load(ScalarType t, int to, const RegisterOrMemory& from, int temporary);
  void store(ScalarType t, int from, const RegisterOrMemory& to, int temporary);
  // Between registers and the stack, as they are.
  void spill(ScalarType t, int from, const RegisterOrMemory& to);
  void restore(ScalarType t, int to, const RegisterOrMemory& from);

  // `opcode` on a and b, of Add, Subtract, Multiply, Divide.
  void arithmetic(Operation operation, ScalarType t, int to, int a, const RegisterOrMemory& b);
  void square_root(ScalarType t, int to, int a);
  // Bits of vectors.
  void bits_and(ScalarType t, int to, int a, const RegisterOrMemory& b);
  void bits_xor(ScalarType t, int to, int a, const RegisterOrMemory& b);
  // A truth value, from numbers of type t.
  void compare(Operation operation, ScalarType t, int to, int a, const RegisterOrMemory& b);
  void is_nan(ScalarType t, int to, int a);
  // And, Or, Xor of truth values; Not, of which `ones` are all bits (AVX2 alone asks for it).
  void logic(Operation operation, int to, int a, int b);
  void logical_not(int to, int a, const RegisterOrMemory& ones);
  // to = condition ? a : b
  void select(ScalarType t, int to, int condition, const RegisterOrMemory& a, int b);
  // 1 and 0 of truth values; `one` is the number.
  void number_of_truth(ScalarType t, int to, int a, const RegisterOrMemory& one);
  // Counts of lanes, integers as wide as those: all 0.
  void zero_counts(int to);
  // All -1, which count() asks for where there are masks.
  void minus_ones(int to);
  // One more wherever a truth value is true.
  void count(int counts, int truth, int minus_ones);
  void store_counts(int from, const RegisterOrMemory& to) { floating(0x11, lane_type_, from, 0, to); }
  bool has_masks() const { return has_masks_; }
  // Between float32 and float64.
  void convert(ScalarType from_type, ScalarType to_type, int to, int a);

 private:
  VectorLength length(ScalarType t) const;
  // An instruction that exists of packed float32 and, with the prefix 66, of float64.
  void floating(uint8_t byte, ScalarType t, int to, int a, const RegisterOrMemory& b, int immediate = -1);
  Assembler& code_;
  const bool has_masks_;
  const int lanes_;
  const ScalarType lane_type_;
};

}  // namespace tnp::fusion
