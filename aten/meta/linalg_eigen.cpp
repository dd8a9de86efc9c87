// Shape functions of eigenvalues and eigenvectors. Kernels copy their operands, since they
// factorise in place. Results are row-major.
#include "aten/meta/linalg_checks.h"
#include "aten/meta_functions/linalg.h"

namespace tnp::meta {

namespace {

void add_vectors(Outputs& outputs, const Tensor& input, bool wanted, ScalarType dtype) {
  outputs.add(wanted ? DimVector(input.sizes()) : DimVector{0}, dtype);
}

}  // namespace

void eigh_stack(Outputs& outputs, Operand& input, bool&, bool& vectors) {
  check_square(input);
  const ScalarType dtype = linalg_dtype(input);
  outputs.add(stacked(input, {input->size(-1)}), to_real(dtype));
  add_vectors(outputs, input, vectors, dtype);
}

void eig_stack(Outputs& outputs, Operand& input, bool& vectors) {
  check_square(input);
  const ScalarType dtype = to_complex(linalg_dtype(input));
  outputs.add(stacked(input, {input->size(-1)}), dtype);
  add_vectors(outputs, input, vectors, dtype);
}

}  // namespace tnp::meta
