"""Products of CSR matrices: operators that are differentiable in values and dense operands.

All matrices are 2-d; `crow` (rows + 1,) and `col` (elements,) are int32 or int64 of one dtype.
"""
from __future__ import annotations

from torch_np import _C

# csr_matmul(crow, col, values, dense) -> (rows, k): the CSR matrix times `dense` (columns, k).
csr_matmul = _C._torch._csr_matmul
# csr_matmul_transposed(crow, col, values, dense, columns) -> (columns, k): the transposed CSR matrix
# times `dense` (rows, k), without conjugation.
csr_matmul_transposed = _C._torch._csr_matmul_transposed
# csr_sampled_matmul(crow, col, left, right) -> (elements,): for each element (i, j) of the pattern the
# sum over k of left[i, k] * right[j, k].
csr_sampled_matmul = _C._torch._csr_sampled_matmul
# coalesced_order(keys) -> (order, starts): the stable order that sorts int64 keys, none negative, and
# the places in it at which runs of equal keys start.
coalesced_order = _C._torch._coalesced_order
# csr_union(crow_a, col_a, crow_b, col_b) -> (crow, col, places_a, places_b): the union of two patterns
# whose columns rise within rows, and the place in it of each element of both.
csr_union = _C._torch._csr_union
# csr_product(crow_a, col_a, values_a, crow_b, col_b, values_b, columns) -> (crow, col, values): the
# product of two CSR matrices; not differentiable.
csr_product = _C._torch._csr_product
# csr_sum(crow_a, col_a, values_a, crow_b, col_b, values_b) -> (crow, col, values): the sum of two CSR
# matrices whose columns rise within rows; not differentiable.
csr_sum = _C._torch._csr_sum
# csr_to_dense(crow, col, values, columns) -> (rows, columns): the dense matrix; not differentiable.
csr_to_dense = _C._torch._csr_to_dense
# csr_row_sums(crow, values) -> (rows,): the sum of the elements of each row; not differentiable.
csr_row_sums = _C._torch._csr_row_sums
# csr_extremes(crow, col, values, dense, largest) -> (rows, k): the maxima or minima of the products
# whose sums are csr_matmul(crow, col, values, dense), 0 for a row without elements; not differentiable.
csr_extremes = _C._torch._csr_extremes
# csr_triangular_solve(crow, col, values, dense, upper, unit, transpose) -> (n, k): substitution, on the
# CPU; not differentiable.
csr_triangular_solve = _C._torch._csr_triangular_solve
# csr_solve(crow, col, values, dense) -> (n, k): the solution of a square system, on the CPU; not
# differentiable.
csr_solve = _C._torch._csr_solve
# coalesced_sums(keys, values) -> (keys, values): the distinct keys in order, and the sum of the values
# of each; not differentiable.
coalesced_sums = _C._torch._coalesced_sums
