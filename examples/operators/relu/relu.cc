// max(x, 0) on the CPU, and also on a GPU if relu_cuda.cu is compiled.
#include <torch_np/extension.h>

using namespace torch_np;

static void relu(Tensor x, Tensor result) {
  with_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T* from = x.data<T>();
    T* to = result.data<T>();
    for (int64_t i = 0, n = x.numel(); i < n; ++i) to[i] = from[i] > 0 ? from[i] : 0;
  });
}

static void relu_gradient(const Gradient& g, Tensor x) {
  with_floating(x.dtype(), [&](auto zero) {
    using T = decltype(zero);
    const T *from = x.data<T>(), *grad = g.grad().data<T>();
    T* to = g.input_grad().data<T>();
    for (int64_t i = 0, n = x.numel(); i < n; ++i) to[i] = from[i] > 0 ? grad[i] : 0;
  });
}

void relu_gpu(const OpResource& resource, Tensor x, Tensor result);
void relu_gradient_gpu(const Gradient& g, Tensor x);

TORCH_NP_OP("my_relu(Tensor x) -> Tensor", relu)
    .gradient(relu_gradient)
#ifdef WITH_CUDA
    .forward(relu_gpu, "gpu")
    .gradient(relu_gradient_gpu, "gpu")
#endif
    .doc("max(x, 0) of float32 or float64.");
