// tanh of floats with tables in registers: a polynomial for each of several intervals, whose
// coefficients a permute instruction selects. The tables are computed at compile time.
#pragma once

#include <array>
#include <bit>

#include "aten/kernels/cpu/pointwise/vector_math/vector.h"

#if TNP_HAS_TABLES_IN_REGISTERS || TNP_HAS_SMALL_TABLES_IN_REGISTERS

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {
namespace tanh_table {

inline constexpr float kMost = 9.02f;  // from this number on, tanh rounds to 1

// tanh with error 2^-40, for 2^-6 < x < 10: exp by its series for -2 x / 64, squared six times.
constexpr double tanh(double x) {
  double e = 1, term = 1;
  for (int k = 1; k < 14; ++k) e += (term *= -2 * x / 64 / k);
  for (int k = 0; k < 6; ++k) e *= e;
  return (1 - e) / (1 + e);
}
// A float near x whose tanh is nearly a float: the distance is below a hundredth of an ULP. This
// makes the error of the constant term negligible (S. Gal, ACM Trans. Math. Softw. 17 (1991) 26).
constexpr float accurate_center(float x) {
  float best = x;
  double least = 1;
  for (uint32_t k = 0; k < 128; ++k) {
    const float candidate = std::bit_cast<float>(std::bit_cast<uint32_t>(x) + k);
    const double exact = tanh(candidate), rounded = static_cast<float>(exact);
    const double error = exact > rounded ? exact - rounded : rounded - exact;
    if (error < least) {
      least = error;
      best = candidate;
    }
  }
  return best;
}

// The cosines of the Chebyshev nodes.
template <int count>
inline constexpr std::array<double, count> kCosines{};
template <>
inline constexpr std::array<double, 5> kCosines<5>{-0.95105651629515357, -0.58778525229247313, 0, 0.58778525229247313,
                                                   0.95105651629515357};
template <>
inline constexpr std::array<double, 7> kCosines<7>{-0.97492791218182362, -0.78183148246802981, -0.43388373911755812, 0,
                                                   0.43388373911755812,  0.78183148246802981,  0.97492791218182362};

// The monomial coefficients of the polynomial that interpolates a function at `count` nodes, by
// Newton's divided differences.
template <int count, class Function>
constexpr std::array<double, count> interpolate(double from, double to, double origin, Function&& function) {
  std::array<double, count> nodes{}, differences{}, powers{};
  for (size_t k = 0; k < count; ++k) {
    nodes[k] = (from + to) / 2 + kCosines<count>[k] * (to - from) / 2 - origin;
    if (nodes[k] > -1e-6 && nodes[k] < 1e-6) nodes[k] = (to - from) / 64;
    differences[k] = function(nodes[k]);
  }
  for (size_t step = 1; step < count; ++step)
    for (size_t k = count - 1; k >= step; --k)
      differences[k] = (differences[k] - differences[k - 1]) / (nodes[k] - nodes[k - step]);
  for (size_t k = count; k-- > 0;) {
    for (size_t j = count - 1; j > 0; --j) powers[j] = powers[j - 1] - nodes[k] * powers[j];
    powers[0] = differences[k] - nodes[k] * powers[0];
  }
  return powers;
}

// Intervals that divide each octave equally: interval i begins at the float with the bits first +
// (i << shift).
template <int intervals, int degree>
struct Table {
  std::array<float, intervals> center{};
  std::array<std::array<float, intervals>, degree + 1> coefficients{};

  // tanh = c[0] + y (c[1] + y (c[2] + ...)), y = x - center.
  constexpr void fit(int i, uint32_t first, int shift) {
    const auto begin = [&](int k) { return std::bit_cast<float>(first + (static_cast<uint32_t>(k) << shift)); };
    const double from = begin(i), to = i == intervals - 1 ? kMost : begin(i + 1);
    const auto at = static_cast<size_t>(i);
    center[at] = accurate_center(static_cast<float>((from + to) / 2));
    const double middle = center[at], value = tanh(middle);
    set(i, value, interpolate<degree>(from, to, middle, [&](double y) { return (tanh(middle + y) - value) / y; }));
  }
  constexpr void set(int i, double value, const std::array<double, degree>& powers) {
    const auto at = static_cast<size_t>(i);
    coefficients[0][at] = static_cast<float>(value);
    for (size_t j = 0; j < degree; ++j) coefficients[j + 1][at] = static_cast<float>(powers[j]);
  }
};

#if TNP_HAS_TABLES_IN_REGISTERS

// 32 intervals, four per octave from 2^-5 to 2^3.
inline constexpr uint32_t kFirst = 0x3d000000;
inline constexpr int kShift = 21;
using Intervals = Table<32, 5>;
constexpr Intervals make() {
  Intervals table;
  table.set(0, 0, {1, 0, -1. / 3, 0, 2. / 15});  // Taylor series at 0
  for (int i = 1; i < 32; ++i) table.fit(i, kFirst, kShift);
  return table;
}
TNP_INLINE Floats look_up(const std::array<float, 32>& table, __m512i index) {
  return _mm512_permutex2var_ps(_mm512_loadu_ps(table.data()), index, _mm512_loadu_ps(table.data() + 16));
}
TNP_INLINE __m512i interval_of(Floats magnitude) {
  const __m512i index =
      _mm512_srai_epi32(_mm512_sub_epi32(_mm512_castps_si512(magnitude), _mm512_set1_epi32(kFirst)), kShift);
  return _mm512_min_epi32(_mm512_max_epi32(index, _mm512_setzero_si512()), _mm512_set1_epi32(31));
}

#else

// Eight intervals, two per octave from 2^-1 to 2^3. The first interval is extended to all x below
// 0.75; its polynomial approximates tanh(x) / x in powers of x^2.
inline constexpr uint32_t kFirst = 0x3f000000;
inline constexpr int kShift = 22;
using Intervals = Table<8, 7>;
constexpr Intervals make() {
  Intervals table;
  auto root = [](double x) {
    double r = 1;
    for (int k = 0; k < 40; ++k) r = (r + x / r) / 2;
    return r;
  };
  table.set(0, 1, interpolate<7>(0, 0.5625, 0, [&](double z) { return (tanh(root(z)) / root(z) - 1) / z; }));
  for (int i = 1; i < 8; ++i) table.fit(i, kFirst, kShift);
  return table;
}
TNP_INLINE Floats look_up(const std::array<float, 8>& table, __m256i index) {
  return _mm256_permutevar8x32_ps(_mm256_loadu_ps(table.data()), index);
}
TNP_INLINE __m256i interval_of(Floats magnitude) {
  const __m256i index =
      _mm256_srai_epi32(_mm256_sub_epi32(_mm256_castps_si256(magnitude), _mm256_set1_epi32(kFirst)), kShift);
  return _mm256_min_epi32(_mm256_max_epi32(index, _mm256_setzero_si256()), _mm256_set1_epi32(7));
}

#endif

inline constexpr Intervals kTable = make();

}  // namespace tanh_table

TNP_INLINE Floats tanh(Floats x) {
  using namespace tanh_table;
  const Floats magnitude = at_most(absolute(x), kMost);
  const auto index = interval_of(magnitude);
  const auto& c = kTable.coefficients;
#if TNP_HAS_TABLES_IN_REGISTERS
  const Floats y = magnitude - look_up(kTable.center, index);
#else
  const auto is_small = magnitude < 0.75f;
  const Floats y = is_small ? magnitude * magnitude : magnitude - look_up(kTable.center, index);
#endif
  Floats p = look_up(c.back(), index);
#pragma GCC unroll 8
  for (size_t k = c.size() - 2; k > 0; --k) p = mad(p, y, look_up(c[k], index));
#if TNP_HAS_TABLES_IN_REGISTERS
  p = mad(p, y, look_up(c[0], index));
#else
  p = mad(is_small ? magnitude * y : y, p, is_small ? magnitude : look_up(c[0], index));
#endif
  return with_sign(p, x);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp

#endif
