#include "aten/ops/out.h"

#include "aten/core/devices/device_runtime.h"
#include "aten/dispatch/out.h"
#include "aten/functions/copies.h"

namespace tnp {

Tensor into_out(const Tensor& out, const Tensor& result) {
  if (!out.defined()) return result;
  fit_out(out, result.sizes());
  TNP_CHECK(out.sizes() == result.sizes(), ErrorKind::Shape, "{out} has shape ", out.sizes(),
            ", but the result has shape ", result.sizes());
  if (out.device() != result.device()) raise_devices_differ(result.device(), out.device());
  tnp::copy_(out, result);
  return out;
}

}  // namespace tnp
