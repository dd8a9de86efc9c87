// Reduction modes of embedding bags, on every device.
#pragma once

#include <cstdint>

namespace tnp {

enum class Bags : int64_t { Sum, Mean, Max };

}  // namespace tnp
