#include "aten/core/numbers/element.h"

#include <cmath>

#include "aten/core/errors/error.h"

namespace tnp {

Scalar element_of(const Scalar& value, ScalarType dtype) {
  if (is_bool(dtype)) {
    const auto z = value.to<Complex<double>>();
    return Scalar(z.re != 0 || z.im != 0);
  }
  if (is_complex(dtype)) return value;
  TNP_CHECK(!value.is_complex(), ErrorKind::Type, "the complex number ", value, " cannot be an element of ", dtype);
  if (is_reduced_float(dtype)) {  // rounded, since a float32 loop continues with this value
    double rounded = 0;
    visit_dtype(dtype, [&]<class T>() { rounded = convert<double>(value.to<T>()); });
    return Scalar(rounded);
  }
  if (!is_integer(dtype)) return value;
  Scalar whole = value;
  if (value.is_float()) {
    const double x = value.to<double>();
    TNP_CHECK(!std::isnan(x), ErrorKind::Value, "cannot convert float NaN to integer");
    TNP_CHECK(!std::isinf(x), ErrorKind::Overflow, "cannot convert float infinity to integer");
    TNP_CHECK(x >= -0x1p63 && x < 0x1p64, ErrorKind::Overflow, "float ", value, " out of bounds for ", dtype);
    whole = x < 0x1p63 ? Scalar(static_cast<int64_t>(x)) : Scalar(static_cast<uint64_t>(x));
  }
  TNP_CHECK(whole.fits(dtype), ErrorKind::Overflow, "Python integer ", whole, " out of bounds for ", dtype);
  return whole;
}

}  // namespace tnp
