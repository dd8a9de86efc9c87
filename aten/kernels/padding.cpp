#include "aten/kernels/padding.h"

#include "aten/iterator/copy.h"

namespace tnp {

namespace {

// out[low:high] along `dim`.
Tensor between(const Tensor& t, size_t dim, int64_t low, int64_t high) {
  DimVector sizes(t.sizes());
  sizes[dim] = high - low;
  return view_of(t, sizes, t.strides(), t.address() + low * t.strides()[dim] * t.itemsize());
}

}  // namespace

void pad_constant(const Tensor& input, IntList pad, const Scalar& value, const Tensor& out) {
  if (out.numel() == 0) return;
  const size_t n = input.sizes().size();
  Tensor to = out, from = input;
  auto fill = [&](const Tensor& t) {
    if (t.numel() > 0) fill_with(t, value);
  };
  for (size_t i = 0; i < pad.size() / 2; ++i) {
    const size_t d = n - 1 - i;
    const int64_t low = std::max<int64_t>(pad[2 * i], 0), high = std::max<int64_t>(pad[2 * i + 1], 0),
                  size = to.sizes()[d];
    const int64_t first = std::max<int64_t>(-pad[2 * i], 0),
                  last = from.sizes()[d] - std::max<int64_t>(-pad[2 * i + 1], 0);
    if (last <= first) return fill(to);
    fill(between(to, d, 0, low));
    fill(between(to, d, size - high, size));
    to = between(to, d, low, size - high);
    from = between(from, d, first, last);
  }
  if (to.numel() > 0) copy_into(to, from);
}

}  // namespace tnp
