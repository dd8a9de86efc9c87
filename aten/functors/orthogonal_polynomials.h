// Orthogonal polynomials of degree n at x (aten/special/orthogonal_polynomials.h). As in PyTorch,
// negative degrees give 0.
#pragma once

#include "aten/functors/real_math.h"
#include "aten/special/orthogonal_polynomials.h"

namespace tnp {

namespace special {

// As in PyTorch, Hermite polynomials above this degree are NaN, since they overflow.
template <class T>
constexpr int64_t kHighestHermite = sizeof(T) == 8 ? 512 : 128;

// The degree n as an integer, truncated like a C cast.
template <class T>
TNP_HOST_DEVICE inline int64_t degree_of(T n) {
  return n >= T(9e18) ? INT64_MAX : n > T(-9e18) ? static_cast<int64_t>(n) : -1;
}

// 2 x - 1
TNP_HOST_DEVICE inline DoubleDouble shifted(double x) { return two_sum(x + x, -1); }

}  // namespace special

template <class T>
struct ChebyshevT {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::T>(special::degree_of(n), {double(x), 0}));
  }
};

template <class T>
struct ChebyshevU {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::U>(special::degree_of(n), {double(x), 0}));
  }
};

template <class T>
struct ChebyshevV {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::V>(special::degree_of(n), {double(x), 0}));
  }
};

template <class T>
struct ChebyshevW {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::W>(special::degree_of(n), {double(x), 0}));
  }
};

template <class T>
struct ShiftedChebyshevT {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::T>(special::degree_of(n), special::shifted(x)));
  }
};

template <class T>
struct ShiftedChebyshevU {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::U>(special::degree_of(n), special::shifted(x)));
  }
};

template <class T>
struct ShiftedChebyshevV {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::V>(special::degree_of(n), special::shifted(x)));
  }
};

template <class T>
struct ShiftedChebyshevW {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return static_cast<T>(special::chebyshev<special::Chebyshev::W>(special::degree_of(n), special::shifted(x)));
  }
};

template <class T>
struct HermiteH {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (n > special::kHighestHermite<T>) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(special::hermite_h(n, x));
  }
};

template <class T>
struct HermiteHe {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (n > special::kHighestHermite<T>) return std::numeric_limits<T>::quiet_NaN();
    return static_cast<T>(special::hermite_he(n, x));
  }
};

template <class T>
struct LaguerreL {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (x == 0) return T(1);
    return static_cast<T>(special::laguerre_l(n, x));
  }
};

template <class T>
struct LegendreP {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (std::abs(x) == 1) return x > 0 || n % 2 == 0 ? T(1) : T(-1);
    return static_cast<T>(special::legendre_p(n, x));
  }
};

}  // namespace tnp
