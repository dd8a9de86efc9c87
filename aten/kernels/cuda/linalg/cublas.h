// cuBLAS: the library, a handle per thread and device, and its data types. For *_cuda.cu only.
#pragma once

#include <cublas_v2.h>

#include "aten/core/numbers/dtype.h"
#include "aten/cuda/streams.h"
#include "aten/kernels/cuda/shared_library.h"

namespace tnp::gpu {

const SharedLibrary& cublas();
void check(cublasStatus_t status, const char* what);

// RAII scope in which the device is current. Calls with the scope's handle go into the device's
// current stream.
class CublasScope {
 public:
  explicit CublasScope(Device device);
  cublasHandle_t handle() const { return handle_; }

 private:
  DeviceGuard guard_;
  cublasHandle_t handle_;
};

// The library's data type for a floating or complex dtype.
cudaDataType_t cuda_type(ScalarType dtype);

// Converts a size for interfaces with 32-bit integers. Raises Value if it does not fit.
inline int to_int(int64_t v, const char* what) {
  TNP_CHECK(v <= INT32_MAX, ErrorKind::Value, what, ": array is too big: ", v, " does not fit 32 bits");
  return static_cast<int>(v);
}

// The library's element type for elements of type T.
template <class T>
struct NumberOf {
  using type = T;
};
template <>
struct NumberOf<Complex<float>> {
  using type = cuComplex;
};
template <>
struct NumberOf<Complex<double>> {
  using type = cuDoubleComplex;
};
template <class T>
using number_t = typename NumberOf<T>::type;

}  // namespace tnp::gpu
