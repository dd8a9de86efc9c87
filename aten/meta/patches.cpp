// Shape functions of im2col and col2im. Callers have checked the sizes and strides.
#include "aten/meta_functions/patches.h"
#include "aten/iterator/memory_format.h"
#include "aten/kernels/columns.h"

namespace tnp::meta {

namespace {

void check_dtype(const Tensor& t) {
  TNP_CHECK(is_floating(t.dtype()) || is_complex(t.dtype()) || is_bool(t.dtype()), ErrorKind::NotImplemented,
            "not implemented for ", t.dtype());
}

}  // namespace

void im2col(Outputs& outputs, Operand& input, DimVector& kernel_size, DimVector& dilation, DimVector& padding,
            DimVector& stride) {
  check_dtype(input);
  input = to_format(input, input->dtype(), false);
  const Convolution c = patches_of(input->sizes(), kernel_size, dilation, padding, stride);
  outputs.add({input->size(0), c.rows(), c.y_plane()}, input->dtype());
}

void col2im(Outputs& outputs, Operand& input, DimVector& output_size, DimVector& kernel_size, DimVector& dilation,
            DimVector& padding, DimVector& stride) {
  check_dtype(input);
  input = to_format(input, input->dtype(), false);
  const int64_t channels = input->size(1) / (kernel_size[0] * kernel_size[1]);
  outputs.add({input->size(0), channels, output_size[0], output_size[1]}, input->dtype());
}

}  // namespace tnp::meta
