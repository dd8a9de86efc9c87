// The base distributions for which the CPU and devices have vectorised loops, and distributions
// derived from them by scale and offset.
#pragma once

#include <optional>

#include "aten/random/distribution.h"

namespace tnp::random {

// ExponentialInverse is the exponential distribution by the inverse CDF.
enum class Base { Uniform, Normal, Exponential, ExponentialInverse };

struct BaseDraw {
  Base base;
  bool plain;  // unmodified; otherwise multiplied by a scale and shifted by an offset
};

inline std::optional<BaseDraw> base_draw(Distribution distribution) {
  switch (distribution) {
    case Distribution::Random:
      return BaseDraw{Base::Uniform, true};
    case Distribution::Uniform:
      return BaseDraw{Base::Uniform, false};
    case Distribution::StandardNormal:
      return BaseDraw{Base::Normal, true};
    case Distribution::Normal:
      return BaseDraw{Base::Normal, false};
    case Distribution::StandardExponential:
      return BaseDraw{Base::Exponential, true};
    case Distribution::Exponential:
      return BaseDraw{Base::Exponential, false};
    case Distribution::StandardExponentialInv:
      return BaseDraw{Base::ExponentialInverse, true};
    default:
      return std::nullopt;
  }
}

// base_draw() for a distribution that has one.
inline BaseDraw known_base_draw(Distribution distribution) {
  const auto draw = base_draw(distribution);
  TNP_INTERNAL_ASSERT(draw);
  return *draw;
}

}  // namespace tnp::random
