// float16 and bfloat16: storage types. Arithmetic happens in float32; conversions round to nearest
// even.
#pragma once

#include <bit>
#include <cstdint>
#if defined(__F16C__) && !defined(__CUDACC__)
#include <immintrin.h>
#endif

#include "aten/core/macros.h"

namespace tnp {

namespace detail {

// IEEE 754 binary16 -> binary32, exact. NaN payloads are kept.
TNP_HOST_DEVICE inline float half_to_float(uint16_t h) {
#if defined(__CUDA_ARCH__)
  float f;
  asm("cvt.f32.f16 %0, %1;" : "=f"(f) : "h"(h));
  return f;
#endif
  uint32_t sign = static_cast<uint32_t>(h & 0x8000u) << 16;
  uint32_t exponent = (h >> 10) & 0x1fu;
  uint32_t mantissa = h & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (mantissa << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
  float subnormal = static_cast<float>(mantissa) * 0x1p-24f;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(subnormal));
}

// Raises the overflow flag (large `x`) or underflow flag (small `x`) by a real operation.
// std::feraiseexcept would raise overflow in the x87 unit, whose flags are not read.
inline void raise_by_square(float x) {
  volatile float operand = x;
  operand = operand * operand;
}

// IEEE 754 binary32 -> binary16, round to nearest even; overflow gives infinity. On the host it
// raises the same flags as the hardware instruction, for floating-point error detection.
TNP_HOST_DEVICE inline uint16_t float_to_half(float f) {
#if defined(__CUDA_ARCH__)
  uint16_t h;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(f));
  return h;
#else
  uint32_t bits = std::bit_cast<uint32_t>(f);
  uint16_t sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  bits &= 0x7fffffffu;
  if (bits > 0x7f800000u) {  // a NaN stays a NaN even if the payload's remaining bits are zero
    uint16_t payload = static_cast<uint16_t>((bits >> 13) & 0x3ffu);
    return static_cast<uint16_t>(sign | 0x7c00u | (payload ? payload : 0x200u));
  }
  if (bits >= 0x477ff000u) {
    if (bits != 0x7f800000u) raise_by_square(0x1p100f);
    return static_cast<uint16_t>(sign | 0x7c00u);
  }
  if (bits < 0x38800000u) {  // subnormal: the float addition rounds at 2^-24
    float shifted = std::bit_cast<float>(bits) + 0.5f;
    if (shifted - 0.5f != std::bit_cast<float>(bits)) raise_by_square(0x1.8p-100f);
    return static_cast<uint16_t>(sign | (std::bit_cast<uint32_t>(shifted) - 0x3f000000u));
  }
  uint32_t odd = (bits >> 13) & 1u;
  return static_cast<uint16_t>(sign | ((bits - 0x38000000u + 0xfffu + odd) >> 13));
#endif
}

// Rounds to odd, so that the following conversion to 16 bits rounds the double only once.
TNP_HOST_DEVICE inline float double_to_float_round_to_odd(double d) {
  float f = static_cast<float>(d);
  double back = static_cast<double>(f);
  if (back == d || d != d) return f;
  uint32_t bits = std::bit_cast<uint32_t>(f);
  if ((bits & 0x7fffffffu) == 0x7f800000u) return f;
  bool away = (back < 0 ? -back : back) > (d < 0 ? -d : d);
  if (away) bits -= 1;                     // truncate ...
  return std::bit_cast<float>(bits | 1u);  // ... and keep a sticky bit for the next rounding
}

}  // namespace detail

struct alignas(2) Half {
  uint16_t bits;

  Half() = default;
  struct FromBits {};
  constexpr TNP_HOST_DEVICE Half(uint16_t b, FromBits) : bits(b) {}
#if defined(__F16C__) && !defined(__CUDACC__)
  Half(float f) : bits(static_cast<uint16_t>(_cvtss_sh(f, _MM_FROUND_TO_NEAREST_INT))) {}
  operator float() const { return _cvtsh_ss(bits); }
#elif defined(__aarch64__) && !defined(__CUDACC__)
  Half(float f) : bits(std::bit_cast<uint16_t>(static_cast<__fp16>(f))) {}
  operator float() const { return static_cast<float>(std::bit_cast<__fp16>(bits)); }
#else
  TNP_HOST_DEVICE Half(float f) : bits(detail::float_to_half(f)) {}
  TNP_HOST_DEVICE operator float() const { return detail::half_to_float(bits); }
#endif
  TNP_HOST_DEVICE explicit Half(double d) : Half(detail::double_to_float_round_to_odd(d)) {}
};

struct alignas(2) BFloat16 {
  uint16_t bits;

  BFloat16() = default;
  struct FromBits {};
  constexpr TNP_HOST_DEVICE BFloat16(uint16_t b, FromBits) : bits(b) {}
  TNP_HOST_DEVICE BFloat16(float f) {
    uint32_t u = std::bit_cast<uint32_t>(f);
    bits = (u & 0x7fffffffu) > 0x7f800000u ? static_cast<uint16_t>((u >> 16) | 0x40u)
                                           : static_cast<uint16_t>((u + 0x7fffu + ((u >> 16) & 1u)) >> 16);
  }
  TNP_HOST_DEVICE explicit BFloat16(double d) : BFloat16(detail::double_to_float_round_to_odd(d)) {}
  TNP_HOST_DEVICE operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
};

}  // namespace tnp
