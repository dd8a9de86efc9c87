// Edge cases that functors guarantee although compilers or processors treat them differently.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "aten/core/errors/floating_point_errors.h"
#include "aten/core/numbers/half.h"
#include "aten/functions.h"
#include "aten/functors/arithmetic.h"
#include "aten/functors/bessel.h"
#include "aten/functors/bitwise.h"
#include "aten/functors/comparison.h"
#include "aten/functors/exponential.h"
#include "aten/functors/floating.h"

namespace tnp {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

template <class T>
class SignedFunctors : public testing::Test {};
using Signed = testing::Types<int8_t, int16_t, int32_t, int64_t>;
TYPED_TEST_SUITE(SignedFunctors, Signed);

TYPED_TEST(SignedFunctors, SmallestByMinusOneDoesNotTrap) {
  using T = TypeParam;
  T smallest = std::numeric_limits<T>::min(), minus_one = -1;
  EXPECT_EQ(FloorDivide<T>()(smallest, minus_one), smallest);
  EXPECT_EQ(TruncDivide<T>()(smallest, minus_one), smallest);
  EXPECT_EQ(Remainder<T>()(smallest, minus_one), 0);
  EXPECT_EQ(Fmod<T>()(smallest, minus_one), 0);
  EXPECT_EQ(Absolute<T>()(smallest), smallest);
  EXPECT_EQ(Negative<T>()(smallest), smallest);
}

TYPED_TEST(SignedFunctors, DivisionByZeroIsZero) {
  using T = TypeParam;
  EXPECT_EQ(FloorDivide<T>()(7, 0), 0);
  EXPECT_EQ(Remainder<T>()(7, 0), 0);
  EXPECT_EQ(Fmod<T>()(7, 0), 0);
}

TYPED_TEST(SignedFunctors, DivisionRoundsDownAndRemainderFollowsTheDivisor) {
  using T = TypeParam;
  for (int a = -7; a <= 7; ++a) {
    for (int b : {-3, -1, 1, 3}) {
      T q = FloorDivide<T>()(static_cast<T>(a), static_cast<T>(b)),
        r = Remainder<T>()(static_cast<T>(a), static_cast<T>(b));
      EXPECT_EQ(q, static_cast<T>(std::floor(static_cast<double>(a) / b)));
      EXPECT_EQ(q * b + r, a);
    }
  }
}

TYPED_TEST(SignedFunctors, ArithmeticWraps) {
  using T = TypeParam;
  T smallest = std::numeric_limits<T>::min(), largest = std::numeric_limits<T>::max();
  EXPECT_EQ(Add<T>()(largest, 1), smallest);
  EXPECT_EQ(Subtract<T>()(smallest, 1), largest);
  EXPECT_EQ(Multiply<T>()(smallest, 2), 0);
  EXPECT_EQ(Power<T>()(2, sizeof(T) * 8), 0);
}

TYPED_TEST(SignedFunctors, ShiftsByTheWidthShiftEverythingOut) {
  using T = TypeParam;
  T width = sizeof(T) * 8;
  EXPECT_EQ(LeftShift<T>()(1, width), 0);
  EXPECT_EQ(LeftShift<T>()(1, -1), 0);
  EXPECT_EQ(RightShift<T>()(-5, width), -1);
  EXPECT_EQ(RightShift<T>()(5, -1), 0);
}

TEST(Functors, MaximumHandsOnNanAndFmaxDoesNot) {
  EXPECT_TRUE(std::isnan(Maximum<double>()(1, kNan)));
  EXPECT_TRUE(std::isnan(Maximum<double>()(kNan, 1)));
  EXPECT_EQ(Fmax<double>()(1, kNan), 1);
  EXPECT_EQ(Fmax<double>()(kNan, 1), 1);
  EXPECT_TRUE(std::isnan(Fmax<double>()(kNan, kNan)));
}

TEST(Functors, ComplexNumbersAreOrderedByTheRealPartFirst) {
  using C = Complex<double>;
  EXPECT_TRUE(Less<C>()(C(1, 5), C(2, 0)));
  EXPECT_TRUE(Less<C>()(C(1, 0), C(1, 1)));
  EXPECT_FALSE(Less<C>()(C(1, kNan), C(2, 0)));
}

TEST(Functors, FloatDivisionIsPythons) {
  EXPECT_EQ(FloorDivide<double>()(1, 0.1), 9);  // 0.1 is a little more than a tenth
  EXPECT_EQ(FloorDivide<double>()(-1, 0.1), -10);
  EXPECT_EQ(Remainder<double>()(1, -kInf), -kInf);
  EXPECT_EQ(FloorDivide<double>()(1, 0.0), kInf);
  EXPECT_TRUE(std::isnan(Remainder<double>()(1, 0.0)));
  EXPECT_TRUE(std::signbit(Remainder<double>()(0.0, -2)));
}

TEST(Functors, NextAfterOfSixteenBitFloatsMovesByOneBit) {
  Half one(1.0f), next = NextAfter<Half>()(one, Half(2.0f));
  EXPECT_EQ(next.bits, one.bits + 1);
  EXPECT_EQ(NextAfter<Half>()(Half(0.0f), Half(-1.0f)).bits, 0x8001);
  EXPECT_EQ(static_cast<float>(Spacing<BFloat16>()(BFloat16(1.0f))), 0.0078125f);
}

// The conversion for processors without the instruction, called here on all of them.
TEST(Functors, ConversionToHalfRaisesTheInstructionsFlags) {
  auto flags_of = [](float value) {
    take_floating_point_flags();
    volatile uint16_t half = detail::float_to_half(value);
    static_cast<void>(half);
    return static_cast<int>(take_floating_point_flags());
  };
  EXPECT_EQ(flags_of(65504.f), kNoErrors);
  EXPECT_EQ(flags_of(65519.f), kNoErrors);
  EXPECT_EQ(flags_of(-65520.f), kOverflow);
  EXPECT_EQ(flags_of(static_cast<float>(kInf)), kNoErrors);
  EXPECT_EQ(flags_of(static_cast<float>(kNan)), kNoErrors);
  EXPECT_EQ(flags_of(0x1p-24f), kNoErrors);     // the smallest subnormal number is exact
  EXPECT_EQ(flags_of(-0x1.8p-23f), kNoErrors);  // three of them too
  EXPECT_EQ(flags_of(0x1.8p-24f), kUnderflow);
  EXPECT_EQ(flags_of(1e-20f), kUnderflow);
  EXPECT_EQ(flags_of(0.f), kNoErrors);
}

// The powers with integer exponents in CUDA kernels.
TEST(Functors, WholePowersAreRoundedOnce) {
  EXPECT_EQ(math::whole_power(3.0, 2), 9.0);
  EXPECT_EQ(math::whole_power(3.0f, -2), 1.0f / 9);
  EXPECT_EQ(math::whole_power(-0.0, -3), -kInf);
  EXPECT_EQ(math::whole_power(-0.0f, -3), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(math::whole_power(kInf, -2), 0.0);
  EXPECT_EQ(math::whole_power(kNan, 0), 1.0);
  EXPECT_TRUE(std::isnan(math::whole_power(kNan, 3)));
  EXPECT_TRUE(math::is_whole_power(-8.0) && !math::is_whole_power(9.0) && !math::is_whole_power(2.5) &&
              !math::is_whole_power(kNan) && !math::is_whole_power(kInf));
  for (int n = -8; n <= 8; ++n) {
    for (double x = 1e-300; x < 1e300; x *= -97.3) {
      const double got = math::whole_power(x, n), expected = std::pow(x, static_cast<double>(n));
      EXPECT_TRUE(got == expected || std::abs(got - expected) <= std::abs(expected) * 0x1p-52) << x << " " << n;
      const auto narrow = static_cast<float>(x);
      EXPECT_EQ(math::whole_power(narrow, n), static_cast<float>(std::pow(static_cast<double>(narrow), n)))
          << narrow << " " << n;
    }
  }
}

// Bessel functions of large arguments: within a few units in the last place of the amplitude.
TEST(Functors, HankelsExpansionGivesBesselFunctions) {
  for (double x = 25; x < 1e9; x *= 1.0173) {
    const double unit = std::sqrt(2 / (3.14159265358979 * x)) * 0x1p-52;
    EXPECT_NEAR(special::bessel_far(0, false, x), ::j0(x), 4 * unit) << x;
    EXPECT_NEAR(special::bessel_far(1, false, x), ::j1(x), 4 * unit) << x;
    EXPECT_NEAR(special::bessel_far(0, true, x), ::y0(x), 4 * unit) << x;
    EXPECT_NEAR(special::bessel_far(1, true, x), ::y1(x), 4 * unit) << x;
  }
  EXPECT_EQ(special::bessel_far(1, true, kInf), 0);
}

TEST(Functors, FrexpOfInfinityHasExponentZero) {
  auto [mantissa, exponent] = Frexp<double>()(kInf);
  EXPECT_EQ(mantissa, kInf);
  EXPECT_EQ(exponent, 0);
}

Tensor row(std::initializer_list<double> values) {
  Tensor t = empty_tensor({static_cast<int64_t>(values.size())}, ScalarType::Float64);
  std::copy(values.begin(), values.end(), t.data_ptr<double>());
  return t;
}

// Vector math must give the functor's results, since the memory layout decides which of the two
// runs.
TEST(VectorMath, RemainderAgreesWithTheFunctor) {
  Tensor values = row({0, -0.0, 1, -1, 2.5, -2.5, 0.1, 1e10, kInf, -kInf, kNan});
  int64_t n = values.numel();
  Tensor a = view_of(values, {n, n}, {1, 0}, values.data()), b = view_of(values, {n, n}, {0, 1}, values.data());
  auto [quotient, remainder] = tnp::divmod(a, b);
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = 0; j < n; ++j) {
      double x = values.data_ptr<double>()[i], y = values.data_ptr<double>()[j];
      auto [want_q, want_r] = Divmod<double>()(x, y);
      double q = quotient.data_ptr<double>()[i * quotient.stride(0) + j * quotient.stride(1)];
      double r = remainder.data_ptr<double>()[i * remainder.stride(0) + j * remainder.stride(1)];
      EXPECT_TRUE(q == want_q || (std::isnan(q) && std::isnan(want_q))) << x << " // " << y;
      EXPECT_TRUE(r == want_r || (std::isnan(r) && std::isnan(want_r))) << x << " % " << y;
    }
  }
}

TEST(VectorMath, SpecialValuesAreC99s) {
  Tensor x = row({0.0, -0.0, kInf, -kInf, kNan, 710, -746, 5e-324});
  Tensor e = tnp::exp(x), m = tnp::expm1(x);
  for (int64_t i = 0; i < x.numel(); ++i) {
    double v = x.data_ptr<double>()[i];
    EXPECT_TRUE(e.data_ptr<double>()[i] == std::exp(v) || std::isnan(v)) << v;
  }
  EXPECT_TRUE(std::signbit(m.data_ptr<double>()[1]));
  EXPECT_EQ(m.data_ptr<double>()[7], 5e-324);
}

}  // namespace
}  // namespace tnp
