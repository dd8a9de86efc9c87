// Continuous distributions, with NumPy's methods and order of draws. `Modern` follows
// numpy.random.Generator, `Legacy` follows RandomState. Both are policies with normal() and
// exponential(); the other distributions are templates over them.
//
// Each function names its source.
#pragma once

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

#include "aten/random/attempts.h"
#include "aten/random/uniform.h"

namespace tnp::random {

template <class Bits>
inline double standard_exponential(Bits& bits) {
  const auto& table = ziggurat().exponential;
  for (;;) {
    if (double x; TNP_LIKELY(try_exponential(bits, table, x))) return x;
  }
}

template <class Bits>
inline float standard_exponential_float(Bits& bits) {
  const auto& table = ziggurat().exponential_f;
  for (;;) {
    if (float x; TNP_LIKELY(try_exponential(bits, table, x))) return x;
  }
}

template <class Bits>
inline double standard_normal(Bits& bits) {
  const auto& table = ziggurat().normal;
  for (;;) {
    if (double x; TNP_LIKELY(try_normal(bits, table, x))) return x;
  }
}

template <class Bits>
inline float standard_normal_float(Bits& bits) {
  const auto& table = ziggurat().normal_f;
  for (;;) {
    if (float x; TNP_LIKELY(try_normal(bits, table, x))) return x;
  }
}

// Marsaglia's polar method: computes two numbers and keeps the second.
inline double polar_normal(Generator& g) {
  if (g.gauss->is_there) {
    g.gauss->is_there = 0;
    return std::exchange(g.gauss->value, 0.0);
  }
  double first;
  while (!try_polar(*g.bits, first, g.gauss->value)) {
  }
  g.gauss->is_there = 1;
  return first;
}

// The numbers that binomial_inversion() computes from its parameters.
struct Inversion {
  int64_t n = -1, bound = 0;
  double p = 0, qn = 0;
};

struct Modern {
  static constexpr bool legacy = false;
  Generator& g;
  BitGenerator& bits;
  Inversion inversion{};
  explicit Modern(Generator& g) : g(g), bits(*g.bits) {}
  double uniform() { return bits.next_double(); }
  double normal() { return standard_normal(bits); }
  double exponential() { return standard_exponential(bits); }
};

struct Legacy {
  static constexpr bool legacy = true;
  Generator& g;
  BitGenerator& bits;
  Inversion inversion{};
  explicit Legacy(Generator& g) : g(g), bits(*g.bits) {}
  double uniform() { return bits.next_double(); }
  double normal() { return polar_normal(g); }
  double exponential() { return -std::log(1.0 - uniform()); }
};

// For shape > 1: Marsaglia and Tsang, ACM Trans. Math. Softw. 26 (2000) 363-372. For shape < 1:
// Johnk's method in Ahrens and Dieter's version GS.
template <class Draw>
double standard_gamma(Draw& d, double shape) {
  if (shape == 1.0) return d.exponential();
  if (shape == 0.0 || std::isnan(shape)) return shape;
  if (shape < 1.0) {
    for (;;) {
      double u = d.uniform(), v = d.exponential();
      if (u <= 1.0 - shape) {
        double x = std::pow(u, 1. / shape);
        if (x <= v) return x;
      } else {
        double y = -std::log((1 - u) / shape), x = std::pow(1.0 - shape + shape * y, 1. / shape);
        if (x <= v + y) return x;
      }
    }
  }
  double b = shape - 1. / 3., c = 1. / std::sqrt(9 * b);
  for (;;) {
    double x, v;
    do {
      x = d.normal();
      v = 1.0 + c * x;
    } while (v <= 0.0);
    v = v * v * v;
    double u = d.uniform();
    if (u < 1.0 - 0.0331 * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5 * x * x + b * (1. - v + std::log(v))) return b * v;
  }
}

// standard_gamma() in single precision.
template <class Bits>
float standard_gamma_float(Bits& bits, float shape) {
  if (shape == 1.0f) return standard_exponential_float(bits);
  if (shape == 0.0f || std::isnan(shape)) return shape;
  if (shape < 1.0f) {
    for (;;) {
      float u = next_float(bits), v = standard_exponential_float(bits);
      if (u <= 1.0f - shape) {
        float x = std::pow(u, 1.0f / shape);
        if (x <= v) return x;
      } else {
        float y = -std::log((1.0f - u) / shape), x = std::pow(1.0f - shape + shape * y, 1.0f / shape);
        if (x <= v + y) return x;
      }
    }
  }
  float b = shape - 1.0f / 3.0f, c = 1.0f / std::sqrt(9.0f * b);
  for (;;) {
    float x, v;
    do {
      x = standard_normal_float(bits);
      v = 1.0f + c * x;
    } while (v <= 0.0f);
    v = v * v * v;
    float u = next_float(bits);
    if (u < 1.0f - 0.0331f * (x * x) * (x * x)) return b * v;
    if (std::log(u) < 0.5f * x * x + b * (1.0f - v + std::log(v))) return b * v;
  }
}

// Johnk's algorithm if a and b are at most 1, otherwise the ratio of gammas. Source: Devroye,
// "Non-Uniform Random Variate Generation" (1986), IX.3.
template <class Draw>
double beta(Draw& d, double a, double b) {
  if (a <= 1.0 && b <= 1.0) {
    if constexpr (!Draw::legacy) {
      if (a < 3e-103 && b < 3e-103) {  // both pow()s below would underflow in each iteration
        double u = d.uniform();
        return (a + b) * u < a ? 1 : 0;
      }
    }
    for (;;) {
      double u = d.uniform(), v = d.uniform(), x = std::pow(u, 1.0 / a), y = std::pow(v, 1.0 / b), sum = x + y;
      if constexpr (Draw::legacy) {
        if (sum > 1.0) continue;
        if (sum > 0) return x / sum;
        double log_x = std::log(u) / a, log_y = std::log(v) / b, larger = log_x > log_y ? log_x : log_y;
        log_x -= larger;
        log_y -= larger;
        return std::exp(log_x - std::log(std::exp(log_x) + std::exp(log_y)));
      } else {
        if (sum > 1.0 || !(u + v > 0.0)) continue;
        if (x > 0 && y > 0) return x / sum;
        // one of them underflowed: computes x / (x + y) from logarithms
        double difference = std::log(u) / a - std::log(v) / b;
        return difference > 0 ? std::exp(-std::log1p(std::exp(-difference)))
                              : std::exp(difference - std::log1p(std::exp(difference)));
      }
    }
  }
  double x = standard_gamma(d, a), y = standard_gamma(d, b);
  return x / (x + y);
}

template <class Draw>
double chisquare(Draw& d, double df) {
  return 2.0 * standard_gamma(d, df / 2.0);
}

template <class Draw>
double f_ratio(Draw& d, double dfnum, double dfden) {
  double numerator = chisquare(d, dfnum) * dfden;
  return numerator / (chisquare(d, dfden) * dfnum);
}

template <class Draw>
double standard_t(Draw& d, double df) {
  double numerator = d.normal(), denominator = standard_gamma(d, df / 2);
  return std::sqrt(df / 2) * numerator / std::sqrt(denominator);
}

template <class Draw>
double standard_cauchy(Draw& d) {
  double numerator = d.normal();
  return numerator / d.normal();
}

template <class Draw>
double pareto(Draw& d, double a) {
  if constexpr (Draw::legacy)
    return std::exp(d.exponential() / a) - 1;
  else
    return std::expm1(d.exponential() / a);
}

template <class Draw>
double weibull(Draw& d, double a) {
  return a == 0.0 ? 0.0 : std::pow(d.exponential(), 1. / a);
}

template <class Draw>
double power(Draw& d, double a) {
  if constexpr (Draw::legacy)
    return std::pow(1 - std::exp(-d.exponential()), 1. / a);
  else
    return std::pow(-std::expm1(-d.exponential()), 1. / a);
}

template <class Draw>
double laplace(Draw& d, double loc, double scale) {
  for (;;) {
    double u = d.uniform();
    if (u >= 0.5) return loc - scale * std::log(2.0 - u - u);
    if (u > 0.0) return loc + scale * std::log(u + u);
  }
}

template <class Draw>
double gumbel(Draw& d, double loc, double scale) {
  for (;;) {
    double u = 1.0 - d.uniform();
    if (u < 1.0) return loc - scale * std::log(-std::log(u));
  }
}

template <class Draw>
double logistic(Draw& d, double loc, double scale) {
  for (;;) {
    double u = d.uniform();
    if (u > 0.0) return loc + scale * std::log(u / (1.0 - u));
  }
}

template <class Draw>
double rayleigh(Draw& d, double mode) {
  if constexpr (Draw::legacy)
    return mode * std::sqrt(-2.0 * std::log1p(-d.uniform()));
  else
    return mode * std::sqrt(2.0 * d.exponential());
}

// Source: Michael, Schucany and Haas, Am. Stat. 30 (1976) 88-90.
template <class Draw>
double wald(Draw& d, double mean, double scale) {
  if constexpr (Draw::legacy) {
    double half = mean / (2 * scale), y = d.normal();
    y = mean * y * y;
    double x = mean + half * (y - std::sqrt(4 * scale * y + y * y));
    double u = d.uniform();
    return u <= mean / (mean + x) ? x : mean * mean / x;
  } else {
    double y = d.normal();
    y = mean * y * y;
    double root = 1 + std::sqrt(1 + 4 * scale / y), x = mean * (1 - 2 / root);
    double u = d.uniform();
    return u <= mean / (mean + x) ? x : mean * mean / x;
  }
}

// Source: Best and Fisher, Appl. Stat. 28 (1979) 152-157.
template <class Draw>
double vonmises(Draw& d, double mu, double kappa) {
  constexpr double pi = std::numbers::pi;
  if (std::isnan(kappa)) return kappa;
  if (kappa < 1e-8) return pi * (2 * d.uniform() - 1);
  auto narrow = [&] {  // for large kappa the distribution is nearly normal
    double result = mu + std::sqrt(1. / kappa) * d.normal();
    if (result < -pi) result += 2 * pi;
    if (result > pi) result -= 2 * pi;
    return result;
  };
  double s;
  if (kappa < 1e-5) {
    s = 1. / kappa + kappa;
  } else {
    if (!Draw::legacy && kappa > 1e6) return narrow();
    double r = 1 + std::sqrt(1 + 4 * kappa * kappa), rho = (r - std::sqrt(2 * r)) / (2 * kappa);
    s = (1 + rho * rho) / (2 * rho);
    if (!(s > 1)) return narrow();  // so narrow that the rejection below would never accept
  }
  double w;
  for (;;) {
    double u = d.uniform(), z = std::cos(pi * u);
    w = (1 + s * z) / (s + z);
    double y = kappa * (s - w), v = d.uniform();
    if (y * (2 - y) - v >= 0 || std::log(y / v) + 1 - y >= 0) break;
  }
  double u = d.uniform(), result = std::acos(w);
  if (u < 0.5) result = -result;
  result += mu;
  bool negative = result < 0;
  double wrapped = std::fmod(std::fabs(result) + pi, 2 * pi) - pi;
  return negative ? -wrapped : wrapped;
}

template <class Draw>
double triangular(Draw& d, double left, double mode, double right) {
  double base = right - left, left_base = mode - left, ratio = left_base / base;
  double left_product = left_base * base, right_product = (right - mode) * base, u = d.uniform();
  return u <= ratio ? left + std::sqrt(u * left_product) : right - std::sqrt((1.0 - u) * right_product);
}

}  // namespace tnp::random
