// cuBLAS, opened at the first product: it is large, and many programs need none.
#include <cublas_v2.h>
#include <dlfcn.h>

#include <map>
#include <optional>

#include "aten/core/dtype.h"
#include "aten/cuda/streams.h"
#include "aten/kernels/cuda/blas.h"

// CUBLAS_VER_MAJOR as text.
#define TNP_TEXT(x) #x
#define TNP_STRING(x) TNP_TEXT(x)

namespace tnp::gpu {

namespace {

struct Library {
  decltype(&cublasCreate_v2) create;
  decltype(&cublasSetStream_v2) set_stream;
  decltype(&cublasGemmStridedBatchedEx_64) multiply;
  decltype(&cublasGetStatusString) message;
};

const Library& library() {
  static const Library loaded = [] {
    void* handle = nullptr;
    for (const char* name : {"libcublas.so." TNP_STRING(CUBLAS_VER_MAJOR), "libcublas.so"}) {
      if (!handle) handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    }
    const char* error = handle ? nullptr : dlerror();
    TNP_CHECK(handle, ErrorKind::Runtime, "matrix products on CUDA need cuBLAS: ", error ? error : "libcublas.so was not found");
    auto find = [&](const char* name) {
      void* f = dlsym(handle, name);
      TNP_CHECK(f, ErrorKind::Runtime, "this cuBLAS has no ", name);
      return f;
    };
    return Library{reinterpret_cast<decltype(&cublasCreate_v2)>(find("cublasCreate_v2")),
                   reinterpret_cast<decltype(&cublasSetStream_v2)>(find("cublasSetStream_v2")),
                   reinterpret_cast<decltype(&cublasGemmStridedBatchedEx_64)>(find("cublasGemmStridedBatchedEx_64")),
                   reinterpret_cast<decltype(&cublasGetStatusString)>(find("cublasGetStatusString"))};
  }();
  return loaded;
}

void check(cublasStatus_t status, const char* what) {
  TNP_CHECK(status == CUBLAS_STATUS_SUCCESS, ErrorKind::Runtime, "cuBLAS: ", what, ": ", library().message(status));
}

// One for each thread and device: a handle is for one stream at a time.
cublasHandle_t handle_for(int device) {
  thread_local std::map<int, cublasHandle_t> handles;
  cublasHandle_t& handle = handles[device];
  if (!handle) check(library().create(&handle), "start");
  check(library().set_stream(handle, reinterpret_cast<cudaStream_t>(current_stream(device))), "stream");
  return handle;
}

struct Types {
  cudaDataType_t data;
  cublasComputeType_t compute;
};
std::optional<Types> types_of(ScalarType dtype) {
  switch (dtype) {
    case ScalarType::Float16: return Types{CUDA_R_16F, CUBLAS_COMPUTE_32F};
    case ScalarType::BFloat16: return Types{CUDA_R_16BF, CUBLAS_COMPUTE_32F};
    case ScalarType::Float32: return Types{CUDA_R_32F, CUBLAS_COMPUTE_32F};
    case ScalarType::Float64: return Types{CUDA_R_64F, CUBLAS_COMPUTE_64F};
    case ScalarType::Complex64: return Types{CUDA_C_32F, CUBLAS_COMPUTE_32F};
    case ScalarType::Complex128: return Types{CUDA_C_64F, CUBLAS_COMPUTE_64F};
    default: return std::nullopt;
  }
}

}  // namespace

bool multiply(ScalarType dtype, int64_t m, int64_t n, int64_t k, const MatrixStack& a, const MatrixStack& b, void* out, int64_t count, Device device) {
  const std::optional<Types> types = types_of(dtype);
  if (!types) return false;
  DeviceGuard guard(device.index);
  // What lies row by row is, column by column, its transpose: out^T = b^T a^T.
  auto operation = [](const MatrixStack& s) { return s.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const Complex<double> wide_one(1), wide_zero(0);
  const Complex<float> one(1), zero(0);  // a real one is the first half
  const bool wide = types->compute == CUBLAS_COMPUTE_64F;
  const void *alpha = wide ? static_cast<const void*>(&wide_one) : &one, *beta = wide ? static_cast<const void*>(&wide_zero) : &zero;
  check(library().multiply(handle_for(device.index), operation(b), operation(a), n, m, k, alpha, b.data, types->data, b.leading, b.step, a.data,
                           types->data, a.leading, a.step, beta, out, types->data, n, m * n, count, types->compute, CUBLAS_GEMM_DEFAULT),
        "matrix product");
  return true;
}

}  // namespace tnp::gpu
