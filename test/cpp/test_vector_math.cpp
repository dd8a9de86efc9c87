// Vector math in every form that this machine can run: our own for each instruction set, and
// oneMKL's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "aten/core/threads/capability.h"
#include "aten/kernels/cpu/pointwise/vector_math/variants.h"

namespace tnp {
namespace {

long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

// Both versions of one function: ours, and the C library's in extended precision.
template <class T>
struct Function {
  std::string name;
  bool unary;
  std::function<bool(const T*, const T*, T*, int64_t)> run;
  std::function<long double(long double, long double)> exact;
};
template <class T>
std::vector<Function<T>> functions_of(const VectorMathFunctions<T>& f) {
  using std::exp, std::exp2, std::expm1, std::log, std::log2, std::log10, std::log1p, std::sin, std::cos, std::tan,
      std::asin, std::acos, std::atan, std::sinh, std::cosh, std::tanh, std::asinh, std::acosh, std::atanh, std::cbrt,
      std::erf, std::pow, std::atan2, std::fmod;
  std::vector<Function<T>> all;
#define TNP_ADD(functor, function)                                                                     \
  if (f.function)                                                                                      \
    all.push_back({#function, true,                                                                    \
                   [g = f.function](const T* x, const T*, T* out, int64_t n) { return g(x, out, n); }, \
                   [](long double x, long double) { return function(x); }});
  TNP_VECTOR_MATH_UNARY(TNP_ADD)
#undef TNP_ADD
#define TNP_ADD(functor, function) \
  if (f.function)                  \
    all.push_back({#function, false, f.function, [](long double x, long double y) { return function(x, y); }});
  TNP_VECTOR_MATH_BINARY(TNP_ADD)
#undef TNP_ADD
  return all;
}

struct Implementation {
  std::string name;
  const VectorMath32And64* functions;
  bool own;
};
std::vector<Implementation> implementations() {
  std::vector<Implementation> all;
  const LoopVariants<VectorMath32And64>& variants = vector_math_loops::variants();
  if (variants.baseline) all.push_back({"baseline", &variants.baseline()[0], true});
  if (variants.avx2 && cpu_capability() >= CpuCapability::AVX2) all.push_back({"avx2", &variants.avx2()[0], true});
  if (variants.avx512 && cpu_capability() >= CpuCapability::AVX512)
    all.push_back({"avx512", &variants.avx512()[0], true});
  if (mkl_vector_math()) all.push_back({"mkl", mkl_vector_math(), false});
  return all;
}
template <class T>
const VectorMathFunctions<T>& of(const VectorMath32And64& both) {
  if constexpr (sizeof(T) == 4)
    return both.floats;
  else
    return both.doubles;
}

// Random numbers of all magnitudes, moderate and small numbers, and special values.
template <class T>
std::vector<T> points(int64_t n, unsigned seed) {
  std::mt19937_64 bits(seed);
  std::vector<T> v;
  const T max = std::numeric_limits<T>::max(), inf = std::numeric_limits<T>::infinity();
  for (T special : {T(0), T(1), T(0.5), T(2), T(3), T(4), max, std::numeric_limits<T>::min(), inf,
                    std::numeric_limits<T>::denorm_min(), T(3.14159265358979), T(1e22), T(0x1p60), T(0x1p52) + 1}) {
    v.push_back(special);
    v.push_back(-special);
  }
  v.push_back(std::numeric_limits<T>::quiet_NaN());
  while (static_cast<int64_t>(v.size()) < n) {
    const double u = std::ldexp(static_cast<double>(static_cast<int64_t>(bits())), -63);
    T any;
    const uint64_t pattern = bits();
    std::memcpy(&any, &pattern, sizeof any);
    for (T x : {any, T(u), T(12 * u), T(sizeof(T) == 4 ? 105 * u : 745 * u),
                T(std::ldexp(u, -static_cast<int>(bits() % 31)))})
      v.push_back(x);
  }
  v.resize(static_cast<size_t>(n));
  return v;
}

template <class T>
double error_in_ulp(T result, long double exact) {
  const T rounded = static_cast<T>(exact), inf = std::numeric_limits<T>::infinity();
  if (std::isnan(result) || std::isnan(exact)) return std::isnan(result) && std::isnan(exact) ? 0 : HUGE_VAL;
  if (result == rounded) return std::signbit(result) == std::signbit(rounded) ? 0 : HUGE_VAL;
  const T magnitude = std::min(std::fabs(rounded), std::numeric_limits<T>::max());
  const T up = std::nextafter(magnitude, inf);
  const long double spacing = std::isinf(up) ? static_cast<long double>(magnitude) - std::nextafter(magnitude, T(0))
                                             : static_cast<long double>(up) - magnitude;
  // An overflow counts as the power of two after the largest number.
  const long double value = std::isinf(result)
                                ? std::copysign(std::ldexp(1.0L, std::numeric_limits<T>::max_exponent), result)
                                : static_cast<long double>(result);
  return static_cast<double>(std::fabs(value - exact) / spacing);
}

template <class T>
void check_accuracy() {
  const int64_t n = 60'000;
  std::vector<T> x = points<T>(n, 1), y = points<T>(n, 2), out(static_cast<size_t>(n));
  std::shuffle(y.begin(), y.end(), std::mt19937(3));
  for (const Implementation& implementation : implementations()) {
    for (const Function<T>& f : functions_of(of<T>(*implementation.functions))) {
      f.run(x.data(), y.data(), out.data(), n);
      double worst = 0;
      size_t at = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double error = error_in_ulp(out[i], f.exact(x[i], y[i]));
        if (!(error <= worst)) worst = error, at = i;
      }
      EXPECT_LE(worst, 1) << implementation.name << ' ' << f.name << '(' << x[at]
                          << (f.unary ? "" : ", " + std::to_string(y[at])) << ") = " << out[at] << ", not "
                          << f.exact(x[at], y[at]);
    }
  }
}
TEST(VectorMath, FloatsAreWithinOneUlp) { check_accuracy<float>(); }
TEST(VectorMath, DoublesAreWithinOneUlp) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "there is no extended precision here";
  check_accuracy<double>();
}

// Note [Same bits everywhere]
template <class T>
void check_positions() {
  const int64_t n = 700, guard = 8;
  const std::vector<T> x = points<T>(n, 4), y = points<T>(n, 5);
  for (const Implementation& implementation : implementations()) {
    if (!implementation.own) continue;
    for (const Function<T>& f : functions_of(of<T>(*implementation.functions))) {
      std::vector<T> whole(static_cast<size_t>(n)), part(static_cast<size_t>(n + guard));
      f.run(x.data(), y.data(), whole.data(), n);
      for (int64_t start : {0, 1, 3, 17, 100}) {
        for (int64_t length : {0, 1, 2, 5, 7, 8, 15, 16, 31, 40}) {
          std::fill(part.begin(), part.end(), T(-7));
          f.run(x.data() + start, y.data() + start, part.data(), length);
          ASSERT_EQ(std::memcmp(part.data(), whole.data() + start, static_cast<size_t>(length) * sizeof(T)), 0)
              << implementation.name << ' ' << f.name << ' ' << start << '+' << length;
          for (int64_t i = length; i < length + guard; ++i)
            ASSERT_EQ(part[static_cast<size_t>(i)], T(-7)) << implementation.name << ' ' << f.name << " writes beyond";
        }
      }
      // In place, and the hint that is returned.
      std::vector<T> same = x;
      const bool hint = f.run(same.data(), y.data(), same.data(), n);
      ASSERT_EQ(std::memcmp(same.data(), whole.data(), whole.size() * sizeof(T)), 0)
          << implementation.name << ' ' << f.name;
      EXPECT_TRUE(hint) << implementation.name << ' ' << f.name;
    }
  }
}
TEST(VectorMath, FloatsHaveTheSameBitsEverywhere) { check_positions<float>(); }
TEST(VectorMath, DoublesHaveTheSameBitsEverywhere) { check_positions<double>(); }

TEST(VectorMath, FiniteResultsHintAtNothing) {
  std::vector<double> x(100, 0.5), out(100);
  for (const Implementation& implementation : implementations())
    for (const Function<double>& f : functions_of(implementation.functions->doubles))
      EXPECT_EQ(f.run(x.data(), x.data(), out.data(), 100), f.name == "acosh") << implementation.name << ' ' << f.name;
}

// One exponent for all elements: those with a special path, and others.
template <class T>
void check_constant_powers() {
  const int64_t n = 5'000;
  const std::vector<T> x = points<T>(n, 6);
  std::vector<T> out(static_cast<size_t>(n)), alone(1);
  for (const Implementation& implementation : implementations()) {
    const auto& functions = of<T>(*implementation.functions);
    for (T y : {T(0), T(1), T(2), T(-1), T(0.5), T(-0.5), T(1.5), T(-1.5), T(3), T(-3.5), T(4), T(-4), T(4.5), T(1.7),
                T(-60), std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()}) {
      functions.pow_constant(x.data(), y, out.data(), n);
      for (int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<size_t>(i);
        ASSERT_LE(error_in_ulp(out[at], std::pow(static_cast<long double>(x[at]), static_cast<long double>(y))), 1)
            << implementation.name << ": " << x[at] << " ** " << y << " = " << out[at];
        if (!implementation.own || i % 7) continue;
        functions.pow_constant(&x[at], y, alone.data(), 1);
        ASSERT_EQ(std::memcmp(&out[at], alone.data(), sizeof(T)), 0)
            << implementation.name << ": " << x[at] << " ** " << y;
      }
    }
  }
}
TEST(VectorMath, ConstantPowersOfFloats) { check_constant_powers<float>(); }
TEST(VectorMath, ConstantPowersOfDoubles) {
  if (std::numeric_limits<long double>::digits < 64) GTEST_SKIP() << "there is no extended precision here";
  check_constant_powers<double>();
}

}  // namespace
}  // namespace tnp
