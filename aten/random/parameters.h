// Constraints on the parameters of distributions. native_functions.yaml lists the distributions;
// aten/random/distribution.h is generated from it.
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
  NonNegative,  // -0 is excluded too; NaN is accepted
  Positive,     // NaN is accepted
  Unit,         // [0, 1]
  UnitAboveZero,
  UnitBelowOne,
  AboveOne,
  Rate,   // [0, 2^63) minus the largest excess of a Poisson number over its mean
  Count,  // [0, 2^63) as a float
};

struct Parameter {
  const char* name;
  Domain domain;
};

inline constexpr size_t kMaxParameters = 3;

struct DistributionSchema {
  std::string_view name;
  ScalarType dtype;  // of the drawn numbers
  size_t num_parameters;
  std::array<Parameter, kMaxParameters> parameters;
};

// Raises Value, naming the parameter, unless all n values are in the domain.
void check_parameter(const Parameter& parameter, const double* values, int64_t n);
// Checks constraints between the parameters p of one draw. Raises Value, or Overflow for an
// infinite range.
void check_together(Distribution distribution, bool legacy, const double* p);

}  // namespace random
}  // namespace tnp
