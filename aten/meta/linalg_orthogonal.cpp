// Shape functions of QR, singular values and least squares. Kernels copy their operands, since they
// factorise in place. Results are row-major.
#include <algorithm>

#include "aten/meta/linalg_checks.h"
#include "aten/meta_functions/linalg.h"

namespace tnp::meta {

void qr_stack(Outputs& outputs, Operand& input, bool& complete) {
  check_matrices(input);
  const int64_t m = input->size(-2), n = input->size(-1), cols = complete ? m : std::min(m, n);
  const ScalarType dtype = linalg_dtype(input);
  outputs.add(stacked(input, {m, cols}), dtype);
  outputs.add(stacked(input, {cols, n}), dtype);
}

void qr_raw_stack(Outputs& outputs, Operand& input) {
  check_matrices(input);
  const int64_t m = input->size(-2), n = input->size(-1);
  const ScalarType dtype = linalg_dtype(input);
  outputs.add(stacked(input, {n, m}), dtype);
  outputs.add(stacked(input, {std::min(m, n)}), dtype);
}

void svd_stack(Outputs& outputs, Operand& input, bool& full_matrices, bool& compute_uv) {
  check_matrices(input);
  const int64_t m = input->size(-2), n = input->size(-1), k = std::min(m, n);
  const ScalarType dtype = linalg_dtype(input);
  auto factor = [&](int64_t rows, int64_t cols) {
    outputs.add(compute_uv ? stacked(input, {rows, cols}) : DimVector{0}, dtype);
  };
  factor(m, full_matrices ? m : k);
  outputs.add(stacked(input, {k}), to_real(dtype));
  factor(full_matrices ? n : k, n);
}

void lstsq_stack(Outputs& outputs, Operand& input, Operand& other, double&) {
  TNP_CHECK(input->dim() == 2 && other->dim() == 2, ErrorKind::LinAlg, input->dim() == 2 ? other->dim() : input->dim(),
            "-dimensional array given. Array must be two-dimensional");
  const int64_t m = input->size(0), n = input->size(1), k = other->size(1);
  TNP_CHECK(m == other->size(0), ErrorKind::LinAlg, "Incompatible dimensions");
  const ScalarType dtype = linalg_dtype(input, other);
  outputs.add({{n, k}}, dtype);
  outputs.add({{std::max<int64_t>(m - n, 0), k}}, dtype);
  outputs.add({}, ScalarType::Int32);
  outputs.add({{std::min(m, n)}}, to_real(dtype));
}

}  // namespace tnp::meta
