#include "aten/iterator/cast.h"

#include <array>
#include <cstring>
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace tnp {

namespace {

// Bools of foreign memory may hold any byte.
template <class T>
TNP_INLINE auto load(const char* p) {
  if constexpr (std::is_same_v<T, bool>) return *reinterpret_cast<const uint8_t*>(p) != 0;
  else return *reinterpret_cast<const T*>(p);
}

template <class To, class From>
void cast(char* const* data, const int64_t* strides, int64_t n) {
  char* to = data[0];
  const char* from = data[1];
  constexpr int64_t to_size = sizeof(To), from_size = sizeof(From);
  if (strides[0] == to_size && strides[1] == from_size) {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<To*>(to + i * to_size) = convert<To>(load<From>(from + i * from_size));
  } else if (strides[1] == 0) {
    To value = convert<To>(load<From>(from));
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<To*>(to + i * strides[0]) = value;
  } else {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<To*>(to + i * strides[0]) = convert<To>(load<From>(from + i * strides[1]));
  }
}

template <class Bits>
void copy(char* const* data, const int64_t* strides, int64_t n) {
  char* to = data[0];
  const char* from = data[1];
  constexpr int64_t size = sizeof(Bits);
  if (strides[0] == size && strides[1] == size) {
    std::memmove(to, from, static_cast<size_t>(n * size));
  } else if (strides[0] == size && strides[1] == -size) {
    for (int64_t i = 0; i < n; ++i) reinterpret_cast<Bits*>(to)[i] = reinterpret_cast<const Bits*>(from)[-i];
  } else if (strides[1] == 0) {
    Bits value = *reinterpret_cast<const Bits*>(from);
    if (strides[0] == size) for (int64_t i = 0; i < n; ++i) reinterpret_cast<Bits*>(to)[i] = value;
    else for (int64_t i = 0; i < n; ++i) *reinterpret_cast<Bits*>(to + i * strides[0]) = value;
  } else {
    for (int64_t i = 0; i < n; ++i) *reinterpret_cast<Bits*>(to + i * strides[0]) = *reinterpret_cast<const Bits*>(from + i * strides[1]);
  }
}

struct alignas(16) Bits128 { uint64_t low, high; };

#if defined(__x86_64__)
// Half precision with the processor's own conversion: the portable one is some ten times slower.
__attribute__((target("avx,f16c"))) void half_to_float_f16c(char* const* data, const int64_t* strides, int64_t n) {
  if (strides[0] != 4 || strides[1] != 2) return cast<float, Half>(data, strides, n);
  auto* to = reinterpret_cast<float*>(data[0]);
  auto* from = reinterpret_cast<const Half*>(data[1]);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i))));
  }
  for (; i < n; ++i) to[i] = detail::half_to_float(from[i].bits);
}

__attribute__((target("avx,f16c"))) void float_to_half_f16c(char* const* data, const int64_t* strides, int64_t n) {
  if (strides[0] != 2 || strides[1] != 4) return cast<Half, float>(data, strides, n);
  auto* to = reinterpret_cast<Half*>(data[0]);
  auto* from = reinterpret_cast<const float*>(data[1]);
  int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT));
  }
  for (; i < n; ++i) to[i] = Half(detail::float_to_half(from[i]), Half::FromBits{});
}
#endif

template <class To, class From>
constexpr Loop loop_of() {
  if constexpr (!std::is_same_v<To, From>) return cast<To, From>;
  else if constexpr (std::is_same_v<To, bool>) return cast<bool, bool>;  // normalises foreign bytes
  else if constexpr (sizeof(To) == 1) return copy<uint8_t>;
  else if constexpr (sizeof(To) == 2) return copy<uint16_t>;
  else if constexpr (sizeof(To) == 4) return copy<uint32_t>;
  else if constexpr (sizeof(To) == 8) return copy<uint64_t>;
  else return copy<Bits128>;
}

using Row = std::array<Loop, kNumScalarTypes>;
template <class To, class... Froms>
constexpr Row row_of(TypeList<Froms...>) { return {loop_of<To, Froms>()...}; }
template <class... Tos>
constexpr std::array<Row, kNumScalarTypes> table_of(TypeList<Tos...>) { return {row_of<Tos>(AllTypes{})...}; }

// AllTypes is in the order of ScalarType.
constexpr std::array<Row, kNumScalarTypes> kCasts = table_of(AllTypes{});

}  // namespace

Loop cast_loop(ScalarType to, ScalarType from) {
#if defined(__x86_64__)
  static const bool f16c = __builtin_cpu_supports("avx") && __builtin_cpu_supports("f16c");
  if (f16c && to == ScalarType::Float32 && from == ScalarType::Float16) return half_to_float_f16c;
  if (f16c && to == ScalarType::Float16 && from == ScalarType::Float32) return float_to_half_f16c;
#endif
  return kCasts[static_cast<size_t>(to)][static_cast<size_t>(from)];
}

}  // namespace tnp
