"""Functions of elements of sparse tensors: sums, products, and functions that keep zero."""
import pytest
import torch_np
from sparse_tensors import BSR, COO, CSR, DENSE, LAYOUTS, NAMES, hybrid, in_layout, parts, uncoalesced

OTHER = torch_np.tensor([[0, 10.0, 0, 20], [0, 0, 0, 30], [0, 40, 0, 0], [50, 0, 0, 0]])
UNARY = """abs asin asinh atan atanh ceil deg2rad erf erfinv expm1 floor frac isinf isnan isneginf isposinf log1p nan_to_num neg rad2deg relu
    round sgn sign signbit sin sinh sqrt square tan tanh trunc absolute arcsin arctan negative fix conj_physical positive""".split()


def same(x, dense):
    assert tuple(x.shape) == tuple(dense.shape) and x.dtype == dense.dtype
    torch_np.testing.assert_close(x.to_dense(), dense, equal_nan=True)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
@pytest.mark.parametrize("name", UNARY)
def test_unary(name, layout):
    x, function = in_layout(DENSE, layout), getattr(torch_np, name)
    expected = function(DENSE)
    result = function(x)
    assert result.layout is layout
    same(result, expected)
    same(getattr(x, name)(), expected)
    if result.dtype == x.dtype:
        out = torch_np.zeros_like(x)
        if name != "positive":
            assert function(x, out=out) is out if name != "relu" else True
            same(out, expected if name != "relu" else 0 * DENSE)
    if hasattr(x, f"{name}_") and result.dtype == x.dtype:
        y = x.clone()
        assert getattr(y, f"{name}_")() is y
        same(y, expected)


@pytest.mark.parametrize("name", ["abs", "sin", "sqrt", "sign", "square", "isnan"])
def test_unary_functions_sum_repeated_indices_first(name):
    x, dense = uncoalesced()
    result = getattr(torch_np, name)(x)
    assert result.is_coalesced()
    same(result, getattr(torch_np, name)(dense))
    if hasattr(x, f"{name}_") and name != "square":
        with pytest.raises(RuntimeError, match=f"{name}_ requires coalesced input"):
            getattr(x, f"{name}_")()


def test_negation_keeps_repeated_indices():
    x, dense = uncoalesced()
    assert parts(-x) == [[[1, 0, 1, 1], [2, 1, 0, 2]], [1, -1, -0.5, 1]]
    same(-x, -dense)
    assert +x is x
    same(abs(x), abs(dense))


def test_dtypes_of_unary_functions():
    x = DENSE.to(torch_np.int64).to_sparse()
    assert torch_np.sin(x).dtype == torch_np.float32 and torch_np.abs(x).dtype == torch_np.int64
    with pytest.raises(RuntimeError, match="can't be cast"):
        x.sin_()
    z = torch_np.complex(DENSE, DENSE).to_sparse()
    assert torch_np.abs(z).dtype == torch_np.float32
    same(torch_np.conj(z), torch_np.complex(DENSE, -DENSE))
    same(z.real, DENSE)
    same(z.imag, DENSE)
    same(torch_np.view_as_real(z), torch_np.stack((DENSE, DENSE), -1))


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
@pytest.mark.parametrize("alpha", [1, 2, -0.5])
def test_add(layout, alpha):
    x, y = in_layout(DENSE, layout), in_layout(OTHER, layout)
    assert torch_np.add(x, y, alpha=alpha).layout is layout
    same(torch_np.add(x, y, alpha=alpha), DENSE + alpha * OTHER)
    same(torch_np.sub(x, y, alpha=alpha), DENSE - alpha * OTHER)
    same(torch_np.add(x, x, alpha=alpha), DENSE + alpha * DENSE)
    z = x.clone()
    assert z.add_(y, alpha=alpha) is z
    same(z, DENSE + alpha * OTHER)
    dense = OTHER.clone()
    assert dense.add_(x, alpha=alpha) is dense
    same(dense, OTHER + alpha * DENSE)
    same(torch_np.add(OTHER, x, alpha=alpha), OTHER + alpha * DENSE)
    same(OTHER.t().clone().t().add_(x), OTHER + DENSE)
    same(OTHER - x, OTHER - DENSE)


def test_add_flags():
    x, dense = uncoalesced()
    c = x.coalesce()
    other = torch_np.sparse_coo_tensor([[0], [0]], [7.0], (2, 3))
    assert (c + other).is_coalesced() and not (x + other).is_coalesced()
    assert parts(x + x) == [[[1, 0, 1, 1], [2, 1, 0, 2]], [-2, 2, 1, -2]]
    empty = torch_np.sparse_coo_tensor((2, 3))
    assert parts(x + empty) == parts(x) and parts(empty - c) == [[[0, 1, 1], [1, 0, 2]], [-1, -0.5, 2]]
    total = x
    for _ in range(5):
        total = total + other + c
    assert total._nnz() <= 12
    same(total, dense * 6 + 5 * other.to_dense())
    same(hybrid() + hybrid().coalesce(), 2 * hybrid().to_dense())
    assert (x.int() + x).dtype == torch_np.float32 and (x.int() + x.int()).dtype == torch_np.int32


@pytest.mark.parametrize("call, message", [
    (lambda x: x + 1, "add.sparse, dense. is not supported"), (lambda x: 1 + x, "add.sparse, dense. is not supported"),
    (lambda x: x + DENSE, "add.sparse, dense. is not supported"), (lambda x: x + torch_np.tensor(2.0), "add.sparse, dense. is not supported"),
    (lambda x: torch_np.ones(4) + x, r"self has size \[4\] while other has size \[4, 4\] .*does not currently support broadcasting"),
    (lambda x: x + torch_np.eye(3).to_sparse(), r"expected sizes of 'self' and 'other' to match, but \[4, 4\] != \[3, 3\]"),
    (lambda x: x + DENSE.to_sparse(1), "has 2 sparse dimensions while 'other' has 1 sparse dimensions"),
    (lambda x: DENSE.int().add_(x), "Can't convert result type Float to output Int in add operation"),
    (lambda x: torch_np.add(x.int(), x.int(), alpha=0.5), "argument alpha must not be a floating point number"),
    (lambda x: x + x.to_sparse_csr(), "same layout"), (lambda x: x / DENSE, "requires a scalar or zero-dim dense tensor divisor"),
    (lambda x: x / x, "requires a scalar or zero-dim dense tensor divisor"), (lambda x: DENSE / x, "requires a scalar or zero-dim dense tensor"),
    (lambda x: x // DENSE, "Sparse floor division requires a scalar"), (lambda x: x ** 0, "cannot raise to zeroth power on sparse tensor"),
    (lambda x: x * DENSE.to_sparse(1), "number of sparse dimensions"), (lambda x: x.int().div_(2), "can't be cast"),
])
def test_errors(call, message):
    with pytest.raises(RuntimeError, match=message):
        call(DENSE.to_sparse())


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_mul(layout):
    x, y = in_layout(DENSE, layout), in_layout(OTHER, layout)
    for product, expected in ((x * y, DENSE * OTHER), (x * x, DENSE * DENSE), (x * 2.5, DENSE * 2.5), (3 * x, DENSE * 3),
                              (x * torch_np.tensor(2.0), DENSE * 2), (x * OTHER, DENSE * OTHER), (OTHER * x, DENSE * OTHER),
                              (x * torch_np.arange(4.0), DENSE * torch_np.arange(4.0)), (x.int() * 2.5, DENSE.int() * 2.5)):
        assert product.layout is layout
        same(product, expected)
    z = x.clone()
    assert z.mul_(2) is z and z.mul_(y) is z
    same(z, DENSE * 2 * OTHER)
    same(OTHER.clone().mul_(x), DENSE * OTHER)
    out = torch_np.zeros_like(x)
    assert torch_np.mul(x, y, out=out) is out
    same(out, DENSE * OTHER)


def test_mul_coo():
    x, dense = uncoalesced()
    y = torch_np.sparse_coo_tensor([[0, 1], [1, 2]], [10.0, 20.0], (2, 3))
    same(x * y, dense * y.to_dense())
    same(y.coalesce() * x, dense * y.to_dense())
    assert (x.coalesce() * y.coalesce()).is_coalesced() and not (x * y).is_coalesced()
    same(x * torch_np.tensor([[1.0], [2.0]]), dense * torch_np.tensor([[1.0], [2.0]]))
    wide = torch_np.arange(12.0).reshape(2, 2, 3)
    same(x * wide, dense * wide)
    column = torch_np.tensor([[1.0], [2.0]]).to_sparse()
    same(column * dense, torch_np.tensor([[1.0], [2.0]]) * dense)
    scalar = torch_np.sparse_coo_tensor(torch_np.zeros(0, 1), [2.0], ())
    same(x * scalar, dense * 2)
    same(hybrid() * torch_np.tensor([1.0, 2.0]), hybrid().to_dense() * torch_np.tensor([1.0, 2.0]))
    same(hybrid() * hybrid(), hybrid().to_dense() ** 2)


@pytest.mark.parametrize("layout", [COO, CSR, BSR], ids=["coo", "csr", "bsr"])
def test_div(layout):
    x = in_layout(DENSE, layout)
    same(x / 2, DENSE / 2)
    same(x / torch_np.tensor(4.0), DENSE / 4)
    same(x.int() / 2, DENSE.int() / 2)
    same(x.clone().div_(2), DENSE / 2)
    if layout is COO:
        same(x // 2, DENSE // 2)
        same(torch_np.div(x, 2, rounding_mode="trunc"), torch_np.div(DENSE, 2, rounding_mode="trunc"))
        same(x.clone().floor_divide_(2), DENSE // 2)
        same(x ** 2, DENSE ** 2)
        same(x.abs().pow(0.5), DENSE.abs().pow(0.5))


def test_gradients():
    weight = torch_np.arange(6.0).reshape(2, 3)

    def gradient(function):
        values = torch_np.tensor([-1.0, 1.0, 0.5, -1.0], requires_grad=True)
        x = torch_np.sparse_coo_tensor([[1, 0, 1, 1], [2, 1, 0, 2]], values, (2, 3))
        (function(x).to_dense() * weight).sum().backward()
        return values.grad.tolist()

    ones = torch_np.ones(2, 3)
    assert gradient(lambda x: x + x) == [10, 2, 6, 10]
    assert gradient(lambda x: x * x) == [-20, 2, 3, -20]
    assert gradient(lambda x: x * (2 * ones)) == [10, 2, 6, 10]
    assert gradient(lambda x: x / 2 - x) == [-2.5, -0.5, -1.5, -2.5]
    assert gradient(lambda x: torch_np.sub(ones, x, alpha=3)) == [-15, -3, -9, -15]
    assert gradient(lambda x: torch_np.relu(x)) == [0, 1, 3, 0]
    dense = ones.clone().requires_grad_()
    x, value = uncoalesced()
    (((x * dense).to_dense() + (dense + x)) * weight).sum().backward()
    assert dense.grad.tolist() == ((value + 1) * weight).tolist()


def test_equality():
    x, _ = uncoalesced()
    assert torch_np.equal(x, x.coalesce()) and not torch_np.equal(x, 2 * x)
    assert torch_np.equal(x.to_sparse_csr(), x.to_sparse_csr()) and not torch_np.equal(x.coalesce(), x.to_sparse_csr())
    assert x.is_same_size(torch_np.ones(2, 3)) and not torch_np.is_same_size(x, torch_np.ones(3))


def test_training_with_a_sparse_gradient():
    weight = torch_np.ones(3, 2)
    gradient = torch_np.sparse_coo_tensor([[2, 0, 2]], [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], (3, 2))
    weight.add_(gradient, alpha=-0.5)
    assert weight.tolist() == [[-0.5, -1], [1, 1], [-2, -3]]


def test_assert_close():
    x, _ = uncoalesced()
    close = torch_np.testing.assert_close
    close(x, x.coalesce())
    close(x.to_sparse_csr(), x.to_sparse_csr())
    close(x.to_dense(), x, check_layout=False)
    for a, b, text in ((x, 2 * x, "of the values differ"), (x.coalesce(), x.to_sparse_csr(), "layouts differ"), (x.to_dense(), x, "layouts differ"),
                       (x, torch_np.zeros_like(x).coalesce(), "numbers of specified values"), (x.coalesce(), -x.coalesce().t().t(), "values differ")):
        with pytest.raises(AssertionError, match=text):
            close(a, b)
