"""Lines that users of torch_np.numpy write. They run (test_typing.py), and mypy finds each of the stated types."""
from typing import Any, assert_type

import numpy

import torch_np
import torch_np.numpy as np
from torch_np.numpy.linalg import EighResult, SVDResult
from torch_np.numpy.random import Generator, default_rng

# Creation.
a = np.array([[1.0, 2.0], [3.0, 4.0]])
assert_type(a, np.ndarray)
assert_type(np.zeros((2, 3), dtype="float32"), np.ndarray)
assert_type(np.zeros(3, np.int64), np.ndarray)
assert_type(np.ones_like(a, dtype=np.float32), np.ndarray)
assert_type(np.full((2, 2), 7, dtype=int), np.ndarray)
assert_type(np.arange(10), np.ndarray)
assert_type(np.arange(0, 1, 0.1, dtype=np.float64), np.ndarray)
assert_type(np.eye(3, k=1), np.ndarray)
assert_type(np.asarray(numpy.arange(3), copy=True), np.ndarray)
assert_type(np.array([1, 2], _requires_grad=False), np.ndarray)
assert_type(np.empty((0, 4), order="F"), np.ndarray)
space = np.linspace(0, 1, 5, endpoint=False)
xx, yy = np.meshgrid(np.arange(3), np.arange(4), indexing="ij")
assert_type(xx, np.ndarray)
assert_type(np.fromfunction(lambda i, j: i + j, (3, 3)), np.ndarray)

# Attributes of arrays.
assert_type(a.shape, tuple[int, ...])
assert_type(a.ndim, int)
assert_type(a.size, int)
assert_type(a.dtype, numpy.dtype[Any])
assert_type(a.dtype == np.float64, bool)
assert_type(a.strides, tuple[int, ...])
assert_type(a.flags.writeable, bool)
assert_type(a.T, np.ndarray)
assert_type(a.real, np.ndarray)
assert_type(a.tolist(), Any)
assert_type(len(a), int)
assert_type(float(a.sum()), float)
assert_type(a.tobytes(), bytes)
assert_type(np.shape([[1, 2]]), tuple[int, ...])
assert_type(np.ndim(a), int)

# Operators between arrays and numbers.
assert_type(a + a, np.ndarray)
assert_type(2 * a - 1.5, np.ndarray)
assert_type(1 / a, np.ndarray)
assert_type(a @ a.T, np.ndarray)
assert_type(a ** 2, np.ndarray)
assert_type(-a, np.ndarray)
assert_type(abs(a), np.ndarray)
assert_type(a > 1, np.ndarray)
assert_type(a == a, np.ndarray)
assert_type((a > 1) & (a < 3), np.ndarray)
assert_type(a + [1, 2], np.ndarray)
assert_type(a * numpy.float32(2), np.ndarray)
assert_type(divmod(a, 2), tuple[np.ndarray, np.ndarray])
a += 1
a *= np.array([1.0, 2.0])

# Indexing.
assert_type(a[0], np.ndarray)
assert_type(a[0, 1], np.ndarray)
assert_type(a[:, None], np.ndarray)
assert_type(a[..., -1], np.ndarray)
assert_type(a[a > 2], np.ndarray)
assert_type(a[[0, 1], ::-1], np.ndarray)
assert_type(a[np.array([0, 1])], np.ndarray)
a[0, :] = 5
a[a > 4] = [0.0] * int((a > 4).sum())
for row in a:
    assert_type(row, np.ndarray)
assert_type(np.where(a > 1, a, 0), np.ndarray)
assert_type(np.where(a > 1), tuple[np.ndarray, ...])
assert_type(np.nonzero(a), tuple[np.ndarray, ...])
assert_type(np.take(a, [0, 1], axis=1), np.ndarray)

# Reductions.
out = np.zeros(2)
assert_type(a.sum(), np.ndarray)
assert_type(a.sum(axis=0), np.ndarray)
assert_type(np.sum(a, axis=(0, 1), keepdims=True), np.ndarray)
assert_type(np.sum(a, axis=0, out=out), np.ndarray)
assert_type(a.mean(axis=-1, dtype="float64"), np.ndarray)
assert_type(np.max(a, axis=None, initial=0), np.ndarray)
assert_type(np.std(a, ddof=1), np.ndarray)
assert_type(a.argmax(axis=1), np.ndarray)
assert_type(np.median(a, axis=0, keepdims=True), np.ndarray)
assert_type(np.quantile(a, [0.25, 0.75], method="nearest"), np.ndarray)
assert_type(np.nansum(a, axis=1), np.ndarray)
assert_type(np.cumsum(a, axis=0), np.ndarray)
assert_type(np.allclose(a, a, rtol=1e-6), bool)
assert_type(np.array_equal(a, a), bool)
counts, edges = np.histogram(a, bins=4)
assert_type(edges, np.ndarray)

# Ufuncs.
assert_type(np.exp(a), np.ndarray)
assert_type(np.add(a, 1, out=np.empty_like(a), where=a > 0), np.ndarray)
assert_type(np.add.reduce(a, axis=0, keepdims=True), np.ndarray)
assert_type(np.add.accumulate(a), np.ndarray)
assert_type(np.add.outer(a, a), np.ndarray)
assert_type(np.multiply.reduceat(np.arange(8), [0, 4]), np.ndarray)
assert_type(np.modf(a), tuple[np.ndarray, np.ndarray])
assert_type(np.divmod(a, 2.0), tuple[np.ndarray, np.ndarray])
assert_type(np.matmul(a, a), np.ndarray)
assert_type(np.sin.nin, int)
np.add.at(out, [0, 0, 1], 1)

# Shapes.
assert_type(a.reshape(-1), np.ndarray)
assert_type(a.reshape((2, 2)), np.ndarray)
assert_type(a.reshape(4, 1), np.ndarray)
assert_type(a.transpose(1, 0), np.ndarray)
assert_type(np.concatenate([a, a], axis=1), np.ndarray)
assert_type(np.stack((a, a)), np.ndarray)
assert_type(np.split(a, 2), list[np.ndarray])
assert_type(np.broadcast_to(a, (3, 2, 2)), np.ndarray)
assert_type(np.atleast_2d(1), np.ndarray)
assert_type(a.astype(np.int32), np.ndarray)
assert_type(np.expand_dims(a, (0, 2)), np.ndarray)
assert_type(np.pad(a, 1, mode="edge"), np.ndarray)
assert_type(a.copy(), np.ndarray)
assert_type(np.sort(a, axis=None), np.ndarray)
assert_type(np.einsum("ij,jk->ik", a, a), np.ndarray)
values, index = np.unique(a, return_index=True)

# Linear algebra, transforms.
spd = np.eye(2) * 3
w, v = np.linalg.eigh(spd)
assert_type(w, np.ndarray)
assert_type(np.linalg.eigh(spd), EighResult)
assert_type(np.linalg.eigh(spd).eigenvalues, np.ndarray)
svd = np.linalg.svd(spd)
assert isinstance(svd, SVDResult)
assert_type(np.linalg.solve(spd, [1.0, 2.0]), np.ndarray)
assert_type(np.linalg.norm(spd, axis=1), np.ndarray)
assert_type(np.linalg.inv(spd), np.ndarray)
sign, logdet = np.linalg.slogdet(spd)
assert_type(logdet, np.ndarray)
assert_type(np.fft.fft(space, n=8), np.ndarray)
assert_type(np.fft.fftfreq(8, d=0.1), np.ndarray)

# Random numbers.
rng = np.random.default_rng(0)
assert_type(rng, Generator)
assert_type(rng.normal(0, 1, size=(2, 3)), np.ndarray)
assert_type(rng.integers(0, 10, 5), np.ndarray)
assert_type(rng.random(3, dtype=np.float32), np.ndarray)
assert_type(rng.choice(5, size=2, replace=False), np.ndarray)
assert_type(default_rng().permutation(5), np.ndarray)
assert_type(np.random.rand(2, 3), np.ndarray)
assert_type(np.random.normal(size=3), np.ndarray)
np.random.seed(0)

# Dtypes.
assert_type(np.result_type(np.float32, np.int64), numpy.dtype[Any])
assert_type(np.can_cast(np.int32, "float64"), bool)
assert_type(np.finfo(np.float32).eps, numpy.float32)
assert_type(np.iinfo(np.int16).max, int)
half = np.zeros(2, dtype=np.bfloat16)

# Names that NumPy lacks.
x = np.array([1.0, 2.0], _requires_grad=True)
loss = (x * x).sum()
loss._backward()
assert_type(x._grad, np.ndarray | None)
assert_type(x._requires_grad, bool)
assert_type(x._detach(), np.ndarray)
assert_type(x._torch(), torch_np.Tensor)
assert_type(x._torch()._np_compat(), np.ndarray)
assert_type(x._device, str)
assert_type(x._cpu(), np.ndarray)
if torch_np.cuda.is_available():
    assert_type(x._cuda(), np.ndarray)
    assert_type(np.zeros(3, _device="cuda"), np.ndarray)


def mean_of_rows(table: np.ndarray, weights: np.ndarray | None = None) -> np.ndarray:
    return np.average(table, axis=1, weights=weights)  # type: ignore[no-any-return]


assert mean_of_rows(a).shape == (2,)
