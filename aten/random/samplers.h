// Samplers: one per distribution of native_functions.yaml. Each draws one number, given checked
// parameters p. `Draw` is Modern or Legacy, see distributions.h.
#pragma once

#include <limits>

#include "aten/random/discrete.h"
#include "aten/random/distribution.h"

namespace tnp::random::samplers {

struct Random {
  template <class Draw>
  static double sample(Draw& d, const double*) {
    return d.uniform();
  }
};
struct Uniform {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return p[0] + (p[1] - p[0]) * d.uniform();
  }
};
struct StandardNormal {
  template <class Draw>
  static double sample(Draw& d, const double*) {
    return d.normal();
  }
};
struct Normal {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return p[0] + p[1] * d.normal();
  }
};
struct Lognormal {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return std::exp(p[0] + p[1] * d.normal());
  }
};
struct StandardExponential {
  template <class Draw>
  static double sample(Draw& d, const double*) {
    return d.exponential();
  }
};
struct StandardExponentialInv {
  template <class Draw>
  static double sample(Draw& d, const double*) {
    return -std::log1p(-d.uniform());
  }
};
struct Exponential {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return p[0] * d.exponential();
  }
};
struct StandardGamma {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return standard_gamma(d, p[0]);
  }
};
struct Gamma {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return p[1] * standard_gamma(d, p[0]);
  }
};
struct Beta {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return beta(d, p[0], p[1]);
  }
};
struct Chisquare {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return chisquare(d, p[0]);
  }
};
struct NoncentralChisquare {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return noncentral_chisquare(d, p[0], p[1]);
  }
};
struct F {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return f_ratio(d, p[0], p[1]);
  }
};
struct NoncentralF {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return noncentral_f(d, p[0], p[1], p[2]);
  }
};
struct StandardT {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return standard_t(d, p[0]);
  }
};
struct StandardCauchy {
  template <class Draw>
  static double sample(Draw& d, const double*) {
    return standard_cauchy(d);
  }
};
struct Pareto {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return pareto(d, p[0]);
  }
};
struct Weibull {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return weibull(d, p[0]);
  }
};
struct Power {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return power(d, p[0]);
  }
};
struct Laplace {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return laplace(d, p[0], p[1]);
  }
};
struct Gumbel {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return gumbel(d, p[0], p[1]);
  }
};
struct Logistic {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return logistic(d, p[0], p[1]);
  }
};
struct Rayleigh {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return rayleigh(d, p[0]);
  }
};
struct Wald {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return wald(d, p[0], p[1]);
  }
};
struct Vonmises {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return vonmises(d, p[0], p[1]);
  }
};
struct Triangular {
  template <class Draw>
  static double sample(Draw& d, const double* p) {
    return triangular(d, p[0], p[1], p[2]);
  }
};
struct Poisson {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    return poisson(d, p[0]);
  }
};
struct Binomial {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    // The largest counts are rounded to 2^63 as doubles.
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max();
    return binomial(d, p[0] < 0x1p63 ? static_cast<int64_t>(p[0]) : kMost, p[1]);
  }
};
struct NegativeBinomial {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    return negative_binomial(d, p[0], p[1]);
  }
};
struct Geometric {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    return geometric(d, p[0]);
  }
};
struct Logseries {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    return logseries(d, p[0]);
  }
};
struct Zipf {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    return zipf(d, p[0]);
  }
};
struct Hypergeometric {
  template <class Draw>
  static int64_t sample(Draw& d, const double* p) {
    return hypergeometric(d, static_cast<int64_t>(p[0]), static_cast<int64_t>(p[1]), static_cast<int64_t>(p[2]));
  }
};

}  // namespace tnp::random::samplers
