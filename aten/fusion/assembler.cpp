#include "aten/fusion/assembler.h"

namespace tnp::fusion {

namespace {

// Bit `n` of a register number, inverted as the VEX and EVEX prefixes require, moved to bit `to`.
int inverted(int number, int n, int to) { return (~number >> n & 1) << to; }

}  // namespace

void Assembler::word(int32_t w) {
  for (int shift = 0; shift < 32; shift += 8) byte(w >> shift & 0xff);
}

// ModRM byte; for memory also SIB and a 32-bit displacement.
void Assembler::operand(int reg, const RegisterOrMemory& last) {
  const int field = (reg & 7) << 3;
  if (last.is_register) return byte(0xc0 | field | (last.number & 7));
  byte(0x80 | field | 4);
  byte(last.scale_log2 << 6 | (last.index & 7) << 3 | (last.base & 7));
  word(last.offset);
}

void Assembler::vex(Opcode o, VectorLength length, int reg, int first, const RegisterOrMemory& last, int immediate) {
  const int index = last.is_register ? 0 : last.index, base = last.is_register ? last.number : last.base;
  byte(0xc4);
  byte(inverted(reg, 3, 7) | inverted(index, 3, 6) | inverted(base, 3, 5) | o.map);
  byte(o.w << 7 | (~first & 15) << 3 | (length == VectorLength::k256) << 2 | o.prefix);
  byte(o.byte);
  operand(reg, last);
  if (immediate >= 0) byte(immediate);
}

void Assembler::evex(Opcode o, VectorLength length, int reg, int first, const RegisterOrMemory& last, int immediate,
                     int mask, bool is_zeroing) {
  const int x = last.is_register ? inverted(last.number, 4, 6) : inverted(last.index, 3, 6);
  const int base = last.is_register ? last.number : last.base;
  byte(0x62);
  byte(inverted(reg, 3, 7) | x | inverted(base, 3, 5) | inverted(reg, 4, 4) | o.map);
  byte(o.w << 7 | (~first & 15) << 3 | 4 | o.prefix);
  byte(is_zeroing << 7 | static_cast<int>(length) << 5 | inverted(first, 4, 3) | mask);
  byte(o.byte);
  operand(reg, last);
  if (immediate >= 0) byte(immediate);
}

void Assembler::push(GeneralRegister r) {
  if (r >= r8) byte(0x41);
  byte(0x50 | (r & 7));
}

void Assembler::pop(GeneralRegister r) {
  if (r >= r8) byte(0x41);
  byte(0x58 | (r & 7));
}

void Assembler::load(GeneralRegister to, GeneralRegister base, int32_t offset) {
  byte(0x48 | (to >= r8) << 2 | (base >= r8));
  byte(0x8b);
  operand(to, RegisterOrMemory::at(base, offset));
}

void Assembler::zero(GeneralRegister r) {
  byte(0x48 | (r >= r8) << 2 | (r >= r8));
  byte(0x31);
  byte(0xc0 | (r & 7) << 3 | (r & 7));
}

void Assembler::add(GeneralRegister r, int32_t number) {
  byte(0x48 | (r >= r8));
  byte(0x81);
  byte(0xc0 | (r & 7));
  word(number);
}

void Assembler::compare(GeneralRegister a, GeneralRegister b) {
  byte(0x48 | (b >= r8) << 2 | (a >= r8));
  byte(0x39);
  byte(0xc0 | (b & 7) << 3 | (a & 7));
}

void Assembler::jump_if_less(size_t to) {
  byte(0x0f);
  byte(0x8c);
  word(static_cast<int32_t>(static_cast<int64_t>(to) - static_cast<int64_t>(size()) - 4));
}

void Assembler::prefetch(const RegisterOrMemory& at) {
  byte(0x40 | (at.index >= r8) << 1 | (at.base >= r8));
  byte(0x0f);
  byte(0x18);
  operand(1, at);  // prefetcht0
}

void Assembler::vzeroupper() {
  byte(0xc5);
  byte(0xf8);
  byte(0x77);
}

void Assembler::ret() { byte(0xc3); }

void Assembler::set_word(size_t at, int32_t w) {
  for (size_t i = 0; i < 4; ++i) bytes_[at + i] = static_cast<uint8_t>(w >> (8 * i) & 0xff);
}

}  // namespace tnp::fusion
