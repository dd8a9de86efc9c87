// The structures of the DLPack 1.0 ABI that the engine uses (https://dmlc.github.io/dlpack,
// dlpack.h).
#pragma once

#include <cstdint>
#include <optional>

#include "aten/core/numbers/dtype.h"

namespace tnp::dlpack {

enum DeviceType : int32_t { kCPU = 1, kCUDA = 2, kCUDAHost = 3, kCUDAManaged = 13 };
enum TypeCode : uint8_t { kInt = 0, kUInt = 1, kFloat = 2, kBfloat = 4, kComplex = 5, kBool = 6 };

struct Device {
  int32_t type;
  int32_t id;
};
struct DataType {
  uint8_t code, bits;
  uint16_t lanes;
};
constexpr DataType data_type(ScalarType t) {
  const uint8_t code = is_bool(t)                  ? kBool
                       : t == ScalarType::BFloat16 ? kBfloat
                       : is_complex(t)             ? kComplex
                       : is_floating(t)            ? kFloat
                       : is_unsigned(t)            ? kUInt
                                                   : kInt;
  return {code, static_cast<uint8_t>(element_size(t) * 8), 1};
}
// The ScalarType of `d`; nullopt if there is none, or if `d` has several lanes.
TNP_API std::optional<ScalarType> scalar_type(DataType d);

struct DLTensor {
  void* data;
  Device device;
  int32_t ndim;
  DataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; null: contiguous
  uint64_t byte_offset;
};
struct ManagedTensor {  // the content of a capsule named "dltensor"
  DLTensor tensor;
  void* context;
  void (*deleter)(ManagedTensor*);
};
struct Version {
  uint32_t major, minor;
};
inline constexpr uint64_t kReadOnly = 1, kIsCopied = 2;
struct ManagedTensorVersioned {  // the content of a capsule named "dltensor_versioned"
  Version version;
  void* context;
  void (*deleter)(ManagedTensorVersioned*);
  uint64_t flags;
  DLTensor tensor;
};

}  // namespace tnp::dlpack
