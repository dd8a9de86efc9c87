#include "aten/kernels/cpu/copy_where.h"

#include "aten/core/complex.h"
#include "aten/core/element_bits.h"

namespace tnp {

namespace {

// to = mask ? from : to. Dense lines are written whole, which needs no branch on the mask.
template <class Bits>
void copy_where(char* const* data, const int64_t* strides, int64_t n) {
  constexpr int64_t size = sizeof(Bits);
  auto* to = reinterpret_cast<Bits*>(data[0]);
  auto* from = reinterpret_cast<const Bits*>(data[1]);
  auto* mask = reinterpret_cast<const uint8_t*>(data[2]);
  bool dense = strides[0] == size && strides[2] == 1;
  if (dense && strides[1] == 0) {
    const Bits value = *from;
    for (int64_t i = 0; i < n; ++i) to[i] = mask[i] ? value : to[i];
  } else if (dense && strides[1] == size) {
    for (int64_t i = 0; i < n; ++i) to[i] = mask[i] ? from[i] : to[i];
  } else {
    for (int64_t i = 0; i < n; ++i) {
      if (data[2][i * strides[2]])
        *reinterpret_cast<Bits*>(data[0] + i * strides[0]) = *reinterpret_cast<const Bits*>(data[1] + i * strides[1]);
    }
  }
}

}  // namespace

Loop copy_where_loop(ScalarType dtype) {
  return visit_size(dtype, []<class Bits>() -> Loop { return copy_where<Bits>; });
}

}  // namespace tnp
