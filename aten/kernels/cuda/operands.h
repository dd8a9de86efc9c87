// Operands of kernels as pointers (null for undefined tensors), and parameters of either width.
#pragma once

#include "aten/core/tensor.h"

namespace tnp::gpu {

// The address of a tensor that is in device memory. The shape function has already moved other
// tensors there.
inline void* address_on_device(const Tensor& t) {
  TNP_INTERNAL_ASSERT(!t.device().is_cpu());
  return t.address();
}

template <class T>
T* pointer(const Tensor& t) {
  return t.defined() ? static_cast<T*>(address_on_device(t)) : nullptr;
}

// An array of numbers that is read as A. In memory, its dtype is A's or a 16-bit float. A null
// address means that the parameter is absent.
template <class A>
struct Parameter {
  const char* at = nullptr;
  ScalarType dtype{};
  Parameter() = default;
  explicit Parameter(const Tensor& t) {
    if (t.defined()) at = static_cast<const char*>(address_on_device(t)), dtype = t.dtype();
  }
  TNP_HOST_DEVICE explicit operator bool() const { return at != nullptr; }
  TNP_HOST_DEVICE TNP_INLINE A operator[](int64_t i) const {
    if constexpr (std::is_same_v<A, float>) {
      if (dtype == ScalarType::Float16) return reinterpret_cast<const Half*>(at)[i];
      if (dtype == ScalarType::BFloat16) return reinterpret_cast<const BFloat16*>(at)[i];
    }
    return reinterpret_cast<const A*>(at)[i];
  }
};

}  // namespace tnp::gpu
