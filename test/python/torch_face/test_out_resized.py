"""out= of another shape on the torch face, beyond the golden cases (torch_cases/out_resized.txt)."""
import sys
import warnings

import numpy
import pytest

import torch_np
from torch_np import numpy as np
from torch_np.nn import functional as F

RESIZED = "An output with one or more elements was resized"


def empty_indices():
    return torch_np.empty(0, dtype=torch_np.int64)


# Calls with a tensor that is both an input and out=. (PyTorch resizes it first, and reads memory
# that is no longer valid.)
OPERAND_TOO = [
    (lambda x, out: torch_np.sum(x, 0, out=out), (2, 3)), (lambda x, out: torch_np.sum(x, (0, 2), out=out), (2, 3, 4)),
    (lambda x, out: torch_np.amax(x, 1, out=out), (2, 3)), (lambda x, out: torch_np.sum(x, 1, out=out), (2, 0, 3)),
    (lambda x, out: torch_np.sum(x.t(), 0, out=out), (2, 3)), (lambda x, out: torch_np.std(x, 0, out=out), (3, 4)),
    (lambda x, out: torch_np.logsumexp(x, 0, out=out), (3, 4)), (lambda x, out: torch_np.mm(x, x.t(), out=out), (2, 3)),
    (lambda x, out: torch_np.mm(x.t(), x, out=out), (2, 3)), (lambda x, out: torch_np.mm(x, x.t(), out=out), (0, 3)),
    (lambda x, out: torch_np.mv(x, torch_np.ones(3).double(), out=out), (2, 3)), (lambda x, out: torch_np.kron(x, x, out=out), (2, 3)),
    (lambda x, out: torch_np.addmm(x[0, :1], x, x.t()[:, :1], out=out), (2, 3)), (lambda x, out: torch_np.cat([x, x], out=out), (2, 3)),
    (lambda x, out: torch_np.stack([x, x], out=out), (2, 3)), (lambda x, out: torch_np.cat([x[:1], x], out=out), (2, 3)),
    (lambda x, out: torch_np.gather(x, 1, torch_np.tensor([[0], [2]]), out=out), (2, 3)),
    (lambda x, out: torch_np.index_select(x, 1, torch_np.tensor([2, 0, 1, 1]), out=out), (2, 3)),
    (lambda x, out: torch_np.take(x, torch_np.tensor([5, 0, 1]), out=out), (2, 3)), (lambda x, out: torch_np.cumsum(x[0], 0, out=out), (2, 3)),
    (lambda x, out: torch_np.cumsum(x[:, 1:], 1, out=out), (2, 3)), (lambda x, out: torch_np.neg(x[0], out=out), (2, 3)),
    (lambda x, out: torch_np.add(x[:1], x[1], out=out), (2, 3)), (lambda x, out: torch_np.linalg.det(x, out=out), (3, 3)),
    (lambda x, out: torch_np.linalg.solve(x, torch_np.ones(3, 1).double(), out=out), (3, 3)),
    (lambda x, out: torch_np.linalg.vector_norm(x, dim=1, out=out), (2, 3)), (lambda x, out: torch_np.linalg.norm(x, out=out), (2, 3)),
    (lambda x, out: torch_np.linalg.pinv(x, out=out), (2, 3)), (lambda x, out: torch_np.linalg.svdvals(x, out=out), (2, 3)),
    (lambda x, out: torch_np.fft.irfft(x, out=out), (2, 3)), (lambda x, out: torch_np.cdist(x, x[:1], out=out), (3, 2)),
    (lambda x, out: F.linear(x, torch_np.ones(1, 3).double(), out=out), (2, 3)), (lambda x, out: torch_np.diag(x, out=out), (3, 3)),
    (lambda x, out: torch_np.tril(x[:1], out=out), (2, 3)), (lambda x, out: torch_np.trace(x, out=out), (2, 3)),
    (lambda x, out: torch_np.tensordot(x, x, 2, out=out), (2, 3)),
    (lambda x, out: torch_np.max(x, 1, out=None if out is None else (out, empty_indices()))[0], (2, 3)),
    (lambda x, out: torch_np.topk(x, 2, out=None if out is None else (out, empty_indices()))[0], (2, 3)),
    (lambda x, out: torch_np.linalg.qr(x, out=None if out is None else (torch_np.empty(0).double(), out))[1], (4, 2)),
]


@pytest.mark.parametrize("layout", ["dense", "transposed", "view"])
@pytest.mark.parametrize("call", range(len(OPERAND_TOO)))
def test_operands_are_read_as_they_were(call, layout):
    f, shape = OPERAND_TOO[call]
    numbers = numpy.random.RandomState(5).standard_normal(shape)
    x = torch_np.tensor(numbers.T.copy()).permute(*reversed(range(len(shape)))) if layout == "transposed" else torch_np.tensor(numbers)
    if layout == "view":
        x = torch_np.cat([x, x])[: shape[0]]
    expected = f(x.clone(), None)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = f(x, x)
    assert result is x and result.shape == expected.shape
    assert torch_np.allclose(result, expected, rtol=1e-12, equal_nan=True)
    assert [str(w.message).startswith(RESIZED) for w in caught] == ([True] if numpy.prod(shape) else [])


def test_a_warning_of_the_caller_at_the_end_of_the_call():
    o = torch_np.ones(4)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        torch_np.add(torch_np.ones(2, 3), 1, out=o); line = sys._getframe().f_lineno  # noqa: E702
        torch_np.add(torch_np.ones(2, 3), 1, out=o)
    assert [(w.category, w.filename, w.lineno) for w in caught] == [(UserWarning, __file__, line)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        o = torch_np.ones(4)
        with pytest.raises(UserWarning, match=RESIZED):
            torch_np.add(torch_np.ones(2, 3), 1, out=o)
        assert o.tolist() == [[2] * 3] * 2  # as in PyTorch, the warning comes last
        torch_np.add(torch_np.ones(2, 3), 1, out=o)  # without a second warning


def test_warnings_of_a_call_that_raises_do_not_wait_for_the_next():
    o = torch_np.ones(4, dtype=torch_np.float64), torch_np.ones(2, dtype=torch_np.int64).expand(5, 2)[:, :1].t()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        foreign = torch_np.ones(4, dtype=torch_np.float64), torch_np.from_numpy(numpy.ones(1, int))
        with pytest.raises(RuntimeError, match="not resizable"):
            torch_np.max(torch_np.ones(2, 3).double(), 1, out=foreign)
        assert torch_np.add(torch_np.ones(2), 1, out=torch_np.ones(2)).tolist() == [2, 2]
    assert o[0].shape == (4,)


def test_what_is_refused_stays_as_it_was():
    for wrong in (dict(dtype=torch_np.int32), dict(requires_grad=True)):
        o = torch_np.ones(4, **wrong)
        for call in (lambda: torch_np.add(torch_np.ones(2, 3), 1, out=o), lambda: torch_np.mm(torch_np.ones(2, 3), torch_np.ones(3, 2), out=o),  # noqa: B023
                     lambda: torch_np.hstack([torch_np.ones(2), torch_np.ones(3)], out=o),  # noqa: B023
                     lambda: torch_np.max(torch_np.ones(2, 3), 0, out=(o, torch_np.ones(1)))):  # noqa: B023
            with pytest.raises(RuntimeError):
                call()
            assert o.tolist() == [1] * 4
    o = torch_np.ones(4), torch_np.ones(4)
    with pytest.raises(RuntimeError, match=r"out\[1\]"):
        torch_np.max(torch_np.ones(2, 3), 0, out=o)
    assert o[0].shape == (4,)


def test_numpys_arrays_keep_their_shape():
    for shape in ((3,), (6,), (9,), (0,)):
        for call in (lambda a: torch_np.add(torch_np.ones(2, 3), 1, out=a), lambda a: torch_np.sum(torch_np.ones(4, 2, 3), 0, out=a),
                     lambda a: torch_np.zeros(2, 3, out=a)):
            with pytest.raises(RuntimeError):
                call(numpy.ones(shape, "f4"))
    a = numpy.ones((2, 3), "f4")
    torch_np.add(torch_np.ones(2, 3), 1, out=a)
    assert a.tolist() == [[2] * 3] * 2


def test_memory_that_is_not_aligned_stays():
    a = np.asarray(numpy.frombuffer(bytearray(17), "u1")[1:].view("f4"))._torch()
    with pytest.raises(RuntimeError, match="aligned"):
        torch_np.add(torch_np.ones(2), 1, out=a)
    with pytest.raises(RuntimeError, match="aligned"):
        a.resize_(2)


@pytest.mark.parametrize("size", [0, 4])
def test_the_numpy_face_raises_as_numpy_does(size):
    x = np.ones((2, 3))
    for call in (lambda: np.add(x, 1, out=np.ones(size)), lambda: np.sum(x, 0, out=np.ones(size)), lambda: np.matmul(x, x.T, out=np.ones(size)),
                 lambda: np.cumsum(x, 0, out=np.ones(size)), lambda: np.concatenate([x, x], out=np.ones(size))):
        with pytest.raises(ValueError):
            call()


def test_an_ndarray_is_resized_by_torchs_functions():
    a = np.ones(4)
    with pytest.warns(UserWarning, match=RESIZED):
        torch_np.add(torch_np.ones(2, 3).double(), 1, out=a)
    assert a.shape == (2, 3)


def test_in_place_operators_change_no_shape():
    for x, y in (((0,), (1, 0)), ((3, 0), (2, 3, 0)), ((1,), (3,)), ((2, 1), (2, 3))):
        x, y = torch_np.ones(x), torch_np.ones(y)
        for name in ("add_", "mul_", "sub_", "copysign_", "atan2_", "fmod_"):
            before = x.shape
            with pytest.raises(RuntimeError):
                getattr(x, name)(y)
            assert x.shape == before
