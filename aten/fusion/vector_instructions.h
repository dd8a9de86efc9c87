// AVX2 and AVX-512 instructions for the operations of sequences, one vector each.
//
// With AVX-512 a lane's truth value is a bit of a mask register. With AVX2 a truth value fills all
// bits of a lane, and the lane is as wide as the sequence's numbers.
#pragma once

#include "aten/core/threads/capability.h"
#include "aten/fusion/assembler.h"
#include "aten/fusion/instruction_sequence.h"

namespace tnp::fusion {

enum class RegisterClass : uint8_t { Vector, Mask };

class VectorInstructions {
 public:
  VectorInstructions(Assembler& assembler, CpuCapability capability, int lanes, ScalarType lane_type);

  RegisterClass class_of(ScalarType t) const {
    return t == ScalarType::Bool && has_masks_ ? RegisterClass::Mask : RegisterClass::Vector;
  }
  int num_registers(RegisterClass c) const { return c == RegisterClass::Mask ? 8 : has_masks_ ? 32 : 16; }
  // Mask register 0 encodes "no mask", so masks start at 1.
  int first_register(RegisterClass c) const { return c == RegisterClass::Mask ? 1 : 0; }

  // Move between registers and the program's memory, where a truth value is a byte. `temporary` is
  // a vector register that the instructions may overwrite.
  void load(ScalarType t, int to, const RegisterOrMemory& from, int temporary);
  void store(ScalarType t, int from, const RegisterOrMemory& to, int temporary);
  // Move unchanged bits between registers and the stack.
  void spill(ScalarType t, int from, const RegisterOrMemory& to);
  void restore(ScalarType t, int to, const RegisterOrMemory& from);

  // a `operation` b, for Add, Subtract, Multiply and Divide.
  void arithmetic(Operation operation, ScalarType t, int to, int a, const RegisterOrMemory& b);
  void square_root(ScalarType t, int to, int a);
  // Bitwise operations on vectors.
  void bits_and(ScalarType t, int to, int a, const RegisterOrMemory& b);
  void bits_xor(ScalarType t, int to, int a, const RegisterOrMemory& b);
  // Compare numbers of type t; the result is a truth value.
  void compare(Operation operation, ScalarType t, int to, int a, const RegisterOrMemory& b);
  void is_nan(ScalarType t, int to, int a);
  // And, Or, Xor and Not of truth values. `ones` is a vector of all set bits; only AVX2 reads it.
  void logic(Operation operation, int to, int a, int b);
  void logical_not(int to, int a, const RegisterOrMemory& ones);
  // to = condition ? a : b
  void select(ScalarType t, int to, int condition, const RegisterOrMemory& a, int b);
  // Converts truth values to 1 and 0. `one` is the number 1.
  void number_of_truth(ScalarType t, int to, int a, const RegisterOrMemory& one);
  // Sets a vector of counters, integers as wide as a lane, to 0.
  void zero_counts(int to);
  // Sets all lanes to -1. count() needs such a vector with AVX-512, where truth values are in mask
  // registers.
  void minus_ones(int to);
  // Increments the counters of the lanes whose truth value is true.
  void count(int counts, int truth, int minus_ones);
  void store_counts(int from, const RegisterOrMemory& to) { floating(0x11, lane_type_, from, 0, to); }
  bool has_masks() const { return has_masks_; }
  // Converts between float32 and float64.
  void convert(ScalarType from_type, ScalarType to_type, int to, int a);

 private:
  VectorLength length(ScalarType t) const;
  // An instruction that has a packed float32 form and, with prefix 66, a float64 form.
  void floating(uint8_t byte, ScalarType t, int to, int a, const RegisterOrMemory& b, int immediate = -1);
  Assembler& code_;
  const bool has_masks_;
  const int lanes_;
  const ScalarType lane_type_;
};

}  // namespace tnp::fusion
