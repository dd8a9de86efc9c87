"""aten/random/distribution.h: an enum of the random distributions, and a schema for each."""

from __future__ import annotations

from string import Template

from tools.codegen.model import DTYPES, Distribution

HEADER = Template("""\
// Generated from native_functions.yaml. The distributions of random numbers.
#pragma once

#include "aten/random/parameters.h"

namespace tnp {

enum class Distribution : uint8_t {
$enumerators\
};

namespace random {

// Schemas by the enum.
inline constexpr std::array<DistributionSchema, $count> kDistributions{{
$schemas\
}};

namespace samplers {
$samplers\
}  // namespace samplers

// f.operator()<samplers::Normal>() for Distribution::Normal.
template <class F>
decltype(auto) visit_distribution(Distribution distribution, F&& f) {
  switch (distribution) {
$cases\
  }
  TNP_RAISE(ErrorKind::Internal, "no distribution has the number ", static_cast<int64_t>(distribution));
}

}  // namespace random
}  // namespace tnp
""")


def distribution_h(distributions: list[Distribution]) -> str:
    return HEADER.substitute(
        count=len(distributions),
        enumerators="".join(f"  {d.cpp_name},\n" for d in distributions),
        schemas="".join(f"    {schema(d)},\n" for d in distributions),
        samplers="".join(f"struct {d.cpp_name};\n" for d in distributions),
        cases="".join(f"    case Distribution::{d.cpp_name}:\n      return f.template operator()<samplers::{d.cpp_name}>();\n"
                      for d in distributions))


def schema(d: Distribution) -> str:
    parameters = ", ".join(f'{{"{name}", Domain::{domain}}}' for domain, name in d.parameters)
    return f'{{"{d.name}", ScalarType::{DTYPES[d.dtype]}, {len(d.parameters)}, {{{{{parameters}}}}}}}'
