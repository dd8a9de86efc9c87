#include "aten/kernels/cuda/linalg.h"

#include "aten/functions/copies.h"
#include "aten/functions/floating_point.h"
#include "aten/functions/reductions.h"

namespace tnp::gpu {

void check_info(const Tensor& info, const char* message) {
  const Tensor host = tnp::to(info, std::optional(Device()));
  const int32_t* values = host.data_ptr<int32_t>();
  for (int64_t i = 0; i < host.numel(); ++i) TNP_CHECK(values[i] == 0, ErrorKind::LinAlg, message);
}

void check_finite(const Tensor& t, const char* message) {
  TNP_CHECK(tnp::all(tnp::isfinite(t)).item<bool>(), ErrorKind::LinAlg, message);
}

}  // namespace tnp::gpu
