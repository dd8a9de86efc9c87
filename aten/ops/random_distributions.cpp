#include "aten/ops/random_distributions.h"

#include <algorithm>
#include <cmath>

namespace tnp::native {

void check_parameter(const char* name, Must rule, const double* v, int64_t n) {
  auto all = [&](auto ok) { return std::all_of(v, v + n, ok); };
  switch (rule) {
    case Must::Any:
      return;
    case Must::NonNegative:
      TNP_CHECK(all([](double x) { return std::isnan(x) || !std::signbit(x); }), ErrorKind::Value, name, " < 0");
      return;
    case Must::Positive:
      TNP_CHECK(all([](double x) { return !(x <= 0); }), ErrorKind::Value, name, " <= 0");
      return;
    case Must::Unit:
      TNP_CHECK(all([](double x) { return x >= 0 && x <= 1; }), ErrorKind::Value, name, " < 0, ", name, " > 1 or ",
                name, " is NaN");
      return;
    case Must::UnitAboveZero:
      TNP_CHECK(all([](double x) { return x > 0 && x <= 1; }), ErrorKind::Value, name, " <= 0, ", name, " > 1 or ",
                name, " is NaN");
      return;
    case Must::UnitBelowOne:
      TNP_CHECK(all([](double x) { return x >= 0 && x < 1; }), ErrorKind::Value, name, " < 0, ", name, " >= 1 or ",
                name, " is NaN");
      return;
    case Must::AboveOne:
      TNP_CHECK(all([](double x) { return x > 1; }), ErrorKind::Value, name, " <= 1 or ", name, " is NaN");
      return;
    case Must::AtLeastOne:
      TNP_CHECK(all([](double x) { return x >= 1; }), ErrorKind::Value, name, " < 1 or ", name, " is NaN");
      return;
    case Must::Rate:
      TNP_CHECK(all([](double x) { return !(x > 9.223372006484771e18); }), ErrorKind::Value, name, " value too large");
      TNP_CHECK(all([](double x) { return x >= 0; }), ErrorKind::Value, name, " < 0 or ", name, " is NaN");
      return;
    case Must::Count:
      TNP_CHECK(all([](double x) { return x >= 0 && x < 9.2e18; }), ErrorKind::Value, name, " < 0");
      return;
  }
}

namespace {

template <class F>
Distribution continuous(std::string_view name, std::vector<Parameter> parameters, F f) {
  return {name, std::move(parameters), false, f, f, nullptr, nullptr};
}
template <class F>
Distribution discrete(std::string_view name, std::vector<Parameter> parameters, F f) {
  return {name, std::move(parameters), true, nullptr, nullptr, f, f};
}

}  // namespace

// p[i] are the parameters, checked.
const std::vector<Distribution>& distributions() {
  using enum Must;
  static const std::vector<Distribution> table = {
      continuous("random", {}, [](auto& d, const double*) -> double { return d.uniform(); }),
      continuous("uniform", {{"low", Any}, {"high", Any}},
                 [](auto& d, const double* p) -> double { return p[0] + (p[1] - p[0]) * d.uniform(); }),
      continuous("standard_normal", {}, [](auto& d, const double*) -> double { return d.normal(); }),
      continuous("normal", {{"loc", Any}, {"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return p[0] + p[1] * d.normal(); }),
      continuous("lognormal", {{"mean", Any}, {"sigma", NonNegative}},
                 [](auto& d, const double* p) -> double { return std::exp(p[0] + p[1] * d.normal()); }),
      continuous("standard_exponential", {}, [](auto& d, const double*) -> double { return d.exponential(); }),
      continuous("standard_exponential_inv", {},
                 [](auto& d, const double*) -> double { return -std::log1p(-d.uniform()); }),
      continuous("exponential", {{"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return p[0] * d.exponential(); }),
      continuous("standard_gamma", {{"shape", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::standard_gamma(d, p[0]); }),
      continuous("gamma", {{"shape", NonNegative}, {"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return p[1] * random::standard_gamma(d, p[0]); }),
      continuous("beta", {{"a", Positive}, {"b", Positive}},
                 [](auto& d, const double* p) -> double { return random::beta(d, p[0], p[1]); }),
      continuous("chisquare", {{"df", Positive}},
                 [](auto& d, const double* p) -> double { return random::chisquare(d, p[0]); }),
      continuous("noncentral_chisquare", {{"df", Positive}, {"nonc", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::noncentral_chisquare(d, p[0], p[1]); }),
      continuous("f", {{"dfnum", Positive}, {"dfden", Positive}},
                 [](auto& d, const double* p) -> double { return random::f_ratio(d, p[0], p[1]); }),
      continuous("noncentral_f", {{"dfnum", Positive}, {"dfden", Positive}, {"nonc", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::noncentral_f(d, p[0], p[1], p[2]); }),
      continuous("standard_t", {{"df", Positive}},
                 [](auto& d, const double* p) -> double { return random::standard_t(d, p[0]); }),
      continuous("standard_cauchy", {}, [](auto& d, const double*) -> double { return random::standard_cauchy(d); }),
      continuous("pareto", {{"a", Positive}},
                 [](auto& d, const double* p) -> double { return random::pareto(d, p[0]); }),
      continuous("weibull", {{"a", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::weibull(d, p[0]); }),
      continuous("power", {{"a", Positive}}, [](auto& d, const double* p) -> double { return random::power(d, p[0]); }),
      continuous("laplace", {{"loc", Any}, {"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::laplace(d, p[0], p[1]); }),
      continuous("gumbel", {{"loc", Any}, {"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::gumbel(d, p[0], p[1]); }),
      continuous("logistic", {{"loc", Any}, {"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::logistic(d, p[0], p[1]); }),
      continuous("rayleigh", {{"scale", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::rayleigh(d, p[0]); }),
      continuous("wald", {{"mean", Positive}, {"scale", Positive}},
                 [](auto& d, const double* p) -> double { return random::wald(d, p[0], p[1]); }),
      continuous("vonmises", {{"mu", Any}, {"kappa", NonNegative}},
                 [](auto& d, const double* p) -> double { return random::vonmises(d, p[0], p[1]); }),
      continuous("triangular", {{"left", Any}, {"mode", Any}, {"right", Any}},
                 [](auto& d, const double* p) -> double { return random::triangular(d, p[0], p[1], p[2]); }),
      discrete("poisson", {{"lam", Rate}},
               [](auto& d, const double* p) -> int64_t { return random::poisson(d, p[0]); }),
      discrete(
          "binomial", {{"n", Count}, {"p", Unit}},
          [](auto& d, const double* p) -> int64_t { return random::binomial(d, static_cast<int64_t>(p[0]), p[1]); }),
      discrete("negative_binomial", {{"n", Positive}, {"p", UnitAboveZero}},
               [](auto& d, const double* p) -> int64_t { return random::negative_binomial(d, p[0], p[1]); }),
      discrete("geometric", {{"p", UnitAboveZero}},
               [](auto& d, const double* p) -> int64_t { return random::geometric(d, p[0]); }),
      discrete("logseries", {{"p", UnitBelowOne}},
               [](auto& d, const double* p) -> int64_t { return random::logseries(d, p[0]); }),
      discrete("zipf", {{"a", AboveOne}}, [](auto& d, const double* p) -> int64_t { return random::zipf(d, p[0]); }),
      discrete("hypergeometric", {{"ngood", Count}, {"nbad", Count}, {"nsample", Count}},
               [](auto& d, const double* p) -> int64_t {
                 return random::hypergeometric(d, static_cast<int64_t>(p[0]), static_cast<int64_t>(p[1]),
                                               static_cast<int64_t>(p[2]));
               }),
  };
  return table;
}

void check_together(std::string_view name, bool legacy, const double* p) {
  if (name == "uniform") {
    TNP_CHECK(std::isfinite(p[1] - p[0]), ErrorKind::Overflow, "high - low range exceeds valid bounds");
    TNP_CHECK(legacy || !std::signbit(p[1] - p[0]), ErrorKind::Value, "high - low < 0");
  } else if (name == "triangular") {
    TNP_CHECK(!(p[0] > p[1]), ErrorKind::Value, "left > mode");
    TNP_CHECK(!(p[1] > p[2]), ErrorKind::Value, "mode > right");
    TNP_CHECK(p[0] != p[2], ErrorKind::Value, "left == right");
  } else if (name == "hypergeometric") {
    TNP_CHECK(legacy || (p[0] < 1e9 && p[1] < 1e9), ErrorKind::Value,
              "both ngood and nbad must be less than 1000000000");
    TNP_CHECK(p[0] + p[1] < 9.2e18, ErrorKind::Value, "ngood + nbad is too large");
    TNP_CHECK(p[0] + p[1] >= p[2], ErrorKind::Value, "ngood + nbad < nsample");
  } else if (name == "negative_binomial" && !legacy) {
    TNP_CHECK(!((1 - p[1]) / p[1] * (p[0] + 10 * std::sqrt(p[0])) > 9.223372006484771e18), ErrorKind::Value,
              "n too large or p too small, see Generator.negative_binomial Notes");
  }
}

}  // namespace tnp::native
