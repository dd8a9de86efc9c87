// Integer-valued distributions, with NumPy's order of draws. See distributions.h for Modern and
// Legacy.
#pragma once

#include <algorithm>

#include "aten/random/distributions.h"

namespace tnp::random {

// Evaluates sum_i c_i z^i; the coefficient of the highest power comes first.
template <size_t N>
constexpr double polynomial(const double (&c)[N], double z) {
  double sum = c[0];
  for (size_t i = 1; i < N; ++i) sum = sum * z + c[i];
  return sum;
}

// log(gamma(x)) for x > 0, by Stirling's series for x >= 7. Source: Zhang and Jin, "Computation of
// Special Functions" (1996).
inline double log_gamma(double x) {
  static constexpr double series[] = {-1.39243221690590e+00,  1.796443723688307e-01,  -2.955065359477124e-02,
                                      6.410256410256410e-03,  -1.917526917526918e-03, 8.417508417508418e-04,
                                      -5.952380952380952e-04, 7.936507936507937e-04,  -2.777777777777778e-03,
                                      8.333333333333333e-02};
  if (x == 1.0 || x == 2.0) return 0.0;
  int64_t n = x < 7.0 ? static_cast<int64_t>(7 - x) : 0;
  double y = x + static_cast<double>(n), z = (1.0 / y) * (1.0 / y);
  constexpr double log_2pi = 1.8378770664093453;
  double result = polynomial(series, z) / y + 0.5 * log_2pi + (y - 0.5) * std::log(y) - y;
  if (x < 7.0) {
    for (int64_t k = 1; k <= n; ++k) {
      result -= std::log(y - 1.0);
      y -= 1.0;
    }
  }
  return result;
}

inline double log_factorial(int64_t k) {
  static const auto table = [] {
    std::array<double, 126> t{};
    for (size_t i = 0; i < t.size(); ++i) t[i] = static_cast<double>(std::lgamma(static_cast<long double>(i + 1)));
    return t;
  }();
  if (k < 126) return table[static_cast<size_t>(k)];
  double x = static_cast<double>(k);
  return (x + 0.5) * std::log(x) - x + (0.9189385332046728 + (1.0 / x) * (1 / 12.0 - 1 / (360.0 * x * x)));
}

// For lam < 10, products of uniforms (Knuth, TAOCP 2, 3.4.1). Otherwise Hormann's PTRS, Insur.
// Math. Econ. 12 (1993) 39-45.
template <class Draw>
int64_t poisson(Draw& d, double lam) {
  if (lam >= 10) {
    double log_lam = std::log(lam), b = 0.931 + 2.53 * std::sqrt(lam), a = -0.059 + 0.02483 * b;
    double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4), vr = 0.9277 - 3.6224 / (b - 2);
    for (;;) {
      double u = d.uniform() - 0.5, v = d.uniform(), us = 0.5 - std::fabs(u);
      auto k = static_cast<int64_t>(std::floor((2 * a / us + b) * u + lam + 0.43));
      if (us >= 0.07 && v <= vr) return k;
      if (k < 0 || (us < 0.013 && v > us)) continue;
      auto x = static_cast<double>(k);
      if (std::log(v) + std::log(inverse_alpha) - std::log(a / (us * us) + b) <= -lam + x * log_lam - log_gamma(x + 1))
        return k;
    }
  }
  if (lam == 0) return 0;
  double limit = std::exp(-lam), product = 1.0;
  for (int64_t k = 0;; ++k) {
    product *= d.uniform();
    if (!(product > limit)) return k;
  }
}

// For p <= 1/2 and n p > 30. Source: Kachitvichyanukul and Schmeiser's BTPE, Commun. ACM 31 (1988)
// 216-222.
template <class Draw>
int64_t binomial_btpe(Draw& d, int64_t n, double p) {
  const double nd = static_cast<double>(n), r = std::min(p, 1.0 - p), q = 1.0 - r, fm = nd * r + r;
  const auto m = static_cast<int64_t>(std::floor(fm));
  const double md = static_cast<double>(m), p1 = std::floor(2.195 * std::sqrt(nd * r * q) - 4.6 * q) + 0.5;
  const double xm = md + 0.5, xl = xm - p1, xr = xm + p1, c = 0.134 + 20.5 / (15.3 + md);
  double a = (fm - xl) / (fm - xl * r);
  const double left = a * (1.0 + a / 2.0);
  a = (xr - fm) / (xr * q);
  const double right = a * (1.0 + a / 2.0);
  const double p2 = p1 * (1.0 + 2.0 * c), p3 = p2 + c / left, p4 = p3 + c / right, nrq = nd * r * q;
  auto correction = [](double x, double x2) {
    return (13680. - (462. - (132. - (99. - 140. / x2) / x2) / x2) / x2) / x / 166320.;
  };
  int64_t y;
  for (;;) {
    double u = d.uniform() * p4, v = d.uniform();
    if (u <= p1) {  // the triangle: accepted at once
      y = static_cast<int64_t>(std::floor(xm - p1 * v + u));
      break;
    }
    if (u <= p2) {  // the parallelograms beside it
      double x = xl + (u - p1) / c;
      v = v * c + 1.0 - std::fabs(md - x + 0.5) / p1;
      if (v > 1.0) continue;
      y = static_cast<int64_t>(std::floor(x));
    } else if (u <= p3) {  // the left tail
      y = static_cast<int64_t>(std::floor(xl + std::log(v) / left));
      if (y < 0 || v == 0.0) continue;
      v = v * (u - p2) * left;
    } else {  // the right tail
      y = static_cast<int64_t>(std::floor(xr - std::log(v) / right));
      if (y > n || v == 0.0) continue;
      v = v * (u - p3) * right;
    }
    const int64_t k = y > m ? y - m : m - y;
    const double kd = static_cast<double>(k);
    // near the mode, or far from it: evaluates the density by its recurrence
    if (!(k > 20 && kd < nrq / 2.0 - 1)) {
      const double s = r / q;
      a = s * (nd + 1);
      double f = 1.0;
      for (int64_t i = m + 1; i <= y; ++i) f *= a / static_cast<double>(i) - s;
      for (int64_t i = y + 1; i <= m; ++i) f /= a / static_cast<double>(i) - s;
      if (v > f) continue;
      break;
    }
    const double rho = (kd / nrq) * ((kd * (kd / 3.0 + 0.625) + 0.16666666666666666) / nrq + 0.5);
    const double t = -(kd * kd) / (2 * nrq), log_v = std::log(v);
    if (log_v < t - rho) break;
    if (log_v > t + rho) continue;
    const double x1 = static_cast<double>(y + 1), f1 = static_cast<double>(m + 1), z = static_cast<double>(n - m + 1),
                 w = static_cast<double>(n - y + 1);
    if (log_v > xm * std::log(f1 / x1) + (static_cast<double>(n - m) + 0.5) * std::log(z / w) +
                    static_cast<double>(y - m) * std::log(w * r / (x1 * q)) + correction(f1, f1 * f1) +
                    correction(z, z * z) + correction(x1, x1 * x1) + correction(w, w * w))
      continue;
    break;
  }
  return p > 0.5 ? n - y : y;
}

template <class Draw>
int64_t binomial_inversion(Draw& d, int64_t n, double p) {
  Inversion& last = d.inversion;  // draws with the same parameters follow each other
  const double q = 1.0 - p;
  if (last.n != n || last.p != p) {
    const double nd = static_cast<double>(n), np = nd * p;
    last = {n, static_cast<int64_t>(std::min(nd, np + 10.0 * std::sqrt(np * q + 1))), p,
            std::exp(nd * (Draw::legacy ? std::log(q) : std::log1p(-p)))};
  }
  const double qn = last.qn;
  const int64_t bound = last.bound;
  int64_t x = 0;
  double px = qn, u = d.uniform();
  while (u > px) {
    ++x;
    if (x > bound) {
      x = 0;
      px = qn;
      u = d.uniform();
    } else {
      u -= px;
      px = (static_cast<double>(n - x + 1) * p * px) / (static_cast<double>(x) * q);
    }
  }
  return x;
}

template <class Draw>
int64_t binomial(Draw& d, int64_t n, double p) {
  if (n == 0 || p == 0.0) {
    // The legacy generator draws a number in this case too.
    return Draw::legacy ? binomial_inversion(d, n, p) : 0;
  }
  double small = p <= 0.5 ? p : 1.0 - p;
  int64_t k = small * static_cast<double>(n) <= 30.0 ? binomial_inversion(d, n, small) : binomial_btpe(d, n, small);
  return p <= 0.5 ? k : n - k;
}

template <class Draw>
int64_t negative_binomial(Draw& d, double n, double p) {
  return poisson(d, (1 - p) / p * standard_gamma(d, n));
}

template <class Draw>
double noncentral_chisquare(Draw& d, double df, double nonc) {
  if constexpr (!Draw::legacy) {
    if (std::isnan(nonc)) return nonc;
  }
  if (nonc == 0) return chisquare(d, df);
  if (1 < df) {
    double chi2 = chisquare(d, df - 1), n = d.normal() + std::sqrt(nonc);
    return chi2 + n * n;
  }
  int64_t i = poisson(d, nonc / 2.0);
  double result = chisquare(d, df + 2 * static_cast<double>(i));
  return std::isnan(nonc) ? nonc : result;
}

template <class Draw>
double noncentral_f(Draw& d, double dfnum, double dfden, double nonc) {
  double t = noncentral_chisquare(d, dfnum, nonc) * dfden;
  return t / (chisquare(d, dfden) * dfnum);
}

template <class Draw>
int64_t geometric(Draw& d, double p) {
  if (p >= 0.333333333333333333333333) {
    int64_t x = 1;
    double sum = p, product = p, q = 1.0 - p, u = d.uniform();
    while (u > sum) {
      product *= q;
      sum += product;
      ++x;
    }
    return x;
  }
  double z = Draw::legacy ? std::ceil(std::log1p(-d.uniform()) / std::log(1 - p))
                          : std::ceil(-d.exponential() / std::log1p(-p));
  return z >= 9.223372036854776e18 ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(z);
}

// Source: Kemp, Appl. Stat. 30 (1981) 249-253.
template <class Draw>
int64_t logseries(Draw& d, double p) {
  const double r = std::log1p(-p);
  for (;;) {
    double v = d.uniform();
    if (v >= p) return 1;
    double u = d.uniform(), q = -std::expm1(r * u);
    if (v <= q * q) {
      double x = std::floor(1 + std::log(v) / std::log(q));
      if (x < 1 || v == 0.0) continue;
      return static_cast<int64_t>(x);
    }
    return v >= q ? 1 : 2;
  }
}

// Source: Devroye, "Non-Uniform Random Variate Generation" (1986), X.6.1.
template <class Draw>
int64_t zipf(Draw& d, double a) {
  constexpr double largest = 9223372036854775807.0;
  if (a >= 1025) return 1;  // the probability of 2 or more is below the smallest double
  const double am1 = a - 1.0, b = std::pow(2.0, am1), u_min = Draw::legacy ? 0 : std::pow(largest, -am1);
  for (;;) {
    double u01 = d.uniform(), u = Draw::legacy ? 1.0 - u01 : u01 * u_min + (1 - u01), v = d.uniform();
    double x = std::floor(std::pow(u, -1.0 / am1));
    if (x > largest || x < 1.0) continue;
    double t = std::pow(1.0 + 1.0 / x, am1);
    if (v * x * (t - 1.0) / (b - 1.0) <= t / b)
      return x >= largest ? std::numeric_limits<int64_t>::max() : static_cast<int64_t>(x);
  }
}

// Source: Stadlober's HRUA, "Sampling from Poisson, binomial and hypergeometric distributions"
// (1989).
template <class Draw>
int64_t hypergeometric_hrua(Draw& d, int64_t good, int64_t bad, int64_t sample) {
  constexpr double d1 = 1.7155277699214135, d2 = 0.8989161620588988;  // 2 sqrt(2/e), 3 - 2 sqrt(3/e)
  const int64_t fewer = std::min(good, bad), more = std::max(good, bad), total = good + bad,
                drawn = std::min(sample, total - sample);
  const auto nd = [](int64_t v) { return static_cast<double>(v); };
  auto log_fact = [](int64_t k) { return Draw::legacy ? log_gamma(static_cast<double>(k + 1)) : log_factorial(k); };
  const double p = nd(fewer) / nd(total), q = Draw::legacy ? 1.0 - p : nd(more) / nd(total), a = nd(drawn) * p + 0.5;
  const double spread = Draw::legacy ? std::sqrt(nd(total - drawn) * nd(sample) * p * q / nd(total - 1) + 0.5)
                                     : std::sqrt(nd(total - drawn) * nd(drawn) * p * q / nd(total - 1) + 0.5);
  const double h = d1 * spread + d2;
  const auto mode = static_cast<int64_t>(std::floor(nd(drawn + 1) * nd(fewer + 1) / nd(total + 2)));
  auto density = [&](int64_t k) {
    return log_fact(k) + log_fact(fewer - k) + log_fact(drawn - k) + log_fact(more - drawn + k);
  };
  const double peak = density(mode), limit = std::min(nd(std::min(drawn, fewer)) + 1.0, std::floor(a + 16 * spread));
  int64_t k;
  for (;;) {
    double u = d.uniform(), v = d.uniform(), x = a + h * (v - 0.5) / u;
    if (x < 0.0 || x >= limit) continue;
    k = static_cast<int64_t>(std::floor(x));
    double t = peak - density(k);
    if (u * (4.0 - u) - 3.0 <= t) break;
    if (u * (u - t) >= 1) continue;
    if (2.0 * std::log(u) <= t) break;
  }
  if (good > bad) k = drawn - k;
  if (drawn < sample) k = good - k;
  return k;
}

template <class Draw>
int64_t hypergeometric(Draw& d, int64_t good, int64_t bad, int64_t sample) {
  const int64_t total = good + bad;
  if constexpr (Draw::legacy) {
    if (sample > 10) return hypergeometric_hrua(d, good, bad, sample);
    if (sample <= 0) return 0;
    int64_t rest = total - sample, k = sample;
    double least = static_cast<double>(std::min(good, bad)), y = least;
    while (y > 0.0) {
      double u = d.uniform();
      y -= std::floor(u + y / static_cast<double>(rest + k));
      if (--k == 0) break;
    }
    auto z = static_cast<int64_t>(least - y);
    return good > bad ? sample - z : z;
  } else {
    if (sample >= 10 && sample <= total - 10) return hypergeometric_hrua(d, good, bad, sample);
    int64_t to_draw = sample > total / 2 ? total - sample : sample, left = total, left_good = good;
    while (to_draw > 0 && left_good > 0 && left > left_good) {
      --left;
      if (static_cast<int64_t>(interval(d.bits, static_cast<uint64_t>(left), true)) < left_good) --left_good;
      --to_draw;
    }
    if (left == left_good) left_good -= to_draw;
    return sample > total / 2 ? left_good : good - left_good;
  }
}

}  // namespace tnp::random
