// im2col and col2im on GPUs: one thread per element of the result.
#include "aten/kernel_functions/patches.h"
#include "aten/kernels/columns.h"
#include "aten/kernels/cuda/for_each.h"

namespace tnp {

namespace gpu {
namespace {

using FoldedTypes = Join<TypeList<Half, BFloat16>, InexactTypes>;
template <class T>
T* at(const Tensor& t) {
  return reinterpret_cast<T*>(t.address());
}

}  // namespace
}  // namespace gpu

void native::im2col_cuda(const Tensor& input, IntList kernel_size, IntList dilation, IntList padding, IntList stride,
                         const Tensor& out) {
  const Convolution c = patches_of(input.sizes(), kernel_size, dilation, padding, stride);
  visit<gpu::FoldedTypes>(input.dtype(), [&]<class T>() {
    gpu::for_each(out.numel(), GatherColumns<T>{c, gpu::at<const T>(input), gpu::at<T>(out)}, out.device());
  });
}

void native::col2im_cuda(const Tensor& input, IntList, IntList kernel_size, IntList dilation, IntList padding,
                         IntList stride, const Tensor& out) {
  const Convolution c = patches_of(out.sizes(), kernel_size, dilation, padding, stride);
  visit<gpu::FoldedTypes>(input.dtype(), [&]<class T>() {
    gpu::for_each(out.numel(), SumColumns<T, accumulate_t<T>>{c, gpu::at<const T>(input), nullptr, gpu::at<T>(out)},
                  out.device());
  });
}

}  // namespace tnp
