// Shape function of the correlation of two sequences.
#include "aten/core/numbers/promotion.h"
#include "aten/iterator/dense.h"
#include "aten/meta_functions/products.h"

namespace tnp::meta {

void correlate_padded(Outputs& outputs, Operand& input, Operand& other, int64_t& left, int64_t& right) {
  TNP_CHECK(input->dim() == 1 && other->dim() == 1, ErrorKind::Value, "object too deep for desired array");
  const int64_t size = input->numel(), taps = other->numel(), sums = size + left + right - taps + 1;
  TNP_CHECK(taps > 0 && left >= 0 && left < taps && right >= 0 && right < taps && sums >= 0, ErrorKind::Value,
            "correlate: {other} of ", taps, " elements does not fit ", size, " with ", left, " and ", right,
            " places around");
  const ScalarType type = promote_types(input->dtype(), other->dtype());
  const ScalarType compute = is_integral(type) ? ScalarType::Int64 : compute_type(type);
  input = native::to_dense(input, compute);
  other = native::to_dense(other, compute);
  outputs.add({sums}, type).computed_in(compute);
}

}  // namespace tnp::meta
