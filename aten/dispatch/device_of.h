// The device that all operands of an operator are on.
#pragma once

#include <optional>

#include "aten/core/tensor.h"

namespace tnp {

inline void find_device(Device& found, const Tensor& t) {
  if (t.defined() && !t.device().is_cpu()) found = t.device();
}
inline void find_device(Device& found, TensorList list) {
  for (const Tensor& t : list) find_device(found, t);
}
inline void find_device(Device& found, const std::optional<Device>& d) {
  if (d && !d->is_cpu()) found = *d;
}

TNP_API TNP_COLD void check_device(const Tensor& t, Device device);
inline void check_device(TensorList list, Device device) {
  for (const Tensor& t : list) check_device(t, device);
}
inline void check_device(const std::optional<Device>&, Device) {}

// The device of these tensors, lists and places; numbers of the CPU go along. Raises Runtime if they are on several.
template <class... Ts>
inline Device device_of_all(const Ts&... places) {
  Device device;
  (find_device(device, places), ...);
  if (TNP_UNLIKELY(!device.is_cpu())) (check_device(places, device), ...);
  return device;
}

}  // namespace tnp
