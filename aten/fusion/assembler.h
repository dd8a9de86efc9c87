// x86-64 assembler for the few instructions that instruction sequences need, in VEX (AVX2) and EVEX
// (AVX-512) encoding.
//
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2, sections 2.3
// (VEX) and 2.7 (EVEX).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "aten/core/macros.h"

namespace tnp::fusion {

// An instruction's opcode: `map` 1 is 0F, 2 is 0F38, 3 is 0F3A; `prefix` 0 is none, 1 is 66, 2 is
// F3, 3 is F2.
struct Opcode {
  uint8_t map, prefix, w, byte;
};

enum class VectorLength : uint8_t { k128, k256, k512 };

enum GeneralRegister : uint8_t { rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15 };

// The last operand of an instruction: a vector or mask register, or memory at base + index * scale
// + offset.
struct RegisterOrMemory {
  static RegisterOrMemory of(int number) { return {true, static_cast<uint8_t>(number), 0, 0, 0, 0}; }
  static RegisterOrMemory at(GeneralRegister base, int32_t offset) { return {false, 0, base, rsp, 0, offset}; }
  static RegisterOrMemory at(GeneralRegister base, GeneralRegister index, int scale_log2, int32_t offset) {
    return {false, 0, base, index, static_cast<uint8_t>(scale_log2), offset};
  }
  bool is_register;
  uint8_t number;
  uint8_t base, index, scale_log2;  // index rsp means that there is no index register
  int32_t offset;
};

class TNP_API Assembler {
 public:
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  size_t size() const { return bytes_.size(); }

  // Encodes an instruction of three operands. `reg` and `first` are register numbers; `first` is 0
  // if the instruction does not use it. A non-negative `immediate` is appended as a byte.
  void vex(Opcode opcode, VectorLength length, int reg, int first, const RegisterOrMemory& last, int immediate = -1);
  // Lanes that are not set in mask register `mask` are left unchanged, or zeroed if `is_zeroing`.
  // Mask 0 means no mask.
  void evex(Opcode opcode, VectorLength length, int reg, int first, const RegisterOrMemory& last, int immediate = -1,
            int mask = 0, bool is_zeroing = false);

  void push(GeneralRegister r);
  void pop(GeneralRegister r);
  // to = 64 bits at base + offset
  void load(GeneralRegister to, GeneralRegister base, int32_t offset);
  void zero(GeneralRegister r);
  void add(GeneralRegister r, int32_t number);
  void compare(GeneralRegister a, GeneralRegister b);
  // Jumps back to offset `to` if the last comparison gave "less" (signed).
  void jump_if_less(size_t to);
  // Prefetches into the first-level cache.
  void prefetch(const RegisterOrMemory& at);
  void vzeroupper();
  void ret();
  // Overwrites 32 bits at offset `at`. Used to patch a value that was unknown when its instruction
  // was encoded.
  void set_word(size_t at, int32_t w);

 private:
  void byte(int b) { bytes_.push_back(static_cast<uint8_t>(b)); }
  void word(int32_t w);
  void operand(int reg, const RegisterOrMemory& last);
  std::vector<uint8_t> bytes_;
};

}  // namespace tnp::fusion
