// Convolutions on GPUs by im2col: one thread per element gathers the columns of a few images, and
// cuBLAS multiplies them. 16-bit floats are computed in float32. Signed integers are computed as
// unsigned integers of the same size, which wrap in the same way.
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/kernel_functions/convolution.h"
#include "aten/kernels/columns.h"
#include "aten/kernels/cuda/for_each.h"
#include "aten/kernels/cuda/linalg/blas.h"

namespace tnp {

namespace gpu {
namespace {

template <class T>
struct AddBias {
  T* y;
  const T* bias;
  int64_t plane, channels;
  TNP_HOST_DEVICE void operator()(int64_t i) const { y[i] += bias[i / plane % channels]; }
};

// to[i] = (or +=) the sum of `count` numbers with stride `step`.
template <class T>
struct SumOver {
  const T* from;
  T* to;
  int64_t count, step;
  bool add;
  TNP_HOST_DEVICE void operator()(int64_t i) const {
    T sum = add ? to[i] : T(0);
    for (int64_t j = 0; j < count; ++j) sum += from[j * step + i];
    to[i] = sum;
  }
};

// to[k] = the sum of the planes of channel k.
template <class T>
struct SumChannel {
  const T* from;
  T* to;
  int64_t images, channels, plane;
  TNP_HOST_DEVICE void operator()(int64_t k) const {
    T total(0);
    for (int64_t image = 0; image < images; ++image) {
      const T* line = from + (image * channels + k) * plane;
      T sum(0);
      for (int64_t i = 0; i < plane; ++i) sum += line[i];
      total += sum;
    }
    to[k] = total;
  }
};

template <class T>
T* at(const Tensor& t) {
  return t.defined() ? reinterpret_cast<T*>(t.address()) : nullptr;
}

void multiply_all(const MatrixProduct& p, Device device) {
  if (!multiply(p, device)) multiply_elements(p, device);
}

ScalarType unsigned_of(ScalarType integer) {
  switch (element_size(integer)) {
    case 1:
      return ScalarType::UInt8;
    case 2:
      return ScalarType::UInt16;
    case 4:
      return ScalarType::UInt32;
    default:
      return ScalarType::UInt64;
  }
}

// The number of images whose columns are in memory at once. With groups the number is 1, because a
// batched product runs over the groups of one image.
int64_t together(const Convolution& c, int64_t itemsize) {
  constexpr int64_t kBytes = int64_t{64} << 20;
  return c.groups > 1 ? 1
                      : std::clamp<int64_t>(kBytes / std::max<int64_t>(c.rows() * c.y_plane() * itemsize, 1), 1,
                                            std::max<int64_t>(c.images, 1));
}

enum class Pass { Forward, Input, Weight };

template <class T>
void run(Pass pass, const Convolution& c, const Tensor& x, const Tensor& weight, const Tensor& y, const Tensor& bias) {
  const Device device = x.device();
  const ScalarType dtype = scalar_type_of<T>;
  const int64_t rows = c.rows(), plane = c.y_plane(), chunk = together(c, sizeof(T)), weights = c.y_channels * rows;
  const Tensor columns = empty_tensor({chunk * c.groups * rows * plane}, dtype, device);
  const Tensor parts = pass == Pass::Weight ? empty_tensor({chunk * c.groups * weights}, dtype, device) : Tensor();
  const int64_t step = c.groups > 1 ? weights : 0;
  for (int64_t image = 0; image < c.images; image += chunk) {
    const int64_t images = std::min(chunk, c.images - image), count = images * c.groups;
    T* px = at<T>(x) + image * c.groups * c.x_channels * c.x_plane();
    T* py = at<T>(y) + image * c.groups * c.y_channels * plane;
    if (pass != Pass::Input) for_each(count * rows * plane, GatherColumns<T>{c, px, at<T>(columns)}, device);
    MatrixProduct p{dtype, float32_matmul_precision(), 0, 0, 0, count, {}, {}, nullptr, 0};
    switch (pass) {
      case Pass::Forward:
        p.m = c.y_channels, p.n = plane, p.k = rows;
        p.a = {at<T>(weight), rows, step, false};
        p.b = {at<T>(columns), plane, rows * plane, false};
        p.out = py, p.out_step = c.y_channels * plane;
        multiply_all(p, device);
        break;
      case Pass::Input:
        p.m = rows, p.n = plane, p.k = c.y_channels;
        p.a = {at<T>(weight), rows, step, true};
        p.b = {py, plane, c.y_channels * plane, false};
        p.out = at<T>(columns), p.out_step = rows * plane;
        multiply_all(p, device);
        for_each(count * c.x_channels * c.x_plane(), SumColumns<T, T>{c, at<T>(columns), at<T>(bias), px}, device);
        break;
      case Pass::Weight:
        p.m = c.y_channels, p.n = rows, p.k = plane;
        p.a = {py, plane, c.y_channels * plane, false};
        p.b = {at<T>(columns), plane, rows * plane, true};
        p.out = at<T>(parts), p.out_step = weights;
        multiply_all(p, device);
        for_each(c.groups * weights, SumOver<T>{at<T>(parts), at<T>(weight), images, c.groups * weights, image > 0},
                 device);
        break;
    }
  }
  if (pass == Pass::Forward && bias.defined())
    for_each(y.numel(), AddBias<T>{at<T>(y), at<T>(bias), plane, c.groups * c.y_channels}, device);
  if (pass == Pass::Weight && c.images == 0)
    for_each(weight.numel(), SumOver<T>{nullptr, at<T>(weight), 0, 0, false}, device);
}

void convolve(Pass pass, const Tensor& x, const Tensor& weight, const Tensor& y, const Tensor& bias, IntList stride,
              IntList padding, IntList dilation, int64_t groups) {
  const Tensor& written = pass == Pass::Forward ? y : pass == Pass::Input ? x : weight;
  const ScalarType dtype = compute_type(written.dtype());
  auto dense = [&](const Tensor& t) {
    if (!t.defined() || (t.dtype() == dtype && t.is_contiguous())) return t;
    return t.is_same(written) ? empty_tensor(t.sizes(), dtype, t.device()) : native::to_dense(t, dtype);
  };
  const Tensor from_x = dense(x), from_weight = dense(weight), from_y = dense(y), from_bias = dense(bias);
  const Convolution c = convolution_of(x.sizes(), weight.sizes(), y.sizes(), stride, padding, dilation, groups);
  auto body = [&]<class T>() { run<T>(pass, c, from_x, from_weight, from_y, from_bias); };
  if (is_integral(dtype))
    visit<UnsignedTypes>(unsigned_of(dtype), body);
  else
    visit<FloatTypes>(dtype, body);
  const Tensor& result = pass == Pass::Forward ? from_y : pass == Pass::Input ? from_x : from_weight;
  if (!result.is_same(written)) copy_into(written, result);
}

void sum_channels(const Tensor& grad, const Tensor& to) {
  const ScalarType dtype = compute_type(to.dtype());
  const Tensor y = native::to_dense(grad, dtype);
  const Tensor sums = to.dtype() == dtype ? to : empty_tensor(to.sizes(), dtype, to.device());
  const int64_t images = y.size(0), channels = y.size(1);
  const int64_t plane = y.numel() > 0 ? y.numel() / images / channels : 0;
  visit<FloatTypes>(dtype, [&]<class T>() {
    for_each(channels, SumChannel<T>{at<T>(y), at<T>(sums), images, channels, plane}, to.device());
  });
  if (!sums.is_same(to)) copy_into(to, sums);
}

}  // namespace
}  // namespace gpu

void native::convolution_cuda(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride,
                              IntList padding, IntList dilation, bool transposed, IntList, int64_t groups,
                              const Tensor& out) {
  if (out.numel() == 0) return;
  gpu::convolve(transposed ? gpu::Pass::Input : gpu::Pass::Forward, transposed ? out : input, weight,
                transposed ? input : out, bias, stride, padding, dilation, groups);
}

void native::convolution_backward_cuda(const Tensor& grad, const Tensor& input, const Tensor& weight, IntList stride,
                                       IntList padding, IntList dilation, bool transposed, IntList, int64_t groups,
                                       std::span<const bool>, const Tensor& grad_input, const Tensor& grad_weight,
                                       const Tensor& grad_bias) {
  using gpu::Pass;
  if (grad_input.defined() && grad_input.numel() > 0) {
    gpu::convolve(transposed ? Pass::Forward : Pass::Input, transposed ? grad : grad_input, weight,
                  transposed ? grad_input : grad, {}, stride, padding, dilation, groups);
  }
  if (grad_weight.defined()) {
    gpu::convolve(Pass::Weight, transposed ? grad : input, grad_weight, transposed ? input : grad, {}, stride, padding,
                  dilation, groups);
  }
  if (grad_bias.defined()) gpu::sum_channels(grad, grad_bias);
}

}  // namespace tnp
