"""Our arrays as chunks of dask.array (docs/dask.md): the same programs on NumPy's chunks and on
ours give the same results, and chunks remain ours."""
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy
import pytest

pytest.importorskip("dask.array", reason="Dask is not installed (pip install 'torch-np[dask]')")

import dask  # noqa: E402
import dask.array as da  # noqa: E402

import torch_np.numpy as np  # noqa: E402
import torch_np_dask  # noqa: E402
from torch_np import _C  # noqa: E402


def on(backend):
    return dask.config.set({"array.backend": backend, "scheduler": "synchronous"})


def data(*shape, dtype=float, seed=0):
    """The same numbers for both backends, as chunks of the current one."""
    values = numpy.random.default_rng(seed).integers(-9, 10, shape).astype(dtype)
    if numpy.dtype(dtype).kind == "f":
        values += numpy.random.default_rng(seed + 1).random(shape).astype(dtype)
    return da.from_array(values, chunks=tuple(max(1, (n + 1) // 2) for n in shape)).to_backend()


def matrix(dtype=float):
    return data(8, 6, dtype=dtype)


def vector(dtype=float):
    return data(11, dtype=dtype)


def cube():
    return data(4, 6, 5)


def positive_definite():
    x = data(6, 6)
    return (x @ x.T + 6 * da.eye(6, chunks=3).to_backend()).rechunk(3)


def holes():
    """An array with NaN elements."""
    x = matrix()
    return da.where(x > 6, numpy.nan, x)


CREATION = {
    "ones": lambda: da.ones((5, 4), chunks=2),
    "ones of integers": lambda: da.ones((5, 4), chunks=2, dtype="i4"),
    "zeros": lambda: da.zeros(7, chunks=3),
    "full": lambda: da.full((3, 5), 2.5, chunks=2),
    "full of integers": lambda: da.full((3, 5), 7, chunks=2),
    "empty": lambda: da.empty((4, 4), chunks=2) * 0 == 0,
    "arange": lambda: da.arange(10, chunks=3),
    "arange from, to, by": lambda: da.arange(2, 9, 0.5, chunks=4),
    "arange backwards": lambda: da.arange(9, 2, -2, chunks=2),
    "arange of a dtype": lambda: da.arange(1, 9, dtype="f4", chunks=3),
    "arange of nothing": lambda: da.arange(3, 3),
    "arange far from 0": lambda: da.arange(2**53, 2**53 + 10, 2, chunks=2),
    "ones_like": lambda: da.ones_like(matrix()),
    "zeros_like": lambda: da.zeros_like(matrix(), dtype="i8"),
    "full_like": lambda: da.full_like(matrix(), 3),
    "indices": lambda: da.indices((4, 5), chunks=2),
    "tri": lambda: da.tri(5, chunks=2),
    "fromfunction": lambda: da.fromfunction(lambda i, j: 3 * i + j, shape=(4, 6), chunks=3),
    "meshgrid": lambda: da.meshgrid(da.arange(4, chunks=2), da.arange(3, chunks=2))[1],
}

ELEMENTS = {
    "arithmetic": lambda: (matrix() + 2) * matrix() - matrix() / 3,
    "int / int": lambda: matrix("i4") / 3,
    "comparison": lambda: matrix() > 1,
    "power": lambda: matrix() ** 2,
    "ufuncs": lambda: da.exp(da.sin(matrix()) + da.sqrt(abs(matrix()))),
    "add.outer": lambda: da.ufunc.add.outer(vector(), vector()),
    "logaddexp": lambda: da.logaddexp(matrix(), matrix()[::-1]),
    "arctan2": lambda: da.arctan2(matrix(), 2 + matrix()),
    "divmod": lambda: da.divmod(vector(), 3)[1],
    "frexp": lambda: da.frexp(vector())[0],
    "isnan": lambda: da.isnan(holes()),
    "clip": lambda: da.clip(matrix(), -2, 3),
    "where": lambda: da.where(matrix() > 0, matrix(), -1),
    "round": lambda: da.round(matrix(), 1),
    "astype": lambda: matrix().astype("f4"),
    "nan_to_num": lambda: da.nan_to_num(holes()),
    "real, imag": lambda: (matrix() * (1 + 2j)).imag + (matrix() * 1j).conj().real,
    "angle": lambda: da.angle(matrix() + 1j),
    "with NumPy's array": lambda: matrix() + numpy.arange(6),
    "with an array of ours": lambda: matrix() * (np if dask.config.get("array.backend") == "torch_np" else numpy).arange(6),
    "select": lambda: da.select([matrix() > 3, matrix() > 0], [matrix(), -matrix()], 9),
    "choose": lambda: da.choose(vector("i8") % 3, [vector(), -vector(), vector() * 0]),
    "digitize": lambda: da.digitize(vector(), numpy.array([-3.0, 0, 4])),
    "isin": lambda: da.isin(vector("i8"), [1, 2, 3]),
    "fix": lambda: da.fix(matrix()),
    "i0": lambda: da.i0(matrix() / 9),
    "sinc": lambda: da.sinc(matrix()),
    "isclose": lambda: da.isclose(matrix(), matrix() + 1e-9),
    "piecewise": lambda: da.piecewise(vector(), [vector() < 0, vector() >= 0], [-1, 1]),
}

REDUCTIONS = {
    **{f"{name} over {axis}": (lambda name=name, axis=axis: getattr(da, name)(cube(), axis=axis))
       for name in ("sum", "prod", "mean", "std", "var", "min", "max", "any", "all") for axis in (None, 0, (0, 2))},
    **{f"{name} over {axis}": (lambda name=name, axis=axis: getattr(da, name)(holes(), axis=axis))
       for name in ("nansum", "nanprod", "nanmean", "nanstd", "nanvar", "nanmin", "nanmax") for axis in (None, 1)},
    **{name: (lambda name=name: getattr(da, name)(cube(), axis=1))
       for name in ("argmin", "argmax", "nanargmin", "nanargmax", "cumsum", "cumprod", "nancumsum", "nancumprod", "ptp", "median", "nanmedian")},
    "argmax over all": lambda: da.argmax(cube()),
    "keepdims": lambda: cube().mean(axis=(0, 1), keepdims=True),
    "keepdims over all": lambda: cube().std(keepdims=True),
    "sum of integers": lambda: matrix("i4").sum(axis=0),
    "mean of integers": lambda: matrix("i4").mean(axis=0),
    "mean of float32": lambda: matrix("f4").mean(axis=0),
    "sum of a dtype": lambda: matrix().sum(axis=1, dtype="f4"),
    "split_every": lambda: data(16, 3).rechunk((2, 3)).sum(axis=0, split_every=2),
    "moment": lambda: data(20, 3).moment(3, axis=0),
    "average": lambda: da.average(matrix(), axis=0, weights=abs(matrix())),
    "count_nonzero": lambda: da.count_nonzero(matrix("i8"), axis=0),
    "topk": lambda: da.topk(vector(), 3),
    "argtopk": lambda: da.argtopk(vector(), 3),
    "cumsum by blelloch": lambda: da.cumsum(matrix(), axis=0, method="blelloch"),
    "diff": lambda: da.diff(matrix(), axis=0),
    "gradient": lambda: da.gradient(data(8, 8).rechunk(4), axis=0),
    "ediff1d": lambda: da.ediff1d(vector()),
    "trace": lambda: da.trace(data(6, 6)),
    "corrcoef": lambda: da.corrcoef(matrix()),
    "cov": lambda: da.cov(matrix()),
    "coarsen": lambda: da.coarsen(numpy.mean, data(8, 8), {0: 2, 1: 2}),
    "quantile": lambda: da.quantile(matrix().rechunk({0: -1}), [0.1, 0.5], axis=0),
    "percentile": lambda: da.percentile(vector(), [10, 50, 90]),
    "percentile, lower": lambda: da.percentile(vector(), [10, 50, 90], method="lower"),
    "percentile of integers": lambda: da.percentile(vector("i8"), [10, 50, 90], method="nearest"),
}

STRUCTURE = {
    "slices": lambda: matrix()[1:7:2, ::-1],
    "an index array": lambda: matrix()[[5, 0, 3]],
    "two index arrays": lambda: matrix().vindex[[5, 0, 3], [1, 1, 0]],
    "newaxis": lambda: matrix()[:, None, 2],
    "a mask": lambda: vector()[vector() > 0],
    "a mask of all axes": lambda: matrix()[matrix() > 0],
    "take": lambda: da.take(matrix(), [3, 1], axis=1),
    "assignment": lambda: assigned(),
    "transpose": lambda: cube().transpose(2, 0, 1),
    "reshape": lambda: cube().reshape(4, 30),
    "ravel": lambda: matrix().ravel(),
    "concatenate": lambda: da.concatenate([matrix(), matrix() * 2]),
    "stack": lambda: da.stack([matrix(), matrix() * 2], axis=1),
    "block": lambda: da.block([[matrix(), matrix()], [matrix(), matrix()]]),
    "vstack": lambda: da.vstack([matrix(), matrix()]),
    "rechunk": lambda: matrix().rechunk((3, 5)),
    "broadcast_to": lambda: da.broadcast_to(vector(), (3, 11)),
    "roll": lambda: da.roll(matrix(), 3, axis=0),
    "rot90": lambda: da.rot90(matrix()),
    "flip": lambda: da.flip(matrix(), 1),
    "tile": lambda: da.tile(matrix(), (2, 1)),
    "repeat": lambda: da.repeat(matrix(), 3, axis=0),
    "pad": lambda: da.pad(matrix(), ((1, 2), (0, 3)), mode="constant"),
    "pad by the edge": lambda: da.pad(matrix(), 2, mode="edge"),
    "pad by reflection": lambda: da.pad(matrix(), 2, mode="reflect"),
    "squeeze": lambda: matrix()[:, :1].squeeze(),
    "expand_dims": lambda: da.expand_dims(matrix(), 1),
    "diag": lambda: da.diag(vector()),
    "diagonal": lambda: da.diagonal(data(6, 6)),
    "tril": lambda: da.tril(data(6, 6)),
    "triu": lambda: da.triu(data(6, 6), 1),
    "swapaxes": lambda: da.swapaxes(cube(), 0, 2),
    "insert": lambda: da.insert(matrix(), 2, 9, axis=0),
    "delete": lambda: da.delete(matrix(), 2, axis=0),
    "append": lambda: da.append(vector(), vector()),
    "compress": lambda: da.compress([True, False, True], matrix(), axis=0),
    "extract": lambda: da.extract(vector() > 0, vector()),
    "nonzero": lambda: da.nonzero(vector("i8") % 2)[0],
    "argwhere": lambda: da.argwhere(matrix() > 3),
    "flatnonzero": lambda: da.flatnonzero(vector() > 3),
    "unique": lambda: da.unique(vector("i8")),
    "union1d": lambda: da.union1d(vector("i8"), vector("i8") + 1),
    "searchsorted": lambda: da.searchsorted(da.arange(10, chunks=3), vector()),
    "shuffle": lambda: da.shuffle(matrix(), [[0, 2, 4], [1, 3, 5, 6, 7]], axis=0),
    "sliding_window_view": lambda: da.lib.stride_tricks.sliding_window_view(data(10), 3),
    "map_overlap": lambda: da.map_overlap(lambda x: x[1:-1] + x[2:] if x.size else x, data(10), depth=1, boundary="reflect", trim=False),
    "map_blocks": lambda: matrix().map_blocks(lambda block: block * 2),
    "apply_along_axis": lambda: da.apply_along_axis(numpy.sum, 0, matrix()),
    "gufunc": lambda: da.apply_gufunc(lambda x: x.mean(-1), "(i)->()", matrix().rechunk({1: -1}), output_dtypes=float),
}


def assigned():
    x = matrix()
    x[2:5, 1] = -1
    x[x > 5] = 0
    return x


PRODUCTS = {
    "matmul": lambda: matrix() @ matrix().T,
    "dot": lambda: da.dot(matrix(), data(6)),
    "vdot": lambda: da.vdot(vector(), vector()),
    "outer": lambda: da.outer(vector(), vector()),
    "tensordot": lambda: da.tensordot(cube(), data(6, 5, 3), axes=([1, 2], [0, 1])),
    "einsum": lambda: da.einsum("ijk,kl->il", cube(), data(5, 3)),
    "einsum of one": lambda: da.einsum("ii->i", data(6, 6)),
    "svd": lambda: da.linalg.svd(data(20, 4).rechunk((5, 4)))[1],
    "svd_compressed": lambda: da.linalg.svd_compressed(data(20, 4).rechunk((5, 4)), 2, n_power_iter=4, seed=3)[1],
    "qr": lambda: abs(da.linalg.qr(data(20, 4).rechunk((5, 4)))[1]),
    "sfqr": lambda: abs(da.linalg.qr(data(4, 20).rechunk((4, 5)))[1]),
    "cholesky": lambda: da.linalg.cholesky(positive_definite(), lower=True),
    "solve": lambda: da.linalg.solve(positive_definite(), data(6).rechunk(3)),
    "inv": lambda: da.linalg.inv(positive_definite()),
    "lu": lambda: da.linalg.lu(positive_definite())[2],
    "solve_triangular": lambda: da.linalg.solve_triangular(da.tril(positive_definite()), data(6).rechunk(3), lower=True),
    "norm": lambda: da.linalg.norm(matrix(), axis=1),
    "norm of a matrix": lambda: da.linalg.norm(matrix(), ord=1, axis=(0, 1)),
    "lstsq": lambda: da.linalg.lstsq(data(20, 4).rechunk((5, 4)), data(20).rechunk(5))[0],
    "bincount": lambda: da.bincount(abs(vector("i8")), minlength=12),
    "bincount with weights": lambda: da.bincount(abs(vector("i8")), weights=vector(), minlength=12),
    "histogram": lambda: da.histogram(vector(), bins=5, range=(-10, 10))[0],
    "histogram with weights": lambda: da.histogram(vector(), bins=numpy.linspace(-9, 9, 5), weights=vector())[0],
    "histogram2d": lambda: da.histogram2d(vector(), -vector(), bins=3, range=((-10, 10), (-10, 10)))[0],
    "fft": lambda: da.fft.fft(matrix().rechunk({0: -1}), axis=0),
    "rfft": lambda: da.fft.irfft(da.fft.rfft(matrix().rechunk({1: -1}))),
    "fft2": lambda: da.fft.fft2(matrix().rechunk(-1)),
    "fftshift": lambda: da.fft.fftshift(vector()),
}

CASES = {**CREATION, **ELEMENTS, **REDUCTIONS, **STRUCTURE, **PRODUCTS}


# Functions whose result has NumPy's chunks, with the same values (docs/dask.md).
RECORDS, SCIPY, NUMBERS = "Dask makes records of them", "Dask calls SciPy", "numbers that Dask makes chunks of, and a tuple"
NUMPYS = {"argmin": RECORDS, "argmax": RECORDS, "nanargmin": RECORDS, "nanargmax": RECORDS, "unique": RECORDS, "union1d": RECORDS,
          "cholesky": SCIPY, "solve": SCIPY, "inv": SCIPY, "lu": SCIPY, "solve_triangular": SCIPY, "lstsq": SCIPY,
          "pad": NUMBERS, "insert": NUMBERS, "histogram2d": NUMBERS}
# Functions for which Dask predicts NumPy's chunks, as it requests the dtype only. The computed
# chunks are ours.
META_OF_DTYPE = {"cumsum by blelloch", "gradient", "coarsen", "a mask", "a mask of all axes", "extract", "apply_along_axis", "histogram",
                 "histogram with weights", "fft", "rfft", "fft2"}


def chunks_of(x):
    """The chunks of a Dask array, computed."""
    return dask.compute(*x.to_delayed().ravel())


@pytest.mark.parametrize("case", CASES)
def test_agrees_with_numpys_chunks_and_stays_ours(case):
    with on("numpy"):
        expected = CASES[case]()
        value = numpy.asarray(expected.compute())
    with on("torch_np"):
        x = CASES[case]()
        found = x.compute()
        # A reduction of our array over all axes is a NumPy scalar.
        ours = [_C._is_array(chunk) or isinstance(chunk, numpy.generic) for chunk in chunks_of(x)]
    assert all(ours) == (case not in NUMPYS)
    assert x.ndim == 0 or case in NUMPYS or (type(x._meta) is np.ndarray) == (case not in META_OF_DTYPE)
    assert (x.dtype, x.chunks if not any(map(numpy.isnan, x.shape)) else None) == \
        (expected.dtype, expected.chunks if not any(map(numpy.isnan, x.shape)) else None)
    found = numpy.asarray(found)
    assert (found.dtype, found.shape) == (value.dtype, value.shape)
    # Tolerances: sums in another order; factorisations of matrices whose condition number is below
    # 1e3.
    numpy.testing.assert_allclose(found, value, rtol=1e-5 if value.dtype.itemsize == 4 else 1e-11, atol=1e-5 if value.dtype.itemsize == 4 else 1e-11)


# --- random numbers

DRAWS = {
    "normal": lambda rng: rng.normal(2, 3, size=(20, 7), chunks=(6, 4)),
    "random": lambda rng: rng.random((30, 5), chunks=7) if hasattr(rng, "random") else rng.random_sample((30, 5), chunks=7),
    "poisson": lambda rng: rng.poisson(4, size=25, chunks=6),
    "gamma of a Dask array": lambda rng: rng.gamma(1 + da.arange(8, chunks=3), size=(5, 8), chunks=3),
    "standard_normal": lambda rng: rng.standard_normal(size=(3, 3, 3), chunks=2),
    "choice of numbers": lambda rng: rng.choice(10, size=9, chunks=4),
    "choice with probabilities": lambda rng: rng.choice(3, size=9, p=[0.2, 0.3, 0.5], chunks=4),
    "choice of an array": lambda rng: rng.choice(data(6), size=9, chunks=4),
    "permutation": lambda rng: rng.permutation(data(12)),
}


@pytest.mark.parametrize("case", DRAWS)
@pytest.mark.parametrize("make", ["default_rng", "RandomState"])
def test_draws_are_those_of_numpys_chunks_for_the_seed(make, case):
    found = {}
    for backend in ("numpy", "torch_np"):
        with on(backend):
            x = DRAWS[case](getattr(da.random, make)(12))
            found[backend] = numpy.asarray(x.compute())
            assert all(_C._is_array(c) == (backend == "torch_np") for c in chunks_of(x))
    assert found["numpy"].dtype == found["torch_np"].dtype
    numpy.testing.assert_allclose(found["torch_np"], found["numpy"], rtol=1e-14)


def test_functions_of_the_random_module_draw_ours():
    with on("torch_np"):
        da.random.seed(3)
        first = da.random.normal(size=10, chunks=4).compute()
        da.random.seed(3)
        assert type(first) is np.ndarray and (first == da.random.normal(size=10, chunks=4).compute()).all()


# --- the backend

def test_chunks_change_their_backend_without_a_copy():
    values = numpy.arange(12.0)
    theirs = da.from_delayed(dask.delayed(lambda: values)(), shape=(12,), dtype=float)
    ours = theirs.to_backend("torch_np")
    with dask.config.set(scheduler="synchronous"):
        (chunk,), (back,) = chunks_of(ours), chunks_of(ours.to_backend("numpy"))
    assert type(ours._meta) is type(chunk) is np.ndarray and numpy.shares_memory(numpy.asarray(chunk), values)
    assert ours.to_backend("torch_np") is ours
    assert type(back) is type(ours.to_backend("numpy")._meta) is numpy.ndarray and numpy.shares_memory(back, values)


@pytest.mark.parametrize("dtype", ["f4", "i8", "c16", "?"])
def test_linspace_and_eye_have_chunks_of_ours(dtype):
    for ours, theirs in ((torch_np_dask.linspace(-2, 3, 11, chunks=4, dtype=dtype), da.linspace(-2, 3, 11, chunks=4, dtype=dtype)),
                         (torch_np_dask.linspace(5, 1, 6, endpoint=False, chunks=4), da.linspace(5, 1, 6, endpoint=False, chunks=4)),
                         (torch_np_dask.linspace(5, 1, 1), da.linspace(5, 1, 1)), (torch_np_dask.linspace(5, 1, 0), da.linspace(5, 1, 0)),
                         (torch_np_dask.eye(7, chunks=3, k=-2, dtype=dtype), da.eye(7, chunks=3, k=-2, dtype=dtype)),
                         (torch_np_dask.eye(4, M=6, chunks=2, k=1), da.eye(4, M=6, chunks=2, k=1))):
        found, expected = ours.compute(scheduler="synchronous"), theirs.compute(scheduler="synchronous")
        assert type(found) is type(ours._meta) is np.ndarray and (found.dtype, ours.chunks) == (expected.dtype, theirs.chunks)
        numpy.testing.assert_allclose(numpy.asarray(found), expected, rtol=1e-6 if dtype == "f4" else 1e-15)
    assert torch_np_dask.linspace(0, 1, 5, retstep=True)[1] == 0.25


def test_wrong_sizes_are_named():
    with pytest.raises(ValueError, match=r"linspace\(\): num is -1"):
        torch_np_dask.linspace(0, 1, -1)
    with pytest.raises(ValueError, match=r"eye\(\): .* 3 rows and -2 columns"):
        torch_np_dask.eye(3, M=-2)
    with on("torch_np"), pytest.raises(TypeError, match="stop"):
        da.arange()


def test_equal_arrays_name_equal_tasks_and_others_do_not():
    tokens = [dask.base.tokenize(a) for a in (np.arange(5.0), np.arange(5.0), np.arange(5.0)[::-1], np.arange(5), numpy.arange(5.0),
                                              np.array(2.0), np.ones((2, 3)), np.ones((3, 2)), np.ones(3, dtype=np.bfloat16))]
    assert tokens[0] == tokens[1] and len(set(tokens)) == len(tokens) - 1


def test_setting_the_backend_finds_the_entry_point(tmp_path):
    """In a process that imports no module of ours, through the entry points of pyproject.toml, as
    in an installed package."""
    root = Path(__file__).resolve().parents[3]
    with open(root / "pyproject.toml", "rb") as file:
        groups = tomllib.load(file)["project"]["entry-points"]
    info = tmp_path / "torch_np-0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: torch-np\nVersion: 0\n")
    (info / "entry_points.txt").write_text("".join(f"[{group}]\n" + "".join(f"{k} = {v}\n" for k, v in names.items())
                                                   for group, names in groups.items()))
    code = ("import dask, dask.array as da\n"
            "with dask.config.set({'array.backend': 'torch_np', 'scheduler': 'synchronous'}):\n"
            "    print(type(da.ones(3).compute()), type(da.random.default_rng(0).random(3).compute()))")
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True,
                          env=os.environ | {"PYTHONPATH": os.pathsep.join([str(tmp_path), str(root)])})
    assert done.stdout == "<class 'torch_np.numpy.ndarray'> <class 'torch_np.numpy.ndarray'>\n", done.stderr[-2000:]
