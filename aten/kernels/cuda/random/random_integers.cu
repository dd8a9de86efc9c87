// Integers in a range, drawn on the device from a Philox stream.
// See Note [Random numbers on devices].
#include <bit>
#include <cmath>

#include "aten/iterator/copy.h"
#include "aten/kernel_functions/random.h"
#include "aten/kernels/cuda/element.h"
#include "aten/kernels/cuda/random/philox_units.h"
#include "aten/kernels/cuda/random/rejection.h"

namespace tnp {

namespace gpu {
namespace {

// Signed integers are drawn as unsigned integers of the same width, which wrap on overflow.
template <class T>
using word_t = std::conditional_t<std::is_same_v<T, bool>, bool,
                                  std::make_unsigned_t<std::conditional_t<std::is_same_v<T, bool>, uint8_t, T>>>;

// Draws from the full range of kBits bits: each unit gives kPerUnit values, beginning with its
// lowest bits.
template <class Word, class Unit>
struct WholeWords {
  static constexpr int kBits = std::is_same_v<Word, bool> ? 1 : 8 * sizeof(Word),
                       kPerUnit = 8 * sizeof(Unit) > kBits ? 8 * sizeof(Unit) / kBits : 1;
  Word* out;
  int64_t n;
  Word low;
  TNP_HOST_DEVICE void operator()(int64_t at, Unit unit) const {
    Pack<Word, kPerUnit> words;
    TNP_UNROLL
    for (int k = 0; k < kPerUnit; ++k) {
      const Unit bits = kPerUnit > 1 ? unit >> (k * kBits) : unit;
      if constexpr (std::is_same_v<Word, bool>)
        words.item[k] = bits & 1;
      else
        words.item[k] = static_cast<Word>(low + static_cast<Word>(bits));
    }
    const int64_t first = at * kPerUnit, left = n - first;
    if (left >= kPerUnit) {
      *reinterpret_cast<Pack<Word, kPerUnit>*>(out + first) = words;
    } else {
      for (int k = 0; k < left; ++k) out[first + k] = words.item[k];
    }
  }
};

template <class Unit, class Word>
bool draw_words(Generator& g, Word low, const Tensor& out) {
  using Write = WholeWords<Word, Unit>;
  const Write write{reinterpret_cast<Word*>(out.address()), out.numel(), low};
  write_units<Unit>(g, (out.numel() + Write::kPerUnit - 1) / Write::kPerUnit, write, out.device());
  return true;
}

// Draws values of type Drawn, of which some are rejected. Values of 8 and 16 bits are parts of a
// unit.
template <class Word, class Drawn>
struct RangeAttempts {
  using Unit = std::conditional_t<sizeof(Drawn) == 8, uint64_t, uint32_t>;
  using Value = Drawn;
  static constexpr int kUnitsPerPlace = 1, kPlacesPerUnit = sizeof(Unit) / sizeof(Drawn), kNumbers = 1, kBefore = 0;
  static constexpr bool kVariable = false;
  Word* out;
  Word low;
  Drawn range, mask, threshold;
  bool masked;
  TNP_HOST_DEVICE bool attempt(UnitReader<Unit>& bits, int64_t place, Drawn& value) const {
    const Unit unit = bits.next();
    const auto word =
        static_cast<Drawn>(unit >> (place % kPlacesPerUnit * (kPlacesPerUnit > 1 ? 8 * sizeof(Drawn) : 0)));
    if (!masked) return random::try_lemire(word, range, threshold, value);
    value = word & mask;
    return value <= range;
  }
  TNP_HOST_DEVICE void store(int64_t i, Drawn value) const {
    out[i] = static_cast<Word>(low + static_cast<Word>(value));
  }
};

template <class Drawn, class Word>
bool draw_some_words(Generator& g, Word low, Word wide_range, const Tensor& out) {
  const auto range = static_cast<Drawn>(wide_range),
             mask = static_cast<Drawn>(static_cast<Drawn>(~Drawn{0}) >> (std::countl_zero(range)));
  const Drawn threshold = random::lemire_threshold(range);
  const double all = std::ldexp(1.0, 8 * sizeof(Drawn));
  const double chance = g.legacy ? (static_cast<double>(range) + 1) / (static_cast<double>(mask) + 1)
                                 : 1 - static_cast<double>(threshold) / all;
  const RangeAttempts<Word, Drawn> attempts{
      reinterpret_cast<Word*>(out.address()), low, range, mask, threshold, g.legacy};
  return draw_by_rejection(g, attempts, out.numel(), chance, out.device());
}

// Draws from `low` + [0, range]. Returns false if the CPU has to draw.
template <class Word>
bool draw_range(Generator& g, Word low, Word range, const Tensor& out) {
  using Unit = std::conditional_t<sizeof(Word) == 8, uint64_t, uint32_t>;
  if constexpr (std::is_same_v<Word, bool>) {
    return draw_words<uint32_t>(g, low, out);
  } else {
    if constexpr (sizeof(Word) == 8) {  // draws 32 bits if they suffice
      if (range == 0xffffffffU) return draw_words<uint32_t>(g, low, out);
      if (range < 0xffffffffU) return draw_some_words<uint32_t>(g, low, range, out);
    }
    if (range == static_cast<Word>(~Word{0})) return draw_words<Unit>(g, low, out);
    return draw_some_words<Word>(g, low, range, out);
  }
}

}  // namespace
}  // namespace gpu

bool native::random_fill_range_cuda(const Tensor& out, const Scalar& low, const Scalar& high, Generator* generator) {
  bool drawn = false;
  visit<IntegralTypes>(out.dtype(), [&]<class T>() {
    using Word = gpu::word_t<T>;
    const auto from = static_cast<Word>(low.to<T>());
    drawn = gpu::draw_range<Word>(*generator, from, static_cast<Word>(static_cast<Word>(high.to<T>()) - from), out);
  });
  return drawn;
}

}  // namespace tnp
