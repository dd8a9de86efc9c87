// cuSOLVER: the library, a handle for each thread and device, workspaces. For *_cuda.cu only.
#pragma once

#include <cusolverDn.h>

#include <algorithm>
#include <memory>

#include "aten/core/tensor.h"
#include "aten/kernels/cuda/linalg/cublas.h"

namespace tnp::gpu::solver {

const SharedLibrary& cusolver();
void check(cusolverStatus_t status, const char* what);

// A function of the library, by its own name and type.
#define TNP_CUSOLVER(function) (::tnp::gpu::solver::cusolver().get<decltype(&function)>(#function))

// While it lives, the device is current. The handle works in the device's current stream.
class CusolverScope {
 public:
  explicit CusolverScope(Device device);
  cusolverDnHandle_t handle() const { return handle_; }
  cusolverDnParams_t params() const { return params_; }  // the defaults

 private:
  DeviceGuard guard_;
  cusolverDnHandle_t handle_;
  cusolverDnParams_t params_;
};

// What the 64-bit routines work in, one call after the other. The device's part may go as soon as the calls are made;
// the host's part may be used until the stream has come there, so its end waits.
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

// The addresses of all of them, in device memory: what batched routines take.
Tensor addresses_of(const Tensor& stack);

// Whether a batched routine takes less time than as many calls: many small matrices. One large one keeps the GPU busy
// by itself.
inline bool in_batches(int64_t count, int64_t n) { return count > 8 && n < 512; }

// Calls body(first, how many) until all `count` matrices had their turn. Batched routines take no more at a time than
// this, since they count elements and blocks with 32 bits or fewer: cusolverDnXsyevBatched refuses 2^15 matrices.
constexpr int64_t kMatricesTogether = 1 << 14;
template <class F>
void in_pieces(int64_t count, F&& body, int64_t together = kMatricesTogether) {
  for (int64_t i = 0; i < count; i += together) body(i, std::min(together, count - i));
}

}  // namespace tnp::gpu::solver
