// The elementary functions of complex numbers for device code (complex_elementary.h). They are
// compared with the C library's in extended precision, and, at special values, with the C library's
// own results.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <random>

#include "aten/core/numbers/complex.h"
#include "aten/functors/complex_elementary.h"

namespace tnp {
namespace {

template <class T>
struct Function {
  const char* name;
  Complex<T> (*ours)(const Complex<T>&);
  std::complex<long double> (*exact)(const std::complex<long double>&);
  std::complex<T> (*libm)(const std::complex<T>&);
};

#define TNP_FUNCTION(name)                                                \
  Function<T> {                                                           \
    #name, [](const Complex<T>& z) { return math::elementary::name(z); }, \
        [](const std::complex<long double>& z) { return std::name(z); },  \
        [](const std::complex<T>& z) { return std::name(z); }             \
  }
template <class T>
std::vector<Function<T>> functions() {
  return {TNP_FUNCTION(log),  TNP_FUNCTION(sqrt), TNP_FUNCTION(exp),   TNP_FUNCTION(sin),   TNP_FUNCTION(cos),
          TNP_FUNCTION(tan),  TNP_FUNCTION(sinh), TNP_FUNCTION(cosh),  TNP_FUNCTION(tanh),  TNP_FUNCTION(asin),
          TNP_FUNCTION(acos), TNP_FUNCTION(atan), TNP_FUNCTION(asinh), TNP_FUNCTION(acosh), TNP_FUNCTION(atanh)};
}
#undef TNP_FUNCTION

// Moderate numbers, all magnitudes, and the neighbourhoods of 1, -1 and i, where terms cancel.
template <class T>
Complex<T> point(int kind, std::mt19937_64& random) {
  auto within = [&](double a, double b) { return std::uniform_real_distribution<double>(a, b)(random); };
  auto tiny = [&] { return within(-1e-3, 1e-3) * std::pow(10.0, within(-6, 0)); };
  auto wide = [&] { return within(-1, 1) * std::pow(10.0, within(-25, 3)); };
  switch (kind) {
    case 0:
      return Complex<T>(T(within(-3, 3)), T(within(-3, 3)));
    case 1:
      return Complex<T>(T(wide()), T(wide()));
    case 2:
      return Complex<T>(T(1 + tiny()), T(tiny()));
    case 3:
      return Complex<T>(T(-1 + tiny()), T(tiny()));
    case 4:
      return Complex<T>(T(tiny()), T(1 + tiny()));
    default:
      return Complex<T>(T(within(-20, 20)), T(within(-20, 20)));
  }
}

template <class T>
void expect_within_six_ulp_of_the_size() {
  for (const Function<T>& f : functions<T>()) {
    std::mt19937_64 random(1);
    for (int i = 0; i < 30000; ++i) {
      const Complex<T> z = point<T>(i % 6, random), got = f.ours(z);
      const std::complex<long double> exact = f.exact({z.re, z.im});
      const T size = static_cast<T>(std::abs(exact));
      if (!(size < std::numeric_limits<T>::max()) || size < std::numeric_limits<T>::min()) continue;
      const long double ulp = std::nextafter(size, std::numeric_limits<T>::infinity()) - size;
      // glibc's own error reaches 5.7
      ASSERT_LE(std::abs(std::complex<long double>(got.re, got.im) - exact) / ulp, 6)
          << f.name << "(" << z.re << ", " << z.im << ") = (" << got.re << ", " << got.im << ")";
    }
  }
}
TEST(ComplexFunctions, AreAsAccurateAsTheCLibrarysInDouble) { expect_within_six_ulp_of_the_size<double>(); }
TEST(ComplexFunctions, AreAsAccurateAsTheCLibrarysInFloat) { expect_within_six_ulp_of_the_size<float>(); }

// Annex G leaves the sign of some zeros and infinities open; everything else must equal the C
// library's result.
template <class T>
bool same_kind(T got, T expected) {
  if (std::isnan(expected) || std::isnan(got)) return std::isnan(got) == std::isnan(expected);
  if (std::isinf(expected) || std::isinf(got)) return std::isinf(got) == std::isinf(expected);
  return std::abs(got - expected) <= 16 * std::numeric_limits<T>::epsilon() * (1 + std::abs(expected));
}
template <class T>
void expect_the_c_librarys_special_values() {
  constexpr T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T parts[] = {T(0), T(-0.0), T(1), T(-1), T(0.5), T(-2), T(3.5), infinity, -infinity, nan};
  for (const Function<T>& f : functions<T>()) {
    for (T re : parts) {
      for (T im : parts) {
        const Complex<T> got = f.ours(Complex<T>(re, im));
        const std::complex<T> expected = f.libm({re, im});
        EXPECT_TRUE(same_kind(got.re, expected.real()) && same_kind(got.im, expected.imag()))
            << f.name << "(" << re << ", " << im << ") = (" << got.re << ", " << got.im << "), not " << expected;
        if (std::isfinite(re) && std::isfinite(im)) {  // no result is on the wrong side of a branch cut
          EXPECT_TRUE(std::signbit(got.re) == std::signbit(expected.real()) &&
                      std::signbit(got.im) == std::signbit(expected.imag()))
              << f.name << "(" << re << ", " << im << ") = (" << got.re << ", " << got.im << "), not " << expected;
        }
      }
    }
  }
}
TEST(ComplexFunctions, HaveTheCLibrarysSpecialValuesInDouble) { expect_the_c_librarys_special_values<double>(); }
TEST(ComplexFunctions, HaveTheCLibrarysSpecialValuesInFloat) { expect_the_c_librarys_special_values<float>(); }

TEST(ComplexFunctions, DoNotOverflowOnTheWay) {
  using C = Complex<double>;
  namespace e = math::elementary;
  const double huge = 1.5e308;
  const C root = e::sqrt(C(huge, huge));
  EXPECT_NEAR(root.re / 1.3456e154, 1, 1e-3);
  EXPECT_NEAR(root.im / 5.5737e153, 1, 1e-3);
  EXPECT_NEAR(e::log(C(huge, huge)).re, std::log(1.5) + 308 * std::log(10.0) + std::log(2.0) / 2, 1e-12);
  const C power = e::exp(C(710, 1.57));  // exp(710) overflows, but its product with cos(1.57) does not
  EXPECT_NEAR(power.re / static_cast<double>(std::exp(710.0L) * std::cos(static_cast<long double>(1.57))), 1, 1e-14);
  EXPECT_NEAR(
      e::sinh(C(-710.2, 1.57)).re / static_cast<double>(std::sinh(-710.2L) * std::cos(static_cast<long double>(1.57))),
      1, 1e-13);
  EXPECT_EQ(e::tanh(C(800, 1)).re, 1);
  EXPECT_NEAR(e::atanh(C(1e300, 1e300)).im, 1.5707963267948966, 1e-15);
  EXPECT_NEAR(e::atanh(C(1e300, 1e300)).re / 5e-301, 1, 1e-12);
  EXPECT_NEAR(e::asinh(C(huge, huge)).re, std::log(1.5) + 308 * std::log(10.0) + 1.5 * std::log(2.0), 1e-10);
  EXPECT_EQ(e::sqrt(C(-4, 0.0)).re, 0);
  EXPECT_EQ(e::sqrt(C(-4, -0.0)).im, -2);
  EXPECT_EQ(e::sqrt(C(5e-324, 0)).re, std::sqrt(5e-324));
}

}  // namespace
}  // namespace tnp
