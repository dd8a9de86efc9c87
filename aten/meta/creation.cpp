// Shape functions of ranges and triangles.
#include "aten/meta_functions/creation.h"
#include "aten/core/threads/thread_state.h"

namespace tnp::meta {

namespace {

// The result has the shape of `input`. In np, a 1-d input becomes a square matrix with equal rows.
void triangle(Outputs& outputs, Operand& input) {
  const bool rows = dialect().vector_is_rows_of_square();
  if (rows && input->dim() == 1) {
    const int64_t n = input->size(0);
    input = view_of(input, {n, n}, {0, input->stride(0)}, input->address());
  }
  // NumPy raises TypeError here by accident: its tri() then lacks an argument.
  const bool type_error = input->dim() == 0 && rows;
  TNP_CHECK(input->dim() >= 2, type_error ? ErrorKind::Type : ErrorKind::Shape,
            "{input} must have at least two dimensions, got shape ", input->sizes());
  outputs.add(input->sizes(), input->dtype());
}

}  // namespace

void arithmetic_sequence(Outputs& outputs, int64_t& count, const Scalar&, const Scalar&, ScalarType& dtype, Device) {
  outputs.add({count}, dtype);
}

void evenly_spaced(Outputs& outputs, int64_t& count, const Scalar&, const Scalar&, bool&, bool&, ScalarType& dtype,
                   Device) {
  outputs.add({count}, dtype);
}

void tril(Outputs& outputs, Operand& input, int64_t&) { triangle(outputs, input); }
void triu(Outputs& outputs, Operand& input, int64_t&) { triangle(outputs, input); }

}  // namespace tnp::meta
