#include "aten/core/numbers/range.h"

#include <cmath>
#include <limits>

#include "aten/core/errors/error.h"
#include "aten/core/threads/thread_state.h"

namespace tnp {

double largest_finite(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float16:
      return 65504;
    case ScalarType::BFloat16:
      return 0x1.fep127;
    case ScalarType::Float32:
      return std::numeric_limits<float>::max();
    default:
      return std::numeric_limits<double>::max();
  }
}

namespace {

bool is_held(double value, ScalarType dtype) {
  if (is_floating(dtype)) return !std::isfinite(value) || std::abs(value) <= largest_finite(dtype);
  bool result = true;
  visit<IntegerTypes>(dtype, [&]<class T>() {
    using Limits = std::numeric_limits<T>;
    result = value >= static_cast<double>(Limits::min()) && value <= static_cast<double>(Limits::max());  // not NaN
  });
  return result;
}

bool is_held(const Scalar& value, ScalarType dtype) {
  if (is_bool(dtype)) return true;
  if (value.is_complex()) {
    const auto z = value.to<Complex<double>>();
    return is_complex(dtype) ? is_held(z.re, to_real(dtype)) && is_held(z.im, to_real(dtype))
                             : z.im == 0 && is_held(z.re, dtype);
  }
  if (is_complex(dtype)) return is_held(value.to<double>(), to_real(dtype));
  if (!value.is_integral() || !is_integer(dtype)) return is_held(value.to<double>(), dtype);
  const bool is_negative = value.kind() == Scalar::Kind::Int && value.to<int64_t>() < 0;
  return is_negative && !is_signed_integer(dtype) ? Scalar(-value.to<uint64_t>()).fits(dtype) : value.fits(dtype);
}

// The name in PyTorch's messages.
const char* cpp_name(ScalarType dtype) {
  constexpr const char* names[kNumScalarTypes] = {"bool",
                                                  "uint8_t",
                                                  "uint16_t",
                                                  "uint32_t",
                                                  "uint64_t",
                                                  "int8_t",
                                                  "int16_t",
                                                  "int",
                                                  "int64_t",
                                                  "c10::Half",
                                                  "c10::BFloat16",
                                                  "float",
                                                  "double",
                                                  "c10::complex<float>",
                                                  "c10::complex<double>"};
  return names[static_cast<int>(dtype)];
}

}  // namespace

void check_fits(const Scalar& value, ScalarType dtype) {
  if (dialect().errors_are_numpys())
    TNP_CHECK(value.fits(dtype), ErrorKind::Overflow, "Python integer ", value, " out of bounds for ", dtype);
  else
    TNP_CHECK(is_held(value, dtype), ErrorKind::Runtime, "value cannot be converted to type ", cpp_name(dtype),
              " without overflow");
}

}  // namespace tnp
