#include "aten/kernels/cuda/handle_pool.h"
#include "aten/kernels/cuda/linalg/cublas.h"

namespace tnp::gpu {

const SharedLibrary& cublas() {
  static const SharedLibrary library("cuBLAS", {"libcublas.so." TNP_STRING(CUBLAS_VER_MAJOR), "libcublas.so"});
  return library;
}

void check(cublasStatus_t status, const char* what) {
  if (TNP_LIKELY(status == CUBLAS_STATUS_SUCCESS)) return;
  const char* text = cublas().get<decltype(&cublasGetStatusString)>("cublasGetStatusString")(status);
  TNP_RAISE(status == CUBLAS_STATUS_ALLOC_FAILED ? ErrorKind::Memory : ErrorKind::Runtime, "cuBLAS: ", what, ": ",
            text);
}

// There is one handle per thread and device, because a handle serves one stream at a time.
CublasScope::CublasScope(Device device) : guard_(device.index) {
  const cublasHandle_t handle = HandlePool<cublasHandle_t>::of(device.index, [] {
    cublasHandle_t made = nullptr;
    check(cublas().get<decltype(&cublasCreate_v2)>("cublasCreate_v2")(&made), "start");
    // Partial sums of a split product are not rounded to 16 bits before they are added.
    check(cublas().get<decltype(&cublasSetMathMode)>("cublasSetMathMode")(
              made, CUBLAS_MATH_DISALLOW_REDUCED_PRECISION_REDUCTION),
          "start");
    return made;
  });
  static const auto set_stream = cublas().get<decltype(&cublasSetStream_v2)>("cublasSetStream_v2");
  check(set_stream(handle, reinterpret_cast<cudaStream_t>(current_stream(device.index))), "stream");
  handle_ = handle;
}

cudaDataType_t cuda_type(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float16:
      return CUDA_R_16F;
    case ScalarType::BFloat16:
      return CUDA_R_16BF;
    case ScalarType::Float32:
      return CUDA_R_32F;
    case ScalarType::Float64:
      return CUDA_R_64F;
    case ScalarType::Complex64:
      return CUDA_C_32F;
    case ScalarType::Complex128:
      return CUDA_C_64F;
    default:
      detail::raise_unsupported_dtype(dtype);
  }
}

}  // namespace tnp::gpu
