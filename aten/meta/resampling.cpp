// Shape function of linear maps of images (resampling): sizes and layouts. Callers have checked the
// rest.
#include "aten/kernels/resampling.h"
#include "aten/iterator/memory_format.h"
#include "aten/meta_functions/resampling.h"

namespace tnp::meta {

void resample(Outputs& outputs, Operand& input, DimVector& input_size, DimVector& output_size, int64_t& mode,
              DimVector&, bool&, double&, double&, double&, bool& transposed) {
  const size_t n = input_size.size();
  TNP_CHECK(mode >= 0 && mode < kResamplings, ErrorKind::Value, "{mode} is unknown: ", mode);
  TNP_CHECK(n >= 1 && n <= 3 && output_size.size() == n && input->sizes().size() == n + 2, ErrorKind::Shape,
            "{input} of shape ", input->sizes(), " must have two dimensions, then those of {input_size} ",
            IntList(input_size));
  const IntList from = transposed ? IntList(output_size) : IntList(input_size);
  TNP_CHECK(input->sizes().subspan(2) == from, ErrorKind::Shape, "{input} of shape ", input->sizes(),
            " does not end in ", from);
  for (size_t d = 0; d < n; ++d)
    TNP_CHECK(input_size[d] > 0 && output_size[d] > 0, ErrorKind::Shape, "{input} of size ", IntList(input_size),
              " cannot become one of size ", IntList(output_size));
  const ScalarType dtype = input->dtype();
  TNP_CHECK(is_floating(dtype) || (picks(static_cast<Resampling>(mode)) && !transposed) ||
                (is_complex(dtype) && is_border(static_cast<Resampling>(mode))),
            ErrorKind::NotImplemented, "not implemented for ", dtype);
  const bool last = prefers_channels_last(input);
  input = to_format(input, dtype, last);
  DimVector sizes{input->size(0), input->size(1)};
  sizes.append(transposed ? IntList(input_size) : IntList(output_size));
  Output& out = outputs.add(sizes, dtype);
  if (last) out.strides = channels_last_strides(sizes);
}

}  // namespace tnp::meta
