// Ziggurat tables: 256 horizontal layers of equal area under the normal and the exponential
// density.
//
// Layer i is between the heights f[i] and f[i - 1] and extends to x[i]; layer 0 is the base
// together with the tail beyond R. w[i] scales a random integer to [0, x[i]). Below the integer
// k[i] a point is certainly inside the density. Source: Marsaglia and Tsang, J. Stat. Softw. 5
// (2000) no. 8; Doornik, "An improved ziggurat method" (2005).
#pragma once

#include <cstdint>

#include "aten/core/macros.h"

namespace tnp {

inline constexpr double kNormalTail = 3.6541528853610087963519472518;
inline constexpr double kNormalTailInverse = 0.27366123732975827203338247596;
inline constexpr double kExponentialTail = 7.6971174701310497140446280481;

template <class T, class K>
struct ZigguratTable {
  K k[256];
  T w[256], f[256];
};

struct Ziggurat {
  ZigguratTable<double, uint64_t> normal, exponential;
  ZigguratTable<float, uint32_t> normal_f, exponential_f;
};

TNP_API const Ziggurat& ziggurat();  // computed on first use

}  // namespace tnp
