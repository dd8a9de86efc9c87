"""Malformed parts of sparse tensors: PyTorch's exceptions and messages, and never a crash."""
import re

import numpy
import pytest
import torch_np

csr, csc, bsr, bsc = (getattr(torch_np, f"sparse_{name}_tensor") for name in ("csr", "csc", "bsr", "bsc"))
coo, compressed = torch_np.sparse_coo_tensor, torch_np.sparse_compressed_tensor
tensor, ones, zeros = torch_np.tensor, torch_np.ones, torch_np.zeros
SHORT, INT, LONG, FLOAT, BOOL = torch_np.int16, torch_np.int32, torch_np.int64, torch_np.float32, torch_np.bool

# (arguments of sparse_coo_tensor, message): always an error.
COO = [
    (lambda: coo([0, 1], [1.0, 2.0]), "indices must be sparse_dim x nnz, but got: [2]"),
    (lambda: coo(2, 3), "indices must be sparse_dim x nnz, but got: []"),
    (lambda: coo([], []), "indices must be sparse_dim x nnz, but got: [0]"),
    (lambda: coo([[[0]]], [1.0]), "indices must be sparse_dim x nnz, but got: [1, 1, 1]"),
    (lambda: coo([[[0]]], [1.0], (1,)), "indices must be sparse_dim x nnz, but got: [1, 1, 1]"),
    (lambda: coo([0, 1], [1.0, 2.0], (2,)), "indices must be sparse_dim x nnz, but got: [2]"),
    (lambda: coo([[0, -1]], [1.0, 2.0]), "found negative index -1 for dim 0"),
    (lambda: coo([[0, 1], [0, -7]], [1.0, 2.0]), "found negative index -7 for dim 1"),
    (lambda: coo([[0, -5]], [1.0, 2.0], (3,)), "found negative index -5 for dim 0"),
    (lambda: coo([[0, 5]], [1.0, 2.0], (3,)), "size is inconsistent with indices: for dim 0, size is 3 but found index 5"),
    (lambda: coo([[0, 1], [0, 3]], [1.0, 2.0], (2, 3)), "size is inconsistent with indices: for dim 1, size is 3 but found index 3"),
    (lambda: coo([[2**62]], [1.0], (3,)), f"size is inconsistent with indices: for dim 0, size is 3 but found index {2**62}"),
    (lambda: coo([[0]], [1.0], (0,)), "size is inconsistent with indices: for dim 0, size is 0 but found index 0"),
    (lambda: coo([[-2**63]], [1.0], (3,)), f"found negative index {-2**63} for dim 0"),
    (lambda: coo([[0, 1]], 3.0), "indices and values must have same nnz, but got nnz from indices: 2, nnz from values: 1"),
    (lambda: coo([[0, 1]], [1.0, 2.0, 3.0]), "indices and values must have same nnz, but got nnz from indices: 2, nnz from values: 3"),
    (lambda: coo([[0, 1]], [1.0, 2.0, 3.0], (3,)), "indices and values must have same nnz, but got nnz from indices: 2, nnz from values: 3"),
    (lambda: coo(zeros(0, 0), [1.0]), "indices and values must have same nnz, but got nnz from indices: 0, nnz from values: 1"),
    (lambda: coo([[0, 1]], [1.0, 2.0], (3, 3)), "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = 2, sparse_dim = 1, dense_dim = 0"),
    (lambda: coo([[0, 1]], [[1.0], [2.0]], (3,)), "'len(size) == sparse_dim + dense_dim' is not satisfied: len(size) = 1, sparse_dim = 1, dense_dim = 1"),
    (lambda: coo([[0, 1]], [[1.0, 2.0], [2, 3]], (3, 3)), "values has incorrect size, expected [2, 3], got [2, 2]"),
    (lambda: coo([[0, 1]], ones(2, 0), (3, 3)), "values has incorrect size, expected [2, 3], got [2, 0]"),
    (lambda: coo([[0, 1]], [1.0, 2.0], (-3,)), "negative dimension"),
    (lambda: coo((2, -3)), "negative dimension"),
    (lambda: coo(torch_np.eye(2).to_sparse(), [1.0]), "expected indices to be a dense tensor, but got indices of layout Sparse"),
    (lambda: coo([[0, 1]], torch_np.eye(2).to_sparse()), "expected values to be a dense tensor, but got values of layout Sparse"),
    (lambda: coo([[0, 1]], torch_np.eye(2).to_sparse_csr()), "expected values to be a dense tensor, but got values of layout SparseCsr"),
    (lambda: coo([[0]], None, None), None),
    (lambda: coo(), None),
    (lambda: coo([[0]]), None),
    (lambda: coo([[0]], [1.0], "a"), None),
    (lambda: coo([[0]], [1.0], 2), None),
    (lambda: coo([[0]], [1.0], ([2],)), None),
    (lambda: coo([[0]], [1.0], (2.5,)), None),
    (lambda: coo([[0]], [1.0], foo=2), None),
    (lambda: coo([[0, 1]], [1.0, 2.0], (3,), dtype=INT, requires_grad=True), "Only Tensors of floating point and complex dtype can require gradients"),
]
NOT_COALESCED = "cannot set is_coalesced to true if indices correspond to uncoalesced COO tensor"
NOT_COALESCED_INDICES = [[[1, 0]], [[1, 1]], [[0, 1, 1]], [[0, 0], [1, 0]], [[1, 0], [0, 1]], [[0, 0, 1], [0, 0, 0]], [[0, 1, 0], [0, 0, 0]]]

# (layout's constructor, pointers, indices, values, size, message for rows, whether it is always an error)
DIFFERENT = "and {second} dimensionalities must be equal but got"
BATCHES = "all batch dimensions of {first} (=[{}]), {second} (=[{}]), and values (=[{}]) must be equal to tensor batch dimensions (=[{}])"
SORTED = "`{second}[..., {first}[..., i - 1]:{first}[..., i]] for all i = 1, ..., {lines} are sorted and distinct along the last dimension values` is not"
STEPS = "`0 <= {first}[..., 1:] - {first}[..., :-1] <= {bound}` is not satisfied."
PLAIN = [
    (0, [0, 1], [1.0, 2.0], (2, 2), "{first} must have dimensionality >= 1 but got 0", True),
    ([0, 1, 2], [[0, 1]], [1.0, 2.0], (2, 2), "{first} " + DIFFERENT + " 1 and 2, respectively", True),
    ([[0, 1, 2]], [0, 1], [1.0, 2.0], (2, 2), "{first} " + DIFFERENT + " 2 and 1, respectively", True),
    ([0, 1, 2], 0, [1.0, 2.0], (2, 2), "{first} " + DIFFERENT + " 1 and 0, respectively", True),
    ([0, 1, 2], [0, 1], 1.0, (2, 2), "values must have dimensionality > sum of batch and block dimensionalities (=0 + 0) but got 0", True),
    ([[0, 1, 2]], [[0, 1]], [1.0, 2.0], (1, 2, 2), "values must have dimensionality > sum of batch and block dimensionalities (=1 + 0) but got 1", True),
    ([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2, 2), "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + 0) but got 3", True),
    ([0, 1, 2], [0, 1], [1.0, 2.0], (2,), "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + 0) but got 1", True),
    ([0, 1, 2], [0, 1], [1.0, 2.0], (), "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + 0) but got 0", True),
    ([0, 1, 2], [0, 1], [[1.0], [2.0]], (2, 2), "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + 1) but got 2", True),
    ([[0, 1, 2]], [[0, 1]], [[1.0, 2.0]], (2, 2, 2), BATCHES.format(1, 1, 1, 2, first="{first}", second="{second}"), True),
    ([[0, 1, 2]], [[0, 1]] * 2, [[1.0, 2.0]], (1, 2, 2), BATCHES.format(1, 2, 1, 1, first="{first}", second="{second}"), True),
    ([[0, 1, 2]], [[0, 1]], [[1.0, 2.0]] * 2, (1, 2, 2), BATCHES.format(1, 1, 2, 1, first="{first}", second="{second}"), True),
    ([0, 1, 2], [0, 1], [1.0, 2.0], (3, 3), "{first}.shape[-1] must be equal to the number of {axis} + 1 (=4), but got 3", True),
    ([0, 1, 2], [0, 1], [1.0, 2.0], (1, 1), "{first}.shape[-1] must be equal to the number of {axis} + 1 (=2), but got 3", True),
    ([], [0, 1], [1.0, 2.0], (2, 2), "{first}.shape[-1] must be equal to the number of {axis} + 1 (=3), but got 0", True),
    ([0, 1, 2], [0, 1], [1.0, 2.0, 3.0], (2, 2), "{second}.shape[-1] must be equal to nnz (=3) as defined by values.shape[0], but got 2", True),
    ([0, 1, 2], [0, 1, 1], [1.0, 2.0], (2, 2), "{second}.shape[-1] must be equal to nnz (=2) as defined by values.shape[0], but got 3", True),
    ([0, 1, 2], [], [1.0, 2.0], (2, 2), "{second}.shape[-1] must be equal to nnz (=2) as defined by values.shape[0], but got 0", True),
    (tensor([0, 1, 2], dtype=INT), [0, 1], [1.0, 2.0], (2, 2), "{first} and {second} must have the same dtype, bot got Int and Long", True),
    ([0, 1, 2], tensor([0, 1], dtype=INT), [1.0, 2.0], (2, 2), "{first} and {second} must have the same dtype, bot got Long and Int", True),
    ([0.0, 1, 2], [0.0, 1], [1.0, 2.0], (2, 2), "{first} and {second} dtype must be Int or Long, but got Float", True),
    (tensor([0, 1, 2], dtype=SHORT), tensor([0, 1], dtype=SHORT), [1.0, 2.0], (2, 2), "{first} and {second} dtype must be Int or Long, but got Short", True),
    ([1, 1, 2], [0, 1], [1.0, 2.0], (2, 2), "`{first}[..., 0] == 0` is not satisfied.", True),
    ([-1, 1, 2], [0, 1], [1.0, 2.0], (2, 2), "`{first}[..., 0] == 0` is not satisfied.", True),
    ([0, 1, 3], [0, 1], [1.0, 2.0], (2, 2), "`{first}[..., -1] == nnz` is not satisfied.", True),
    ([0, 1, 1], [0, 1], [1.0, 2.0], (2, 2), "`{first}[..., -1] == nnz` is not satisfied.", True),
    ([0, 1, -2], [0, 1], [1.0, 2.0], (2, 2), "`{first}[..., -1] == nnz` is not satisfied.", True),
    ([0, 1, 2**40], [0, 1], [1.0, 2.0], (2, 2), "`{first}[..., -1] == nnz` is not satisfied.", True),
    ([0, 3, 2], [0, 1], [1.0, 2.0], (2, 2), STEPS, True),
    ([0, -1, 2], [0, 1], [1.0, 2.0], (2, 2), STEPS, True),
    ([0, 2**62, 2], [0, 1], [1.0, 2.0], (2, 2), STEPS, True),
    ([0, 3, 3], [0, 1, 1], [1.0, 2.0, 3.0], (2, 2), STEPS, False),
    ([0, 1, 2], [0, 2], [1.0, 2.0], (2, 2), "`0 <= {second} < {bound}` is not satisfied.", True),
    ([0, 1, 2], [0, -1], [1.0, 2.0], (2, 2), "`0 <= {second} < {bound}` is not satisfied.", True),
    ([0, 1, 2], [0, 2**61], [1.0, 2.0], (2, 2), "`0 <= {second} < {bound}` is not satisfied.", True),
    ([0, 2, 2], [1, 0], [1.0, 2.0], (2, 2), SORTED, False),
    ([0, 2, 2], [1, 1], [1.0, 2.0], (2, 2), SORTED, False),
    ([0, 0, 2], [0, 0], [1.0, 2.0], (2, 2), SORTED, False),
    ([[0, 1, 2], [0, 2, 2]], [[0, 1], [1, 0]], [[1.0, 2.0]] * 2, (2, 2, 2), SORTED, False),
    ([[0, 1, 2], [0, 2, 1]], [[0, 1], [0, 1]], [[1.0, 2.0]] * 2, (2, 2, 2), "`{first}[..., -1] == nnz` is not satisfied.", True),
    ([[0, 1, 2], [1, 2, 2]], [[0, 1], [0, 1]], [[1.0, 2.0]] * 2, (2, 2, 2), "`{first}[..., 0] == 0` is not satisfied.", True),
    ([[0, 1, 2], [0, 3, 2]], [[0, 1], [0, 1]], [[1.0, 2.0]] * 2, (2, 2, 2), STEPS, True),
    ([[0, 1, 2], [0, 2, 2]], [[0, 1], [0, 5]], [[1.0, 2.0]] * 2, (2, 2, 2), "`0 <= {second} < {bound}` is not satisfied.", True),
    (tensor([0, 0], dtype=INT), tensor([], dtype=INT), zeros(0), "overflow", "32-bit integer overflow in {other} dimension = 8589934592", True),
]
BLOCKED = [
    ([0, 1, 2], [0, 1], [1.0, 2.0], (2, 2), "values must have dimensionality > sum of batch and block dimensionalities (=0 + 2) but got 1", True),
    ([0, 1, 2], [0, 1], ones(2, 2), (2, 2), "values must have dimensionality > sum of batch and block dimensionalities (=0 + 2) but got 2", True),
    ([0, 1, 2], [0, 1], ones(2, 2, 2), (4, 5), "tensor shape[1] (=5) must be divisible with blocksize[1] (=2) as defined by values shape", True),
    ([0, 1, 2], [0, 1], ones(2, 2, 2), (5, 4), "tensor shape[0] (=5) must be divisible with blocksize[0] (=2) as defined by values shape", True),
    ([0, 1, 2], [0, 1], ones(2, 2, 2), (6, 6), "{first}.shape[-1] must be equal to the number of {axis} + 1 (=4), but got 3", True),
    ([0, 1, 2], [0, 1], ones(2, 2, 2), (4, 4, 1), "tensor dimensionality must be sum of batch, base, and dense dimensionalities (=0 + 2 + 0) but got 3", True),
    ([0, 1, 2], [0, 2], ones(2, 2, 2), (4, 4), "`0 <= {second} < {bound}` is not satisfied.", True),
    ([0, 1, 2], [-1, 1], ones(2, 2, 2), (4, 4), "`0 <= {second} < {bound}` is not satisfied.", True),
    ([0, 1, 3], [0, 1], ones(2, 2, 2), (4, 4), "`{first}[..., -1] == nnz` is not satisfied.", True),
    ([1, 1, 2], [0, 1], ones(2, 2, 2), (4, 4), "`{first}[..., 0] == 0` is not satisfied.", True),
    ([0, 5, 2], [0, 1], ones(2, 2, 2), (4, 4), STEPS, True),
    ([0, 2, 2], [1, 0], ones(2, 2, 2), (4, 4), SORTED, False),
    ([0, 1, 2], [0, 1, 1], ones(2, 2, 2), (4, 4), "{second}.shape[-1] must be equal to nnz (=2) as defined by values.shape[0], but got 3", True),
]
NAMES = {"first": "crow_indices", "second": "col_indices", "bound": "ncols", "lines": "nrows", "other": "column"}
SWAPPED = {"first": "ccol_indices", "second": "row_indices", "bound": "nrows", "lines": "ncols", "other": "row"}


def cases():
    for layout, make, table in (("csr", csr, PLAIN), ("csc", csc, PLAIN), ("bsr", bsr, BLOCKED), ("bsc", bsc, BLOCKED)):
        by_rows = layout[2] == "r"
        names = NAMES if by_rows else SWAPPED
        axis = ("row" if by_rows else "column") + (" blocks" if layout[0] == "b" else "s")
        for i, (first, second, values, size, message, always) in enumerate(table):
            if size == "overflow":
                size = (1, 2**33) if by_rows else (2**33, 1)
            message = message.replace("{axis}", axis)
            for name, text in names.items():
                message = message.replace("{" + name + "}", text)
            yield pytest.param(make, (first, second, values, size), message, always, id=f"{layout}-{i}")


@pytest.mark.parametrize("call, message", COO)
def test_coo(call, message):
    if message is None:
        with pytest.raises(TypeError):
            call()
    else:
        with pytest.raises(RuntimeError, match=re.escape(message)):
            call()


@pytest.mark.parametrize("indices", NOT_COALESCED_INDICES)
def test_not_coalesced(indices):
    values = ones(len(indices[0]))
    with pytest.raises(RuntimeError, match=NOT_COALESCED):
        coo(indices, values, is_coalesced=True, check_invariants=True)
    unchecked = coo(indices, values, is_coalesced=True)  # it is not checked by default
    assert unchecked.is_coalesced()
    assert unchecked.to_dense().sum() == values.sum()


@pytest.mark.parametrize("make, arguments, message, always", list(cases()))
def test_compressed(make, arguments, message, always):
    with pytest.raises(RuntimeError, match=re.escape(message)):
        make(*arguments, check_invariants=True)
    with torch_np.sparse.check_sparse_tensor_invariants(), pytest.raises(RuntimeError, match=re.escape(message)):
        make(*arguments)
    if always:
        with pytest.raises(RuntimeError, match=re.escape(message)):
            make(*arguments, check_invariants=False)
    else:
        made = make(*arguments)
        assert made.to_dense().sum() == made.values().sum()


@pytest.mark.parametrize("make, arguments, message, always", list(cases()))
def test_validation_functions(make, arguments, message, always):
    name = make.__name__[7:10]
    first, second, values, size = (torch_np.as_tensor(a) for a in arguments[:3]), None, None, arguments[3]
    first, second, values = first
    first, second = (t.long() if not t.numel() and t.dtype == FLOAT else t for t in (first, second))
    with pytest.raises(RuntimeError, match=re.escape(message)):
        torch_np._validate_sparse_compressed_tensor_args(first, second, values, size, getattr(torch_np, f"sparse_{name}"))
    with pytest.raises(RuntimeError, match=re.escape(message)):
        getattr(torch_np, f"_validate_sparse_{name}_tensor_args")(first, second, values, size)


@pytest.mark.parametrize("layout, name", [(None, "none"), (torch_np.strided, "Strided"), (torch_np.sparse_coo, "Sparse")])
def test_layouts_that_are_not_compressed(layout, name):
    with pytest.raises(RuntimeError, match=f"sparse_compressed_tensor expected sparse compressed tensor layout but got {name}"):
        compressed([0, 1], [0], [1.0], (1, 1), layout=layout)


@pytest.mark.parametrize("make, other", [(csr, torch_np.sparse_csc), (csc, torch_np.sparse_csr), (bsr, torch_np.sparse_bsc), (bsc, torch_np.strided)])
def test_wrong_layout(make, other):
    with pytest.raises(RuntimeError, match=f"{make.__name__}: layout must be"):
        make([0, 1], [0], ones(1, 1, 1), (1, 1), layout=other)


@pytest.mark.parametrize("make", [csr, csc, bsr, bsc])
def test_sizes_are_not_inferred_from_floats(make):
    with pytest.raises(NotImplementedError, match="estimate_sparse_compressed_tensor_size"):
        make([0, 1], [0.0], ones(1, 1, 1))


@pytest.mark.parametrize("make", [csr, csc, bsr, bsc])
def test_missing_arguments(make):
    for arguments in ((), ((2, 3),), ([0, 1], [0])):
        with pytest.raises(TypeError):
            make(*arguments)


def test_changed_indices_are_not_read_out_of_bounds():
    x = torch_np.eye(3).to_sparse()
    x._indices()[0, 0] = 100
    with pytest.raises((IndexError, RuntimeError)):
        x.to_dense()
    y = torch_np.eye(3).to_sparse_csr()
    y.col_indices()[0] = 100
    with pytest.raises((IndexError, RuntimeError)):
        y.to_dense()


@pytest.mark.parametrize("seed", range(40))
def test_random_parts(seed):
    """Parts with small random errors raise RuntimeError, or make a tensor of which all functions run."""
    rng = numpy.random.default_rng(seed)
    rows, columns, count = rng.integers(0, 4), rng.integers(0, 4), rng.integers(0, 6)
    pointers = numpy.sort(rng.integers(0, count + 1, rows + 1))
    pointers[0], pointers[-1] = 0, count
    indices = rng.integers(0, max(columns, 1), count)
    for part in (pointers, indices):
        if rng.random() < 0.4 and len(part):
            part[rng.integers(len(part))] = rng.choice([-1, 1, columns, count + 1, 2**40])
    values = rng.integers(-4, 5, count + (rng.random() < 0.1)).astype("float32")
    try:
        x = csr(torch_np.tensor(pointers), torch_np.tensor(indices), torch_np.tensor(values), (int(rows), int(columns)))
    except RuntimeError:
        return
    expected = numpy.zeros((rows, columns), "float32")
    for row in range(rows):
        for i in range(pointers[row], pointers[row + 1]):
            expected[row, indices[i]] += values[i]
    assert x.to_dense().tolist() == expected.tolist()
    assert x.to_sparse().coalesce().to_dense().tolist() == expected.tolist()
    assert x.to_sparse_csc().to_dense().tolist() == expected.tolist()
    assert float(x.sum()) == expected.sum()
    assert (x + x).to_dense().tolist() == (2 * expected).tolist()
