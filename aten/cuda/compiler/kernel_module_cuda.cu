// Fused kernels on a GPU: NVRTC and the CUDA runtime.
#include <cuda_runtime.h>

#include <cstring>

#include "aten/core/errors/error.h"
#include "aten/cuda/compiler/fused_kernel.h"
#include "aten/cuda/compiler/kernel_module.h"
#include "aten/cuda/compiler/nvrtc.h"

namespace tnp::gpu {

#if CUDART_VERSION >= 12080

namespace {

// A loaded kernel. Never unloaded: when the last user releases the kernel, a launch may be running
// or be part of a graph.
class Module final : public KernelModule {
 public:
  explicit Module(cudaKernel_t kernel) : kernel_(kernel) {}

  void launch(std::span<const KernelOperand> operands, uint32_t numel, uint32_t blocks, StreamHandle stream) override {
    // The driver reads as many bytes as the kernel's parameter has.
    void* arguments[] = {const_cast<KernelOperand*>(operands.data()), &numel};
    const cudaError_t status =
        cudaLaunchKernel(reinterpret_cast<const void*>(kernel_), dim3(blocks), dim3(fused_kernel::kThreads), arguments,
                         0, reinterpret_cast<cudaStream_t>(stream));
    if (status == cudaSuccess) return;
    cudaGetLastError();
    TNP_RAISE(ErrorKind::Runtime, "CUDA: launch of a fused kernel: ", cudaGetErrorString(status), " (",
              cudaGetErrorName(status), ")");
  }

 private:
  cudaKernel_t kernel_;
};

}  // namespace

bool has_compiler() { return has_nvrtc(); }

std::unique_ptr<KernelModule> load_kernel(const std::string& source) {
  int device = 0, major = 0, minor = 0;
  if (cudaGetDevice(&device) != cudaSuccess ||
      cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess ||
      cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device) != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  const Compiled compiled = compile_by_nvrtc(source, "sm_" + std::to_string(major) + std::to_string(minor));
  if (compiled.code.empty()) return nullptr;
  cudaLibrary_t library = nullptr;
  cudaKernel_t kernel = nullptr;
  if (cudaLibraryLoadData(&library, compiled.code.data(), nullptr, nullptr, 0, nullptr, nullptr, 0) != cudaSuccess ||
      cudaLibraryGetKernel(&kernel, library, "tnp_fused_kernel") != cudaSuccess) {
    cudaGetLastError();
    return nullptr;
  }
  return std::make_unique<Module>(kernel);
}

#else

bool has_compiler() { return false; }
std::unique_ptr<KernelModule> load_kernel(const std::string&) { return nullptr; }

#endif

}  // namespace tnp::gpu
