// Orthogonal polynomials of degree n at x, by their recurrences (NIST DLMF 18.9.1); those of Chebyshev of a higher
// degree inside of (-1, 1) by cosines and sines (18.5.1-4). Of a negative degree 0, as in PyTorch.
#pragma once

#include "aten/functors/real_math.h"

namespace tnp {

namespace special {

// p(n) of p(0) = 1, p(1) = first, p(k + 1) = next(k, p(k), p(k - 1)).
template <class T, class Next>
TNP_HOST_DEVICE inline T recurrence(int64_t n, T first, Next next) {
  T before = 1, now = first;
  if (n == 0) return before;
  for (int64_t k = 1; k < n && now == now; ++k) {
    const T after = next(static_cast<T>(k), now, before);
    before = now;
    now = after;
  }
  return now;
}

enum class Chebyshev { T, U, V, W };

template <Chebyshev kind, class T>
TNP_HOST_DEVICE inline T chebyshev(T x, int64_t n) {
  if (n < 0) return T(0);
  const bool even = n % 2 == 0;
  const T degree = static_cast<T>(n), wide = 2 * degree + 1;
  if (std::abs(x) == 1) {
    if constexpr (kind == Chebyshev::T) return x > 0 || even ? T(1) : T(-1);
    if constexpr (kind == Chebyshev::U) return x > 0 || even ? degree + 1 : -(degree + 1);
    if constexpr (kind == Chebyshev::V) return x > 0 ? T(1) : even ? wide : -wide;
    if constexpr (kind == Chebyshev::W) return x > 0 ? wide : even ? T(1) : T(-1);
  }
  if (n > (kind == Chebyshev::T ? 6 : 8) && std::abs(x) < 1) {
    const T angle = std::acos(x);
    if constexpr (kind == Chebyshev::T) return std::cos(degree * angle);
    if constexpr (kind == Chebyshev::U) return std::sin((degree + 1) * angle) / std::sin(angle);
    if constexpr (kind == Chebyshev::V) return std::cos((degree + T(0.5)) * angle) / std::cos(angle / 2);
    if constexpr (kind == Chebyshev::W) return std::sin((degree + T(0.5)) * angle) / std::sin(angle / 2);
  }
  const T first = kind == Chebyshev::T   ? x
                  : kind == Chebyshev::U ? x + x
                  : kind == Chebyshev::V ? x + x - 1
                                         : x + x + 1;
  return recurrence(n, first, [x](T, T now, T before) { return (x + x) * now - before; });
}

// Past this degree Hermite's polynomials are NaN, as in PyTorch: they overflow.
template <class T>
constexpr int64_t kHighestHermite = sizeof(T) == 8 ? 512 : 128;

// The degree that a number is: cut off, as C does.
template <class T>
TNP_HOST_DEVICE inline int64_t degree_of(T n) {
  return n >= T(9e18) ? INT64_MAX : n > T(-9e18) ? static_cast<int64_t>(n) : -1;
}

}  // namespace special

template <class T>
struct ChebyshevT {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::T>(x, special::degree_of(n));
  }
};

template <class T>
struct ChebyshevU {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::U>(x, special::degree_of(n));
  }
};

template <class T>
struct ChebyshevV {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::V>(x, special::degree_of(n));
  }
};

template <class T>
struct ChebyshevW {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::W>(x, special::degree_of(n));
  }
};

template <class T>
struct ShiftedChebyshevT {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::T>(x + x - 1, special::degree_of(n));
  }
};

template <class T>
struct ShiftedChebyshevU {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::U>(x + x - 1, special::degree_of(n));
  }
};

template <class T>
struct ShiftedChebyshevV {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::V>(x + x - 1, special::degree_of(n));
  }
};

template <class T>
struct ShiftedChebyshevW {
  TNP_HOST_DEVICE T operator()(T x, T n) const {
    return special::chebyshev<special::Chebyshev::W>(x + x - 1, special::degree_of(n));
  }
};

template <class T>
struct HermiteH {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (n > special::kHighestHermite<T>) return std::numeric_limits<T>::quiet_NaN();
    return special::recurrence(n, x + x, [x](T k, T now, T before) { return 2 * (x * now - k * before); });
  }
};

template <class T>
struct HermiteHe {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (n > special::kHighestHermite<T>) return std::numeric_limits<T>::quiet_NaN();
    return special::recurrence(n, x, [x](T k, T now, T before) { return x * now - k * before; });
  }
};

template <class T>
struct LaguerreL {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (x == 0) return T(1);
    return special::recurrence(n, 1 - x,
                               [x](T k, T now, T before) { return ((2 * k + 1 - x) * now - k * before) / (k + 1); });
  }
};

template <class T>
struct LegendreP {
  TNP_HOST_DEVICE T operator()(T x, T of) const {
    const int64_t n = special::degree_of(of);
    if (n < 0) return T(0);
    if (std::abs(x) == 1) return x > 0 || n % 2 == 0 ? T(1) : T(-1);
    return special::recurrence(n, x,
                               [x](T k, T now, T before) { return ((2 * k + 1) * x * now - k * before) / (k + 1); });
  }
};

}  // namespace tnp
