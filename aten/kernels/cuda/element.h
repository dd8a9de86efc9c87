// Loads and stores of elements of any dtype, one or several at a time, with a conversion in
// registers to the type that a kernel computes in.
#pragma once

#include <cstdint>

#include "aten/core/numbers/dtype.h"

namespace tnp::gpu {

#if defined(__CUDACC__)
#define TNP_UNROLL _Pragma("unroll")
#define TNP_DEVICE_NOINLINE __noinline__
#else
#define TNP_UNROLL
#define TNP_DEVICE_NOINLINE __attribute__((noinline))
#endif

// clang-format off
#define TNP_FOR_ALL_DTYPES(X)                                                                                                  \
  X(bool, Bool) X(uint8_t, UInt8) X(uint16_t, UInt16) X(uint32_t, UInt32) X(uint64_t, UInt64) X(int8_t, Int8) X(int16_t, Int16) \
  X(int32_t, Int32) X(int64_t, Int64) X(Half, Float16) X(BFloat16, BFloat16) X(float, Float32) X(double, Float64)               \
  X(Complex<float>, Complex64) X(Complex<double>, Complex128)
// clang-format on

// Loads an element of any dtype and converts it: a function call and a switch. The function is not
// inlined, to keep the hundreds of kernels small. load_element() and store_element() inline the
// common cases (the kernel's own type and 16-bit floats).
template <class T>
TNP_HOST_DEVICE TNP_DEVICE_NOINLINE T load_cast(const char* at, ScalarType dtype) {
  switch (dtype) {
#define TNP_CASE(type, name) \
  case ScalarType::name:     \
    return convert<T>(static_cast<type>(*reinterpret_cast<const stored_t<type>*>(at)));
    TNP_FOR_ALL_DTYPES(TNP_CASE)
#undef TNP_CASE
  }
  return T();
}

template <class T>
TNP_HOST_DEVICE TNP_DEVICE_NOINLINE void store_cast(char* at, ScalarType dtype, T value) {
  switch (dtype) {
#define TNP_CASE(type, name)                             \
  case ScalarType::name:                                 \
    *reinterpret_cast<type*>(at) = convert<type>(value); \
    return;
    TNP_FOR_ALL_DTYPES(TNP_CASE)
#undef TNP_CASE
  }
}

template <class T>
TNP_HOST_DEVICE TNP_INLINE T load_element(const char* at, ScalarType dtype) {
  if (dtype == scalar_type_of<T>) return static_cast<T>(*reinterpret_cast<const stored_t<T>*>(at));
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == ScalarType::BFloat16) return *reinterpret_cast<const BFloat16*>(at);
    if (dtype == ScalarType::Float16) return *reinterpret_cast<const Half*>(at);
  }
  return load_cast<T>(at, dtype);
}

template <class T>
TNP_HOST_DEVICE TNP_INLINE void store_element(char* at, ScalarType dtype, T value) {
  if (dtype == scalar_type_of<T>) {
    *reinterpret_cast<T*>(at) = value;
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == ScalarType::BFloat16) {
      *reinterpret_cast<BFloat16*>(at) = BFloat16(value);
      return;
    }
    if (dtype == ScalarType::Float16) {
      *reinterpret_cast<Half*>(at) = Half(value);
      return;
    }
  }
  store_cast<T>(at, dtype, value);
}

// V adjacent elements that are loaded or stored at once. `V * sizeof(T)` is 1, 2, 4, 8 or 16.
template <class T, int V>
struct alignas(sizeof(T) * V) Pack {
  T item[V];
};

template <class Stored, class T, int V>
TNP_HOST_DEVICE TNP_INLINE void store_pack(char* at, const T (&values)[V]) {
  Pack<Stored, V> pack;
  TNP_UNROLL
  for (int i = 0; i < V; ++i) pack.item[i] = convert<Stored>(values[i]);
  *reinterpret_cast<Pack<Stored, V>*>(at) = pack;
}

// Whether a kernel that computes in `loop_dtype` moves several elements of `dtype` at a time.
constexpr bool packs(ScalarType dtype, ScalarType loop_dtype) {
  return dtype == loop_dtype || (is_reduced_float(dtype) && loop_dtype == ScalarType::Float32);
}

// Note [Loads and conversions apart] A conversion waits for its load. A thread therefore first
// loads all its elements, in the dtype they have in memory, into registers, and then converts them.
template <class T, int V>
struct Loaded {
  stored_t<T> item[V];  // two 16-bit floats share the bits of one float
};

// Loads V adjacent elements. `at` is aligned to V elements if packs() is true. If packs() is false,
// loads nothing, and converted() reads the elements instead.
template <class T, int V>
TNP_HOST_DEVICE TNP_INLINE void load(const char* at, ScalarType dtype, Loaded<T, V>& to) {
  if (dtype == scalar_type_of<T>) {
    if constexpr (V == 1) {  // a complex number may have only the alignment of its real part
      to.item[0] = *reinterpret_cast<const stored_t<T>*>(at);
      return;
    }
    const auto pack = *reinterpret_cast<const Pack<stored_t<T>, V>*>(at);
    TNP_UNROLL
    for (int i = 0; i < V; ++i) to.item[i] = pack.item[i];
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    if (!is_reduced_float(dtype)) return;
    if constexpr (V == 1) {
      to.item[0] = std::bit_cast<float>(uint32_t{*reinterpret_cast<const uint16_t*>(at)});
    } else {
      const auto pack = *reinterpret_cast<const Pack<uint32_t, V / 2>*>(at);
      TNP_UNROLL
      for (int i = 0; i < V / 2; ++i) to.item[i] = std::bit_cast<float>(pack.item[i]);
    }
  }
}

// Converts the elements that load() read from `at`.
template <class T, int V>
TNP_HOST_DEVICE TNP_INLINE void converted(const Loaded<T, V>& loaded, const char* at, ScalarType dtype, int64_t size,
                                          T (&out)[V]) {
  if (dtype == scalar_type_of<T>) {
    TNP_UNROLL
    for (int i = 0; i < V; ++i) out[i] = static_cast<T>(loaded.item[i]);
    return;
  }
  if constexpr (std::is_same_v<T, float>) {
    auto bits = [&](int i) {
      return static_cast<uint16_t>(std::bit_cast<uint32_t>(loaded.item[i / 2]) >> (i % 2 * 16));
    };
    if (dtype == ScalarType::BFloat16) {
      TNP_UNROLL
      for (int i = 0; i < V; ++i) out[i] = BFloat16(bits(i), BFloat16::FromBits());
      return;
    }
    if (dtype == ScalarType::Float16) {
      TNP_UNROLL
      for (int i = 0; i < V; ++i) out[i] = Half(bits(i), Half::FromBits());
      return;
    }
  }
  TNP_UNROLL
  for (int i = 0; i < V; ++i) out[i] = load_cast<T>(at + i * size, dtype);
}

template <class T, int V>
TNP_HOST_DEVICE TNP_INLINE void store_elements(char* at, ScalarType dtype, int64_t size, const T (&values)[V]) {
  if (dtype == scalar_type_of<T>) return store_pack<T>(at, values);
  if constexpr (std::is_same_v<T, float>) {
    if (dtype == ScalarType::BFloat16) return store_pack<BFloat16>(at, values);
    if (dtype == ScalarType::Float16) return store_pack<Half>(at, values);
  }
  TNP_UNROLL
  for (int i = 0; i < V; ++i) store_cast<T>(at + i * size, dtype, values[i]);
}

}  // namespace tnp::gpu
