// Uniform random integers, with NumPy's algorithms.
#include "aten/iterator/iterator.h"
#include "aten/kernel_functions/random.h"
#include "aten/kernels/random.h"
#include "aten/random/blocks.h"

namespace tnp::native {

namespace {

// Draws integers of type T with the algorithms of one generator (legacy or modern).
template <class T>
struct Integers {
  using Word = std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>;
  static Word range_of(T low, T high) { return static_cast<Word>(static_cast<Word>(high) - static_cast<Word>(low)); }

  bool legacy;
  random::BitBuffer buffer{};

  template <class Bits>
  T next(Bits& bits, T low, Word range, Word mask) {
    if constexpr (std::is_same_v<T, bool>)
      return range == 0 ? low : buffer.next_bit(bits);
    else
      return static_cast<T>(
          static_cast<Word>(static_cast<Word>(low) + random::bounded<Word>(bits, range, mask, legacy, buffer)));
  }
  template <class Bits>
  void fill(Bits& bits, T low, T high, T* data, int64_t n) {
    const Word range = range_of(low, high), mask = static_cast<Word>(random::mask_for(range));
    if constexpr (sizeof(T) >= 4) {
      if (legacy && range > 0 && range < 0xffffffffU) {
        return random::fill_masked(bits, low, static_cast<uint32_t>(range), static_cast<uint32_t>(mask), data, n);
      }
      if (!legacy && range > 0 && range < 0xffffffffU)
        return random::fill_lemire(bits, low, static_cast<uint32_t>(range), data, n);
    }
    for (int64_t i = 0; i < n; ++i) data[i] = next(bits, low, range, mask);
  }
};

}  // namespace

bool random_fill_range_cpu(const Tensor& out, const Scalar& low, const Scalar& high, Generator* generator) {
  visit<IntegralTypes>(out.dtype(), [&]<class T>() {
    Integers<T> integers{generator->legacy};
    visit_bits(*generator->bits,
               [&](auto& bits) { integers.fill(bits, low.to<T>(), high.to<T>(), out.data_ptr<T>(), out.numel()); });
  });
  return true;
}

void draw_integers(const Tensor& out, const Tensor& low, const Tensor& high, Generator& g) {
  Tensor to = out;
  Iterator iterator;
  iterator.output(to, out.dtype(), out.dtype()).input(low, out.dtype()).input(high, out.dtype()).build();
  visit<IntegralTypes>(out.dtype(), [&]<class T>() {
    Integers<T> integers{g.legacy};
    visit_bits(*g.bits, [&](auto& bits) {
      iterator.for_each_serial([&](char* const* data, const int64_t* strides, int64_t n) {
        for (int64_t i = 0; i < n; ++i) {
          const T from = *reinterpret_cast<const T*>(data[1] + i * strides[1]),
                  last = *reinterpret_cast<const T*>(data[2] + i * strides[2]);
          const auto range = integers.range_of(from, last);
          *reinterpret_cast<T*>(data[0] + i * strides[0]) =
              integers.next(bits, from, range, static_cast<decltype(range)>(random::mask_for(range)));
        }
      });
    });
  });
}

}  // namespace tnp::native
