// The distributions that others are made from, which the CPU and devices have loops for.
#pragma once

#include <optional>
#include <string_view>

namespace tnp::random {

enum class Base { Uniform, Normal, Exponential, ExponentialInverse };  // the last one: by the inverse function

struct BaseDraw {
  Base base;
  bool plain;  // as it is; otherwise times a scale, plus an offset
};

inline std::optional<BaseDraw> base_draw(std::string_view name) {
  if (name == "random") return BaseDraw{Base::Uniform, true};
  if (name == "uniform") return BaseDraw{Base::Uniform, false};
  if (name == "standard_normal") return BaseDraw{Base::Normal, true};
  if (name == "normal") return BaseDraw{Base::Normal, false};
  if (name == "standard_exponential") return BaseDraw{Base::Exponential, true};
  if (name == "exponential") return BaseDraw{Base::Exponential, false};
  if (name == "standard_exponential_inv") return BaseDraw{Base::ExponentialInverse, true};
  return std::nullopt;
}

}  // namespace tnp::random
