// Convolutions on the CPU: oneDNN if it is available, else our own loops, which are the reference.
#include "aten/kernel_functions/convolution.h"
#include "aten/iterator/copy.h"
#include "aten/iterator/dense.h"
#include "aten/iterator/memory_format.h"
#include "aten/kernels/cpu/convolution/convolution_direct.h"
#include "aten/kernels/cpu/convolution/convolution_phases.h"
#include "aten/kernels/cpu/convolution/convolution_pointwise.h"
#include "aten/kernels/cpu/convolution/depthwise.h"
#include "aten/kernels/cpu/convolution/onednn_convolution.h"

namespace tnp::native {

namespace {

using onednn::Pass;

template <class T>
T* pointer(const Tensor& t) {
  return t.defined() ? t.data_ptr<T>() : nullptr;
}

// Computes one of x, weight and y from the other two; all are row-major and of one dtype. `bias` is
// added to the computed tensor.
template <class T>
void compute(Pass pass, const Convolution& c, const Tensor& x, const Tensor& weight, const Tensor& y,
             const Tensor& bias) {
  bool direct = c.x_channels * c.y_channels <= 2;
  if constexpr (std::is_integral_v<T>) direct = true;
  T *px = pointer<T>(x), *pw = pointer<T>(weight), *py = pointer<T>(y), *pb = pointer<T>(bias);
  if (direct) {
    if (pass == Pass::Forward) return convolution::forward_direct<T>(c, px, pw, pb, py);
    if (pass == Pass::Input) return convolution::input_direct<T>(c, py, pw, pb, px);
    return convolution::weight_direct<T>(c, px, py, pw);
  }
  if constexpr (!std::is_integral_v<T>) {
    if (pass == Pass::Forward) return convolution::forward_by_columns<T>(c, px, pw, pb, py);
    if (pass == Pass::Input) return convolution::input_by_columns<T>(c, py, pw, pb, px);
    convolution::weight_by_columns<T>(c, px, py, pw);
  }
}

// Sums `from` (N, C, ...) over all axes except the channels, into `to`. Accumulates in double,
// because the sums are long.
void sum_channels(const Tensor& from, const Tensor& to) {
  const Tensor y = to_dense(from, compute_type(from.dtype()));
  const Tensor sums = to.dtype() == y.dtype() ? to : empty_tensor(to.sizes(), y.dtype());
  visit<FloatTypes>(y.dtype(), [&]<class T>() {
    const T* p = y.data_ptr<T>();
    T* out = sums.data_ptr<T>();
    const int64_t images = y.size(0), channels = y.size(1),
                  plane = channels && images ? y.numel() / channels / images : 0;
    parallel_for(0, channels, convolution::grain_of(images * plane / 4), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k) {
        double total = 0;
        for (int64_t image = 0; image < images; ++image) {
          const T* line = p + (image * channels + k) * plane;
          double lanes[8] = {};
          int64_t i = 0;
          for (; i + 8 <= plane; i += 8)
            for (int64_t l = 0; l < 8; ++l) lanes[l] += static_cast<double>(line[i + l]);
          for (; i < plane; ++i) lanes[0] += static_cast<double>(line[i]);
          for (double lane : lanes) total += lane;
        }
        out[k] = static_cast<T>(total);
      }
    });
  });
  if (!sums.is_same(to)) copy_into(to, sums);
}

// Adds `bias`, of any floating dtype, to the channels of `x` (N, C, ...), which is float32 and
// row-major or channels last.
void add_to_channels(const Tensor& x, const Tensor& bias) {
  const Tensor added = to_dense(bias, ScalarType::Float32);
  const int64_t channels = x.size(1), plane = x.numel() / channels / x.size(0);
  const float* b = added.data_ptr<float>();
  float* data = x.data_ptr<float>();
  if (x.is_contiguous()) {
    parallel_for(0, x.size(0) * channels, convolution::grain_of(plane / 8), [&](int64_t begin, int64_t end) {
      for (int64_t k = begin; k < end; ++k)
        for (int64_t i = 0; i < plane; ++i) data[k * plane + i] += b[k % channels];
    });
    return;
  }
  parallel_for(0, x.size(0) * plane, convolution::grain_of(channels / 8), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i)
      for (int64_t k = 0; k < channels; ++k) data[i * channels + k] += b[k];
  });
}

// A transposed convolution is oneDNN's gradient of the input, which does not support a bias. This
// function adds the bias. For 16-bit floats `x` is computed in float32, so that the sum is rounded
// once.
bool convolve_onednn(const onednn::ConvolutionCall& call) {
  if (call.pass != Pass::Input || !call.bias.defined()) return onednn::convolve(call);
  const Tensor& x = call.x;
  const ScalarType wide = ScalarType::Float32;
  if (x.dtype() != wide && !is_reduced_float(x.dtype())) return false;
  const Tensor out = x.dtype() == wide   ? x
                     : x.is_contiguous() ? empty_tensor(x.sizes(), wide)
                                         : empty_strided_tensor(x.sizes(), channels_last_strides(x.sizes()), wide);
  const Tensor no_bias;
  if (!onednn::convolve(
          {call.pass, out, call.weight, call.y, no_bias, call.stride, call.padding, call.dilation, call.groups})) {
    return false;
  }
  add_to_channels(out, call.bias);
  if (!out.is_same(x)) copy_into(x, out);
  return true;
}

Convolution convolution_of(const onednn::ConvolutionCall& call) {
  return tnp::convolution_of(call.x.sizes(), call.weight.sizes(), call.y.sizes(), call.stride, call.padding,
                             call.dilation, call.groups);
}

// Runs our own loops on row-major floats that need no reordering. Returns false for other
// convolutions.
bool run_in_place(const onednn::ConvolutionCall& call) {
  const ScalarType dtype = call.x.dtype();
  if ((dtype != ScalarType::Float32 && dtype != ScalarType::Float64) || !call.x.is_contiguous() ||
      !call.weight.is_contiguous() || !call.y.is_contiguous()) {
    return false;
  }
  const Convolution c = convolution_of(call);
  auto run = [&]<class T>() {
    T *x = pointer<T>(call.x), *weight = pointer<T>(call.weight), *y = pointer<T>(call.y),
      *bias = pointer<T>(call.bias);
    const bool products = convolution::suits_products<T>(c);
    switch (call.pass) {
      case Pass::Forward:
        if (depthwise::handles_forward(c)) return depthwise::forward<T>(c, x, weight, bias, y), true;
        if (products) return convolution::forward_by_products<T>(c, x, weight, bias, y), true;
        return false;
      case Pass::Input:
        if (depthwise::handles_input(c)) return depthwise::input_gradient<T>(c, y, weight, bias, x), true;
        if (products) return convolution::input_by_products<T>(c, y, weight, bias, x), true;
        return false;
      case Pass::Weight:
        if (!depthwise::handles_weight(c)) return false;
        depthwise::weight_gradient<T>(c, x, y, weight);
        return true;
    }
    return false;
  };
  const bool done = dtype == ScalarType::Float32 ? run.operator()<float>() : run.operator()<double>();
  if (done && call.pass == Pass::Weight && call.bias.defined()) sum_channels(call.y, call.bias);
  return done;
}

void run(const onednn::ConvolutionCall& call);

// A view of some images.
Tensor images_of(const Tensor& t, int64_t begin, int64_t end) {
  DimVector sizes(t.sizes());
  sizes[0] = end - begin;
  return view_of(t, sizes, t.strides(), t.address() + begin * t.byte_stride(0));
}

void add_floats(const Tensor& to, const Tensor& from) {
  float* sums = to.data_ptr<float>();
  const float* x = from.data_ptr<float>();
  for (int64_t i = 0; i < to.numel(); ++i) sums[i] += x[i];
}

// 16-bit floats in float32, some images at a time, so that the widened images stay in the cache. The
// gradient of the weight is summed in float32 and rounded once.
void run_widened(const onednn::ConvolutionCall& call) {
  constexpr int64_t kElements = 1 << 20;  // of images in float32
  constexpr ScalarType wide = ScalarType::Float32;
  const bool of_weight = call.pass == Pass::Weight;
  const int64_t images = call.x.size(0);
  const int64_t each = std::max<int64_t>(std::max(call.x.numel(), call.y.numel()) / std::max<int64_t>(images, 1), 1);
  const int64_t step = std::clamp<int64_t>(kElements / each, 1, std::max<int64_t>(images, 1));
  const auto widened = [&](const Tensor& t) {
    return !t.defined() ? t : to_format(t, wide, is_channels_last(t) && !t.is_contiguous());
  };
  const auto empty = [&](const Tensor& t) {
    if (!t.defined()) return t;
    return is_channels_last(t) && !t.is_contiguous()
               ? empty_strided_tensor(t.sizes(), channels_last_strides(t.sizes()), wide)
               : empty_tensor(t.sizes(), wide);
  };
  const Tensor weight = of_weight ? Tensor() : widened(call.weight), bias = of_weight ? Tensor() : widened(call.bias);
  Tensor sum, bias_sum;
  for (int64_t begin = 0; begin == 0 || begin < images; begin += step) {  // once without images, too
    const int64_t end = std::min(begin + step, images);
    const Tensor x = images_of(call.x, begin, end), y = images_of(call.y, begin, end);
    const Tensor wide_x = call.pass == Pass::Input ? empty(x) : widened(x),
                 wide_y = call.pass == Pass::Forward ? empty(y) : widened(y),
                 own_weight = of_weight ? empty(call.weight) : weight, own_bias = of_weight ? empty(call.bias) : bias;
    run({call.pass, wide_x, own_weight, wide_y, own_bias, call.stride, call.padding, call.dilation, call.groups});
    if (!of_weight) {
      copy_into(call.pass == Pass::Forward ? y : x, call.pass == Pass::Forward ? wide_y : wide_x);
    } else if (!sum.defined()) {
      sum = own_weight, bias_sum = own_bias;
    } else {
      add_floats(sum, own_weight);
      if (bias_sum.defined()) add_floats(bias_sum, own_bias);
    }
  }
  if (!of_weight) return;
  copy_into(call.weight, sum);
  if (bias_sum.defined()) copy_into(call.bias, bias_sum);
}

// Runs the pass `call.pass`. In Pass::Weight, the gradient of the bias is written to `call.bias`.
void run(const onednn::ConvolutionCall& call) {
  const Tensor& written = call.written();
  const ScalarType dtype = written.dtype();
  if (call.x.numel() > 0 && call.y.numel() > 0 && (run_in_place(call) || convolve_onednn(call))) return;
  if (call.pass == Pass::Input && (dtype == ScalarType::Float32 || dtype == ScalarType::Float64) &&
      call.y.numel() > 0 && convolution::suits_phases(call)) {
    return convolution::input_by_phases(call, [](const onednn::ConvolutionCall& forward) { run(forward); });
  }
  const ScalarType wide = compute_type(dtype);
  if (wide != dtype) return run_widened(call);  // 16-bit floats without hardware support
  auto dense = [&](const Tensor& t) {
    if (!t.is_same(written)) return to_dense(t, wide);
    return t.is_contiguous() ? t : empty_tensor(t.sizes(), wide);
  };
  const Tensor x = dense(call.x), weight = dense(call.weight), y = dense(call.y);
  const Convolution c = convolution_of(call);
  visit<Join<IntegerTypes, FloatTypes>>(wide, [&]<class T>() {
    if constexpr (!is_reduced_float_v<T>) compute<T>(call.pass, c, x, weight, y, call.bias);
  });
  const Tensor& result = call.pass == Pass::Forward ? y : call.pass == Pass::Input ? x : weight;
  if (!result.is_same(written)) copy_into(written, result);
  if (call.pass == Pass::Weight && call.bias.defined()) sum_channels(call.y, call.bias);
}

}  // namespace

void convolution_cpu(const Tensor& input, const Tensor& weight, const Tensor& bias, IntList stride, IntList padding,
                     IntList dilation, bool transposed, IntList, int64_t groups, const Tensor& out) {
  if (out.numel() == 0) return;
  if (transposed)
    run({Pass::Input, out, weight, input, bias, stride, padding, dilation, groups});
  else
    run({Pass::Forward, input, weight, out, bias, stride, padding, dilation, groups});
}

void convolution_backward_cpu(const Tensor& grad, const Tensor& input, const Tensor& weight, IntList stride,
                              IntList padding, IntList dilation, bool transposed, IntList, int64_t groups,
                              std::span<const bool>, const Tensor& grad_input, const Tensor& grad_weight,
                              const Tensor& grad_bias) {
  const Tensor none;
  if (grad_input.defined() && grad_input.numel() > 0) {
    if (transposed)
      run({Pass::Forward, grad, weight, grad_input, none, stride, padding, dilation, groups});
    else
      run({Pass::Input, grad_input, weight, grad, none, stride, padding, dilation, groups});
  }
  if (grad_weight.defined()) {
    if (transposed)
      run({Pass::Weight, grad, grad_weight, input, none, stride, padding, dilation, groups});
    else
      run({Pass::Weight, input, grad_weight, grad, grad_bias, stride, padding, dilation, groups});
  }
  if (grad_bias.defined() && (transposed || !grad_weight.defined())) sum_channels(grad, grad_bias);
}

}  // namespace tnp::native
