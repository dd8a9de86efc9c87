// The distributions that others are made from, which the CPU and devices have loops for.
#pragma once

#include <optional>

#include "aten/random/distribution.h"

namespace tnp::random {

enum class Base { Uniform, Normal, Exponential, ExponentialInverse };  // the last one: by the inverse function

struct BaseDraw {
  Base base;
  bool plain;  // as it is; otherwise times a scale, plus an offset
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

// base_draw() where only these come.
inline BaseDraw known_base_draw(Distribution distribution) {
  const auto draw = base_draw(distribution);
  TNP_INTERNAL_ASSERT(draw);
  return *draw;
}

}  // namespace tnp::random
