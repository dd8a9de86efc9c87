// What a distribution's parameters must be. The distributions are listed in native_functions.yaml, of which
// aten/random/distribution.h is generated.
#pragma once

#include <array>
#include <string_view>

#include "aten/core/errors/error.h"
#include "aten/core/numbers/dtype.h"

namespace tnp {

enum class Distribution : uint8_t;

namespace random {

enum class Domain : uint8_t {
  Any,
  NonNegative,  // not -0 either; NaN is let through
  Positive,     // NaN is let through
  Unit,         // [0, 1]
  UnitAboveZero,
  UnitBelowOne,
  AboveOne,
  Rate,   // [0, 2^63), less what the largest Poisson number may exceed its mean by
  Count,  // [0, 2^63) as a float
};

struct Parameter {
  const char* name;
  Domain domain;
};

inline constexpr size_t kMaxParameters = 3;

struct DistributionSchema {
  std::string_view name;
  ScalarType dtype;  // of what is drawn
  size_t num_parameters;
  std::array<Parameter, kMaxParameters> parameters;
};

// Raises Value, naming the parameter, unless all n values lie in the domain.
void check_parameter(const Parameter& parameter, const double* values, int64_t n);
// What must hold between the parameters p of one draw.
void check_together(Distribution distribution, bool legacy, const double* p);

}  // namespace random
}  // namespace tnp
