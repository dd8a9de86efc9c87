// Masked copies.
#include <cstring>

#include "aten/core/numbers/complex.h"
#include "aten/core/numbers/element_bits.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/iterator.h"

namespace tnp {

namespace {

constexpr int64_t kBlock = 128;

bool is_any_true(const uint8_t* mask) {
  uint64_t words[kBlock / 8];
  std::memcpy(words, mask, sizeof words);
  if (words[0]) return true;  // for masks with many true elements, this first word usually decides
  uint64_t any = 0;
  for (uint64_t word : words) any |= word;
  return any != 0;
}

// Writes whole blocks, which needs no branch on the mask. Blocks without a true element are
// skipped.
template <class Bits, class From>
void copy_dense(Bits* to, const uint8_t* mask, int64_t n, From&& from) {
  for (int64_t begin = 0; begin < n; begin += kBlock) {
    if (n - begin >= kBlock) {
      if (!is_any_true(mask + begin)) continue;
#pragma GCC ivdep
      for (int64_t i = begin; i < begin + kBlock; ++i) to[i] = mask[i] ? from(i) : to[i];
    } else {
      for (int64_t i = begin; i < n; ++i) to[i] = mask[i] ? from(i) : to[i];
    }
  }
}

// to = mask ? from : to.
template <class Bits>
void copy_where_loop(char* const* data, const int64_t* strides, int64_t n) {
  constexpr int64_t size = sizeof(Bits);
  auto* to = reinterpret_cast<Bits*>(data[0]);
  auto* from = reinterpret_cast<const Bits*>(data[1]);
  auto* mask = reinterpret_cast<const uint8_t*>(data[2]);
  bool dense = strides[0] == size && strides[2] == 1;
  if (dense && strides[1] == 0) {
    copy_dense(to, mask, n, [value = *from](int64_t) { return value; });
  } else if (dense && strides[1] == size) {
    copy_dense(to, mask, n, [from](int64_t i) { return from[i]; });
  } else {
    for (int64_t i = 0; i < n; ++i) {
      if (data[2][i * strides[2]])
        *reinterpret_cast<Bits*>(data[0] + i * strides[0]) = *reinterpret_cast<const Bits*>(data[1] + i * strides[1]);
    }
  }
}

}  // namespace

void copy_where(const Tensor& dst, const Tensor& src, const Tensor& mask) {
  const ScalarType dtype = dst.dtype();
  Tensor out = dst;
  Iterator iterator;
  iterator.output(out, dtype, dtype).input(src, dtype).casting(Casting::Unsafe);
  // First, as a cast may raise a floating-point error when elements have changed already.
  dst.bump_version();
  if (dst.device().is_cpu()) {
    iterator.input(mask, ScalarType::Bool).build();
    iterator.for_each_with(visit_size(dtype, []<class Bits>() -> Loop { return copy_where_loop<Bits>; }), 0.5);
  } else {
    iterator.mask(mask).build();
    iterator.cast(0.5);
  }
}

}  // namespace tnp
