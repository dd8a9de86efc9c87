// The same on a GPU: kernels are launched in the stream of torch_np.
#include <cuda_runtime.h>
#include <torch_np/extension.h>

using namespace torch_np;

template <class T>
__global__ void relu_kernel(const T* x, T* result, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) result[i] = x[i] > 0 ? x[i] : T(0);
}

template <class T>
__global__ void relu_gradient_kernel(const T* x, const T* grad, T* result, int64_t n) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < n) result[i] = x[i] > 0 ? grad[i] : T(0);
}

// One thread for each of n elements.
template <class... Ts>
static void launch(const OpResource& resource, int64_t n, void (*kernel)(Ts...), Ts... arguments) {
  if (n == 0) return;
  constexpr int kThreads = 256;
  void* pointers[] = {&arguments...};
  const dim3 blocks(static_cast<unsigned>((n + kThreads - 1) / kThreads)), threads(kThreads);
  // Reports a failed launch. A failure within the kernel is reported later, by the next call that
  // waits for the device.
  const cudaError_t error =
      cudaLaunchKernel(kernel, blocks, threads, pointers, 0, resource.get_cuda_stream<cudaStream_t>());
  if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));
}

void relu_gpu(const OpResource& resource, Tensor x, Tensor result) {
  with_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    launch(resource, x.numel(), relu_kernel<T>, from, result.data<T>(), x.numel());
  });
}

void relu_gradient_gpu(const Gradient& g, Tensor x) {
  with_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = x.data<T>(), *grad = g.grad().data<T>();
    launch(g, x.numel(), relu_gradient_kernel<T>, from, grad, g.input_grad().data<T>(), x.numel());
  });
}
