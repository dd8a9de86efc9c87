// Linear layers on a GPU: the matrix product, by cuBLAS, and then the bias, with one thread per
// element.
#include "aten/cuda/launch.h"
#include "aten/iterator/copy.h"
#include "aten/kernel_functions/linear.h"
#include "aten/kernel_functions/products.h"
#include "aten/kernels/cuda/copying/cast.h"

namespace tnp {

namespace gpu {
namespace {

template <class T>
struct AddBias {
  static constexpr uint32_t kThreads = 256;
  int64_t total, n;
  const T* bias;
  T* out;
  TNP_HOST_DEVICE void run(Place place) const {
    const int64_t step = static_cast<int64_t>(place.blocks) * kThreads;
    for (int64_t i = static_cast<int64_t>(place.block) * kThreads + place.thread; i < total; i += step)
      out[i] = static_cast<T>(out[i] + bias[i % n]);
  }
};

}  // namespace
}  // namespace gpu

void native::linear_cuda(const Tensor& input, const Tensor& weight, const Tensor& bias, const Tensor& out) {
  if (out.numel() == 0) return;
  const Tensor right = weight.dim() == 1 ? weight
                                         : view_of(weight, {weight.size(1), weight.size(0)},
                                                   {weight.stride(1), weight.stride(0)}, weight.address());
  if (!bias.defined()) return matmul_cuda(input, right, out);
  const ScalarType compute = compute_type(out.dtype());
  // 16-bit results are rounded once, after the sum.
  const bool wide = compute != out.dtype();
  auto in = [&](const Tensor& t) {
    if (!wide) return t;
    const Tensor copy = empty_tensor(t.sizes(), compute, t.device());
    copy_into(copy, t);
    return copy;
  };
  const Tensor sum = wide ? empty_tensor(out.sizes(), compute, out.device()) : out;
  matmul_cuda(in(input), in(right), sum);
  const Tensor added = in(bias);
  const int64_t n = bias.numel(), total = out.numel();
  visit<ComputeTypes>(compute, [&]<class T>() {
    using Kernel = gpu::AddBias<T>;
    const int64_t blocks = std::min<int64_t>((total + Kernel::kThreads - 1) / Kernel::kThreads, 1 << 16);
    gpu::launch(Kernel{total, n, reinterpret_cast<const T*>(added.address()), reinterpret_cast<T*>(sum.address())},
                static_cast<uint32_t>(blocks), out.device());
  });
  if (wide) copy_into(out, sum);
}

}  // namespace tnp
