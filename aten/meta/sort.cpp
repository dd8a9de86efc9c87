// Shape functions of sorting, searching and counting along lines. aten/ops/sorting/sorting.cpp has
// checked the arguments.
#include "aten/iterator/layout.h"
#include "aten/meta/device_dtypes.h"
#include "aten/meta_functions/sorting.h"

namespace tnp::meta {

void stable_argsort(Outputs& outputs, Operand& input, int64_t&, bool&) {
  outputs.add(input->sizes(), ScalarType::Int64);
}

void stable_sort(Outputs& outputs, Operand& input, int64_t&, bool&) {
  outputs.add(input->sizes(), input->dtype());
  outputs.add(input->sizes(), ScalarType::Int64);
}

void sorted_lines(Outputs& outputs, Operand& input, int64_t&, bool&) {
  outputs.add(input->sizes(), input->dtype()).strides = strides_in_order(input->sizes(), Order::K, input);
}

void sort_lines_(Outputs&, const Tensor&, int64_t&, bool&) {}

void partitioned_lines(Outputs& outputs, Operand& input, DimVector&, int64_t&) {
  outputs.add(input->sizes(), input->dtype()).strides = strides_in_order(input->sizes(), Order::K, input);
}

void partition_lines_(Outputs&, const Tensor&, DimVector&, int64_t&) {}

void argpartitioned_lines(Outputs& outputs, Operand& input, DimVector&, int64_t&) {
  outputs.add(input->sizes(), ScalarType::Int64);
}

void reorder_lines_(Outputs&, const Tensor&, Operand&, int64_t&) {}

void permute_lines(Outputs& outputs, Operand& input, Operand& indices, int64_t& dim) {
  dim = wrap_dim(dim, input->dim());
  TNP_CHECK(input->sizes() == indices->sizes() && indices->dtype() == ScalarType::Int64, ErrorKind::Shape,
            "{indices} of shape ", indices->sizes(), " do not permute {input} of shape ", input->sizes());
  outputs.add(input->sizes(), input->dtype());
  if (input->dim() == 0) input = at_least_one_axis(input);
  if (indices->dim() == 0) indices = at_least_one_axis(indices);
}

void search_sorted(Outputs& outputs, Operand&, Operand&, Operand& keys, bool&) {
  bring_number(outputs, keys);
  outputs.add(keys->sizes(), ScalarType::Int64);
}

void count_values(Outputs& outputs, Operand&, int64_t& size) { outputs.add({size}, ScalarType::Int64); }

}  // namespace tnp::meta
