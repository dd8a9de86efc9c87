// cuSOLVER: the library, a handle per thread and device, workspaces. For *_cuda.cu only.
#pragma once

#include <cusolverDn.h>

#include <algorithm>
#include <memory>

#include "aten/core/tensor.h"
#include "aten/kernels/cuda/linalg/cublas.h"

namespace tnp::gpu::solver {

const SharedLibrary& cusolver();
void check(cusolverStatus_t status, const char* what);

// A function of the library, with its own name and type.
#define TNP_CUSOLVER(function) (::tnp::gpu::solver::cusolver().get<decltype(&function)>(#function))

// RAII scope in which the device is current. Calls with the scope's handle go into the device's
// current stream.
class CusolverScope {
 public:
  explicit CusolverScope(Device device);
  cusolverDnHandle_t handle() const { return handle_; }
  cusolverDnParams_t params() const { return params_; }  // default parameters

 private:
  DeviceGuard guard_;
  cusolverDnHandle_t handle_;
  cusolverDnParams_t params_;
};

// Workspace of the 64-bit routines, shared by consecutive calls. The device memory may be freed
// once the calls are queued. The stream may use the host memory until it has executed the calls, so
// the destructor waits for the stream.
class Workspace {
 public:
  Workspace(Device device, size_t device_bytes, size_t host_bytes);
  ~Workspace();
  Workspace(const Workspace&) = delete;
  Workspace& operator=(const Workspace&) = delete;
  void* device_data() const { return on_device_.address(); }
  void* host_data() const { return on_host_.get(); }
  const size_t device_bytes, host_bytes;

 private:
  Device device_;
  Tensor on_device_;
  std::unique_ptr<char[]> on_host_;
};

inline Tensor new_info(const Tensor& a) { return empty_tensor({a.size(0)}, ScalarType::Int32, a.device()); }

// The i-th matrix (or row) of a contiguous stack.
template <class T = void>
T* matrix(const Tensor& stack, int64_t i) {
  return reinterpret_cast<T*>(stack.address() + i * (stack.numel() / stack.size(0)) * stack.itemsize());
}

// The addresses of all matrices, in device memory: the argument of batched routines.
Tensor addresses_of(const Tensor& stack);

// Whether one batched call is faster than a call per matrix: for many small matrices. A single
// large matrix keeps the GPU busy.
inline bool in_batches(int64_t count, int64_t n) { return count > 8 && n < 512; }

// Calls body(first, count) for consecutive pieces of at most `together` matrices. Batched routines
// have a limit because they count elements and blocks with 32 bits or fewer: cusolverDnXsyevBatched
// rejects 2^15 matrices.
constexpr int64_t kMatricesTogether = 1 << 14;
template <class F>
void in_pieces(int64_t count, F&& body, int64_t together = kMatricesTogether) {
  for (int64_t i = 0; i < count; i += together) body(i, std::min(together, count - i));
}

}  // namespace tnp::gpu::solver
