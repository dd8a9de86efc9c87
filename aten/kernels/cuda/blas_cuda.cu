// Products by cuBLAS.
#include "aten/kernels/cuda/blas.h"

#include <optional>

#include "aten/kernels/cuda/cublas.h"

namespace tnp::gpu {

bool multiply(ScalarType dtype, int64_t m, int64_t n, int64_t k, const MatrixStack& a, const MatrixStack& b, void* out, int64_t count, Device device) {
  if (is_integral(dtype)) return false;
  const cudaDataType_t type = cuda_type(dtype);
  const bool wide = dtype == ScalarType::Float64 || dtype == ScalarType::Complex128;
  const cublasComputeType_t compute = wide ? CUBLAS_COMPUTE_64F : CUBLAS_COMPUTE_32F;
  // What lies row by row is, column by column, its transpose: out^T = b^T a^T.
  auto operation = [](const MatrixStack& s) { return s.transposed ? CUBLAS_OP_T : CUBLAS_OP_N; };
  const Complex<double> wide_one(1), wide_zero(0);
  const Complex<float> one(1), zero(0);  // a real one is the first half
  const void *alpha = wide ? static_cast<const void*>(&wide_one) : &one, *beta = wide ? static_cast<const void*>(&wide_zero) : &zero;
  CublasScope scope(device);
  static const auto gemm = cublas().get<decltype(&cublasGemmStridedBatchedEx_64)>("cublasGemmStridedBatchedEx_64");
  check(gemm(scope.handle(), operation(b), operation(a), n, m, k, alpha, b.data, type, b.leading, b.step, a.data, type, a.leading, a.step, beta, out, type, n,
             m * n, count, compute, CUBLAS_GEMM_DEFAULT),
        "matrix product");
  return true;
}

}  // namespace tnp::gpu
