// Pooling: computes the number of windows, and treats a single input as a batch of one.
#include "aten/functions/pooling.h"

#include <algorithm>

#include "aten/core/errors/shape_errors.h"
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/reductions.h"
#include "aten/functions/resampling.h"
#include "aten/functions/shape.h"
#include "aten/functions/shape_in_place.h"
#include "aten/iterator/copy.h"
#include "aten/kernels/resampling.h"
#include "aten/native_functions/pooling.h"
#include "aten/ops/operators.h"

namespace tnp::native {

namespace {

using Pair = std::tuple<Tensor, Tensor>;

// Returns a view of `input` with a batch axis. Raises an error unless `input` has `n` nonempty
// spatial axes and a channel axis. If `needs_channels` is set, the channel axis must not be empty
// either.
Tensor batched(const Tensor& input, int64_t n, bool needs_channels = true) {
  TNP_CHECK(input.dim() == n + 1 || input.dim() == n + 2, ErrorKind::Shape, "Expected ", n + 1, "D or ", n + 2,
            "D (batch mode) tensor with optional 0 dim batch size for {input}, but got: ", AsList{input.sizes()});
  for (int64_t d = input.dim() - n - (needs_channels ? 1 : 0); d < input.dim(); ++d)
    TNP_CHECK(
        input.size(d) > 0, ErrorKind::Shape, "Expected ", n + 1, "D or ", n + 2,
        "D (batch mode) tensor with optional 0 dim batch size for {input}. Expected input to have non-zero size for "
        "non-batch dimensions, but got: ",
        AsList{input.sizes()});
  return input.dim() == n + 2 ? input : tnp::unsqueeze(input, 0);
}
Tensor as_given(const Tensor& out, const Tensor& input, int64_t n) {
  return input.dim() == n + 2 ? out : tnp::squeeze(out, IntList{0});
}
Pair as_given(const Pair& out, const Tensor& input, int64_t n) {
  return {as_given(std::get<0>(out), input, n), as_given(std::get<1>(out), input, n)};
}

DimVector numbers(IntList list, int64_t n, const char* name, int64_t least) {
  DimVector all = list.size() == 1 ? DimVector(static_cast<size_t>(n), list[0]) : DimVector(list);
  constexpr const char* kCounts[] = {"no", "one", "two", "three"};
  TNP_CHECK(all.size() == static_cast<size_t>(n), ErrorKind::Runtime, "{", name,
            "} must either be a single int, or a tuple of ", kCounts[n], " ints, but got ", list);
  for (int64_t v : all)
    TNP_CHECK(v >= least, ErrorKind::Runtime, "{", name, "} ", v == 0 ? "should not be zero" : "must be non-negative",
              ", but got ", list);
  return all;
}

struct Sliding {
  DimVector kernel, stride, padding, dilation, out;

  Sliding(const Tensor& input, int64_t n, IntList kernel_size, IntList strides, IntList paddings, IntList dilations,
          bool ceil_mode)
      : kernel(numbers(kernel_size, n, "kernel_size", 1)),
        stride(strides.empty() ? kernel : numbers(strides, n, "stride", 1)),
        padding(numbers(paddings, n, "padding", 0)),
        dilation(numbers(dilations, n, "dilation", 1)) {
    for (size_t d = 0; d < static_cast<size_t>(n); ++d) {
      const int64_t size = input.sizes()[2 + d], reach = dilation[d] * (kernel[d] - 1) + 1;
      TNP_CHECK(kernel[d] < (int64_t{1} << 31) && dilation[d] < (int64_t{1} << 31) && stride[d] < (int64_t{1} << 31),
                ErrorKind::Runtime, "{kernel_size} ", IntList(kernel), ", {stride} ", IntList(stride),
                " or {dilation} ", IntList(dilation), " is too large");
      TNP_CHECK(padding[d] <= reach / 2, ErrorKind::Runtime, "{padding} ", padding[d],
                " is more than half of {kernel_size} ", kernel[d]);
      const int64_t room = size + 2 * padding[d] - reach + (ceil_mode ? stride[d] - 1 : 0);
      int64_t count = room >= 0 ? room / stride[d] + 1 : 0;
      // The last window must begin within the image or the padding before it.
      if (ceil_mode && (count - 1) * stride[d] >= size + padding[d]) --count;
      TNP_CHECK(count > 0, ErrorKind::Runtime, "{input} of shape ", input.sizes(), " is too small for {kernel_size} ",
                IntList(kernel));
      out.push_back(count);
    }
  }
};

Pair max_pool(int64_t n, const Tensor& input, IntList kernel_size, IntList stride, IntList padding, IntList dilation,
              bool ceil_mode) {
  const Tensor x = batched(input, n);
  const Sliding w(x, n, kernel_size, stride, padding, dilation, ceil_mode);
  return as_given(tnp::max_pool_windows(x, w.out, 0, w.kernel, w.stride, w.padding, w.dilation, {}), input, n);
}

DimVector spatial(const Tensor& x) { return DimVector(IntList(x.sizes().subspan(2))); }

// Windows along one axis: the number of elements, or of those in the padded input.
Tensor sizes_of_windows(const Sliding& w, size_t d, int64_t size, bool counts_padding) {
  const Tensor counts = empty_tensor({w.out[d]}, ScalarType::Int64);
  const int64_t around = counts_padding ? w.padding[d] : 0;
  for (int64_t i = 0; i < w.out[d]; ++i) {
    const int64_t begin = i * w.stride[d] - w.padding[d];
    reinterpret_cast<int64_t*>(counts.data())[i] =
        std::min(begin + w.kernel[d], size + around) - std::max(begin, -around);
  }
  return counts;
}

// The mean of int64 numbers, truncated: exact sums, one axis after the other.
Tensor avg_pool_of_integers(const Tensor& x, const Sliding& w, bool count_include_pad, std::optional<int64_t> divisor) {
  Tensor sums = x, counts = scalar_tensor(Scalar(int64_t{1}), ScalarType::Int64);
  for (size_t d = 0; d < w.out.size(); ++d) {
    const auto axis = static_cast<int64_t>(d) + 2;
    const int64_t size = x.size(axis), reach = (w.out[d] - 1) * w.stride[d] + w.kernel[d];
    DimVector sizes(sums.sizes());
    sizes[d + 2] = std::max(reach, size + w.padding[d]);
    const Tensor padded = tnp::zeros(sizes, x.dtype(), x.device());
    copy_into(tnp::narrow(padded, axis, w.padding[d], size), sums);
    sums = tnp::sum(tnp::narrow(tnp::unfold(padded, axis, w.kernel[d], w.stride[d]), axis, 0, w.out[d]), IntList{-1});
    counts = tnp::unsqueeze(counts, -1) * sizes_of_windows(w, d, size, count_include_pad);
  }
  if (divisor) return tnp::trunc_divide(sums, wrapped_number(Scalar(*divisor)));
  return tnp::trunc_divide(sums, astype_on(counts, ScalarType::Int64, false, x.device()));
}

Tensor avg_pool(int64_t n, const Tensor& input, IntList kernel_size, IntList stride, IntList padding, bool ceil_mode,
                bool count_include_pad, std::optional<int64_t> divisor) {
  TNP_CHECK(!divisor || *divisor != 0, ErrorKind::Runtime, "{divisor_override} is 0");
  const Tensor x = batched(input, n);
  const Sliding w(x, n, kernel_size, stride, padding, {1}, ceil_mode);
  if (x.dtype() == ScalarType::Int64) return as_given(avg_pool_of_integers(x, w, count_include_pad, divisor), input, n);
  DimVector parameters;
  for (size_t d = 0; d < static_cast<size_t>(n); ++d)
    parameters.append({w.kernel[d], w.stride[d], w.padding[d], divisor ? 2 : count_include_pad ? 1 : 0});
  Tensor out =
      tnp::resample(x, spatial(x), w.out, static_cast<int64_t>(Resampling::Window), parameters, false, 0, 0, 0, false);
  if (divisor) out = out * Scalar(1.0 / static_cast<double>(*divisor));
  return as_given(out, input, n);
}

DimVector output_sizes(IntList output_size) {
  for (int64_t v : output_size)
    TNP_CHECK(v >= 0, ErrorKind::Runtime, "{output_size} ", output_size, " has a negative number");
  return DimVector(output_size);
}

bool has_none(IntList sizes) { return std::ranges::find(sizes, 0) != sizes.end(); }

Tensor adaptive_avg_pool(const Tensor& input, IntList output_size) {
  const auto n = static_cast<int64_t>(output_size.size());
  const Tensor x = batched(input, n, false);
  const DimVector out = output_sizes(output_size);
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  if (has_none(out)) {  // there are no windows: the result is empty, but autograd must record it
    DimVector sizes{x.size(0), x.size(1)};
    sizes.append(out);
    return as_given(tnp::reshape(tnp::slice(tnp::reshape(x, IntList{-1}), 0, 0, 0, 1), sizes), input, n);
  }
  return as_given(
      tnp::resample(x, spatial(x), out, static_cast<int64_t>(Resampling::Average), {}, false, 0, 0, 0, false), input,
      n);
}

}  // namespace

Tensor max_pool1d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, IntList dilation,
                  bool ceil_mode) {
  return std::get<0>(max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool2d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, IntList dilation,
                  bool ceil_mode) {
  return std::get<0>(max_pool(2, input, kernel_size, stride, padding, dilation, ceil_mode));
}
Tensor max_pool3d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, IntList dilation,
                  bool ceil_mode) {
  return std::get<0>(max_pool(3, input, kernel_size, stride, padding, dilation, ceil_mode));
}
Pair max_pool1d_with_indices(const Tensor& input, IntList kernel_size, IntList stride, IntList padding,
                             IntList dilation, bool ceil_mode) {
  return max_pool(1, input, kernel_size, stride, padding, dilation, ceil_mode);
}
Pair _max_pool(const Tensor& input, IntList kernel_size, OptIntList stride, IntList padding, IntList dilation,
               bool ceil_mode, int64_t dims) {
  TNP_CHECK(dims >= 1 && dims <= 3, ErrorKind::Value, "{dims} must be 1, 2 or 3, got ", dims);
  return max_pool(dims, input, kernel_size, stride.value_or(IntList{}), padding, dilation, ceil_mode);
}

Pair _adaptive_max_pool(const Tensor& input, IntList output_size) {
  const auto n = static_cast<int64_t>(output_size.size());
  const Tensor x = batched(input, n);
  return as_given(tnp::max_pool_windows(x, output_sizes(output_size), 1, {}, {}, {}, {}, {}), input, n);
}
Pair adaptive_max_pool1d(const Tensor& input, IntList output_size) {
  TNP_CHECK(output_size.size() == 1, ErrorKind::Runtime, "{output_size} ", output_size, " is not one number");
  return native::_adaptive_max_pool(input, output_size);
}

Pair _fractional_max_pool(const Tensor& input, IntList kernel_size, IntList output_size, const Tensor& samples) {
  const auto n = static_cast<int64_t>(output_size.size());
  const Tensor x = batched(input, n);
  const DimVector kernel = numbers(kernel_size, n, "kernel_size", 1);
  TNP_CHECK(is_floating(input.dtype()), ErrorKind::NotImplemented, "not implemented for ", input.dtype());
  for (size_t d = 0; d < static_cast<size_t>(n); ++d) {
    const int64_t size = x.sizes()[2 + d];
    TNP_CHECK(output_size[d] >= 0 && kernel[d] <= size && output_size[d] + kernel[d] - 1 <= size, ErrorKind::Runtime,
              "{input} of shape ", input.sizes(), " has no ", output_size[d], " windows of {kernel_size} ", kernel[d]);
  }
  return as_given(tnp::max_pool_windows(x, output_size, 2, kernel, {}, {}, {}, samples), input, n);
}

Tensor _max_unpool(const Tensor& input, const Tensor& indices, IntList output_size) {
  const auto n = static_cast<int64_t>(output_size.size());
  const Tensor x = batched(input, n);
  TNP_CHECK(indices.sizes() == input.sizes(), ErrorKind::Shape, "{indices} of shape ", indices.sizes(),
            " must have {input}'s shape ", input.sizes());
  DimVector sizes{x.size(0), x.size(1)};
  sizes.append(output_size);
  for (int64_t v : output_size)
    TNP_CHECK(v > 0, ErrorKind::Runtime, "{output_size} ", output_size, " has a number below 1");
  return as_given(tnp::scatter_planes(x, input.dim() == n + 2 ? indices : tnp::unsqueeze(indices, 0), sizes, false),
                  input, n);
}

Tensor avg_pool1d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, bool ceil_mode,
                  bool count_include_pad) {
  return avg_pool(1, input, kernel_size, stride, padding, ceil_mode, count_include_pad, std::nullopt);
}
Tensor avg_pool2d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return avg_pool(2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
}
Tensor avg_pool3d(const Tensor& input, IntList kernel_size, IntList stride, IntList padding, bool ceil_mode,
                  bool count_include_pad, std::optional<int64_t> divisor_override) {
  return avg_pool(3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override);
}

Tensor adaptive_avg_pool1d(const Tensor& input, IntList output_size) {
  TNP_CHECK(output_size.size() == 1, ErrorKind::Runtime, "{output_size} ", output_size, " is not one number");
  return adaptive_avg_pool(input, output_size);
}
Tensor _adaptive_avg_pool(const Tensor& input, IntList output_size) { return adaptive_avg_pool(input, output_size); }

}  // namespace tnp::native
