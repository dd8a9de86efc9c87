// Generated from native_functions.yaml. The distributions of random numbers.
#pragma once

#include "aten/random/parameters.h"

namespace tnp {

enum class Distribution : uint8_t {
  Evenly,
  CoinTosses,
};

namespace random {

// Schemas by the enum.
inline constexpr std::array<DistributionSchema, 2> kDistributions{{
    {"evenly", ScalarType::Float64, 2, {{{"low", Domain::Any}, {"width", Domain::NonNegative}}}},
    {"coin_tosses", ScalarType::Int64, 0, {{}}},
}};

namespace samplers {
struct Evenly;
struct CoinTosses;
}  // namespace samplers

// f.operator()<samplers::Normal>() for Distribution::Normal.
template <class F>
decltype(auto) visit_distribution(Distribution distribution, F&& f) {
  switch (distribution) {
    case Distribution::Evenly:
      return f.template operator()<samplers::Evenly>();
    case Distribution::CoinTosses:
      return f.template operator()<samplers::CoinTosses>();
  }
  TNP_RAISE(ErrorKind::Internal, "no distribution has the number ", static_cast<int64_t>(distribution));
}

}  // namespace random
}  // namespace tnp
