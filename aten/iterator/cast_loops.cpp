// The casts and copies of cast.h, compiled once per instruction set.
#include <array>
#include <cstring>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/iterator/cast_loops.h"

#ifndef TNP_CPU_CAPABILITY
#define TNP_CPU_CAPABILITY baseline
#endif
#define TNP_LOOP __attribute__((flatten))

namespace tnp::cast_loops::TNP_CPU_CAPABILITY {

namespace {

template <class T>
TNP_INLINE T load(const char* p) {
  return static_cast<T>(*reinterpret_cast<const stored_t<T>*>(p));
}

// Whether x86's conversion to 32 or 64 bits is defined for `v`: see convert().
template <class To, class From>
TNP_INLINE bool is_convertible(From v) {
  if constexpr (is_complex_v<From>) {
    return is_convertible<To>(v.re);
  } else if constexpr (is_reduced_float_v<From>) {
    return is_convertible<To>(static_cast<float>(v));
  } else if constexpr (sizeof(To) < 4 || std::is_same_v<To, int32_t>) {
    return (sizeof(From) == 8 ? v > From(-2147483649.0) : v >= From(-2147483648.0)) && v < From(2147483648.0);
  } else {
    return v >= From(-0x1p63) && v < From(std::is_same_v<To, uint64_t> ? 0x1p64 : 0x1p63);
  }
}

// Casts to integers while errors are watched. It tests values, since the flags of a conversion
// depend on the instructions that the compiler selects.
template <class To, class From>
TNP_LOOP void watched_cast(char* const* data, const int64_t* strides, int64_t n) {
  const FloatingPointErrors before = take_floating_point_flags();
  char* to = data[0];
  const char* from = data[1];
  constexpr int64_t to_size = sizeof(To), from_size = sizeof(From);
  // as wide as the compared values
  using Count = std::conditional_t<sizeof(real_t<From>) == 8, int64_t, int32_t>;
  Count errors = 0;
  if (strides[0] == to_size && strides[1] == from_size) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i) {
      const From v = load<From>(from + i * from_size);
      errors |= is_convertible<To>(v) ? 0 : 1;
      *reinterpret_cast<To*>(to + i * to_size) = convert<To>(v);
    }
  } else {
    for (int64_t i = 0; i < n; ++i) {
      const From v = load<From>(from + i * strides[1]);
      errors |= is_convertible<To>(v) ? 0 : 1;
      *reinterpret_cast<To*>(to + i * strides[0]) = convert<To>(v);
    }
  }
  take_floating_point_flags();
  const FloatingPointErrors after = before | (errors ? kInvalid : kNoErrors);
  if (after) raise_floating_point_flags(after);
}

// Detects integers that round to more than the largest float16.
template <class From>
TNP_LOOP FloatingPointErrors errors_of_cast_to_half(const char* from, int64_t stride, int64_t n) {
  bool overflows = false;
  for (int64_t i = 0; i < n; ++i) {
    const From v = load<From>(from + i * stride);
    overflows |= v >= From(65520);
    if constexpr (std::is_signed_v<From>) overflows |= v <= From(-65520);
  }
  return overflows ? kOverflow : kNoErrors;
}

template <class To, class From>
TNP_LOOP void cast(char* const* data, const int64_t* strides, int64_t n) {
  if constexpr (std::is_integral_v<To> && !std::is_same_v<To, bool> && !std::is_integral_v<From>) {
    if (has_error_watch()) return watched_cast<To, From>(data, strides, n);
  } else if constexpr (std::is_same_v<To, Half> && std::is_integral_v<From> && sizeof(From) >= 2 &&
                       !std::is_same_v<From, int16_t>) {
    if (has_error_watch())
      if (const auto errors = errors_of_cast_to_half<From>(data[1], strides[1], n)) raise_floating_point_flags(errors);
  }
  char* to = data[0];
  const char* from = data[1];
  constexpr int64_t to_size = sizeof(To), from_size = sizeof(From);
  if (strides[0] == to_size && strides[1] == from_size) {
#pragma GCC ivdep
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<To*>(to + i * to_size) = convert<To>(load<From>(from + i * from_size));
  } else if (strides[1] == 0) {
    To value = convert<To>(load<From>(from));
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<To*>(to + i * strides[0]) = value;
  } else {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<To*>(to + i * strides[0]) = convert<To>(load<From>(from + i * strides[1]));
  }
}

// Note [Copies on AMD] glibc copies 2 KiB and more by `rep movsb` (up to version 2.39 also on AMD
// processors). On Zen 3 and 4 this runs at a quarter of the speed of vector registers. If the
// addresses differ by little more than a multiple of 4096, it is slower still, down to a twentieth.
// Measured on AMD EPYC (Zen 4) with 250 KB, at addresses that differ by a multiple of 4096 plus 4
// bytes: 11.5 GB/s by `rep movsb`, 48 GB/s by vector registers. Intel processors are faster with
// `rep movsb`.
bool copies_by_registers() {
#if defined(__x86_64__)
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
#else
  return false;
#endif
}

TNP_LOOP void copy_dense(char* to, const char* from, int64_t bytes) {
#if defined(__AVX__)
  constexpr int64_t kRegister = 32;
#else
  constexpr int64_t kRegister = 16;
#endif
  constexpr int64_t kStep = 4 * kRegister;
  const bool apart = to + bytes <= from || from + bytes <= to;
  if (bytes < 2048 || !apart || !copies_by_registers()) {
    std::memmove(to, from, static_cast<size_t>(bytes));
    return;
  }
  typedef uint8_t Register __attribute__((vector_size(kRegister), aligned(1), may_alias));
  auto load = [&](int64_t at) { return *reinterpret_cast<const Register*>(from + at); };
  auto store = [&](int64_t at, Register v) { *reinterpret_cast<Register*>(to + at) = v; };
  store(0, load(0));
  // aligned, so that no store crosses a cache line
  int64_t i = kRegister - reinterpret_cast<intptr_t>(to) % kRegister;
  for (; i + kStep <= bytes; i += kStep) {
    const Register a = load(i), b = load(i + kRegister), c = load(i + 2 * kRegister), d = load(i + 3 * kRegister);
    store(i, a), store(i + kRegister, b), store(i + 2 * kRegister, c), store(i + 3 * kRegister, d);
  }
  for (; i + kRegister <= bytes; i += kRegister) store(i, load(i));
  store(bytes - kRegister, load(bytes - kRegister));
}

template <class Bits>
TNP_LOOP void copy(char* const* data, const int64_t* strides, int64_t n) {
  char* to = data[0];
  const char* from = data[1];
  constexpr int64_t size = sizeof(Bits);
  if (strides[0] == size && strides[1] == size) {
    copy_dense(to, from, n * size);
  } else if (strides[0] == size && strides[1] == -size) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<Bits*>(to)[i] = reinterpret_cast<const Bits*>(from)[-i];
  } else if (strides[1] == 0) {
    Bits value = *reinterpret_cast<const Bits*>(from);
    if (strides[0] == size)
      for (int64_t i = 0; i < n; ++i) reinterpret_cast<Bits*>(to)[i] = value;
    else
      for (int64_t i = 0; i < n; ++i) *reinterpret_cast<Bits*>(to + i * strides[0]) = value;
  } else {
    for (int64_t i = 0; i < n; ++i)
      *reinterpret_cast<Bits*>(to + i * strides[0]) = *reinterpret_cast<const Bits*>(from + i * strides[1]);
  }
}

template <class T>
constexpr bool is_integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

// Casts between integers depend on their widths, and on the sign of the narrower one if it is the
// source.
template <class To, class From>
constexpr Loop loop_of() {
  constexpr bool integers = is_integer<To> && is_integer<From>;
  if constexpr (std::is_same_v<To, bool> && std::is_same_v<From, bool>)
    return cast<bool, bool>;  // normalises bytes of foreign bools to 0 and 1
  else if constexpr (std::is_same_v<To, From> || (integers && sizeof(To) == sizeof(From)))
    return visit_size(scalar_type_of<To>, []<class Bits>() -> Loop { return copy<Bits>; });
  else if constexpr (integers && sizeof(To) < sizeof(From))
    return cast<std::make_unsigned_t<To>, std::make_unsigned_t<From>>;
  else if constexpr (integers)
    return cast<std::make_unsigned_t<To>, From>;
  else
    return cast<To, From>;
}

template <class To, class... Froms>
constexpr CastRow row_of(TypeList<Froms...>) {
  return {loop_of<To, Froms>()...};
}
template <class... Tos>
constexpr std::array<CastRow, kNumScalarTypes> table_of(TypeList<Tos...>) {
  return {row_of<Tos>(AllTypes{})...};
}

// AllTypes has the order of ScalarType.
constexpr std::array<CastRow, kNumScalarTypes> kCasts = table_of(AllTypes{});

}  // namespace

std::span<const CastRow> casts() { return kCasts; }

}  // namespace tnp::cast_loops::TNP_CPU_CAPABILITY
