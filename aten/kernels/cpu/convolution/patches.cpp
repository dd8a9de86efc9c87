// Patches of images as columns (im2col and col2im) on the CPU: copies or adds pieces of rows at
// once.
#include "aten/kernel_functions/patches.h"
#include "aten/kernels/columns.h"
#include "aten/kernels/cpu/convolution/convolution_columns.h"

namespace tnp::native {

namespace {

using FoldedTypes = Join<TypeList<bool, Half, BFloat16>, InexactTypes>;

int64_t grain(const Convolution& c) { return convolution::grain_of(c.taps() * c.y_plane()); }

}  // namespace

void im2col_cpu(const Tensor& input, IntList kernel_size, IntList dilation, IntList padding, IntList stride,
                const Tensor& out) {
  if (out.numel() == 0) return;
  const Convolution c = patches_of(input.sizes(), kernel_size, dilation, padding, stride);
  const int64_t columns = c.taps() * c.y_plane();
  visit<FoldedTypes>(input.dtype(), [&]<class T>() {
    using S = stored_t<T>;
    const S* from = input.data_ptr<S>();
    S* to = out.data_ptr<S>();
    parallel_for(0, c.images * c.x_channels, grain(c), [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        convolution::gather(c, from + i * c.x_plane(), 0, 1, 0, c.y_plane(), to + i * columns);
    });
  });
}

void col2im_cpu(const Tensor& input, IntList, IntList kernel_size, IntList dilation, IntList padding, IntList stride,
                const Tensor& out) {
  if (out.numel() == 0) return;
  const Convolution c = patches_of(out.sizes(), kernel_size, dilation, padding, stride);
  const int64_t columns = c.taps() * c.y_plane();
  visit<FoldedTypes>(input.dtype(), [&]<class T>() {
    using S = stored_t<T>;
    using A = std::conditional_t<std::is_same_v<T, bool>, uint8_t, accumulate_t<T>>;
    const S* from = input.data_ptr<S>();
    S* to = out.data_ptr<S>();
    parallel_for(0, c.images * c.x_channels, grain(c), [&](int64_t begin, int64_t end) {
      Scratch<A> sums(c.x_plane());
      for (int64_t i = begin; i < end; ++i) {
        std::fill_n(sums.data(), c.x_plane(), A(0));
        const S* own = from + i * columns;
        convolution::for_each_piece(c, sums.data(), 0, 1, 0, c.y_plane(),
                                    [&](int64_t row, A* at, int64_t first, int64_t count, int64_t step) {
                                      const S* column = own + row * c.y_plane() + first;
                                      for (int64_t j = 0; at && j < count; ++j) {
                                        if constexpr (std::is_same_v<T, bool>)
                                          at[j * step] |= column[j];
                                        else
                                          at[j * step] += convert<A>(column[j]);
                                      }
                                    });
        S* image = to + i * c.x_plane();
        for (int64_t j = 0; j < c.x_plane(); ++j) image[j] = convert<S>(sums[j]);
      }
    });
  });
}

}  // namespace tnp::native
