// The device that all operands of an operator are on, and who may be elsewhere.
#pragma once

#include <optional>

#include "aten/core/tensor.h"

namespace tnp {

// Whether a tensor may be an operand of what runs on `device`: it is there; or it is a number of the CPU, which kernels
// are given by value; or nothing runs, since the device is `meta`.
inline bool goes_along(const Tensor& t, Device device) {
  return t.device() == device || (t.device().is_cpu() && (t.dim() == 0 || device.is_meta()));
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

// Raises Runtime unless it goes along.
TNP_API TNP_COLD void check_device(const Tensor& t, Device device);
inline void check_device(TensorList list, Device device) {
  for (const Tensor& t : list) check_device(t, device);
}
inline void check_device(const std::optional<Device>&, Device) {}

// The device of these tensors, lists and places. Raises Runtime if one does not go along.
template <class... Ts>
inline Device device_of_all(const Ts&... places) {
  Device device;
  (find_device(device, places), ...);
  if (TNP_UNLIKELY(!device.is_cpu())) (check_device(places, device), ...);
  return device;
}

}  // namespace tnp
