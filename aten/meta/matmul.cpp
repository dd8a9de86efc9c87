// Shape function of matrix products, batched.
#include "aten/core/errors/shape_errors.h"
#include "aten/core/numbers/promotion.h"
#include "aten/iterator/dense.h"
#include "aten/meta/linalg_checks.h"
#include "aten/meta_functions/products.h"

namespace tnp::meta {

namespace {

constexpr const char* kSignature = "(n?,k),(k,m?)->(n?,m?)";

void check_has_axis(const Tensor& t, int operand) {
  TNP_CHECK(t.dim() > 0, ErrorKind::Shape, "Input operand ", operand,
            " does not have enough dimensions (has 0, gufunc core with signature ", kSignature, " requires 1)");
}

}  // namespace

// (..., m, k) @ (..., k, n) -> (..., m, n). A 1-d first operand is a row, a 1-d second one a
// column; the result lacks that axis.
void matmul(Outputs& outputs, Operand& input, Operand& other) {
  check_has_axis(input, 0);
  check_has_axis(other, 1);
  const int64_t depth = input->size(-1), rows_of_other = other->dim() == 1 ? other->size(0) : other->size(-2);
  if (TNP_UNLIKELY(depth != rows_of_other)) {
    TNP_CHECK(!dialect().errors_are_numpys(), ErrorKind::Shape,
              "Input operand 1 has a mismatch in its core dimension 0, with gufunc signature ", kSignature, " (size ",
              rows_of_other, " is different from ", depth, ")");
    raise_not_multipliable(input->sizes(), other->sizes());
  }
  DimVector sizes = broadcast_shapes(stack_of(input), stack_of(other));
  if (input->dim() > 1) sizes.push_back(input->size(-2));
  if (other->dim() > 1) sizes.push_back(other->size(-1));
  const ScalarType dtype = result_type(*input, *other);
  if (input->dtype() != dtype) input = native::to_dense(input, dtype);
  if (other->dtype() != dtype) other = native::to_dense(other, dtype);
  outputs.add(sizes, dtype);
}

}  // namespace tnp::meta
