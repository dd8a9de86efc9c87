// Elements as opaque blocks of bytes, for code that moves them without interpreting them.
#pragma once

#include <cstring>

#include "aten/core/numbers/dtype.h"

namespace tnp {

struct Bits128 {
  uint64_t low, high;
};

// Calls f.template operator()<T>() with an integral type T of `bytes` bytes that can move such an
// element.
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

// The same by dtype, for elements accessed in an array, where complex64 only has a float's
// alignment.
template <class F>
constexpr auto visit_size(ScalarType dtype, F&& f) {
  if (dtype == ScalarType::Complex64) return f.template operator()<Complex<float>>();
  return visit_element_size(element_size(dtype), static_cast<F&&>(f));
}

// Copies one element by a memcpy of constant size. For a variable size GCC emits a microcoded loop,
// which takes 30 ns.
inline void copy_element(int64_t bytes, void* to, const void* from) {
  visit_element_size(bytes, [&]<class Bits>() { std::memcpy(to, from, sizeof(Bits)); });
}

}  // namespace tnp
