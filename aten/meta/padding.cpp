// Shape function of constant padding.
#include "aten/meta_functions/padding.h"
#include "aten/core/numbers/range.h"
#include "aten/iterator/memory_format.h"

namespace tnp::meta {

void constant_pad_nd(Outputs& outputs, Operand& input, DimVector& pad, const Scalar& value) {
  check_fits(value, input->dtype());
  const int64_t n = input->dim(), pairs = static_cast<int64_t>(pad.size()) / 2;
  TNP_CHECK(pad.size() % 2 == 0, ErrorKind::Runtime, "{pad} ", IntList(pad), " must have an even number of elements");
  TNP_CHECK(pairs <= n, ErrorKind::Shape, "{pad} ", IntList(pad), " has more pairs than {input} of shape ",
            input->sizes(), " has dimensions");
  DimVector sizes(input->sizes());
  for (int64_t i = 0; i < pairs; ++i) {
    int64_t& size = sizes[static_cast<size_t>(n - 1 - i)];
    const int64_t before = size, low = pad[static_cast<size_t>(2 * i)], high = pad[static_cast<size_t>(2 * i + 1)];
    // Kernels and the derivative negate both numbers.
    const bool overflow = low == INT64_MIN || high == INT64_MIN || __builtin_add_overflow(size, low, &size) ||
                          __builtin_add_overflow(size, high, &size);
    TNP_CHECK(!overflow, ErrorKind::Shape, "{pad} ", IntList(pad), " is too large for the size ", before);
    TNP_CHECK(size >= 0, ErrorKind::Shape, "{pad} ", IntList(pad), " changes the size ", before, " to ", size);
  }
  Output& out = outputs.add(sizes, input->dtype());
  if (prefers_channels_last(input)) out.strides = channels_last_strides(out.sizes);
}

}  // namespace tnp::meta
