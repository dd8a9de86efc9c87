// Division by a divisor that is known at launch: a multiplication and a shift on the device, for
// 32-bit numbers. Source: Granlund and Montgomery, Division by Invariant Integers using
// Multiplication, PLDI 1994, figure 4.1.
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp::gpu {

struct Divider {
  uint32_t divisor = 1, magic = 1, shift = 0;

  Divider() = default;
  // 0 < d <= 2^31
  explicit Divider(uint32_t d) : divisor(d) {
    while (shift < 31 && (uint32_t{1} << shift) < d) ++shift;
    magic = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1);
  }
  // n / divisor, for n < 2^31, so that the sum below does not overflow.
  TNP_HOST_DEVICE uint32_t quotient(uint32_t n) const {
    const auto high = static_cast<uint32_t>((static_cast<uint64_t>(n) * magic) >> 32);
    return (high + n) >> shift;
  }
};

// Division of any non-negative int64. Numbers below 2^31 use the Divider.
struct Division {
  int64_t divisor = 1;
  Divider quick;

  Division() = default;
  explicit Division(int64_t d) : divisor(d > 0 ? d : 1) {
    if (divisor <= int64_t{1} << 31) quick = Divider(static_cast<uint32_t>(divisor));
  }
  TNP_HOST_DEVICE int64_t quotient(int64_t n) const {
    if (n < int64_t{1} << 31) return divisor <= n ? quick.quotient(static_cast<uint32_t>(n)) : 0;
    return n / divisor;
  }
};

}  // namespace tnp::gpu
