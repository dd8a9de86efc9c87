// fold and unfold, and pixel and channel shuffles.
#include "aten/functions/patches.h"

#include "aten/functions/copies.h"
#include "aten/functions/shape.h"
#include "aten/native_functions/patches.h"

namespace tnp::native {

namespace {

struct Window {
  DimVector kernel, dilation, padding, stride;

  Window(IntList k, IntList d, IntList p, IntList s)
      : kernel(pair(k, "kernel_size", 1)),
        dilation(pair(d, "dilation", 1)),
        padding(pair(p, "padding", 0)),
        stride(pair(s, "stride", 1)) {}

  // The number of patches in an image of `size`.
  int64_t patches(IntList size, const Tensor& input) const {
    int64_t all = 1;
    for (size_t d = 0; d < 2; ++d) {
      const int64_t room = size[d] + 2 * padding[d] - dilation[d] * (kernel[d] - 1) - 1;
      TNP_CHECK(room >= 0, ErrorKind::Runtime, "{kernel_size} ", IntList(kernel), " with {dilation} ",
                IntList(dilation), " and {padding} ", IntList(padding), " does not fit images of size ", size,
                "; {input} is of shape ", input.sizes());
      all *= room / stride[d] + 1;
    }
    return all;
  }

 private:
  static DimVector pair(IntList list, const char* name, int64_t least) {
    DimVector both = list.size() == 1 ? DimVector{list[0], list[0]} : DimVector(list);
    TNP_CHECK(both.size() == 2, ErrorKind::Runtime, "{", name, "} ", list, " must have two numbers");
    for (int64_t v : both)
      TNP_CHECK(v >= least && v < (int64_t{1} << 31), ErrorKind::Runtime, "{", name, "} ", list,
                " has a number out of range");
    return both;
  }
};

}  // namespace

Tensor im2col_backward(const Tensor& grad, IntList size, IntList kernel_size, IntList dilation, IntList padding,
                       IntList stride) {
  return tnp::col2im(grad, size.last(2), kernel_size, dilation, padding, stride);
}

Tensor _unfold(const Tensor& input, IntList kernel_size, IntList dilation, IntList padding, IntList stride) {
  const Window w(kernel_size, dilation, padding, stride);
  TNP_CHECK((input.dim() == 3 || input.dim() == 4), ErrorKind::Shape, "{input} of shape ", input.sizes(),
            " must have 4 dimensions, or 3 without a batch");
  for (int64_t d = input.dim() - 3; d < input.dim(); ++d)
    TNP_CHECK(input.size(d) > 0, ErrorKind::Shape, "{input} of shape ", input.sizes(),
              " is empty in other dimensions than the batch");
  w.patches(input.sizes().last(2), input);
  const Tensor x = input.dim() == 4 ? input : tnp::unsqueeze(input, 0);
  const Tensor out = tnp::im2col(x, w.kernel, w.dilation, w.padding, w.stride);
  return input.dim() == 4 ? out : tnp::squeeze(out, IntList{0});
}

Tensor _fold(const Tensor& input, int64_t height, int64_t width, IntList kernel_size, IntList dilation, IntList padding,
             IntList stride) {
  const Window w(kernel_size, dilation, padding, stride);
  const DimVector size{height, width};
  TNP_CHECK(size[0] > 0 && size[1] > 0, ErrorKind::Runtime, "{output_size} ", IntList(size), " has a number below 1");
  TNP_CHECK((input.dim() == 2 || input.dim() == 3), ErrorKind::Shape, "{input} of shape ", input.sizes(),
            " must have 3 dimensions, or 2 without a batch");
  const Tensor x = input.dim() == 3 ? input : tnp::unsqueeze(input, 0);
  const int64_t taps = w.kernel[0] * w.kernel[1], patches = w.patches(size, input);
  TNP_CHECK(x.size(1) > 0 && x.size(1) % taps == 0, ErrorKind::Shape, "{input} of shape ", input.sizes(), ": ",
            x.size(1), " is not a multiple of the ", taps, " elements of {kernel_size} ", IntList(w.kernel));
  TNP_CHECK(x.size(2) == patches, ErrorKind::Shape, "{input} of shape ", input.sizes(), " has ", x.size(2),
            " patches, images of {output_size} ", IntList(size), " have ", patches);
  const Tensor out = tnp::col2im(x, size, w.kernel, w.dilation, w.padding, w.stride);
  return input.dim() == 3 ? out : tnp::squeeze(out, IntList{0});
}

namespace {

void check_image(const Tensor& input) {
  TNP_CHECK(input.dim() >= 3, ErrorKind::Runtime, "{input} must have at least 3 dimensions, but its shape is ",
            input.sizes());
}

// The sizes of the axes before the last three, followed by `rest`.
DimVector leading(const Tensor& input, std::initializer_list<int64_t> rest) {
  DimVector all(IntList(input.sizes().first(static_cast<size_t>(input.dim()) - 3)));
  all.append(rest);
  return all;
}

// Reshapes the last three axes to `sizes`, permutes these by `order`, and reshapes them to `shape`.
Tensor rearranged(const Tensor& input, std::initializer_list<int64_t> sizes, std::initializer_list<int64_t> order,
                  std::initializer_list<int64_t> shape) {
  const int64_t lead = input.dim() - 3;
  DimVector axes;
  for (int64_t d = 0; d < lead; ++d) axes.push_back(d);
  for (int64_t d : order) axes.push_back(lead + d);
  return tnp::reshape(tnp::contiguous(tnp::permute(tnp::reshape(input, leading(input, sizes)), axes)),
                      leading(input, shape));
}

int64_t checked_product(int64_t a, int64_t b) {
  int64_t product = 0;
  TNP_CHECK(!__builtin_mul_overflow(a, b, &product), ErrorKind::Shape, "array is too big: ", a, " times ", b);
  return product;
}

}  // namespace

Tensor pixel_shuffle(const Tensor& input, int64_t r) {
  check_image(input);
  TNP_CHECK(r > 0, ErrorKind::Runtime, "{upscale_factor} is ", r, ", not positive");
  const int64_t c = input.size(-3), h = input.size(-2), w = input.size(-1);
  TNP_CHECK(r <= 3037000499, ErrorKind::Value, "{upscale_factor} is ", r, ", whose square does not fit into 64 bits");
  TNP_CHECK(c % (r * r) == 0, ErrorKind::Runtime, "{input} of shape ", input.sizes(), " has ", c,
            " channels, not a multiple of {upscale_factor} ", r, " squared");
  return rearranged(input, {c / (r * r), r, r, h, w}, {0, 3, 1, 4, 2},
                    {c / (r * r), checked_product(h, r), checked_product(w, r)});
}

Tensor pixel_unshuffle(const Tensor& input, int64_t r) {
  check_image(input);
  TNP_CHECK(r > 0, ErrorKind::Runtime, "{downscale_factor} is ", r, ", not positive");
  const int64_t c = input.size(-3), h = input.size(-2), w = input.size(-1);
  TNP_CHECK(h % r == 0 && w % r == 0, ErrorKind::Runtime, "{input} of shape ", input.sizes(),
            " has sizes that are not multiples of {downscale_factor} ", r);
  return rearranged(input, {c, h / r, r, w / r, r}, {0, 2, 4, 1, 3},
                    {checked_product(checked_product(c, r), r), h / r, w / r});
}

Tensor channel_shuffle(const Tensor& input, int64_t groups) {
  TNP_CHECK(input.dim() > 2, ErrorKind::Runtime, "{input} must have at least 3 dimensions, but its shape is ",
            input.sizes());
  TNP_CHECK(groups > 0, ErrorKind::Runtime, "{groups} is ", groups, ", not positive");
  const int64_t c = input.size(1);
  TNP_CHECK(c % groups == 0, ErrorKind::Runtime, "{input} of shape ", input.sizes(), " has ", c,
            " channels, not a multiple of {groups} ", groups);
  DimVector apart{input.size(0), groups, c / groups};
  apart.append(IntList(input.sizes().subspan(2)));
  return tnp::reshape(tnp::contiguous(tnp::transpose(tnp::reshape(input, apart), 1, 2)), input.sizes());
}

}  // namespace tnp::native
