"""out= of operators with their own kernels: they write into it if its layout allows, copy
otherwise, and never write a partial result."""
import numpy
import pytest
from same_as_numpy import agrees

import torch_np
import torch_np.numpy as np

X = numpy.arange(12.0).reshape(3, 4) - 5
CALLS = {
    "cumsum": lambda xp, x, out: xp.cumsum(x, axis=1, out=out),
    "cumprod": lambda xp, x, out: xp.cumprod(x, axis=0, out=out),
    "matmul": lambda xp, x, out: xp.matmul(x, xp.asarray(X.T @ X), out=out),
}
# Memory for results: in the results' own layout and dtype, or in others.
OUTPUTS = {
    "dense": lambda xp: xp.zeros((3, 4)),
    "column-major": lambda xp: xp.zeros((4, 3)).T,
    "strided": lambda xp: xp.zeros((6, 8))[::2, ::2],
    "backwards": lambda xp: xp.zeros((3, 4))[::-1, ::-1],
    "float32": lambda xp: xp.zeros((3, 4), dtype="float32"),
    "complex": lambda xp: xp.zeros((3, 4), dtype="complex128"),
}


@pytest.mark.parametrize("output", OUTPUTS)
@pytest.mark.parametrize("name", CALLS)
def test_any_memory_receives_the_result(name, output):
    def call(xp):
        out = OUTPUTS[output](xp)
        result = CALLS[name](xp, xp.asarray(X), out)
        assert result is out
        return out
    agrees(call)


@pytest.mark.parametrize("name", CALLS)
def test_a_result_may_go_where_its_operand_lies(name):
    def call(xp):
        x = xp.array(X)
        CALLS[name](xp, x, x)
        return x
    agrees(call)

    def shifted(xp):
        memory = xp.zeros(16)
        memory[:12] = xp.asarray(X).ravel()
        CALLS[name](xp, memory[:12].reshape(3, 4), memory[2:14].reshape(3, 4))
        return memory
    agrees(shifted)


@pytest.mark.parametrize("name", CALLS)
def test_what_does_not_fit_raises_and_changes_nothing(name):
    x = np.asarray(X)
    for bad, error in ((np.full((3, 5), 7.0), ValueError), (np.full((3, 4), 7, dtype="int64"), TypeError)):
        if name != "matmul" and error is TypeError:
            continue  # running sums cast to any dtype, as in NumPy
        before = bad.copy()
        with pytest.raises(error):
            CALLS[name](np, x, bad)
        assert (bad == before).all()
    frozen = np.full((3, 4), 7.0)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        CALLS[name](np, x, frozen)
    assert (frozen == 7).all()


@pytest.mark.parametrize("name", ["cumsum", "cumprod"])
def test_results_and_gradients_do_not_mix(name):
    x = np.array(X, _requires_grad=True)
    with pytest.raises(RuntimeError, match="out=.* don't support automatic differentiation"):
        CALLS[name](np, x, np.zeros((3, 4)))


def test_a_product_that_is_recorded_is_copied_into_its_output_with_its_history():
    x, out = np.array(X, _requires_grad=True), np.zeros((3, 4))
    assert np.matmul(x, np.eye(4), out=out) is out
    out.sum()._backward()
    assert (x._grad == 1).all()


def test_a_saved_operand_notices_that_it_was_overwritten():
    x = np.array(X, _requires_grad=True)
    y = np.zeros((3, 4))
    product = x * y
    np.cumsum(np.asarray(X), axis=1, out=y)
    with pytest.raises(RuntimeError, match="modified"):
        product.sum()._backward()


def test_torchs_face_takes_it_too():
    x = torch_np.tensor(X.tolist())
    out = torch_np.zeros(3, 4)
    assert torch_np.cumsum(x, 1, out=out) is out and out.tolist() == X.cumsum(1).tolist()
    assert torch_np.matmul(x, x.t(), out=torch_np.zeros(3, 3)).tolist() == (X @ X.T).tolist()
