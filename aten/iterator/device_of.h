// The common device of an operator's operands, with checks.
#pragma once

#include <optional>

#include "aten/core/tensor.h"

namespace tnp {

// Whether `t` may be an operand on `device`: `t` is on that device; or it is a CPU scalar (0-d),
// which kernels receive by value; or the device is `meta`, where nothing is computed; or one of both
// is wrapped, so that a transformation decides.
inline bool goes_along(const Tensor& t, Device device) {
  return t.device() == device || (t.device().is_cpu() && (t.dim() == 0 || device.is_meta())) || device.is_wrapped() ||
         t.device().is_wrapped();
}

inline void find_device(Device& found, const Tensor& t) {
  if (t.defined() && !t.device().is_cpu()) found = t.device();
}
inline void find_device(Device& found, TensorList list) {
  for (const Tensor& t : list) find_device(found, t);
}
inline void find_device(Device& found, const std::optional<Device>& d) {
  if (d && !d->is_cpu()) found = *d;
}

// Raises Runtime unless goes_along(t, device).
TNP_API TNP_COLD void check_device(const Tensor& t, Device device);
inline void check_device(TensorList list, Device device) {
  for (const Tensor& t : list) check_device(t, device);
}
inline void check_device(const std::optional<Device>&, Device) {}

// The common device of these tensors, lists and optional devices. Raises Runtime if one of them is
// on another device.
template <class... Ts>
inline Device device_of_all(const Ts&... places) {
  Device device;
  (find_device(device, places), ...);
  if (TNP_UNLIKELY(!device.is_cpu())) (check_device(places, device), ...);
  return device;
}

}  // namespace tnp
