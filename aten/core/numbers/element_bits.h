// Elements as so many bytes, for code that moves them and does not look at them.
#pragma once

#include <cstring>

#include "aten/core/numbers/dtype.h"

namespace tnp {

struct Bits128 {
  uint64_t low, high;
};

// Calls f.template operator()<T>() with a type that elements of `bytes` bytes can be moved as.
template <class F>
constexpr auto visit_element_size(int64_t bytes, F&& f) {
  switch (bytes) {
    case 1:
      return f.template operator()<uint8_t>();
    case 2:
      return f.template operator()<uint16_t>();
    case 4:
      return f.template operator()<uint32_t>();
    case 8:
      return f.template operator()<uint64_t>();
    default:
      return f.template operator()<Bits128>();
  }
}

// The same for elements of a dtype, where they lie: complex64 is aligned as a float.
template <class F>
constexpr auto visit_size(ScalarType dtype, F&& f) {
  if (dtype == ScalarType::Complex64) return f.template operator()<Complex<float>>();
  return visit_element_size(element_size(dtype), static_cast<F&&>(f));
}

// One element, by a copy of a size that the compiler knows: of others GCC makes a loop in microcode, which takes 30 ns.
inline void copy_element(int64_t bytes, void* to, const void* from) {
  visit_element_size(bytes, [&]<class Bits>() { std::memcpy(to, from, sizeof(Bits)); });
}

}  // namespace tnp
