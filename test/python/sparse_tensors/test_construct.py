"""Constructors of sparse tensors, and their attributes."""
import numpy
import pytest
import torch_np
from sparse_tensors import BSC, BSR, COO, CSC, CSR, LAYOUTS, NAMES, DENSE, hybrid, in_layout, parts, uncoalesced

F64, I32, I64 = torch_np.float64, torch_np.int32, torch_np.int64


def test_coo():
    x = torch_np.sparse_coo_tensor([[0, 1, 1], [2, 0, 2]], [3, 4, 5], (2, 4))
    assert (x.shape, x.dtype, x.layout, x.sparse_dim(), x.dense_dim(), x._nnz()) == ((2, 4), I64, COO, 2, 0, 3)
    assert x.to_dense().tolist() == [[0, 0, 3, 0], [4, 0, 5, 0]]
    assert not x.is_coalesced() and x.is_sparse and not x.is_sparse_csr
    assert isinstance(x, torch_np.Tensor) and torch_np.is_tensor(x)


@pytest.mark.parametrize("make", [list, tuple, numpy.array, torch_np.tensor])
def test_kinds_of_arguments(make):
    x = torch_np.sparse_coo_tensor(make([[0, 2]]), make([1.0, 2.0]))
    assert x.shape == (3,) and x.to_dense().tolist() == [1, 0, 2]


def test_inferred_sizes():
    assert torch_np.sparse_coo_tensor([[0, 4], [1, 0]], [1.0, 2.0]).shape == (5, 2)
    assert torch_np.sparse_coo_tensor([[]], []).shape == (0,)
    assert torch_np.sparse_coo_tensor([[3]], [[1.0, 2.0]]).shape == (4, 2)
    assert torch_np.sparse_csr_tensor([0, 1, 2], [0, 4], [1.0, 2.0]).shape == (2, 5)
    assert torch_np.sparse_csc_tensor([0, 1, 2], [0, 4], [1.0, 2.0]).shape == (5, 2)
    assert torch_np.sparse_bsr_tensor([0, 1], [2], torch_np.ones(1, 2, 3)).shape == (2, 9)
    assert torch_np.sparse_bsc_tensor([0, 1], [2], torch_np.ones(1, 2, 3)).shape == (6, 3)


def test_scalars_and_empty_tensors():
    x = torch_np.sparse_coo_tensor(torch_np.zeros(0, 2), [1.0, 2.0], ())
    assert x.dim() == 0 and float(x.to_dense()) == 3 and float(x) == 3 and int(x) == 3 and bool(x)
    assert torch_np.sparse_coo_tensor([[0]], 3.0).to_dense().tolist() == [3]
    empty = torch_np.sparse_coo_tensor((2, 3))
    assert empty.is_coalesced() and empty._nnz() == 0 and empty.to_dense().tolist() == [[0] * 3] * 2
    assert torch_np.sparse_coo_tensor(size=(2, 3), dtype=F64).dtype == F64
    assert torch_np.sparse_coo_tensor(torch_np.zeros(2, 0), torch_np.zeros(0, 3), (2, 2, 3)).dense_dim() == 1


def test_dtypes_and_indices():
    assert torch_np.sparse_coo_tensor([[0]], [1], dtype=F64).dtype == F64
    assert torch_np.sparse_coo_tensor(torch_np.tensor([[0]], dtype=I32), [1.0])._indices().dtype == I64
    narrow = torch_np.sparse_csr_tensor(torch_np.tensor([0, 1], dtype=I32), torch_np.tensor([0], dtype=I32), [1.0])
    assert narrow.crow_indices().dtype == narrow.col_indices().dtype == I32
    for convert in (narrow.to_sparse_csc, narrow.clone, lambda: narrow.to_sparse_bsr((1, 1))):
        made = convert()
        assert (made.ccol_indices() if made.layout is torch_np.sparse_csc else made.crow_indices()).dtype == I32


def test_memory_is_shared():
    values, indices = torch_np.tensor([1.0, 2.0]), torch_np.tensor([[0, 1]])
    x = torch_np.sparse_coo_tensor(indices, values, is_coalesced=True)
    values[0] = 5
    assert x.values().tolist() == [5, 2] and x.indices().data_ptr() == indices.data_ptr()
    x.values().mul_(2)
    assert values.tolist() == [10, 4]


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_attributes(layout):
    x = in_layout(DENSE, layout)
    assert x.layout is layout and x.device.type == "cpu" and x.dtype == torch_np.float32
    assert (x.dim(), x.ndim, x.numel(), x.size(0), x.size(-1), len(x)) == (2, 2, 16, 4, 4, 4)
    assert x.is_floating_point() and not x.is_complex() and x.element_size() == 4
    assert x.is_leaf and not x.requires_grad and x.grad is None and x.grad_fn is None
    assert x.sparse_dim() == 2 and x.dense_dim() == 0
    assert not x.is_cuda and not x.is_meta and not x._is_view() and x._base is None
    assert hash(x) == hash(x)


@pytest.mark.parametrize("name, kind", [("indices", "coordinate"), ("is_coalesced", "coordinate"), ("coalesce", "coordinate"),
                                        ("crow_indices", "row compressed"), ("col_indices", "row compressed"),
                                        ("ccol_indices", "column compressed"), ("row_indices", "column compressed")])
@pytest.mark.parametrize("layout, shown", [*zip(LAYOUTS, ("Sparse", "SparseCsr", "SparseCsc", "SparseBsr", "SparseBsc")), (None, "Strided")])
def test_parts_of_other_layouts(name, kind, layout, shown):
    x = DENSE if layout is None else in_layout(DENSE, layout)
    fits = {"coordinate": "Sparse", "row compressed": "SparseCsr SparseBsr", "column compressed": "SparseCsc SparseBsc"}[kind].split()
    if shown in fits:
        getattr(x, name)()
    else:
        with pytest.raises(RuntimeError, match=f"{name} expected sparse {kind} tensor layout but got {shown}"):
            getattr(x, name)()


def test_parts_of_uncoalesced_tensors():
    x, _ = uncoalesced()
    for name in ("indices", "values"):
        with pytest.raises(RuntimeError, match=f"Cannot get {name} on an uncoalesced tensor"):
            getattr(x, name)()


def test_gradients():
    x = torch_np.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,), requires_grad=True)
    assert x.requires_grad and x.is_leaf
    (x.to_dense() * torch_np.tensor([3.0, 4.0, 5.0])).sum().backward()
    assert x.grad.layout is COO and x.grad.to_dense().tolist() == [3, 4, 0]
    x.grad = None
    assert x.grad is None
    values = torch_np.tensor([1.0, 2.0], requires_grad=True)
    y = torch_np.sparse_coo_tensor([[0, 0]], values, (2,))
    assert y.requires_grad and not y.is_leaf
    y.coalesce().values().pow(2).sum().backward()
    assert values.grad.tolist() == [6, 6]
    assert not y.detach().requires_grad
    with torch_np.no_grad():
        assert not torch_np.sparse_coo_tensor([[0, 0]], values, (2,)).requires_grad


def test_leaf_is_not_changed_in_place():
    x = torch_np.eye(2).to_sparse().requires_grad_()
    for change in (lambda: x.add_(x), lambda: x.zero_(), lambda: x.mul_(2), lambda: x.copy_(x.clone())):
        with pytest.raises(RuntimeError, match="leaf"):
            change()


def test_backward_of_a_sparse_result():
    values = torch_np.tensor([1.0, 2.0], requires_grad=True)
    x = torch_np.sparse_coo_tensor([[0, 2]], values, (3,)) * 3
    x.backward(torch_np.tensor([1.0, 10.0, 100.0]))
    assert values.grad.tolist() == [3, 300]


def test_hooks():
    x = torch_np.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,), requires_grad=True)
    seen = []
    x.register_hook(lambda g: seen.append(g.layout) or g * 2)
    x.to_dense().sum().backward()
    assert seen == [COO] and x.grad.to_dense().tolist() == [2, 0, 2]


def test_invariants_are_checked_in_a_context():
    check = torch_np.sparse.check_sparse_tensor_invariants
    assert not check.is_enabled()
    unsorted = [0, 2], [1, 0], [1.0, 2.0], (1, 2)
    torch_np.sparse_csr_tensor(*unsorted)
    with check():
        assert check.is_enabled()
        with pytest.raises(RuntimeError, match="sorted and distinct"):
            torch_np.sparse_csr_tensor(*unsorted)
        torch_np.sparse_csr_tensor(*unsorted, check_invariants=False)
        with check(False):
            torch_np.sparse_csr_tensor(*unsorted)
    assert not check.is_enabled()
    with pytest.raises(RuntimeError, match="sorted and distinct"):
        check()(torch_np.sparse_csr_tensor)(*unsorted)
    used = check()
    with used, pytest.raises(RuntimeError, match="already activated"), used:
        pass
    assert not check.is_enabled()
    check.enable()
    assert check.is_enabled()
    check.disable()


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_like(layout):
    x = in_layout(DENSE, layout)
    zero = torch_np.zeros_like(x, dtype=F64)
    assert (zero.layout, zero.dtype, zero.shape, zero._nnz()) == (layout, F64, x.shape, 0)
    assert torch_np.zeros_like(x, layout=torch_np.strided).tolist() == [[0] * 4] * 4
    if layout is COO:
        with pytest.raises(NotImplementedError):
            torch_np.ones_like(x)
    else:
        assert torch_np.ones_like(x).values().eq(1).all() and torch_np.full_like(x, 3).values().eq(3).all()
        assert parts(torch_np.empty_like(x))[:2] == parts(x)[:2]
    assert x.clone().zero_().to_dense().tolist() == [[0] * 4] * 4


def test_new_tensors():
    x = hybrid()
    assert x.new_zeros((2, 2)).layout is COO and x.new_empty((2, 2)).shape == (2, 2)
    assert x.new(2, 3).shape == (2, 3) and x.new(torch_np.tensor([[0]]), torch_np.tensor([2.0])).to_dense().tolist() == [2]
    assert x.new_tensor([1.0]).layout is torch_np.strided
    assert torch_np.as_tensor(x) is x and torch_np.as_tensor(x, dtype=F64).dtype == F64
    copied = torch_np.tensor(x)
    assert copied is not x and parts(copied) == parts(x)


def test_sizes_change_in_place():
    x, _ = uncoalesced()
    assert x.sparse_resize_((4, 4), 2, 0).shape == (4, 4) and x._nnz() == 4
    with pytest.raises(RuntimeError, match="shrinking the size of sparse dimensions"):
        x.sparse_resize_((1, 4), 2, 0)
    with pytest.raises(RuntimeError, match="changing the number of sparse dimensions"):
        x.sparse_resize_((4, 4), 1, 1)
    with pytest.raises(RuntimeError, match="changing the number of dense dimensions"):
        x.sparse_resize_((4, 4, 1), 2, 1)
    y = hybrid()
    y.sparse_resize_((3, 3), 1, 1)
    assert y.to_dense().tolist() == [[1, 2, 3], [0, 0, 0], [4, 5, 6]]
    assert x.sparse_resize_and_clear_((5, 2), 1, 1)._nnz() == 0
    assert (x.sparse_dim(), x.dense_dim()) == (1, 1)
    assert x.resize_as_sparse_(torch_np.eye(2).to_sparse()).shape == (2, 2)
    z = in_layout(DENSE, torch_np.sparse_csr)
    assert z.resize_((6, 5)).to_dense()[:4, :4].tolist() == DENSE.tolist() and z.shape == (6, 5)
    with pytest.raises(RuntimeError, match="Resizing columns of sparse CSR tensors to a smaller value"):
        z.resize_((6, 2))


def test_what_sparse_tensors_refuse():
    x, _ = uncoalesced()
    for call, error in ((x.numpy, TypeError), (x.tolist, RuntimeError), (x.data_ptr, RuntimeError), (x.storage, NotImplementedError),
                        (x.item, RuntimeError), (lambda: bool(x), RuntimeError), (lambda: numpy.asarray(x), TypeError),
                        (lambda: torch_np.exp(x), NotImplementedError), (lambda: x + 1, RuntimeError), (lambda: x == x, NotImplementedError)):
        with pytest.raises(error):
            call()


@pytest.mark.parametrize("layout, size, block, shapes", [
    (CSR, (4, 6), (), [(5,), (2,), (2,)]), (BSR, (4, 6), (2, 3), [(3,), (2,), (2, 2, 3)]), (CSC, (4, 6, 3), (), [(7,), (2,), (2, 3)]),
    (BSC, (5, 4, 6), (2, 2), [(5, 4), (5, 2), (5, 2, 2, 2)])])
def test_tensors_of_given_dimensions(layout, size, block, shapes):
    dense = 1 if layout is CSC else 0
    made = torch_np.ops.aten._sparse_compressed_tensor_with_dims(2, dense, size, block, torch_np.int32, dtype=torch_np.float64, layout=layout)
    indices = (made.crow_indices(), made.col_indices()) if layout in (CSR, BSR) else (made.ccol_indices(), made.row_indices())
    assert made.shape == size and made.layout is layout and made.dtype == torch_np.float64 and made.dense_dim() == dense
    assert [x.shape for x in (*indices, made.values())] == shapes and {x.dtype for x in indices} == {torch_np.int32}


@pytest.mark.parametrize("layout, size, block, dtype", [
    (COO, (4, 4), (), torch_np.int64), (None, (4, 4), (), torch_np.int64), (CSR, (4,), (), torch_np.int64), (CSR, (4, 4), (), torch_np.float32),
    (CSR, (4, 4), (2, 2), torch_np.int64), (BSR, (4, 4), (), torch_np.int64), (BSR, (4, 4), (3, 2), torch_np.int64),
    (BSR, (4, 4), (0, 2), torch_np.int64)])
def test_dimensions_that_do_not_fit(layout, size, block, dtype):
    with pytest.raises(RuntimeError):
        torch_np.ops.aten._sparse_compressed_tensor_with_dims(2, 0, size, block, dtype, layout=layout)


def test_a_scalar_tensor_is_strided():
    made = torch_np.scalar_tensor(2, dtype=torch_np.int64, layout=torch_np.sparse_coo)
    assert made.layout is torch_np.strided and made.dtype == torch_np.int64 and made.item() == 2
