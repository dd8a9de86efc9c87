#include "aten/kernels/cpu/pointwise/small_step_loops.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "aten/core/macros.h"
#include "aten/core/threads/register_bytes.h"

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {

namespace {

constexpr int64_t kPiece = 512;  // number of elements
constexpr int kMostOperands = 8;

template <class Bits, int bytes>
struct Lanes {
  typedef Bits Register __attribute__((vector_size(bytes)));
  static constexpr int count = bytes / static_cast<int>(sizeof(Bits));

  static TNP_INLINE Register load(const Bits* from) {
    Register v;
    std::memcpy(&v, from, bytes);
    return v;
  }
  static TNP_INLINE void store(Bits* to, Register v) { std::memcpy(to, &v, bytes); }

  template <int... I>
  static TNP_INLINE Register even(Register a, Register b, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, b, 2 * I...);
  }
  static TNP_INLINE Register even(Register a, Register b) {
    return even(a, b, std::make_integer_sequence<int, count>{});
  }
  template <int... I>
  static TNP_INLINE Register backwards(Register a, std::integer_sequence<int, I...>) {
    return __builtin_shufflevector(a, a, (count - 1 - I)...);
  }
  // Lane I of the result is element 3 I of the three registers.
  template <int... I>
  static TNP_INLINE Register third(Register a, Register b, Register c, std::integer_sequence<int, I...>) {
    const Register ab = __builtin_shufflevector(a, b, (3 * I < 2 * count ? 3 * I : 0)...);
    return __builtin_shufflevector(ab, c, (3 * I < 2 * count ? I : 3 * I - count)...);
  }
  static TNP_INLINE Register third(Register a, Register b, Register c) {
    return third(a, b, c, std::make_integer_sequence<int, count>{});
  }
};

// to[i] = from[i * step]. Reads whole registers, but at most one element of `from` beyond the last
// element needed.
template <int step, class Bits>
void take_each(const Bits* from, Bits* to, int64_t n) {
  // Bytes need several shuffles to cross the halves of a wide register.
  using V = Lanes<Bits, (step == 3 || sizeof(Bits) < 4) ? 16 : kRegisterBytes>;
  int64_t i = 0;
  for (; i + V::count < n; i += V::count) {
    const Bits* x = from + i * step;
    if constexpr (step == -1) {
      V::store(to + i, V::backwards(V::load(x - V::count + 1), std::make_integer_sequence<int, V::count>{}));
    } else {
      auto part = [&](int k) { return V::load(x + k * V::count); };
      if constexpr (step == 2)
        V::store(to + i, V::even(part(0), part(1)));
      else if constexpr (step == 3)
        V::store(to + i, V::third(part(0), part(1), part(2)));
      else
        V::store(to + i, V::even(V::even(part(0), part(1)), V::even(part(2), part(3))));
    }
  }
  // uses memcpy, because complex64 has only the alignment of a float
  for (; i < n; ++i) std::memcpy(to + i, from + i * step, sizeof(Bits));
}

using Take = void (*)(const char* from, char* to, int64_t n);
template <int step, class Bits>
void take_bytes(const char* from, char* to, int64_t n) {
  take_each<step>(reinterpret_cast<const Bits*>(from), reinterpret_cast<Bits*>(to), n);
}
template <class Bits>
Take take_of_size(int64_t step) {
  switch (step) {
    case -1:
      return take_bytes<-1, Bits>;
    case 2:
      return take_bytes<2, Bits>;
    case 3:
      return take_bytes<3, Bits>;
    case 4:
      return take_bytes<4, Bits>;
    default:
      return nullptr;
  }
}
// The loop for this stride, or null if no loop is faster than reading the elements one by one.
Take take_for(int64_t stride, int64_t size) {
  if (stride % size != 0) return nullptr;
  switch (size) {
    case 1:
      return take_of_size<uint8_t>(stride);
    case 2:
      return take_of_size<uint16_t>(stride / 2);
    case 4:
      return take_of_size<uint32_t>(stride / 4);
    case 8:
      return take_of_size<uint64_t>(stride / 8);
    default:
      return nullptr;
  }
}

}  // namespace

bool run_in_pieces(StridedLoop loop, char* const* data, const int64_t* strides, const int64_t* sizes, int outputs,
                   int inputs, int64_t n) {
  const int operands = outputs + inputs;
  if (operands > kMostOperands) return false;
  Take take[kMostOperands] = {};
  bool any = false;
  for (int k = 0; k < operands; ++k) {
    if (strides[k] == sizes[k]) continue;
    if (k < outputs) return false;
    if (strides[k] == 0) continue;
    take[k] = take_for(strides[k], sizes[k]);
    if (!take[k]) return false;
    any = true;
  }
  if (!any) return false;
  alignas(64) char buffers[kMostOperands][kPiece * 8];
  char* pieces[kMostOperands];
  int64_t steps[kMostOperands];
  for (int k = 0; k < operands; ++k) steps[k] = take[k] ? sizes[k] : strides[k];
  for (int64_t start = 0; start < n; start += kPiece) {
    const int64_t length = std::min(kPiece, n - start);
    for (int k = 0; k < operands; ++k) {
      char* from = data[k] + start * strides[k];
      pieces[k] = take[k] ? buffers[k] : from;
      if (take[k]) take[k](from, buffers[k], length);
    }
    loop(pieces, steps, length);
  }
  return true;
}

}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp
