// The casts and copies of cast.h, compiled for each instruction set.
#include <array>
#include <cstring>

#include "aten/core/element_bits.h"
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

template <class To, class From>
TNP_LOOP void cast(char* const* data, const int64_t* strides, int64_t n) {
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

template <class Bits>
TNP_LOOP void copy(char* const* data, const int64_t* strides, int64_t n) {
  char* to = data[0];
  const char* from = data[1];
  constexpr int64_t size = sizeof(Bits);
  if (strides[0] == size && strides[1] == size) {
    std::memmove(to, from, static_cast<size_t>(n * size));
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

template <class To, class From>
constexpr Loop loop_of() {
  if constexpr (!std::is_same_v<To, From>)
    return cast<To, From>;
  else if constexpr (std::is_same_v<To, bool>)
    return cast<bool, bool>;  // normalises foreign bytes
  else
    return visit_size(scalar_type_of<To>, []<class Bits>() -> Loop { return copy<Bits>; });
}

template <class To, class... Froms>
constexpr CastRow row_of(TypeList<Froms...>) {
  return {loop_of<To, Froms>()...};
}
template <class... Tos>
constexpr std::array<CastRow, kNumScalarTypes> table_of(TypeList<Tos...>) {
  return {row_of<Tos>(AllTypes{})...};
}

// AllTypes is in the order of ScalarType.
constexpr std::array<CastRow, kNumScalarTypes> kCasts = table_of(AllTypes{});

}  // namespace

std::span<const CastRow> casts() { return kCasts; }

}  // namespace tnp::cast_loops::TNP_CPU_CAPABILITY
