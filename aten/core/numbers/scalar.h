// Scalar: one number of a Python kind (bool, int, float or complex), passed to a kernel.
#pragma once

#include <cstdint>
#include <string>

#include "aten/core/numbers/dtype.h"

namespace tnp {

class TNP_API Scalar {
 public:
  enum class Kind : uint8_t { Bool, Int, UInt, Float, Complex };  // UInt: integers above the largest int64

  Scalar() : kind_(Kind::Int), int_(0) {}
  Scalar(bool v) : kind_(Kind::Bool), int_(v) {}
  Scalar(int v) : kind_(Kind::Int), int_(v) {}
  Scalar(int64_t v) : kind_(Kind::Int), int_(v) {}
  Scalar(uint64_t v) : kind_(v > INT64_MAX ? Kind::UInt : Kind::Int), uint_(v) {}
  Scalar(double v) : kind_(Kind::Float), re_(v) {}
  Scalar(Complex<double> v) : kind_(Kind::Complex), re_(v.re), im_(v.im) {}

  Kind kind() const { return kind_; }
  bool is_bool() const { return kind_ == Kind::Bool; }
  bool is_integral() const { return kind_ <= Kind::UInt; }  // with bool
  bool is_float() const { return kind_ == Kind::Float; }
  bool is_complex() const { return kind_ == Kind::Complex; }

  template <class T>
  T to() const {
    switch (kind_) {
      case Kind::Bool:
      case Kind::Int:
        return convert<T>(int_);
      case Kind::UInt:
        return convert<T>(uint_);
      case Kind::Float:
        return convert<T>(re_);
      default:
        return convert<T>(tnp::Complex<double>(re_, im_));
    }
  }
  // The dtype that holds the value: bool, int64, uint64, float64 or complex128.
  ScalarType dtype() const {
    constexpr ScalarType kinds[] = {ScalarType::Bool, ScalarType::Int64, ScalarType::UInt64, ScalarType::Float64,
                                    ScalarType::Complex128};
    return kinds[static_cast<int>(kind_)];
  }
  // Whether an integer value is in the range of the integer dtype `t`. True for values and dtypes
  // of other kinds.
  bool fits(ScalarType t) const;
  std::string to_string() const;  // as Python's repr

 private:
  Kind kind_;
  union {
    int64_t int_;
    uint64_t uint_;
    double re_;
  };
  double im_ = 0;
};

inline void append(std::string& out, const Scalar& s) { out += s.to_string(); }

}  // namespace tnp
