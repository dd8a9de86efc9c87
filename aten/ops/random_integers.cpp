// Uniform integers, by NumPy's methods.
#include <limits>

#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/random_drawing.h"
#include "aten/random/blocks.h"
#include "aten/random/discrete.h"

namespace tnp::native {

// `high` is the largest value that can come.
Tensor random_integers(const Tensor& low, const Tensor& high, OptIntList size, ScalarType dtype, Generator* generator) {
  TNP_CHECK(is_integral(dtype), ErrorKind::Type, "Unsupported dtype ", dtype, " for integers");
  const Tensor ends[] = {low, high};
  Broadcast p(ends, dtype, size);
  Drawing drawing(generator, numel_of(p.shape()));
  Generator& g = drawing.generator();
  Tensor out = empty_tensor(p.shape(), dtype);
  visit<IntegralTypes>(dtype, [&]<class T>() {
    using Word = std::conditional_t<std::is_same_v<T, bool>, uint8_t, std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;
    const T *from = p.value(0).data_ptr<T>(), *to = p.value(1).data_ptr<T>();
    T* data = out.data_ptr<T>();
    const int64_t n = out.numel();
    random::BitBuffer buffer;
    visit_bits(*g.bits, [&](auto& bits) {
      auto draw = [&](T lowest, Word range, Word mask) {
        if constexpr (std::is_same_v<T, bool>) return range == 0 ? lowest : buffer.next_bit(bits);
        else return static_cast<T>(static_cast<Word>(static_cast<Word>(lowest) + random::bounded<Word>(bits, range, mask, g.legacy, buffer)));
      };
      auto range_of = [](T lowest, T highest) { return static_cast<Word>(static_cast<Word>(highest) - static_cast<Word>(lowest)); };
      if (p.scalar()) {
        TNP_CHECK(*from <= *to, ErrorKind::Value, "low >= high");
        const Word range = range_of(*from, *to), mask = static_cast<Word>(random::mask_for(range));
        if constexpr (sizeof(T) >= 4) {
          if (g.legacy && range > 0 && range < 0xffffffffU) {
            return random::fill_masked(bits, *from, static_cast<uint32_t>(range), static_cast<uint32_t>(mask), data, n);
          }
          if (!g.legacy && range > 0 && range < 0xffffffffU) return random::fill_lemire(bits, *from, static_cast<uint32_t>(range), data, n);
        }
        for (int64_t i = 0; i < n; ++i) data[i] = draw(*from, range, mask);
      } else {
        p.for_each([&](int64_t, const int64_t* at) { TNP_CHECK(from[at[0]] <= to[at[1]], ErrorKind::Value, "low >= high"); });
        p.for_each([&](int64_t i, const int64_t* at) {
          const Word range = range_of(from[at[0]], to[at[1]]);
          data[i] = draw(from[at[0]], range, static_cast<Word>(random::mask_for(range)));
        });
      }
    });
  });
  return out;
}

Tensor randint(int64_t high, IntList size, std::optional<ScalarType> dtype, Generator* generator) {
  return native::randint_low(0, high, size, dtype, generator);
}

Tensor randint_low(int64_t low, int64_t high, IntList size, std::optional<ScalarType> dtype, Generator* generator) {
  TNP_CHECK(low < high, ErrorKind::Shape, "random_ expects 'from' to be less than 'to', but got from=", low, " >= to=", high);
  Tensor drawn = native::random_integers(scalar_tensor(low, ScalarType::Int64), scalar_tensor(high - 1, ScalarType::Int64), size, ScalarType::Int64, generator);
  if (!dtype || *dtype == ScalarType::Int64) return drawn;
  Tensor out = empty_tensor(size, *dtype);
  copy_into(out, drawn);
  return out;
}

}  // namespace tnp::native
