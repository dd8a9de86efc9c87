// Bags of an embedding: what all devices share.
#pragma once

#include <cstdint>

namespace tnp {

enum class Bags : int64_t { Sum, Mean, Max };

}  // namespace tnp
