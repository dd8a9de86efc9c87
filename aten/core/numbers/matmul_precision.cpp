#include "aten/core/numbers/matmul_precision.h"

#include <atomic>

namespace tnp {

namespace {
std::atomic<Float32MatmulPrecision> current{Float32MatmulPrecision::Highest};
}

Float32MatmulPrecision float32_matmul_precision() { return current.load(std::memory_order_relaxed); }
void set_float32_matmul_precision(Float32MatmulPrecision precision) {
  current.store(precision, std::memory_order_relaxed);
}

}  // namespace tnp
