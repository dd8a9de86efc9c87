#include "aten/core/memory/dlpack.h"

namespace tnp::dlpack {

std::optional<ScalarType> scalar_type(DataType d) {
  for (int i = 0; i < kNumScalarTypes; ++i) {
    const auto t = static_cast<ScalarType>(i);
    const DataType ours = data_type(t);
    if (ours.code == d.code && ours.bits == d.bits && d.lanes == 1) return t;
  }
  return std::nullopt;
}

}  // namespace tnp::dlpack
