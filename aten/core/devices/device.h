// Device: where the bytes of a storage are.
#pragma once

#include <cstdint>
#include <string>

#include "aten/core/errors/error.h"

namespace tnp {

// Meta: tensors of shape, dtype and strides without data. Operators on them give what a run would, and compute nothing.
enum class DeviceType : int8_t { CPU, CUDA, Meta };

struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = 0;
  bool is_cpu() const { return type == DeviceType::CPU; }
  bool is_cuda() const { return type == DeviceType::CUDA; }
  bool is_meta() const { return type == DeviceType::Meta; }
  friend bool operator==(Device, Device) = default;
};

// "cpu", "cuda:0"
TNP_API std::string to_string(Device device);
// Parses "cpu", "cuda", "cuda:1", "meta"; raises ErrorKind::Runtime for anything else, as torch.device does. "cuda" is
// the thread's current GPU.
TNP_API Device parse_device(std::string_view text);

// Where new arrays are made unless something else says where; of the process, the CPU at first.
TNP_API Device default_device();
TNP_API void set_default_device(Device device);

inline void append(std::string& out, Device d) { out += to_string(d); }

}  // namespace tnp
