// Shape functions of solve, inverse, determinant and Cholesky factorisation. Kernels copy their
// operands, since they factorise in place. Results are row-major.
#include "aten/meta/linalg_checks.h"
#include "aten/meta_functions/linalg.h"

namespace tnp::meta {

// A X = B for `input` (..., n, n) and `other` (..., n, k), whose batch axes broadcast.
void solve_stack(Outputs& outputs, Operand& input, Operand& other) {
  check_square(input);
  check_matrices(other);
  const int64_t n = input->size(-1);
  TNP_CHECK(other->size(-2) == n, ErrorKind::Shape,
            "Input operand 1 has a mismatch in its core dimension 0, with gufunc "
            "signature (m,m),(m,n)->(m,n) (size ",
            other->size(-2), " is different from ", n, ")");
  const ScalarType dtype = linalg_dtype(input, other);
  outputs.add(stacked(broadcast_shapes(stack_of(input), stack_of(other)), {n, other->size(-1)}), dtype);
}

void inv(Outputs& outputs, Operand& input) {
  check_square(input);
  outputs.add(input->sizes(), linalg_dtype(input));
}

void det(Outputs& outputs, Operand& input) {
  check_square(input);
  outputs.add(stack_of(input), linalg_dtype(input));
}

void slogdet(Outputs& outputs, Operand& input) {
  check_square(input);
  const ScalarType dtype = linalg_dtype(input);
  outputs.add(stack_of(input), dtype);
  outputs.add(stack_of(input), to_real(dtype));
}

void cholesky(Outputs& outputs, Operand& input, bool&) {
  check_square(input);
  outputs.add(input->sizes(), linalg_dtype(input));
}

}  // namespace tnp::meta
