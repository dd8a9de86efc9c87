// Products of CSR matrices, composed of other operators for devices without kernels.
#include "aten/functions/arithmetic.h"
#include "aten/functions/copies.h"
#include "aten/functions/creation.h"
#include "aten/functions/indexing.h"
#include "aten/functions/reductions.h"
#include "aten/functions/scatter.h"
#include "aten/functions/shape.h"
#include "aten/iterator/copy.h"
#include "aten/native_functions/sparse.h"
#include "aten/ops/operators.h"
#include "aten/ops/sparse/rows_of.h"

namespace tnp::native {

namespace {

// Sums lines[e] * values[e] in line to[e] of `out`.
void sum_lines(const Tensor& to, const Tensor& values, const Tensor& lines, const Tensor& out) {
  const Tensor zeros = tnp::zeros(out.sizes(), out.dtype(), out.device());
  copy_into(out, tnp::index_add(zeros, 0, to, tnp::unsqueeze(values, 1) * lines, Scalar(1)));
}

}  // namespace

void csr_matmul_composite(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                          const Tensor& out) {
  sum_lines(rows_of(crow, col.numel()), values, tnp::index_select(dense, 0, col), out);
}

void csr_matmul_transposed_composite(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                                     int64_t /*columns*/, const Tensor& out) {
  sum_lines(col, values, tnp::index_select(dense, 0, rows_of(crow, col.numel())), out);
}

void csr_sampled_matmul_composite(const Tensor& crow, const Tensor& col, const Tensor& left, const Tensor& right,
                                  const Tensor& out) {
  const Tensor products = tnp::index_select(left, 0, rows_of(crow, col.numel())) * tnp::index_select(right, 0, col);
  copy_into(out, tnp::sum(products, IntList{1}, false, out.dtype()));
}

void csr_to_dense_composite(const Tensor& crow, const Tensor& col, const Tensor& values, int64_t columns,
                            const Tensor& out) {
  const Tensor place = rows_of(crow, col.numel()) * wrapped_number(Scalar(columns)) + tnp::cast(col, ScalarType::Int64);
  const Tensor zeros = tnp::zeros(IntList{out.numel()}, out.dtype(), out.device());
  copy_into(out, tnp::reshape(tnp::index_add(zeros, 0, place, values, Scalar(1)), out.sizes()));
}

void csr_row_sums_composite(const Tensor& crow, const Tensor& values, const Tensor& out) {
  const Tensor zeros = tnp::zeros(out.sizes(), out.dtype(), out.device());
  copy_into(out, tnp::index_add(zeros, 0, rows_of(crow, values.numel()), values, Scalar(1)));
}

void csr_extremes_composite(const Tensor& crow, const Tensor& col, const Tensor& values, const Tensor& dense,
                            bool largest, const Tensor& out) {
  const Tensor products = tnp::unsqueeze(values, 1) * tnp::index_select(dense, 0, col);
  const Tensor rows = tnp::expand(tnp::unsqueeze(rows_of(crow, col.numel()), 1), products.sizes());
  const Tensor zeros = tnp::zeros(out.sizes(), out.dtype(), out.device());
  copy_into(out, tnp::scatter_reduce(zeros, 0, rows, products, largest ? "amax" : "amin", false));
}

}  // namespace tnp::native
