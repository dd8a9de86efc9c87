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

void search_sorted(Outputs& outputs, Operand&, Operand&, Operand& keys, bool&) {
  bring_number(outputs, keys);
  outputs.add(keys->sizes(), ScalarType::Int64);
}

void count_values(Outputs& outputs, Operand&, int64_t& size) { outputs.add({size}, ScalarType::Int64); }

}  // namespace tnp::meta
