#include "aten/core/numbers/scalar.h"

#include <limits>

namespace tnp {

bool Scalar::fits(ScalarType t) const {
  if (!is_integral() || !is_integer(t)) return true;
  bool result = true;
  visit<IntegerTypes>(t, [&]<class T>() {
    if (kind_ == Kind::UInt)
      result = uint_ <= static_cast<uint64_t>(std::numeric_limits<T>::max());
    else if (int_ < 0)
      result = std::is_signed_v<T> && int_ >= static_cast<int64_t>(std::numeric_limits<T>::min());
    else
      result = static_cast<uint64_t>(int_) <= static_cast<uint64_t>(std::numeric_limits<T>::max());
  });
  return result;
}

std::string Scalar::to_string() const {
  std::string out;
  switch (kind_) {
    case Kind::Bool:
      append(out, int_ != 0);
      break;
    case Kind::Int:
      append(out, int_);
      break;
    case Kind::UInt:
      append(out, uint_);
      break;
    case Kind::Float:
      append(out, re_);
      break;
    case Kind::Complex:
      out += '(';
      append(out, re_);
      if (!(im_ < 0)) out += '+';
      append(out, im_);
      out += "j)";
  }
  return out;
}

}  // namespace tnp
