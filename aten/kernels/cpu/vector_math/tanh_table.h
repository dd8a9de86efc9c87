// tanh of floats where a register holds tables: a polynomial for each of 32 intervals, four to an octave from 2^-5 to
// 2^3, its coefficients picked by a permutation of two registers. The tables are computed by the compiler.
#pragma once

#include <array>
#include <bit>

#include "aten/kernels/cpu/vector_math/vector.h"

#if TNP_HAS_TABLES_IN_REGISTERS

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

struct TanhTable {
  static constexpr int kIntervals = 32, kDegree = 5;
  std::array<float, kIntervals> center{};
  std::array<std::array<float, kIntervals>, kDegree + 1> coefficients{};
};

namespace tanh_table {

// Within 2^-40, for 2^-6 < x < 10: exp by its series for x / 64, squared six times.
constexpr double tanh(double x) {
  double e = 1, term = 1;
  for (int k = 1; k < 14; ++k) e += (term *= -2 * x / 64 / k);
  for (int k = 0; k < 6; ++k) e *= e;
  return (1 - e) / (1 + e);
}
// A float near x whose tanh is a float, but for a hundredth of an ULP: the constant term's error vanishes (S. Gal,
// ACM Trans. Math. Softw. 17 (1991) 26).
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

constexpr TanhTable make() {
  TanhTable table;
  constexpr int count = TanhTable::kDegree;  // of nodes: Chebyshev's, for (tanh(center + y) - tanh(center)) / y
  constexpr double cosines[count] = {-0.95105651629515357, -0.58778525229247313, 0, 0.58778525229247313,
                                     0.95105651629515357};
  for (int i = 0; i < TanhTable::kIntervals; ++i) {
    const double from = std::bit_cast<float>(0x3d000000u + (static_cast<uint32_t>(i) << 21)),
                 to = i == TanhTable::kIntervals - 1
                          ? 9.02
                          : std::bit_cast<float>(0x3d000000u + (static_cast<uint32_t>(i + 1) << 21));
    if (i == 0) {  // the series around 0
      table.coefficients[1][0] = 1;
      table.coefficients[3][0] = -1.f / 3;
      table.coefficients[5][0] = 2.f / 15;
      continue;
    }
    const float center = accurate_center(static_cast<float>((from + to) / 2));
    const double value = tanh(center);
    // Newton's divided differences, and from them powers of y.
    double nodes[count] = {}, differences[count] = {}, powers[count] = {};
    for (int k = 0; k < count; ++k) {
      nodes[k] = (from + to) / 2 + cosines[k] * (to - from) / 2 - center;
      if (nodes[k] > -1e-6 && nodes[k] < 1e-6) nodes[k] = (to - from) / 64;
      differences[k] = (tanh(center + nodes[k]) - value) / nodes[k];
    }
    for (int step = 1; step < count; ++step)
      for (int k = count - 1; k >= step; --k)
        differences[k] = (differences[k] - differences[k - 1]) / (nodes[k] - nodes[k - step]);
    for (int k = count - 1; k >= 0; --k) {
      for (int j = count - 1; j > 0; --j) powers[j] = powers[j - 1] - nodes[k] * powers[j];
      powers[0] = differences[k] - nodes[k] * powers[0];
    }
    const auto at = static_cast<size_t>(i);
    table.center[at] = center;
    table.coefficients[0][at] = static_cast<float>(value);
    for (size_t j = 0; j < count; ++j) table.coefficients[j + 1][at] = static_cast<float>(powers[j]);
  }
  return table;
}
inline constexpr TanhTable kTable = make();

TNP_INLINE Floats look_up(const std::array<float, 32>& table, __m512i index) {
  return _mm512_permutex2var_ps(_mm512_loadu_ps(table.data()), index, _mm512_loadu_ps(table.data() + 16));
}

}  // namespace tanh_table

TNP_INLINE Floats tanh(Floats x) {
  using namespace tanh_table;
  const Floats magnitude = at_most(absolute(x), 9.02f);
  __m512i index =
      _mm512_srai_epi32(_mm512_sub_epi32(_mm512_castps_si512(magnitude), _mm512_set1_epi32(0x3d000000)), 21);
  index = _mm512_min_epi32(_mm512_max_epi32(index, _mm512_setzero_si512()), _mm512_set1_epi32(31));
  const Floats y = magnitude - look_up(kTable.center, index);
  const auto& c = kTable.coefficients;
  Floats p = look_up(c[5], index);
  p = mad(p, y, look_up(c[4], index));
  p = mad(p, y, look_up(c[3], index));
  p = mad(p, y, look_up(c[2], index));
  p = mad(p, y, look_up(c[1], index));
  p = mad(p, y, look_up(c[0], index));
  return with_sign(p, x);
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp

#endif
