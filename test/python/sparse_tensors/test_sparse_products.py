"""Products of sparse matrices, against products of dense ones."""
import re

import pytest
import torch_np
from sparse_tensors import BSC, BSR, COO, CSC, CSR, LAYOUTS, NAMES, assert_equals, in_layout, parts, uncoalesced
from torch_np.autograd import gradcheck, gradgradcheck

A = torch_np.tensor([[0, 1.5, 0, 0], [-2, 0, 0, 4], [0, 0, 0, 0], [3, 0, -0.5, 0], [0, 0, 0, 0], [1, 1, 0, 1]])
B = torch_np.arange(12.0).reshape(4, 3) - 5
DTYPES = [torch_np.float32, torch_np.float64, torch_np.int64, torch_np.complex128]
close = torch_np.testing.assert_close


def cast(x, dtype):
    return (2 * x).to(dtype) * (1 + 2j) if dtype.is_complex else (2 * x).to(dtype)


@pytest.mark.parametrize("dtype", DTYPES, ids=str)
@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_products_with_dense_matrices(layout, dtype):
    a, b = cast(A, dtype), cast(B, dtype)
    x = in_layout(a, layout)
    for product in (x @ b, torch_np.mm(x, b), x.mm(b), torch_np.sparse.mm(x, b), torch_np.spmm(x, b), torch_np.linalg.multi_dot([x, b])):
        assert product.layout is torch_np.strided and product.is_contiguous()
        close(product, a @ b)
    left = a.mT.contiguous()
    close(left @ x, left @ a)
    close(torch_np.stack([left, left]) @ x, torch_np.stack([left @ a] * 2))
    close(x @ b[:, 0], a @ b[:, 0])
    close(torch_np.mv(x, b[:, 1]), a @ b[:, 1])
    close(a[:, 0] @ x, a[:, 0] @ a)
    close(torch_np.nn.functional.linear(b.mT, x, torch_np.ones(6, dtype=dtype)), b.mT @ a.mT + 1)
    close(x @ b[:, :0], a @ b[:, :0])


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_addmm(layout):
    x, c, v = in_layout(A, layout), torch_np.ones(6, 3), torch_np.arange(6.0)
    for function in (torch_np.addmm, torch_np.sparse.addmm):
        close(function(c, x, B, beta=2, alpha=3), 2 * c + 3 * A @ B)
        close(function(torch_np.tensor(2.0), x, B), 2 + A @ B)
        close(function(c * float("nan"), x, B, beta=0), A @ B)
    close(torch_np.addmm(torch_np.ones(4, 6), A.mT.contiguous(), torch_np.sparse.mm(x, x.mT.to_dense())), 1 + A.mT @ A @ A.mT)
    close(torch_np.addmv(v, x, B[:, 0], beta=0.5), 0.5 * v + A @ B[:, 0])
    out = torch_np.empty(0)
    assert torch_np.addmm(c, x, B, out=out) is out
    close(out, c + A @ B)
    close(c.clone().addmm_(x, B), c + A @ B)
    close(v.clone().addmv_(x, B[:, 0]), v + A @ B[:, 0])
    close(torch_np.mm(x, B, out=torch_np.empty(6, 3)), A @ B)


@pytest.mark.parametrize("left, right, result", [
    (COO, COO, COO), (CSR, CSR, CSR), (CSR, CSC, CSR), (CSC, CSR, CSR), (CSC, CSC, CSR)])
@pytest.mark.parametrize("grad", [False, True])
def test_products_of_sparse_matrices(left, right, result, grad):
    x, y = in_layout(A, left).requires_grad_(grad), in_layout(A.mT.contiguous(), right)
    product = torch_np.mm(x, y)
    assert product.layout is result and product.requires_grad == grad
    assert_equals(product.detach(), A @ A.mT)
    again = torch_np.sparse.mm(x, y)
    assert again.layout is (CSC if left is right is CSC else result)
    assert_equals(again.detach(), A @ A.mT)
    if result is COO:
        assert product.is_coalesced() and parts(product.coalesce()) == parts(product)


def test_products_of_sparse_matrices_that_are_empty_or_cancel():
    for layout in (COO, CSR):
        x, y = (torch_np.zeros(shape).to_sparse(layout=layout) for shape in ((5, 0), (0, 3)))
        assert_equals(x @ y, torch_np.zeros(5, 3))
        assert_equals(y @ torch_np.zeros(3, 2).to_sparse(layout=layout), torch_np.zeros(0, 2))
        ones = torch_np.tensor([[1.0, 1.0], [0, 0]])
        assert_equals(ones.to_sparse(layout=layout) @ torch_np.tensor([[1.0, 2], [-1, 0]]).to_sparse(layout=layout), torch_np.tensor([[0, 2.0], [0, 0]]))
    x, dense = uncoalesced()
    assert_equals(x @ x.t(), dense @ dense.mT)
    assert_equals(torch_np.matrix_power(x.t() @ x, 3), torch_np.matrix_power(dense.mT @ dense, 3))


@pytest.mark.parametrize("layout", [CSR, CSC], ids=["csr", "csc"])
def test_addmm_of_sparse_matrices(layout):
    c, x, y = (in_layout(m, layout) for m in (A, A, torch_np.eye(4)[[1, 0, 3, 2]]))
    expected = 2 * A - A @ y.to_dense()
    found = torch_np.addmm(c, x, y, beta=2, alpha=-1)
    assert found.layout is layout
    assert_equals(found, expected)
    close(torch_np.addmm(A, x, y, beta=2, alpha=-1), expected)
    out = c.clone()
    assert torch_np.addmm(c, x, y, beta=2, alpha=-1, out=out) is out
    assert_equals(out, expected)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_batches(layout):
    a = torch_np.stack([A, 2 * A, -A])
    b = torch_np.stack([B, B + 1, B * 0.5])
    x = in_layout(a, layout)
    close(torch_np.bmm(x, b), a @ b)
    close(x @ b, a @ b)
    close(torch_np.baddbmm(torch_np.ones(6, 3), x, b, beta=2, alpha=0.5), 2 + 0.5 * a @ b)
    with pytest.raises(RuntimeError, match="must match"):
        torch_np.bmm(x, b[:2])
    with pytest.raises(RuntimeError, match="'mat2' must be dense"):
        torch_np.bmm(b.mT, x)


@pytest.mark.parametrize("reduce, expected", [
    ("sum", [[4.0, 3], [0, 0], [-1, 4]]), ("mean", [[2.0, 1.5], [0, 0], [-1, 4]]), ("amax", [[3.0, 2], [0, 0], [-1, 4]]),
    ("amin", [[1.0, 1], [0, 0], [-1, 4]])])
@pytest.mark.parametrize("index", [torch_np.int32, torch_np.int64], ids=str)
def test_reductions_of_products(reduce, expected, index):
    x = torch_np.sparse_csr_tensor(torch_np.tensor([0, 2, 2, 3], dtype=index), torch_np.tensor([0, 1, 2], dtype=index),
                                   torch_np.tensor([1.0, 3.0, -1.0]).double(), (3, 3)).requires_grad_()
    y = torch_np.tensor([[1.0, 2.0], [1.0, 1 / 3], [1.0, -4.0]]).double().requires_grad_()
    close(torch_np.sparse.mm(x, y, reduce), torch_np.tensor(expected).double())
    assert gradcheck(lambda a, b: torch_np.sparse.mm(a, b, reduce), (x, y), masked=True)
    with pytest.raises(RuntimeError, match="expect self to be SparseCsr"):
        torch_np.sparse.mm(x.detach().to_sparse_coo(), y, reduce)


def test_sampled_addmm():
    left, right = torch_np.arange(12.0).reshape(6, 2), torch_np.arange(8.0).reshape(2, 4) - 3
    x = A.to_sparse_csr()
    where = (A != 0).to(A.dtype)
    assert_equals(torch_np.sparse.sampled_addmm(x, left, right, beta=2, alpha=3), 2 * A + 3 * (left @ right) * where)
    both = torch_np.sparse.sampled_addmm(x, torch_np.stack([left, -left]), torch_np.stack([right, right]))
    assert both.shape == (2, 6, 4)
    assert_equals(both, torch_np.stack([A + (left @ right) * where, A - (left @ right) * where]))
    out = x.clone()
    assert torch_np.sparse.sampled_addmm(x, left, right, beta=0, out=out) is out
    assert_equals(out, (left @ right) * where)
    assert_equals(torch_np.sparse.sampled_addmm(x, left[:, :0], right[:0]), A)
    inputs = x.double().requires_grad_(), left.double().requires_grad_(), right.double().requires_grad_()
    assert gradcheck(lambda *a: torch_np.sparse.sampled_addmm(*a, beta=0.5, alpha=2).to_dense(), inputs, masked=True)
    with pytest.raises(RuntimeError, match=r"self.shape\[-1\] must match"):
        torch_np.sparse.sampled_addmm(x, left, right[:, :3])


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
@pytest.mark.parametrize("masked", [True, False])
def test_gradients(layout, masked):
    x, y = in_layout(A.double(), layout).requires_grad_(), B.double().requires_grad_()
    assert gradcheck(torch_np.mm, (x, y), masked=masked)
    assert gradcheck(lambda a: B.double().mT @ a.mT, x, masked=masked)
    if masked:
        assert gradgradcheck(torch_np.sparse.mm, (x, y), masked=True)
    if layout in (COO, CSR, CSC):
        assert gradcheck(lambda a: torch_np.mm(a, a.t()).to_dense(), x, masked=masked)


def test_gradients_of_complex_products():
    x, y = cast(A, torch_np.complex128).to_sparse_csr().requires_grad_(), cast(B, torch_np.complex128).requires_grad_()
    assert gradcheck(torch_np.mm, (x, y), masked=True)
    assert gradcheck(lambda a: torch_np.mm(a, a.mH).to_dense(), x, masked=True)


def test_older_names():
    x = A.to_sparse()
    for function in (torch_np.hspmm, torch_np.hsmm):
        found = function(x, B)
        assert found.sparse_dim() == 1 and found._indices().tolist() == [[0, 1, 3, 5]]
        assert_equals(found, A @ B)
    assert x.smm(B)._nnz() == 12 and torch_np.smm(x, B).sparse_dim() == 2
    assert_equals(x.smm(B), A @ B)
    c = (A @ B).to_sparse()
    for function in (torch_np.sspaddmm, torch_np.saddmm):
        assert_equals(function(c, x, B, beta=2, alpha=-1), A @ B)
    assert_equals(c.sspaddmm(x, B), 2 * A @ B)
    close(torch_np.dsmm(x, B), A @ B)


@pytest.mark.parametrize("upper", [True, False])
@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("transpose", [True, False])
def test_triangular_solve(upper, unit, transpose):
    full = torch_np.tensor([[2.0, 1, 0, 3], [0, 4, -1, 0], [1, 0, 5, 2], [0, 2, 0, 1]]).double()
    a = full.to_sparse_csr().requires_grad_()
    b = (B + torch_np.eye(4)[:, :3]).double().requires_grad_()
    options = dict(upper=upper, unitriangular=unit, transpose=transpose)
    solution, rest = torch_np.triangular_solve(b, a, **options)
    close(solution, torch_np.triangular_solve(b, full, **options)[0])
    assert rest.numel() == 0
    out = torch_np.empty(4, 3, dtype=torch_np.float64), rest
    with torch_np.no_grad():
        torch_np.triangular_solve(b, a, **options, out=out)
    close(out[0], solution.detach())
    assert gradcheck(lambda x, y: torch_np.triangular_solve(y, x, **options)[0], (a, b), masked=True)


def test_triangular_solve_of_other_matrices():
    assert torch_np.triangular_solve(B, torch_np.zeros(4, 4).to_sparse_csr())[0].isnan().all()
    a = torch_np.tensor([[2.0, 0, 0, 1], [0, 2, 0, 0], [0, 0, 1, 1], [0, 0, 0, 4]])
    close(torch_np.triangular_solve(B, a.to_sparse_bsr((2, 2)))[0], torch_np.linalg.solve(a, B))
    with pytest.raises(ValueError, match="unsupported sparse layout"):
        torch_np.triangular_solve(B, a.to_sparse_csc())


@pytest.mark.parametrize("call, error, message", [
    (lambda x: x @ torch_np.ones(3, 2), RuntimeError, "mat1 and mat2 shapes cannot be multiplied (6x4 and 3x2)"),
    (lambda x: x @ B.double(), RuntimeError, "expected scalar type Float but found Double"),
    (lambda x: torch_np.mm(x, x.t().double()), RuntimeError, "mat1 dtype Float does not match mat2 dtype Double"),
    (lambda x: x @ x.t().to_sparse_csr(), RuntimeError, "not implemented for Sparse + Sparse @ SparseCsr"),
    (lambda x: torch_np.mv(x, torch_np.ones(3)), RuntimeError, "mv: expected self.size(-1) == vec.size(-1)"),
    (lambda x: x @ torch_np.tensor(1.0), RuntimeError, "both arguments to matmul need to be at least 1D"),
    (lambda x: torch_np.addmm(torch_np.ones(2, 3), x, B), RuntimeError, "does not broadcast to (6, 3)"),
    (lambda x: torch_np.mm(A.to_sparse(1), B), RuntimeError, "mat1 must be a matrix of sparse dimensions"),
    (lambda x: torch_np.mm(x.requires_grad_(), B, out=torch_np.empty(6, 3)), RuntimeError, "don't support automatic differentiation"),
    (lambda x: torch_np.mm(x, B, out=x), RuntimeError, "expected an out= tensor with layout Strided, got Sparse"),
    (lambda x: torch_np.hspmm(x, B[0]), RuntimeError, "matrices expected, got 1D tensor"),
    (lambda x: torch_np.kron(x, x), NotImplementedError, "not implemented for tensors of the layout"),
])
def test_errors(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call(A.to_sparse())


def test_products_of_blocks_of_other_shapes():
    for block in ((1, 1), (2, 1), (3, 4), (1, 2)):
        for layout in (BSR, BSC):
            x = A.to_sparse(layout=layout, blocksize=block)
            close(x @ B, A @ B)
            close(B.mT @ x.mT, B.mT @ A.mT)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_autocast(layout):
    x, b, expected = in_layout(A, layout), B.clone().requires_grad_(), A @ B
    with torch_np.autocast(x.device.type, torch_np.bfloat16):
        for found in (x @ b, torch_np.sparse.mm(x, b.bfloat16()), torch_np.addmm(torch_np.zeros(6, 3), x, b)):
            assert found.dtype == torch_np.bfloat16
            close(found.float(), expected)
        assert (x.double() @ b.double()).dtype == torch_np.float64
        (x @ b).float().sum().backward()
    assert b.grad.dtype == torch_np.float32
    close(b.grad, A.sum(0)[:, None].expand(4, 3))
