// The distributions by NumPy's names: what their parameters must be, and how one number is drawn.
#pragma once

#include <string_view>
#include <vector>

#include "aten/random/discrete.h"

namespace tnp::native {

using random::Legacy;
using random::Modern;

enum class Must : uint8_t {
  Any,
  NonNegative,
  Positive,
  Unit,
  UnitAboveZero,
  UnitBelowOne,
  AboveOne,
  AtLeastOne,
  Rate,
  Count
};

struct Parameter {
  const char* name;
  Must must;
};

struct Distribution {
  std::string_view name;
  std::vector<Parameter> parameters;
  bool discrete;
  // Exactly one pair is set.
  double (*modern)(Modern&, const double*);
  double (*legacy)(Legacy&, const double*);
  int64_t (*modern_int)(Modern&, const double*);
  int64_t (*legacy_int)(Legacy&, const double*);
};

const std::vector<Distribution>& distributions();
// Raises Value, naming the parameter, unless all n values are as they must be.
void check_parameter(const char* name, Must rule, const double* v, int64_t n);
// What must hold between parameters of one draw.
void check_together(std::string_view name, bool legacy, const double* p);

}  // namespace tnp::native
