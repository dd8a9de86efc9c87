"""Functions without their own derivative are differentiated through the operators that they call.

Composites, in C++ and in torch_np/numpy/*.py, have no entry with a `derivative`, so
test_gradients.py does not cover them.
"""

import pytest
from test_gradients import Maker

import torch_np
import torch_np.numpy as np
from torch_np.autograd import gradcheck, gradgradcheck

X = (2, 3)
NUMPY = {
    "append": (lambda x, y: np.append(x, y, 0), X, X),
    "average": (lambda x, w: np.average(x, weights=w * w), (4,), (4,)),
    "block": (lambda x, y: np.block([[x, y], [y, x]]), X, X),
    "column_stack": (lambda x, y: np.column_stack([x, y]), (3,), (3,)),
    "convolve": (lambda x, y: np.convolve(x, y), (4,), (3,)),
    "corrcoef": (np.corrcoef, (3, 5)),
    "cov": (np.cov, (3, 5)),
    "cross": (np.cross, (2, 3), (3,)),
    "delete": (lambda x: np.delete(x, 1, 1), X),
    "diag": (np.diag, (3,)),
    "diagflat": (np.diagflat, (3,)),
    "diff": (lambda x: np.diff(x, 2), (5,)),
    "dot": (np.dot, X, (3, 2)),
    "dsplit": (lambda x: np.dsplit(x, 2), (2, 2, 4)),
    "dstack": (lambda x, y: np.dstack([x, y]), X, X),
    "ediff1d": (np.ediff1d, (4,)),
    "einsum_product": (lambda x, y: np.einsum("ij,jk->ik", x, y), X, (3, 2)),
    "einsum_trace": (lambda x: np.einsum("ii->", x), (3, 3)),
    "einsum_outer": (lambda x, y, z: np.einsum("i,j,ij->j", x, y, z), (2,), (3,), X),
    "extract": (lambda x: np.extract(np.array([True, False, True]), x), (3,)),
    "gradient": (lambda x: np.gradient(x), (5,)),
    "hsplit": (lambda x: np.hsplit(x, 3), X),
    "hstack": (lambda x, y: np.hstack([x, y]), X, X),
    "inner": (np.inner, X, (3,)),
    "insert": (lambda x, y: np.insert(x, 1, y), (4,), ()),
    "interp": (lambda x, f: np.interp(x / 4 + 1, np.array([0.0, 1.0, 2.0]), f), (4,), (3,)),
    "kron": (np.kron, (2, 2), X),
    "linspace": (lambda a, b: np.linspace(a, b, 4), (), ()),
    "max": (lambda x: np.max(x, 1), X),
    "mean": (lambda x: np.mean(x, axis=0), X),
    "median": (lambda x: np.median(x, 1), (2, 5)),
    "meshgrid": (lambda x, y: np.meshgrid(x, y), (2,), (3,)),
    "min": (np.min, X),
    "moveaxis": (lambda x: np.moveaxis(x, 0, -1), (2, 3, 4)),
    "nanmean": (np.nanmean, X),
    "nansum": (np.nansum, X),
    "norm": (lambda x: np.linalg.norm(x), X),
    "norm_axis": (lambda x: np.linalg.norm(x, axis=1), X),
    "outer": (np.outer, (2,), (3,)),
    "pad": (lambda x: np.pad(x, 1), X),
    "pad_edge": (lambda x: np.pad(x, ((1, 0), (0, 2)), mode="edge"), X),
    "percentile": (lambda x: np.percentile(x, 30), (5,)),
    "pinv": (lambda x: np.linalg.pinv(x), (3, 2)),
    "polyval": (lambda p, x: np.polyval(p, x), (3,), (2,)),
    "prod": (lambda x: np.prod(x, axis=1), X),
    "ptp": (np.ptp, X),
    "ravel": (np.ravel, X),
    "repeat": (lambda x: np.repeat(x, 3), X),
    "reshape": (lambda x: np.reshape(x, (3, 2), order="F"), X),
    "roll": (lambda x: np.roll(x, 1, 0), X),
    "rot90": (np.rot90, X),
    "select": (lambda x, y: np.select([np.array([True, False, False]), np.array([False, True, False])], [x, y], 0.0), (3,), (3,)),
    "sinc": (np.sinc, (4,)),
    "split": (lambda x: np.split(x, [1]), (3,)),
    "stack": (lambda x, y: np.stack([x, y], -1), X, X),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 1), X),
    "take": (lambda x: np.take(x, [2, 0, 2], axis=1), X),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.array([[0, 0], [2, 1]]), 1), X),
    "tensordot": (lambda x, y: np.tensordot(x, y, axes=([1], [0])), X, (3, 2)),
    "tile": (lambda x: np.tile(x, (2, 2)), X),
    "trace": (np.trace, (3, 3)),
    "transpose": (np.transpose, (2, 3, 4)),
    "trapezoid": (np.trapezoid, (4,)),
    "unwrap": (np.unwrap, (4,)),
    "vander": (lambda x: np.vander(x, 3), (3,)),
    "vdot": (np.vdot, (3,), (3,)),
    "vstack": (lambda x, y: np.vstack([x, y]), X, X),
    "where": (lambda x, y: np.where(np.array([True, False, True]), x, y), (3,), (3,)),
    "masked sum": (lambda x: np.sum(x, where=np.array([True, False, True])), X),
    "masked add": (lambda x, y: np.add(x, y, where=np.array([True, True, True])), X, X),
    "add.reduce": (lambda x: np.add.reduce(x, axis=1), X),
    "multiply.reduce": (lambda x: np.multiply.reduce(x, axis=0), X),
    "maximum.reduce": (lambda x: np.maximum.reduce(x), X),
    "multiply.outer": (np.multiply.outer, (2,), (3,)),
    "add.accumulate": (lambda x: np.add.accumulate(x), (4,)),
    "rfft2": (lambda x: np.fft.rfft2(x), (2, 4)),
    "fftshift": (lambda x: np.fft.fftshift(np.fft.fft(x)), (4,)),
    "matrix_power": (lambda x: np.linalg.matrix_power(x, 3), (2, 2)),
    "multi_dot": (lambda x, y, z: np.linalg.multi_dot([x, y, z]), (2, 3), (3, 2), (2, 2)),
    "program": (lambda x, w: np.log(np.sum(np.exp(np.tanh(x @ w) - 1), axis=1)).mean(), (4, 3), (3, 2)),
}
COMPLEX = {"convolve", "cross", "diff", "dot", "einsum_product", "einsum_trace", "einsum_outer", "inner", "kron", "mean", "norm", "outer",
           "prod", "tensordot", "trace", "vdot", "pad", "cov", "take", "tile", "insert", "matrix_power", "stack"}

TORCH = {
    "flatten": (lambda x: x.flatten(), X),
    "narrow": (lambda x: x.narrow(1, 0, 2), X),
    "unbind": (lambda x: torch_np.unbind(x), X),
    "chunk": (lambda x: torch_np.chunk(x, 2, 1), X),
    "split": (lambda x: torch_np.split(x, 2, 1), X),
    "cat": (lambda x, y: torch_np.cat([x, y], 1), X, X),
    "stack": (lambda x, y: torch_np.stack([x, y]), X, X),
    "softmax": (lambda x: torch_np.softmax(x, 1), X),
    "log_softmax": (lambda x: torch_np.log_softmax(x, -1), X),
    "var_mean": (lambda x: (x.var(1), x.mean(0), x.std()), X),
    "max": (lambda x: torch_np.max(x, 1)[0], X),
    "min": (lambda x: torch_np.min(x, 0)[0], X),
    "amax": (lambda x: torch_np.amax(x, 1), X),
    "clamp": (lambda x: torch_np.clamp(x, -0.3, 0.3), X),
    "gather": (lambda x: torch_np.gather(x, 1, torch_np.tensor([[0, 0], [2, 1]])), X),
    "t": (lambda x: x.t(), X),
    "mT": (lambda x: x.mT, X),
    "add_alpha": (lambda x, y: torch_np.add(x, y, alpha=2), X, (3,)),
    "matmul": (lambda x, y: x @ y, X, (3, 4)),
    "to": (lambda x: x.to(torch_np.complex128), X),
}


def check(func, shapes, face, dtype, name):
    make = Maker(face, dtype, name)
    xs = [make(*shape) for shape in shapes]
    assert gradcheck(func, xs)
    assert gradgradcheck(func, xs, atol=1e-4)


@pytest.mark.parametrize("name", NUMPY)
def test_composites_of_numpy_differentiate(name):
    func, *shapes = NUMPY[name]
    check(func, shapes, "ndarray", "float64", name)


@pytest.mark.parametrize("name", sorted(COMPLEX))
def test_composites_of_numpy_differentiate_for_complex_numbers(name):
    func, *shapes = NUMPY[name]
    check(func, shapes, "ndarray", "complex128", name)


@pytest.mark.parametrize("name", TORCH)
def test_composites_of_torch_differentiate(name):
    func, *shapes = TORCH[name]
    check(func, shapes, "Tensor", "float64", name)


def test_pieces_of_both_types_mix_in_one_graph():
    x = np.array([[0.3, -0.2], [0.5, 0.1]])
    x._requires_grad = True

    def mixed(x):
        hidden = np.tanh(x @ x)._torch()
        return torch_np.softmax(hidden, 1)._np_compat().sum(axis=0) * x[0]

    assert gradcheck(mixed, (x,)) and gradgradcheck(mixed, (x,))
