#include "aten/random/parameters.h"

#include <algorithm>
#include <cmath>

#include "aten/random/distribution.h"

namespace tnp::random {

void check_parameter(const Parameter& parameter, const double* v, int64_t n) {
  const char* name = parameter.name;
  auto all = [&](auto ok) { return std::all_of(v, v + n, ok); };
  switch (parameter.domain) {
    case Domain::Any:
      return;
    case Domain::NonNegative:
      TNP_CHECK(all([](double x) { return std::isnan(x) || !std::signbit(x); }), ErrorKind::Value, name, " < 0");
      return;
    case Domain::Positive:
      TNP_CHECK(all([](double x) { return !(x <= 0); }), ErrorKind::Value, name, " <= 0");
      return;
    case Domain::Unit:
      TNP_CHECK(all([](double x) { return x >= 0 && x <= 1; }), ErrorKind::Value, name, " < 0, ", name, " > 1 or ",
                name, " is NaN");
      return;
    case Domain::UnitAboveZero:
      TNP_CHECK(all([](double x) { return x > 0 && x <= 1; }), ErrorKind::Value, name, " <= 0, ", name, " > 1 or ",
                name, " is NaN");
      return;
    case Domain::UnitBelowOne:
      TNP_CHECK(all([](double x) { return x >= 0 && x < 1; }), ErrorKind::Value, name, " < 0, ", name, " >= 1 or ",
                name, " is NaN");
      return;
    case Domain::AboveOne:
      TNP_CHECK(all([](double x) { return x > 1; }), ErrorKind::Value, name, " <= 1 or ", name, " is NaN");
      return;
    case Domain::Rate:
      TNP_CHECK(all([](double x) { return !(x > 9.223372006484771e18); }), ErrorKind::Value, name, " value too large");
      TNP_CHECK(all([](double x) { return x >= 0; }), ErrorKind::Value, name, " < 0 or ", name, " is NaN");
      return;
    case Domain::Count:
      TNP_CHECK(all([](double x) { return x >= 0; }), ErrorKind::Value, name, " < 0");
      return;
  }
}

void check_together(Distribution distribution, bool legacy, const double* p) {
  switch (distribution) {
    case Distribution::Uniform:
      TNP_CHECK(std::isfinite(p[1] - p[0]), ErrorKind::Overflow, "high - low range exceeds valid bounds");
      TNP_CHECK(legacy || !std::signbit(p[1] - p[0]), ErrorKind::Value, "high - low < 0");
      return;
    case Distribution::Triangular:
      TNP_CHECK(!(p[0] > p[1]), ErrorKind::Value, "left > mode");
      TNP_CHECK(!(p[1] > p[2]), ErrorKind::Value, "mode > right");
      TNP_CHECK(p[0] != p[2], ErrorKind::Value, "left == right");
      return;
    case Distribution::Hypergeometric:
      TNP_CHECK(legacy || (p[0] < 1e9 && p[1] < 1e9), ErrorKind::Value,
                "both ngood and nbad must be less than 1000000000");
      TNP_CHECK(p[0] + p[1] < 9.2e18, ErrorKind::Value, "ngood + nbad is too large");
      TNP_CHECK(p[0] + p[1] >= p[2], ErrorKind::Value, "ngood + nbad < nsample");
      return;
    case Distribution::NegativeBinomial:
      TNP_CHECK(legacy || !((1 - p[1]) / p[1] * (p[0] + 10 * std::sqrt(p[0])) > 9.223372006484771e18), ErrorKind::Value,
                "n too large or p too small, see Generator.negative_binomial Notes");
      return;
    default:
      return;
  }
}

}  // namespace tnp::random
