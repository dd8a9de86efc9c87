// Selects the table of loops for float or for double.
#pragma once

#include <type_traits>

namespace tnp {

template <class T, class Loops>
const auto& loops_of_type(const Loops& both) {
  static_assert(std::is_same_v<T, float> || std::is_same_v<T, double>);
  if constexpr (std::is_same_v<T, float>)
    return both.floats;
  else
    return both.doubles;
}

}  // namespace tnp
