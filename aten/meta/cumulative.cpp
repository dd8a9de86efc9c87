// Shape functions of cumulative extrema with indices.
#include "aten/meta_functions/cumulative.h"
#include "aten/iterator/layout.h"

namespace tnp::meta {

namespace {

void running_extremum(Outputs& outputs, Operand& input, int64_t& dim) {
  dim = wrap_dim(dim, input->dim());
  TNP_CHECK(!input->is_complex(), ErrorKind::NotImplemented, "not implemented for ", input->dtype());
  outputs.add(input->sizes(), input->dtype());
  outputs.add(input->sizes(), ScalarType::Int64);
  if (input->dim() == 0) input = at_least_one_axis(input);
}

}  // namespace

void cummax(Outputs& outputs, Operand& input, int64_t& dim) { running_extremum(outputs, input, dim); }
void cummin(Outputs& outputs, Operand& input, int64_t& dim) { running_extremum(outputs, input, dim); }

}  // namespace tnp::meta
