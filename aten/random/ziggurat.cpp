// Computation of NumPy's ziggurat tables.
//
// Note [NumPy's tables] A stream equals NumPy's only if each table entry does, to the last bit.
// NumPy's tables are literals that carry the rounding of their original computation. Comparison
// shows how they were computed. The normal tables use the recurrence in double. The exponential
// ones use much higher precision with an even k, and their float versions were printed with nine
// digits. test_random.py compares millions of draws, which visit every entry.
#include "aten/random/ziggurat.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace tnp {

namespace {

constexpr double kTwo23 = 8388608.0, kTwo52 = 4503599627370496.0, kTwo53 = 9007199254740992.0;

void fill_normal(ZigguratTable<double, uint64_t>& t) {
  const double area = 0.004928673233974652, r = kNormalTail;
  double x = r, f = std::exp(-0.5 * x * x);
  t.w[255] = x / kTwo52, t.f[255] = f;
  t.k[0] = static_cast<uint64_t>(std::rint(r * f / area * kTwo52));
  t.w[0] = area / f / kTwo52, t.f[0] = 1;
  for (int i = 254; i > 0; --i) {
    double next = std::sqrt(-2.0 * std::log(area / x + f));
    t.k[i + 1] = static_cast<uint64_t>(std::rint(next / x * kTwo52));
    x = next;
    f = std::exp(-0.5 * x * x);
    // Half way between two doubles. The libm that computed NumPy's table rounded up.
    if (i == 38) f = 0.67738803621877353;
    t.w[i] = x / kTwo52, t.f[i] = f;
  }
  t.k[1] = 0;
}

#if defined(__SIZEOF_FLOAT128__)
__extension__ typedef __float128 Wide;
#else
using Wide = long double;
#endif

Wide exp_wide(Wide x) {  // Taylor's series on x / 64, squared six times
  Wide z = x / 64, term = 1, sum = 1;
  for (int n = 1; n < 40; ++n) sum += term = term * z / n;
  for (int i = 0; i < 6; ++i) sum *= sum;
  return sum;
}

// Newton's method on exp(-x) = y. The initial value has 64 correct bits, so two steps give full
// precision.
Wide minus_log_wide(Wide y) {
  Wide x = -std::log(static_cast<long double>(y));
  for (int i = 0; i < 2; ++i) x += 1 - y * exp_wide(x);
  return x;
}

void fill_exponential(ZigguratTable<double, uint64_t>& t) {
  // 7.697117470131049714044628048015216: the edge for which 255 layers of equal area end exactly at
  // height 1.
  const Wide r = static_cast<Wide>(7697117470131049714LL) / static_cast<Wide>(1000000000000000000LL) +
                 static_cast<Wide>(44628048015216LL) / static_cast<Wide>(1e18L) / static_cast<Wide>(1e15L);
  const Wide density = exp_wide(-r), area = (r + 1) * density;
  Wide x = r, f = density;
  auto even = [](Wide ratio) { return static_cast<uint64_t>(ratio * static_cast<Wide>(kTwo52)) * 2; };
  t.k[0] = even(r * density / area);
  t.w[0] = static_cast<double>(area / density / static_cast<Wide>(kTwo53)), t.f[0] = 1;
  for (int i = 255; i > 0; --i) {
    t.w[i] = static_cast<double>(x / static_cast<Wide>(kTwo53)), t.f[i] = static_cast<double>(f);
    Wide above = f + area / x, next = i > 1 ? minus_log_wide(above) : 0;
    t.k[i] = even(next / x);
    x = next, f = above;
  }
}

float nine_digits(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.8e", v);
  return std::strtof(text, nullptr);
}

template <class Round>
void narrow(const ZigguratTable<double, uint64_t>& from, double range, ZigguratTable<float, uint32_t>& to,
            Round round) {
  for (int i = 0; i < 256; ++i) {
    to.k[i] = static_cast<uint32_t>(std::rint(static_cast<double>(from.k[i]) / range * kTwo23));
    to.w[i] = round(from.w[i] * range / kTwo23);
    to.f[i] = round(from.f[i]);
  }
}

Ziggurat make() {
  Ziggurat z;
  fill_normal(z.normal);
  fill_exponential(z.exponential);
  narrow(z.normal, kTwo52, z.normal_f, [](double v) { return static_cast<float>(v); });
  narrow(z.exponential, kTwo53, z.exponential_f, nine_digits);
  return z;
}

}  // namespace

const Ziggurat& ziggurat() {
  static const Ziggurat tables = make();
  return tables;
}

}  // namespace tnp
