// Uniform integers, by NumPy's methods.
#include <limits>

#include "aten/functions.h"
#include "aten/native_functions.h"
#include "aten/ops/random_drawing.h"
#include "aten/random/blocks.h"
#include "aten/random/discrete.h"

namespace tnp::native {

namespace {

// Integers of T by the methods of one generator.
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

Tensor random_range_cpu(const Scalar& low, const Scalar& high, IntList size, ScalarType dtype, Device,
                        Generator* generator) {
  Tensor out = empty_tensor(size, dtype);
  visit<IntegralTypes>(dtype, [&]<class T>() {
    Integers<T> integers{generator->legacy};
    visit_bits(*generator->bits,
               [&](auto& bits) { integers.fill(bits, low.to<T>(), high.to<T>(), out.data_ptr<T>(), out.numel()); });
  });
  return out;
}

// `high` is the largest value that can come.
Tensor random_integers(const Tensor& low, const Tensor& high, OptIntList size, ScalarType dtype,
                       std::optional<Device> device, Generator* generator) {
  TNP_CHECK(is_integral(dtype), ErrorKind::Type, "Unsupported dtype ", dtype, " for integers");
  const Tensor ends[] = {low, high};
  const Device to = result_device(device, ends);
  Broadcast p(ends, dtype, size);
  Drawing drawing(generator, numel_of(p.shape()), to);
  Generator& g = drawing.generator();
  Tensor out;
  visit<IntegralTypes>(dtype, [&]<class T>() {
    const T *from = p.value(0).data_ptr<T>(), *last = p.value(1).data_ptr<T>();
    if (p.scalar()) {
      TNP_CHECK(*from <= *last, ErrorKind::Value, "low >= high");
      out = tnp::random_range(p.value(0).item(), p.value(1).item(), p.shape(), dtype, drawing.place(), &g);
      return;
    }
    p.for_each(
        [&](int64_t, const int64_t* at) { TNP_CHECK(from[at[0]] <= last[at[1]], ErrorKind::Value, "low >= high"); });
    out = empty_tensor(p.shape(), dtype);
    T* data = out.data_ptr<T>();
    Integers<T> integers{g.legacy};
    visit_bits(*g.bits, [&](auto& bits) {
      p.for_each([&](int64_t i, const int64_t* at) {
        const auto range = integers.range_of(from[at[0]], last[at[1]]);
        data[i] = integers.next(bits, from[at[0]], range, static_cast<decltype(range)>(random::mask_for(range)));
      });
    });
  });
  return on_device(out, to);
}

Tensor randint(int64_t high, IntList size, std::optional<ScalarType> dtype, std::optional<Device> device,
               Generator* generator) {
  return native::randint_low(0, high, size, dtype, device, generator);
}

Tensor randint_low(int64_t low, int64_t high, IntList size, std::optional<ScalarType> dtype,
                   std::optional<Device> device, Generator* generator) {
  TNP_CHECK(low < high, ErrorKind::Shape, "random_ expects 'from' to be less than 'to', but got from=", low,
            " >= to=", high);
  const Tensor drawn =
      native::random_integers(scalar_tensor(low, ScalarType::Int64), scalar_tensor(high - 1, ScalarType::Int64), size,
                              ScalarType::Int64, device, generator);
  return !dtype || *dtype == ScalarType::Int64 ? drawn : tnp::cast(drawn, *dtype);
}

}  // namespace tnp::native
