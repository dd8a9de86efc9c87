"""Conversions between layouts, and to and from dense tensors."""
import itertools

import pytest
import torch_np
from sparse_tensors import BSC, BSR, COO, CSC, CSR, DENSE, LAYOUTS, NAMES, assert_equals, hybrid, in_layout, parts, uncoalesced


def test_parts_of_each_layout():
    assert parts(in_layout(DENSE, COO)) == [[[0, 1, 1, 3, 3], [1, 0, 3, 0, 2]], [1.5, -2, 4, 3, -0.5]]
    assert parts(in_layout(DENSE, CSR)) == [[0, 1, 3, 3, 5], [1, 0, 3, 0, 2], [1.5, -2, 4, 3, -0.5]]
    assert parts(in_layout(DENSE, CSC)) == [[0, 2, 3, 4, 5], [1, 3, 0, 3, 1], [-2, 3, 1.5, -0.5, 4]]
    blocks = [[[0, 1.5], [-2, 0]], [[0, 0], [0, 4]], [[0, 0], [3, 0]], [[0, 0], [-0.5, 0]]]
    assert parts(in_layout(DENSE, BSR)) == [[0, 2, 4], [0, 1, 0, 1], blocks]
    assert parts(in_layout(DENSE, BSC)) == [[0, 2, 4], [0, 1, 0, 1], [blocks[i] for i in (0, 2, 1, 3)]]


@pytest.mark.parametrize("source, target", list(itertools.product(LAYOUTS, LAYOUTS)))
def test_all_pairs(source, target):
    x = in_layout(DENSE, source)
    block = (2, 2) if target in (BSR, BSC) else None
    if source in (BSR, BSC) and target in (CSR, CSC):
        with pytest.raises(RuntimeError, match="expected SparseCsr or SparseCsc layout but got"):
            x.to_sparse(layout=target)
        return
    made = x.to_sparse(layout=target, blocksize=block)
    assert made.layout is target
    assert_equals(made, DENSE)
    assert (made is x) == (source is target)
    if target is not COO and source not in (BSR, BSC):
        assert parts(made) == parts(in_layout(DENSE, target))


@pytest.mark.parametrize("layout", LAYOUTS[1:], ids=NAMES[1:])
def test_batches_and_dense_axes(layout):
    block = {"blocksize": (2, 2)} if layout in (BSR, BSC) else {}
    batches = torch_np.stack((DENSE, DENSE.flip(0)))
    x = batches.to_sparse(layout=layout, **block)
    assert x.values().shape[0] == 2
    assert_equals(x, batches)
    assert_equals(x.to_sparse(), batches)
    opposite = {CSR: CSC, CSC: CSR, BSR: BSC, BSC: BSR}[layout]
    assert_equals(x.to_sparse(layout=opposite, **block), batches)
    slices = torch_np.stack((DENSE, 2 * DENSE), -1)
    y = slices.to_sparse(layout=layout, dense_dim=1, **block)
    assert y.dense_dim() == 1
    assert_equals(y, slices)
    assert_equals(y.to_sparse(), slices)
    with pytest.raises(RuntimeError, match="Expect the same number of specified elements per batch"):
        torch_np.stack((DENSE, torch_np.zeros(4, 4))).to_sparse(layout=layout, **block)


def test_numbers_of_sparse_axes():
    x = torch_np.stack((DENSE, 2 * DENSE), -1)
    for sparse in (1, 2, 3):
        made = x.to_sparse(sparse)
        assert made.sparse_dim() == sparse and made.is_coalesced()
        assert_equals(made, x)
    assert_equals(torch_np.tensor(3.0).to_sparse(), torch_np.tensor(3.0))
    assert torch_np.tensor(0.0).to_sparse()._nnz() == 0


@pytest.mark.parametrize("call, message", [
    (lambda: DENSE.to_sparse(3), r"dense_to_sparse: sparse_dim argument must be in \[0,2\] range, but 3 is given"),
    (lambda: DENSE.to_sparse(-1), r"dense_to_sparse: sparse_dim argument must be in \[0,2\] range, but -1 is given"),
    (lambda: DENSE.to_sparse(0), "dense_to_sparse: sparse_dim argument must be in >0 when self.dim"),
    (lambda: DENSE.to_sparse(layout=BSR), "dense_to_sparse: conversion from Strided to SparseBsr without blocksize argument given is not supported"),
    (lambda: DENSE.to_sparse(layout=CSR, blocksize=(2, 2)), "from Strided to SparseCsr with blocksize argument given is not supported"),
    (lambda: DENSE.to_sparse(layout=CSR, dense_dim=1), r"dense_to_sparse: dense_dim argument must be in \[0,0\] range, but 1 is given"),
    (lambda: DENSE.to_sparse_csr(dense_dim=-1), r"dense_to_sparse_csr: dense_dim argument must be in \[0,0\] range, but -1 is given"),
    (lambda: DENSE.to_sparse_bsr((3, 2)), r"dense_to_sparse_bsr: tensor sparse size \(4,4\) must be divisible by given blocksize \(3,2\)"),
    (lambda: DENSE.to_sparse_bsr((0, 2)), r"dense_to_sparse_bsr: blocksize needs to be positive, but got \[0, 2\]"),
    (lambda: DENSE.to_sparse_bsr((1,)), "dense_to_sparse_bsr: blocksize needs to be a tuple of size 2, but got 1"),
    (lambda: hybrid().to_sparse_csr(), r"coo_to_sparse_csr: conversion from Sparse to SparseCsr for input tensors with sparse_dim\(\)!=2"),
    (lambda: in_layout(DENSE, BSR).to_sparse_bsr((4, 4)), r"with blocksize changed from \[2, 2\] to \[4, 4\] is not supported"),
    (lambda: in_layout(DENSE, CSR).to_sparse(1), "sparse_compressed_to_sparse: conversion from SparseCsr to Sparse with sparse_dim argument !=2"),
    (lambda: in_layout(DENSE, COO).to_sparse(1), r"to_sparse: conversion from Sparse to Sparse with sparse_dim argument !=self.sparse_dim\(\)"),
    (lambda: torch_np.ones(0, 3, 4).to_sparse_csr(), "to_sparse_csr: Expected product of batch dimensions to be non-zero."),
    (lambda: in_layout(DENSE, COO).to_dense(torch_np.float64), "dtype argument is not supported by sparse_to_dense"),
])
def test_errors(call, message):
    with pytest.raises(RuntimeError, match=message):
        call()


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16", "float64", "complex64"])
@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_dtypes(layout, dtype):
    dense = DENSE.abs().to(getattr(torch_np, dtype))
    assert_equals(in_layout(dense, layout), dense)
    assert_equals(in_layout(DENSE.abs(), layout).to(dense.dtype), dense)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
@pytest.mark.parametrize("size", [(0, 0), (0, 4), (4, 0), (4, 4)])
def test_no_elements(layout, size):
    dense = torch_np.zeros(size)
    x = in_layout(dense, layout)
    assert x._nnz() == 0
    assert_equals(x, dense)
    assert_equals(x.to_sparse(), dense)


def test_coalesce():
    x, dense = uncoalesced()
    y = x.coalesce()
    assert y.is_coalesced() and y.coalesce() is y and not x.is_coalesced()
    assert parts(y) == [[[0, 1, 1], [1, 0, 2]], [1, 0.5, -2]]
    assert_equals(x, dense)
    flags = torch_np.sparse_coo_tensor([[1, 1, 0]], [True, False, False], (2,))
    assert parts(flags.coalesce()) == [[[0, 1]], [False, True]] and flags.to_dense().tolist() == [False, True]
    assert parts(hybrid().coalesce()) == [[[0, 2]], [[6, 8], [3, 4]]]


def test_gradients_of_coalesce_and_conversions():
    for convert in (lambda x: x.coalesce(), lambda x: x.to_sparse_csr(), lambda x: x.to_sparse_csc(), lambda x: x.to_sparse_bsr((1, 3)),
                    lambda x: x.double(), lambda x: x.clone(), lambda x: x.to_sparse_csr().to_sparse_bsc((2, 1)).to_sparse()):
        values = torch_np.tensor([-1.0, 1.0, 0.5, -1.0], requires_grad=True)
        x = torch_np.sparse_coo_tensor([[1, 0, 1, 1], [2, 1, 0, 2]], values, (2, 3))
        (convert(x).to_dense() * torch_np.arange(6.0).reshape(2, 3)).sum().backward()
        assert values.grad.tolist() == [5, 1, 3, 5]


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_gradient_of_dense_tensors(layout):
    dense = DENSE.clone().requires_grad_()
    (in_layout(dense, layout).to_dense() * torch_np.arange(16.0).reshape(4, 4)).sum().backward()
    kept = in_layout(torch_np.ones(4, 4), layout).to_dense() * 0 + (in_layout(DENSE, layout).to_dense() != 0)
    if layout in (BSR, BSC):
        kept = torch_np.ones(4, 4)
    assert (dense.grad == kept * torch_np.arange(16.0).reshape(4, 4)).all()


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_masks(layout):
    mask = in_layout(DENSE, layout)
    other = torch_np.arange(16.0).reshape(4, 4)
    made = other.sparse_mask(mask)
    assert made.layout is layout and parts(made)[:-1] == parts(mask)[:-1]
    kept = torch_np.ones(4, 4) if layout in (BSR, BSC) else DENSE != 0
    assert_equals(made, other * kept)
    if layout is not BSR and layout is not BSC:
        sparse = in_layout(torch_np.where(other % 2 == 0, other, 0 * other), layout)
        assert_equals(sparse.sparse_mask(mask), sparse.to_dense() * kept)
    with pytest.raises(RuntimeError, match="sparse_mask.*operands have incompatible sizes"):
        torch_np.ones(4, 2).sparse_mask(mask)


def test_masks_keep_repeated_indices():
    x, dense = uncoalesced()
    made = (dense + 1).sparse_mask(x)
    assert not made.is_coalesced() and parts(made) == [[[1, 0, 1, 1], [2, 1, 0, 2]], [-1, 2, 1.5, -1]]
    assert parts(torch_np.ones(3, 2).sparse_mask(hybrid()))[1] == [[1, 1]] * 3


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_to(layout):
    x = in_layout(DENSE, layout)
    assert x.to(torch_np.float32) is x and x.to("cpu") is x and x.to(x) is x and x.cpu() is x and x.float() is x
    copied = x.to("cpu", copy=True)
    assert copied is not x and parts(copied) == parts(x)
    assert x.to(torch_np.float64).dtype == x.double().dtype == x.to(torch_np.zeros(1, dtype=torch_np.float64)).dtype == torch_np.float64
    assert x.type(torch_np.int32).dtype == torch_np.int32
    assert_equals(x.int(), DENSE.int())
    y = x.clone()
    y.values().zero_()
    assert_equals(x, DENSE)


def test_copy():
    x, dense = uncoalesced()
    y = torch_np.sparse_coo_tensor((2, 3), dtype=torch_np.float64)
    assert y.copy_(x) is y and y.dtype == torch_np.float64 and parts(y) == parts(x)
    for a, b in ((x, dense), (dense.clone(), x)):
        with pytest.raises(RuntimeError, match="between dense and sparse Tensors is not implemented"):
            a.copy_(b)
    z = in_layout(DENSE, CSR)
    assert_equals(z.clone().copy_(z * 2), DENSE * 2)
    with pytest.raises(RuntimeError, match="same number of specified elements"):
        z.copy_(in_layout(torch_np.ones(4, 4), CSR))
    with pytest.raises(RuntimeError, match="self layout is SparseCsr and src layout is SparseCsc"):
        z.copy_(in_layout(DENSE, CSC))
