// Powers of floats, computed in double with tables in registers: log2(x) = k + log2(c) + log2(1 +
// r) with one of 16 centers c, and 2^t = 2^n 2^(j/16) 2^f. The tables are computed at compile time.
#pragma once

#include <array>

#include "aten/kernels/cpu/pointwise/vector_math/exponential.h"

#if TNP_HAS_TABLES_IN_REGISTERS

namespace tnp {
inline namespace TNP_CPU_CAPABILITY {
namespace vector_math {

struct PowTable {
  static constexpr int kCenters = 16;
  std::array<double, kCenters> reciprocals{}, logarithms{}, roots{};  // 1/c, log2(c), 2^(j/16)
};

constexpr PowTable make_pow_table() {
  PowTable table;
  for (int j = 0; j < PowTable::kCenters; ++j) {
    const double center = 1 + j / 16.0, s = (center - 1) / (center + 1), part = j / 16.0 * 0x1.62e42fefa39efp-1;
    double logarithm = 0, power = s, root = 1, term = 1;
    for (int k = 1; k < 60; k += 2, power *= s * s) logarithm += 2 * power / k;
    for (int k = 1; k < 24; ++k) root += (term *= part / k);
    const auto at = static_cast<size_t>(j);
    table.reciprocals[at] = 1 / center;
    table.logarithms[at] = logarithm * 0x1.71547652b82fep0;
    table.roots[at] = root;
  }
  return table;
}
inline constexpr PowTable kPowTable = make_pow_table();

TNP_INLINE Doubles look_up(const std::array<double, 16>& table, __m512i index) {
  return _mm512_permutex2var_pd(_mm512_loadu_pd(table.data()), index, _mm512_loadu_pd(table.data() + 8));
}

// x to the power of y for positive normal x.
TNP_INLINE Doubles pow_by_tables(Doubles x, Doubles y) {
  // Rounds to the nearest center by adding half an interval. The first center is 1, so numbers on
  // both sides of 1 have small logarithms.
  const __m512i up = _mm512_add_epi64(_mm512_castpd_si512(x), _mm512_set1_epi64(int64_t(1) << 47));
  const Doubles k = _mm512_getexp_pd(_mm512_castsi512_pd(up)), m = _mm512_scalef_pd(x, -k);
  const __m512i index = _mm512_srli_epi64(up, 48);
  const Doubles r = mad(m, look_up(kPowTable.reciprocals, index), -1.0);
  const Doubles slope = polynomial(r, 0x1.71547652c0222p0, -0x1.715476509f571p-1, 0x1.ec70956551139p-2,
                                   -0x1.7154c5fea2ed2p-2, 0x1.27caabaeb3148p-2, -0x1.ea72964966c8fp-3);
  const Doubles t = clamp(mad(r, slope, k + look_up(kPowTable.logarithms, index)) * y, 200.0);
  const Doubles rounded = t + kRounder<double> / 16, whole = rounded - kRounder<double> / 16, f = t - whole;
  const Doubles root = look_up(kPowTable.roots, _mm512_castpd_si512(rounded));
  const Doubles result =
      mad(root * f,
          polynomial(f, 0x1.62e42fee45a33p-1, 0x1.ebfbdff5a570bp-3, 0x1.c6b348f4acf85p-5, 0x1.3b2c9bd9eb51bp-7), root);
  return _mm512_scalef_pd(result, whole);  // multiplies by 2^floor(whole)
}

}  // namespace vector_math
}  // namespace TNP_CPU_CAPABILITY
}  // namespace tnp

#endif
