// Writes x86-64 machine code: the few instructions that chains of arithmetic need, in the encodings VEX (AVX2) and EVEX
// (AVX-512).
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.3 (VEX) and 2.7 (EVEX).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aten/core/macros.h"

namespace tnp::fusion {

// An instruction's opcode: `map` 1 is 0F, 2 is 0F38, 3 is 0F3A; `prefix` 0 is none, 1 is 66, 2 is F3, 3 is F2.
struct Opcode {
  uint8_t map, prefix, w, byte;
};

enum class VectorLength : uint8_t { k128, k256, k512 };

enum GeneralRegister : uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

// The last operand of an instruction: a vector or mask register, or memory at base + index * scale + offset.
struct RegisterOrMemory {
  static RegisterOrMemory of(int number) { return {true, static_cast<uint8_t>(number), 0, 0, 0, 0}; }
  static RegisterOrMemory at(GeneralRegister base, int32_t offset) { return {false, 0, base, rsp, 0, offset}; }
  static RegisterOrMemory at(GeneralRegister base, GeneralRegister index, int scale_log2, int32_t offset) {
    return {false, 0, base, index, static_cast<uint8_t>(scale_log2), offset};
  }
  bool is_register;
  uint8_t number;
  uint8_t base, index, scale_log2;  // no index: rsp
  int32_t offset;
};

class TNP_API Assembler {
 public:
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

  // Three operands: `reg` and `first` are numbers of registers (`first` 0 where the instruction has none), and a byte
  // at the end where `immediate` is not negative.
  void vex(Opcode opcode, VectorLength length, int reg, int first, const RegisterOrMemory& last, int immediate = -1);
  // By a mask register, other than 0, the lanes that it has not stay, or are zero.
  void evex(Opcode opcode, VectorLength length, int reg, int first, const RegisterOrMemory& last, int immediate = -1,
            int mask = 0, bool is_zeroing = false);

  void push(GeneralRegister r);
  void pop(GeneralRegister r);
  // to = 64 bits at base + offset
  void load(GeneralRegister to, GeneralRegister base, int32_t offset);
  void zero(GeneralRegister r);
  void add(GeneralRegister r, int32_t number);
  void compare(GeneralRegister a, GeneralRegister b);
  // To a place before this one, if the last comparison found less (signed).
  void jump_if_less(size_t to);
  // Memory that is read later.
  void prefetch(const RegisterOrMemory& at);
  void vzeroupper();
  void ret();
  // Writes again 32 bits that are known only now.
  void set_word(size_t at, int32_t w);

 private:
  void byte(int b) { bytes_.push_back(static_cast<uint8_t>(b)); }
  void word(int32_t w);
  void operand(int reg, const RegisterOrMemory& last);
  std::vector<uint8_t> bytes_;
};

}  // namespace tnp::fusion
