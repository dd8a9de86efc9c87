// Shape functions of PyTorch's factorisations. Kernels copy their operands, since they factorise in
// place. Results are row-major.
#include "aten/meta_functions/factorisations.h"
#include "aten/iterator/dense.h"
#include "aten/meta/linalg_checks.h"

namespace tnp::meta {

void lu_factor_stack(Outputs& outputs, Operand& input, bool&) {
  check_matrices(input);
  outputs.add(input->sizes(), linalg_dtype(input));
  outputs.add(stacked(input, {std::min(input->size(-2), input->size(-1))}), ScalarType::Int32);
  outputs.add(stack_of(input), ScalarType::Int32);
}

void lu_permutation(Outputs& outputs, Operand& pivots, int64_t& rows) {
  TNP_CHECK(pivots->dim() >= 1 && pivots->size(-1) <= rows, ErrorKind::Shape, "pivots of shape ", pivots->sizes(),
            " do not fit ", rows, " rows");
  DimVector sizes(pivots->sizes());
  sizes.back() = rows;
  pivots = native::to_dense(pivots, ScalarType::Int32);
  outputs.add(sizes, ScalarType::Int64);
}

void solve_triangular_stack(Outputs& outputs, Operand& A, Operand& B, bool&, bool&) {
  check_square(A);
  check_matrices(B);
  const int64_t n = A->size(-1);
  TNP_CHECK(B->size(-2) == n, ErrorKind::Shape, "{A} of shape ", A->sizes(), " and {B} of shape ", B->sizes(),
            " do not fit: ", n, " columns but ", B->size(-2), " rows");
  outputs.add(stacked(broadcast_shapes(stack_of(A), stack_of(B)), {n, B->size(-1)}), linalg_dtype(A, B));
}

void cholesky_stack(Outputs& outputs, Operand& input, bool&) {
  check_square(input);
  outputs.add(input->sizes(), linalg_dtype(input));
  outputs.add(stack_of(input), ScalarType::Int32);
}

void ldl_factor_stack(Outputs& outputs, Operand& input, bool&) {
  check_square(input);
  outputs.add(input->sizes(), linalg_dtype(input));
  outputs.add(stacked(input, {input->size(-1)}), ScalarType::Int32);
  outputs.add(stack_of(input), ScalarType::Int32);
}

void ldl_solve_stack(Outputs& outputs, Operand& LD, Operand& pivots, Operand& B, bool&) {
  check_square(LD);
  check_matrices(B);
  const int64_t n = LD->size(-1);
  TNP_CHECK(IntList(pivots->sizes()) == IntList(stacked(LD, {n})), ErrorKind::Shape, "{pivots} of shape ",
            pivots->sizes(), " do not fit {LD} of shape ", LD->sizes());
  TNP_CHECK(B->size(-2) == n, ErrorKind::Shape, "{LD} of shape ", LD->sizes(), " and {B} of shape ", B->sizes(),
            " do not fit: ", n, " columns but ", B->size(-2), " rows");
  const DimVector stack = broadcast_shapes(stack_of(LD), stack_of(B));
  outputs.add(stacked(stack, {n, B->size(-1)}), linalg_dtype(LD, B));
}

}  // namespace tnp::meta
