// oneMKL's vector math (VML) in its HA mode. Compared with long double over 200,000 random
// arguments each, the least accurate functions are tan (0.93 ULP), hypot (0.85) and sinh (0.81).
// VML's values for infinities, NaNs, signed zeros and subnormals follow C99.
#include <algorithm>
#include <cmath>
#include <limits>

#include "aten/kernels/cpu/pointwise/vector_math.h"

#include <mkl_vml_functions.h>

namespace tnp {

namespace {

// VML_HA | VML_FTZDAZ_OFF | VML_ERRMODE_IGNORE, passed with each call, so that a mode set by other
// code has no effect.
constexpr MKL_INT64 kMode = 0x00000002 | 0x00140000 | 0x00000100;
static_assert(sizeof(MKL_INT) >= 4);

// VML counts elements with ints. With oneTBB, VML shares arrays of more than about ten thousand
// elements among threads, even if mkl_set_num_threads() forbids it. Its status is returned from
// these threads, but their floating-point flags are not. Smaller pieces cost 5 % more: measured
// with exp and log of 10^6 float32 on an Intel Xeon (family 6, model 207).
constexpr int64_t kPiece = 1 << 14;

// Calls a VML function and returns whether VML's status reports an argument outside the domain, a
// pole, overflow or underflow.
template <auto function, class... Arguments>
inline bool call(Arguments... arguments) {
  function(arguments..., kMode);
  if (vmlGetErrStatus() == 0) return false;
  vmlClearErrStatus();
  return true;
}
template <auto function, class T>
bool unary(const T* x, T* out, int64_t n) {
  bool hint = false;
  for (int64_t i = 0; i < n; i += kPiece)
    hint |= call<function>(static_cast<MKL_INT>(std::min(kPiece, n - i)), x + i, out + i);
  return hint;
}
template <auto function, class T>
bool binary(const T* x, const T* y, T* out, int64_t n) {
  bool hint = false;
  for (int64_t i = 0; i < n; i += kPiece)
    hint |= call<function>(static_cast<MKL_INT>(std::min(kPiece, n - i)), x + i, y + i, out + i);
  return hint;
}

// VML's status does not report 2 to the power of 1e308, nor results that are too small. So infinite
// results and results below the normal numbers count as hints, too.
template <class T>
bool any_out_of_range(const T* x, int64_t n) {
  int any = 0;
#pragma omp simd reduction(| : any)
  for (int64_t i = 0; i < n; ++i) {
    const T size = std::fabs(x[i]);
    any |= (size > std::numeric_limits<T>::max()) | (size < std::numeric_limits<T>::min());
  }
  return any != 0;
}
template <class T>
const VectorMathFunctions<T>& own_functions() {
  if constexpr (sizeof(T) == 4)
    return own_vector_math().floats;
  else
    return own_vector_math().doubles;
}
template <auto function, class T>
bool power_piece(const T* x, const T* y, T* out, int64_t n) {
  const bool hint = call<function>(static_cast<MKL_INT>(n), x, y, out);
  return hint || any_out_of_range(out, n);
}
template <auto function, class T>
bool power(const T* x, const T* y, T* out, int64_t n) {
  constexpr int64_t kInCache = 4096, kMixed = 512;
  const auto is_own_power = [](T exponent) { return is_by_halves(exponent); };
  bool hint = false;
  for (int64_t i = 0, length; i < n; i += length) {
    length = std::min(kInCache, n - i);
    if (std::none_of(y + i, y + i + length, is_own_power)) {
      hint |= power_piece<function>(x + i, y + i, out + i, length);
      continue;
    }
    length = std::min(kMixed, length);
    T own[kMixed];
    bool is_own[kMixed];
    hint |= own_functions<T>().pow(x + i, y + i, own, length);
    std::transform(y + i, y + i + length, is_own, is_own_power);  // `out` may be `y`
    hint |= power_piece<function>(x + i, y + i, out + i, length);
    for (int64_t k = 0; k < length; ++k)
      if (is_own[k]) out[i + k] = own[k];
  }
  return hint;
}

// Note [float by way of double]: VML takes 5 to 30 ns per float for these functions. A few
// operations around a fast double function take 2 to 4 ns, and the single rounding at the end
// leaves little more than half an ULP.
template <auto function, auto before, auto after>
bool by_way_of_double(const float* x, float* out, int64_t n) {
  constexpr int64_t piece = 512;
  double values[piece];
  bool hint = false;
  for (int64_t start = 0; start < n; start += piece) {
    const int64_t length = std::min(piece, n - start);
    for (int64_t i = 0; i < length; ++i) values[i] = before(static_cast<double>(x[start + i]));
    hint |= call<function>(static_cast<MKL_INT>(length), values, values);
    for (int64_t i = 0; i < length; ++i) {
      out[start + i] = static_cast<float>(after(static_cast<double>(x[start + i]), values[i]));
      hint |= std::isinf(out[start + i]);
    }
  }
  return hint;
}
constexpr auto same = [](double x) { return x; };
constexpr auto value = [](double, double v) { return v; };

template <class T>
bool pow_constant(const T* x, T y, T* out, int64_t n) {
  if (is_by_halves(y)) return own_functions<T>().pow_constant(x, y, out, n);
  // VML's Powx is not used: it takes 1.5 times as long (measured on an Intel Xeon, family 6, model
  // 207) and rounds differently.
  constexpr int64_t kSame = 1024;
  T same[kSame];
  std::fill_n(same, std::min(kSame, n), y);
  bool hint = false;
  for (int64_t i = 0; i < n; i += kSame) {
    const int64_t length = std::min(kSame, n - i);
    if constexpr (sizeof(T) == 4)
      hint |= power<&vmsPow>(x + i, same, out + i, length);
    else
      hint |= power<&vmdPow>(x + i, same, out + i, length);
  }
  return hint;
}

constexpr VectorMath32And64 kFunctions = {
    .floats = {.exp = unary<&vmsExp, float>,
               .exp2 = unary<&vmsExp2, float>,
               // Near 0 the difference or the logarithm would lose digits, so the first terms of
               // the series are used there.
               .expm1 =
                   by_way_of_double<&vmdExp, same,
                                    [](double x, double v) { return std::fabs(x) < 1e-5 ? x * (1 + 0.5 * x) : v - 1; }>,
               .log = unary<&vmsLn, float>,
               .log2 = unary<&vmsLog2, float>,
               .log10 = unary<&vmsLog10, float>,
               .log1p =
                   by_way_of_double<&vmdLn, [](double x) { return 1 + x; },
                                    [](double x, double v) { return std::fabs(x) < 1e-5 ? x * (1 - 0.5 * x) : v; }>,
               .sin = unary<&vmsSin, float>,
               .cos = unary<&vmsCos, float>,
               .tan = unary<&vmsTan, float>,
               .asin = unary<&vmsAsin, float>,
               .acos = unary<&vmsAcos, float>,
               .atan = unary<&vmsAtan, float>,
               .sinh = by_way_of_double<&vmdSinh, same, value>,
               .cosh = by_way_of_double<&vmdCosh, same, value>,
               .tanh = unary<&vmsTanh, float>,
               .asinh = by_way_of_double<&vmdLn, [](double x) { return std::fabs(x) + std::sqrt(x * x + 1); },
                                         [](double x, double v) {
                                           return std::fabs(x) < 1e-4 ? x * (1 - x * x / 6) : std::copysign(v, x);
                                         }>,
               // For x < 1, computes log(-1), which is NaN and is reported as an error.
               .acosh =
                   by_way_of_double<&vmdLn, [](double x) { return x < 1 ? -1.0 : x + std::sqrt(x * x - 1); }, value>,
               .atanh = unary<&vmsAtanh, float>,
               .cbrt = unary<&vmsCbrt, float>,
               .erf = unary<&vmsErf, float>,
               .pow = power<&vmsPow, float>,
               .atan2 = binary<&vmsAtan2, float>,
               .fmod = binary<&vmsFmod, float>,
               .pow_constant = pow_constant<float>},
    .doubles = {.exp = unary<&vmdExp, double>,
                .exp2 = unary<&vmdExp2, double>,
                .expm1 = unary<&vmdExpm1, double>,
                .log = unary<&vmdLn, double>,
                .log2 = unary<&vmdLog2, double>,
                .log10 = unary<&vmdLog10, double>,
                .log1p = unary<&vmdLog1p, double>,
                .sin = unary<&vmdSin, double>,
                .cos = unary<&vmdCos, double>,
                .tan = unary<&vmdTan, double>,
                .asin = unary<&vmdAsin, double>,
                .acos = unary<&vmdAcos, double>,
                .atan = unary<&vmdAtan, double>,
                .sinh = unary<&vmdSinh, double>,
                .cosh = unary<&vmdCosh, double>,
                .tanh = unary<&vmdTanh, double>,
                .asinh = unary<&vmdAsinh, double>,
                .acosh = unary<&vmdAcosh, double>,
                .atanh = unary<&vmdAtanh, double>,
                .cbrt = unary<&vmdCbrt, double>,
                .erf = unary<&vmdErf, double>,
                .pow = power<&vmdPow, double>,
                .atan2 = binary<&vmdAtan2, double>,
                .fmod = binary<&vmdFmod, double>,
                .pow_constant = pow_constant<double>}};

}  // namespace

const VectorMath32And64* mkl_vector_math() { return &kFunctions; }

}  // namespace tnp
