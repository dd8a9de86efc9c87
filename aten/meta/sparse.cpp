// Shape functions of the products of CSR matrices.
#include "aten/meta_functions/sparse.h"

#include "aten/iterator/dense.h"
#include "aten/kernels/sparse.h"

namespace tnp::meta {

namespace {

// Checks the pattern and converts it; returns the number of rows.
int64_t take_pattern(Operand& crow, Operand& col) {
  TNP_CHECK(crow->dim() == 1 && crow->numel() > 0, ErrorKind::Shape, "{crow} of shape ", crow->sizes(),
            " is not 1-d with at least one element");
  TNP_CHECK(col->dim() == 1, ErrorKind::Shape, "{col} of shape ", col->sizes(), " is not 1-d");
  TNP_CHECK(crow->dtype() == col->dtype() && (crow->dtype() == ScalarType::Int32 || crow->dtype() == ScalarType::Int64),
            ErrorKind::Dtype, "{crow} and {col} must be both int32 or both int64, got ", crow->dtype(), " and ",
            col->dtype());
  crow = native::to_dense(crow, crow->dtype());
  col = native::to_dense(col, col->dtype());
  return crow->numel() - 1;
}

void check_matrix(const Tensor& t, const char* name) {
  TNP_CHECK(t.dim() == 2, ErrorKind::Shape, "{", name, "} of shape ", t.sizes(), " is not a matrix");
}

void check_rows(const Tensor& t, const char* name, int64_t rows) {
  TNP_CHECK(t.size(0) == rows, ErrorKind::Shape, "{", name, "} of shape ", t.sizes(), " has not one row for each of ",
            rows, " rows of the CSR matrix");
}

void check_values(const Tensor& values, const Tensor& col) {
  TNP_CHECK(values.dim() == 1 && values.numel() == col.numel(), ErrorKind::Shape, "{values} of shape ", values.sizes(),
            " must have the shape of {col}, ", col.sizes());
}

// Converts both factors to the loop's dtype, which is returned. They must have one dtype.
ScalarType take_factors(Operand& a, const char* a_name, Operand& b, const char* b_name) {
  TNP_CHECK(a->dtype() == b->dtype(), ErrorKind::Dtype, "{", a_name, "} and {", b_name, "} must have one dtype, got ",
            a->dtype(), " and ", b->dtype());
  const ScalarType computed = sparse_compute_type(a->dtype());
  a = native::to_dense(a, computed);
  b = native::to_dense(b, computed);
  return computed;
}

// Checks the operands of a square system and converts them.
void add_solution(Outputs& outputs, Operand& crow, Operand& col, Operand& values, Operand& dense) {
  const int64_t rows = take_pattern(crow, col);
  check_values(values, col);
  check_matrix(dense, "dense");
  check_rows(dense, "dense", rows);
  const ScalarType dtype = values->dtype();
  TNP_CHECK(!is_integral(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  const ScalarType computed = take_factors(values, "values", dense, "dense");
  outputs.add(dense->sizes(), dtype).computed_in(computed);
}

}  // namespace

void _csr_matmul(Outputs& outputs, Operand& crow, Operand& col, Operand& values, Operand& dense) {
  const int64_t rows = take_pattern(crow, col);
  check_values(values, col);
  check_matrix(dense, "dense");
  const ScalarType dtype = values->dtype(), computed = take_factors(values, "values", dense, "dense");
  outputs.add({rows, dense->size(1)}, dtype).computed_in(computed);
}

void _csr_matmul_transposed(Outputs& outputs, Operand& crow, Operand& col, Operand& values, Operand& dense,
                            int64_t& columns) {
  const int64_t rows = take_pattern(crow, col);
  check_values(values, col);
  check_matrix(dense, "dense");
  check_rows(dense, "dense", rows);
  TNP_CHECK(columns >= 0, ErrorKind::Value, "{columns} must not be negative, got ", columns);
  const ScalarType dtype = values->dtype(), computed = take_factors(values, "values", dense, "dense");
  outputs.add({columns, dense->size(1)}, dtype).computed_in(computed);
}

void _csr_sampled_matmul(Outputs& outputs, Operand& crow, Operand& col, Operand& left, Operand& right) {
  const int64_t rows = take_pattern(crow, col);
  check_matrix(left, "left");
  check_matrix(right, "right");
  check_rows(left, "left", rows);
  TNP_CHECK(left->size(1) == right->size(1), ErrorKind::Shape, "{left} of shape ", left->sizes(),
            " and {right} of shape ", right->sizes(), " must have rows of one length");
  const ScalarType dtype = left->dtype(), computed = take_factors(left, "left", right, "right");
  outputs.add({col->numel()}, dtype).computed_in(computed);
}

void _csr_to_dense(Outputs& outputs, Operand& crow, Operand& col, Operand& values, int64_t& columns) {
  const int64_t rows = take_pattern(crow, col);
  check_values(values, col);
  TNP_CHECK(columns >= 0, ErrorKind::Value, "{columns} must not be negative, got ", columns);
  const ScalarType dtype = values->dtype(), computed = sparse_compute_type(dtype);
  values = native::to_dense(values, computed);
  outputs.add({rows, columns}, dtype).computed_in(computed);
}

void _csr_row_sums(Outputs& outputs, Operand& crow, Operand& values) {
  TNP_CHECK(values->dim() == 1, ErrorKind::Shape, "{values} of shape ", values->sizes(), " is not 1-d");
  TNP_CHECK(crow->dim() == 1 && crow->numel() > 0, ErrorKind::Shape, "{crow} of shape ", crow->sizes(),
            " is not 1-d with at least one element");
  TNP_CHECK(crow->dtype() == ScalarType::Int32 || crow->dtype() == ScalarType::Int64, ErrorKind::Dtype,
            "{crow} must be int32 or int64, got ", crow->dtype());
  const ScalarType dtype = values->dtype(), computed = sparse_compute_type(dtype);
  crow = native::to_dense(crow, crow->dtype());
  values = native::to_dense(values, computed);
  outputs.add({crow->numel() - 1}, dtype).computed_in(computed);
}

void _csr_extremes(Outputs& outputs, Operand& crow, Operand& col, Operand& values, Operand& dense, bool& /*largest*/) {
  const int64_t rows = take_pattern(crow, col);
  check_values(values, col);
  check_matrix(dense, "dense");
  const ScalarType dtype = values->dtype();
  TNP_CHECK(!is_complex(dtype), ErrorKind::NotImplemented, "not implemented for ", dtype);
  const ScalarType computed = take_factors(values, "values", dense, "dense");
  outputs.add({rows, dense->size(1)}, dtype).computed_in(computed);
}

void _csr_triangular_solve(Outputs& outputs, Operand& crow, Operand& col, Operand& values, Operand& dense,
                           bool& /*upper*/, bool& /*unit*/, bool& /*transpose*/) {
  add_solution(outputs, crow, col, values, dense);
}

void _csr_solve(Outputs& outputs, Operand& crow, Operand& col, Operand& values, Operand& dense) {
  add_solution(outputs, crow, col, values, dense);
}

}  // namespace tnp::meta
