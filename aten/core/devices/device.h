// Device: the location of a storage's memory.
#pragma once

#include <cstdint>
#include <string>

#include "aten/core/errors/error.h"

namespace tnp {

// A Meta tensor has shape, dtype and strides but no data. Operators on Meta tensors infer the
// result's metadata and compute nothing.
// A Sparse tensor has shape and dtype but no elements: Note [Sparse tensors] in aten/core/sparse.h.
// A Wrapped tensor belongs to a transformation: Note [Wrapped tensors] in aten/core/wrapped.h.
// No operator has kernels for these two.
enum class DeviceType : int8_t { CPU, CUDA, Meta, Sparse, Wrapped };

struct Device {
  DeviceType type = DeviceType::CPU;
  int8_t index = 0;
  bool is_cpu() const { return type == DeviceType::CPU; }
  bool is_cuda() const { return type == DeviceType::CUDA; }
  bool is_meta() const { return type == DeviceType::Meta; }
  bool is_sparse() const { return type == DeviceType::Sparse; }
  bool is_wrapped() const { return type == DeviceType::Wrapped; }
  friend bool operator==(Device, Device) = default;
};

// "cpu", "cuda:0"
TNP_API std::string to_string(Device device);
// Parses "cpu", "cuda", "cuda:1", "meta". Raises ErrorKind::Runtime for any other text, as
// torch.device does. "cuda" is the thread's current GPU.
TNP_API Device parse_device(std::string_view text);

// The process-wide default device of new arrays, initially the CPU.
TNP_API Device default_device();
TNP_API void set_default_device(Device device);

inline void append(std::string& out, Device d) { out += to_string(d); }

}  // namespace tnp
