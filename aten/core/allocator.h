// Memory for storages. One allocator a device type; CUDA registers its own when its library is loaded.
#pragma once

#include <cstddef>
#include <cstdint>

#include "aten/core/device.h"

namespace tnp {

struct Allocation {
  void* data = nullptr;
  size_t bytes = 0;
};

class TNP_API Allocator {
 public:
  virtual ~Allocator() = default;
  // At least `bytes` bytes, aligned to 64. Raises ErrorKind::Memory with the size asked for.
  virtual Allocation allocate(size_t bytes, Device device) = 0;
  virtual void free(Allocation block, Device device) noexcept = 0;
};

TNP_API Allocator& allocator(DeviceType type);  // raises NotImplemented if the device type has none
TNP_API void register_allocator(DeviceType type, Allocator* a);

}  // namespace tnp
