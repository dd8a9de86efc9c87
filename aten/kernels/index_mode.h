// IndexMode: how NumPy's functions with an argument `mode` treat an index out of bounds.
#pragma once

#include <algorithm>
#include <cstdint>

namespace tnp {

enum class IndexMode : uint8_t { Raise, Wrap, Clip };

// Brings `index` into the range 0 to `size` - 1, where `size` is positive. False if it is out of
// range and the mode is Raise.
inline bool bring_in_range(int64_t& index, int64_t size, IndexMode mode) {
  if (static_cast<uint64_t>(index) < static_cast<uint64_t>(size)) return true;
  if (mode == IndexMode::Raise) return false;
  if (mode == IndexMode::Clip) {
    index = index < 0 ? 0 : size - 1;
  } else {
    index %= size;
    if (index < 0) index += size;
  }
  return true;
}

}  // namespace tnp
