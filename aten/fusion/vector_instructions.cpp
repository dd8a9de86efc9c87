#include "aten/fusion/vector_instructions.h"

namespace tnp::fusion {

namespace {

bool is_double(ScalarType t) { return t == ScalarType::Float64; }

// Predicates of vcmpps. For NaN, only "not equal" is true. None raises a flag for a quiet NaN.
int predicate(Operation operation) {
  switch (operation) {
    case Operation::Equal:
      return 0x00;  // EQ_OQ
    case Operation::NotEqual:
      return 0x04;  // NEQ_UQ
    case Operation::Less:
      return 0x11;  // LT_OQ
    case Operation::LessEqual:
      return 0x12;  // LE_OQ
    case Operation::Greater:
      return 0x1e;  // GT_OQ
    default:
      return 0x1d;  // GE_OQ
  }
}
constexpr int kUnordered = 0x03;

constexpr auto k128 = VectorLength::k128, k256 = VectorLength::k256;
RegisterOrMemory reg(int number) { return RegisterOrMemory::of(number); }

}  // namespace

VectorInstructions::VectorInstructions(Assembler& assembler, CpuCapability capability, int lanes, ScalarType lane_type)
    : code_(assembler), has_masks_(capability == CpuCapability::AVX512), lanes_(lanes), lane_type_(lane_type) {}

VectorLength VectorInstructions::length(ScalarType t) const {
  const int64_t bytes = lanes_ * element_size(t == ScalarType::Bool ? lane_type_ : t);
  return bytes == 64 ? VectorLength::k512 : bytes == 32 ? k256 : k128;
}

void VectorInstructions::floating(uint8_t byte, ScalarType t, int to, int a, const RegisterOrMemory& b, int immediate) {
  if (has_masks_)
    code_.evex({1, is_double(t), is_double(t), byte}, length(t), to, a, b, immediate);
  else
    // w is ignored by the processor, but valgrind only decodes this instruction if w is 0
    code_.vex({1, is_double(t), 0, byte}, length(t), to, a, b, immediate);
}

void VectorInstructions::load(ScalarType t, int to, const RegisterOrMemory& from, int temporary) {
  if (t != ScalarType::Bool) return floating(0x10, t, to, 0, from);  // vmovups
  if (has_masks_) {
    if (lanes_ == 8)
      code_.evex({1, 2, 1, 0x7e}, k128, temporary, 0, from);  // vmovq
    else
      code_.evex({1, 3, 0, 0x6f}, k128, temporary, 0, from);           // vmovdqu8
    code_.evex({2, 1, 0, 0x26}, k128, to, temporary, reg(temporary));  // vptestmb
  } else {
    const bool wide = is_double(lane_type_);
    code_.vex({2, 1, 0, static_cast<uint8_t>(wide ? 0x32 : 0x31)}, k256, to, 0, from);  // vpmovzxbq, vpmovzxbd
    code_.vex({1, 1, 0, 0xef}, k256, temporary, temporary, reg(temporary));             // vpxor
    if (wide)
      code_.vex({2, 1, 0, 0x37}, k256, to, to, reg(temporary));  // vpcmpgtq
    else
      code_.vex({1, 1, 0, 0x66}, k256, to, to, reg(temporary));  // vpcmpgtd
  }
}

void VectorInstructions::store(ScalarType t, int from, const RegisterOrMemory& to, int temporary) {
  if (t != ScalarType::Bool) return floating(0x11, t, from, 0, to);  // vmovups
  if (has_masks_) {
    code_.evex({2, 2, 0, 0x28}, k128, temporary, 0, reg(from));       // vpmovm2b
    code_.evex({2, 1, 0, 0x1c}, k128, temporary, 0, reg(temporary));  // vpabsb
    if (lanes_ == 8)
      code_.evex({1, 1, 1, 0xd6}, k128, temporary, 0, to);  // vmovq
    else
      code_.evex({1, 3, 0, 0x7f}, k128, temporary, 0, to);  // vmovdqu8
  } else {
    code_.vex({3, 1, 0, 0x39}, k256, from, 0, reg(temporary), 1);       // vextracti128 (upper half)
    code_.vex({1, 1, 0, 0x6b}, k128, temporary, from, reg(temporary));  // vpackssdw
    if (lanes_ == 4) code_.vex({1, 1, 0, 0x6b}, k128, temporary, temporary, reg(temporary));
    code_.vex({1, 1, 0, 0x63}, k128, temporary, temporary, reg(temporary));                         // vpacksswb
    code_.vex({2, 1, 0, 0x1c}, k128, temporary, 0, reg(temporary));                                 // vpabsb
    code_.vex({1, 1, 0, static_cast<uint8_t>(lanes_ == 4 ? 0x7e : 0xd6)}, k128, temporary, 0, to);  // vmovd, vmovq
  }
}

void VectorInstructions::spill(ScalarType t, int from, const RegisterOrMemory& to) {
  if (class_of(t) == RegisterClass::Mask)
    code_.vex({1, 0, 0, 0x91}, k128, from, 0, to);  // kmovw
  else
    floating(0x11, t == ScalarType::Bool ? lane_type_ : t, from, 0, to);
}

void VectorInstructions::restore(ScalarType t, int to, const RegisterOrMemory& from) {
  if (class_of(t) == RegisterClass::Mask)
    code_.vex({1, 0, 0, 0x90}, k128, to, 0, from);  // kmovw
  else
    floating(0x10, t == ScalarType::Bool ? lane_type_ : t, to, 0, from);
}

void VectorInstructions::arithmetic(Operation operation, ScalarType t, int to, int a, const RegisterOrMemory& b) {
  const uint8_t byte = operation == Operation::Add        ? 0x58
                       : operation == Operation::Multiply ? 0x59
                       : operation == Operation::Subtract ? 0x5c
                                                          : 0x5e;
  floating(byte, t, to, a, b);
}

void VectorInstructions::square_root(ScalarType t, int to, int a) { floating(0x51, t, to, 0, reg(a)); }
void VectorInstructions::bits_and(ScalarType t, int to, int a, const RegisterOrMemory& b) {
  floating(0x54, t, to, a, b);
}
void VectorInstructions::bits_xor(ScalarType t, int to, int a, const RegisterOrMemory& b) {
  floating(0x57, t, to, a, b);
}

void VectorInstructions::compare(Operation operation, ScalarType t, int to, int a, const RegisterOrMemory& b) {
  floating(0xc2, t, to, a, b, predicate(operation));
}
void VectorInstructions::is_nan(ScalarType t, int to, int a) { floating(0xc2, t, to, a, reg(a), kUnordered); }

void VectorInstructions::logic(Operation operation, int to, int a, int b) {
  if (has_masks_) {
    const uint8_t byte = operation == Operation::And ? 0x41 : operation == Operation::Or ? 0x45 : 0x47;
    code_.vex({1, 0, 0, byte}, k256, to, a, reg(b));  // kandw, korw, kxorw
  } else {
    floating(operation == Operation::And ? 0x54 : operation == Operation::Or ? 0x56 : 0x57, lane_type_, to, a, reg(b));
  }
}

void VectorInstructions::logical_not(int to, int a, const RegisterOrMemory& ones) {
  if (has_masks_)
    code_.vex({1, 0, 0, 0x44}, k128, to, 0, reg(a));  // knotw
  else
    bits_xor(lane_type_, to, a, ones);
}

void VectorInstructions::select(ScalarType t, int to, int condition, const RegisterOrMemory& a, int b) {
  if (has_masks_)
    code_.evex({2, 1, is_double(t), 0x65}, length(t), to, b, a, -1, condition);  // vblendmps
  else
    code_.vex({3, 1, 0, static_cast<uint8_t>(is_double(t) ? 0x4b : 0x4a)}, length(t), to, b, a,
              condition << 4);  // vblendvps
}

void VectorInstructions::number_of_truth(ScalarType t, int to, int a, const RegisterOrMemory& one) {
  if (has_masks_)
    code_.evex({1, is_double(t), is_double(t), 0x10}, length(t), to, 0, one, -1, a, true);  // vmovups
  else
    bits_and(t, to, a, one);
}

void VectorInstructions::zero_counts(int to) { bits_xor(lane_type_, to, to, reg(to)); }

void VectorInstructions::minus_ones(int to) {
  code_.evex({3, 1, 0, 0x25}, length(lane_type_), to, to, reg(to), 0xff);  // vpternlogd: true for any input
}

void VectorInstructions::count(int counts, int truth, int minus_ones) {
  const bool wide = is_double(lane_type_);
  const Opcode opcode{1, 1, wide && has_masks_, static_cast<uint8_t>(wide ? 0xfb : 0xfa)};  // vpsubq, vpsubd
  if (has_masks_)
    code_.evex(opcode, length(lane_type_), counts, counts, reg(minus_ones), -1, truth);
  else
    code_.vex(opcode, length(lane_type_), counts, counts, reg(truth));
}

void VectorInstructions::convert(ScalarType from_type, ScalarType to_type, int to, int a) {
  const bool narrows = is_double(from_type);
  code_.evex({1, narrows, narrows, 0x5a}, length(narrows ? from_type : to_type), to, 0, reg(a));  // vcvtps2pd, pd2ps
}

}  // namespace tnp::fusion
