"""Sorting, searching, scanning and counting on the emulated device: bitwise equal to the CPU, and
sorted."""
from pathlib import Path

import pytest
import sorted_order

from device_processes import needs_device
from test_cuda import run

pytestmark = [pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]

EXACT = f"""
import sys; sys.path.append({str(Path(sorted_order.__file__).parent)!r})
from sorted_order import assert_sorted, assert_stable_argsort
""" + """
def host(t):
    return numpy.asarray(t.cpu() if isinstance(t, torch_np.Tensor) else t._cpu())
def exact(gpu, cpu):
    got, expected = host(gpu), host(cpu)
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, expected.dtype, got.shape, expected.shape)
    assert got.tobytes() == expected.tobytes(), (got, expected)
def samples(dtype, shape, seed=0):
    r = numpy.random.default_rng(seed)
    few = r.integers(0, 5, shape).astype(dtype)  # with many equal elements
    if numpy.dtype(dtype).kind not in "fc":
        whole = r.integers(0, 256, (*shape, numpy.dtype(dtype).itemsize), dtype="uint8").view(dtype)[..., 0] if dtype != "bool" else few
        return [few, whole]
    special = numpy.array([0.0, -0.0, numpy.nan, -numpy.nan, numpy.inf, -numpy.inf, 1.5, -1.5, 1e-7, -2.0])
    mixed = r.choice(special, shape).astype(dtype)
    if numpy.dtype(dtype).kind == "c": mixed.imag = r.choice(special, shape)
    return [few, mixed]
DTYPES = ["bool", "uint8", "int8", "uint16", "int16", "uint32", "int32", "uint64", "int64", "float16", "float32", "float64", "complex64", "complex128"]
"""


def emulated(code):
    run(EXACT + "\n".join(line[8:] for line in code.splitlines()))


@needs_device
def test_sorts_agree_with_the_cpu():
    emulated("""
        for dtype in DTYPES:
            for shape, dim in [((1,), 0), ((3000,), 0), ((7, 300), 1), ((300, 7), 0), ((3, 50, 4), 1), ((2, 0, 3), 1)]:
                for a in samples(dtype, shape):
                    x = torch_np.tensor(a)
                    for descending in (False, True):
                        for gpu, cpu in zip(torch_np.sort(x.cuda(), dim, descending), torch_np.sort(x, dim, descending)): exact(gpu, cpu)
                        exact(torch_np.argsort(x.cuda(), dim, descending), torch_np.argsort(x, dim, descending))
                    y = np.array(a)
                    exact(np.sort(y._cuda(), dim, stable=True), np.sort(y, dim, stable=True))
                    assert_sorted(host(np.sort(y._cuda(), dim)), a, dim, f"{dtype} {shape}")
                    assert_stable_argsort(host(np.argsort(y._cuda(), dim, stable=True)), a, dim, f"{dtype} {shape}")
                    exact(np.lexsort([y._cuda(), y[..., ::-1]._cuda()], dim), np.lexsort([y, y[..., ::-1]], dim))
    """)


@needs_device
def test_searches_agree_with_the_cpu():
    emulated("""
        for dtype in DTYPES:
            for values, keys in zip(samples(dtype, (400,), 1), samples(dtype, (30, 5), 2)):
                order = numpy.argsort(values, kind="stable")
                v, k, o = np.array(values), np.array(keys), np.array(order)
                for side in ("left", "right"):
                    exact(np.searchsorted(v._cuda(), k._cuda(), side, o._cuda()), np.searchsorted(v, k, side, o))
                    exact(np.searchsorted(v[o]._cuda(), k[:, ::2]._cuda(), side), np.searchsorted(v[o], k[:, ::2], side))
        g = np.arange(9.0)._cuda()
        assert np.searchsorted(g, 3.5).item() == 4 and np.searchsorted(g[:0], 3.5).item() == 0 and np.searchsorted(g, g[:0]).shape == (0,)
        raises(ValueError, lambda: np.searchsorted(g, g, sorter=np.arange(1, 10)._cuda()), "out of range")
        raises(RuntimeError, lambda: np.searchsorted(g, np.arange(3.0)), "cuda:0", "cpu")
    """)


@pytest.mark.slow("large arrays on the emulated device")
@needs_device
def test_counts_repetitions_and_sliding_sums_agree_with_the_cpu():
    emulated("""
        r = numpy.random.default_rng(3)
        for high, n in [(1, 5), (7, 20_000), (4096, 3000), (5000, 3000), (1, 0)]:
            for dtype in ("uint8", "int16", "int64") if high < 200 else ("int16", "int64"):
                x = np.array(r.integers(0, high, n).astype(dtype))
                exact(np.bincount(x._cuda()), np.bincount(x))
                exact(np.bincount(x._cuda(), minlength=5500), np.bincount(x, minlength=5500))
        weights = np.array(r.integers(0, 9, 7000).astype(float))  # sums of integers are exact in any order
        x = np.array(r.integers(0, 40, 7000))
        exact(np.bincount(x._cuda(), weights._cuda()), np.bincount(x, weights))
        raises(ValueError, lambda: np.bincount((x - 1)._cuda()), "negative")
        raises(TypeError, lambda: np.bincount(weights._cuda()), "safe")

        for dtype in DTYPES:
            a = np.array(samples(dtype, (3, 6, 4))[1])
            for dim, n in [(0, 3), (1, 6), (2, 4), (None, 72)]:
                counts = np.array(r.integers(0, 4, n))
                exact(np.repeat(a._cuda(), counts._cuda(), dim), np.repeat(a, counts, dim))
                for times in (0, 1, 3): exact(np.repeat(a._cuda(), times, dim), np.repeat(a, times, dim))
            exact(np.repeat(a[:, :0]._cuda(), np.zeros(0, int)._cuda(), 1), a[:, :0])
        g = np.arange(4.0)._cuda()
        raises(ValueError, lambda: np.repeat(g, np.array([1, -1, 2, 3])._cuda()), "negative")
        raises(ValueError, lambda: np.repeat(g, -1), "negative")
        raises(ValueError, lambda: np.repeat(g, np.array([2**62, 2**62, 2**62, 0])._cuda()), "too big")
        t = torch_np.tensor(r.standard_normal((3, 5)))
        for counts in (torch_np.tensor([2, 0, 3]), torch_np.tensor(2)):
            grads = []
            for device in ("cpu", "cuda"):
                leaf = t.detach().clone().to(device).requires_grad_()
                torch_np.repeat_interleave(leaf, counts.to(device), 0).sin().sum().backward()
                grads.append(leaf.grad)
            same(grads[1], host(grads[0]))

        for dtype in DTYPES:
            for n, m in [(1, 1), (50, 7), (7, 50), (2000, 1500)]:
                a, v = (np.array(r.integers(-3, 4, k).astype(dtype)) for k in (n, m))
                for mode in ("full", "same", "valid"):
                    exact(np.convolve(a._cuda(), v._cuda(), mode), np.convolve(a, v, mode))
    """)


@needs_device
def test_running_sums_and_products_agree_with_the_cpu():
    emulated("""
        r = numpy.random.default_rng(5)
        for shape, dim in [((1,), 0), ((70_000,), 0), ((3, 9000), 1), ((9000, 3), 0), ((2, 130, 5), 1), ((300, 40), 1), ((2, 0, 3), 1), ((3, 0), 1)]:
            for dtype in ("bool", "uint8", "int32", "int64", "uint64"):  # exact in any order
                x = np.array(r.integers(0, 200, shape).astype(dtype))
                exact(np.cumsum(x._cuda(), dim), np.cumsum(x, dim))
                exact(np.cumprod(x._cuda(), dim), np.cumprod(x, dim))
            for dtype in ("float16", "float32", "float64", "complex64", "complex128"):
                a = r.integers(-3, 4, shape).astype(dtype) / 8
                exact(np.cumsum(np.array(a)._cuda(), dim), np.cumsum(np.array(a), dim))
                a = 1 + r.standard_normal(shape).astype(dtype) / 100
                got, expected = host(np.cumprod(np.array(a)._cuda(), dim)), numpy.cumprod(a.astype(complex), dim)
                assert got.dtype == a.dtype and numpy.allclose(got, expected, 0.02 if dtype == "float16" else 2e-4)
        signed = np.full(9000, -0.0)
        exact(np.cumsum(signed._cuda()), np.cumsum(signed))
        infinite = np.array([complex(numpy.inf, 1), 2j])
        exact(np.cumprod(infinite[:1]._cuda()), np.cumprod(infinite[:1]))
    """)


@needs_device
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_running_sums_never_turn_back(dtype):
    emulated(f"""
        a = numpy.random.default_rng(0).random(300_000).astype("{dtype}") ** 8
        a[numpy.random.default_rng(1).random(a.size) < 0.5] = 0
        for shape in [(300_000,), (30, 10_000), (10_000, 30), (2, 1000, 150)]:
            x = a.reshape(shape)
            for dim in range(x.ndim):
                got = host(np.cumsum(np.array(x)._cuda(), dim))
                exact_sums = numpy.cumsum(x.astype(numpy.longdouble), dim)
                error = numpy.abs(got - exact_sums) / numpy.maximum(exact_sums, 1e-300)
                assert error.max() <= (2 if "{dtype}" == "float32" else 100) * numpy.finfo("{dtype}").eps, (shape, dim, error.max())
                assert (numpy.diff(got, axis=dim) >= 0).all(), (shape, dim)
    """)


@needs_device
def test_places_of_elements_agree_with_the_cpu():
    emulated("""
        r = numpy.random.default_rng(7)
        for shape in [(0,), (1,), (5000,), (30, 50), (4, 5, 6), (3, 0, 2)]:
            for dtype in DTYPES:
                a = np.array(r.integers(0, 2, shape).astype(dtype))
                for gpu, cpu in zip(np.nonzero(a._cuda()), np.nonzero(a)): exact(gpu, cpu)
                exact(torch_np.nonzero(a._cuda()._torch()), torch_np.nonzero(a._torch()))
        a = r.integers(0, 9, (6, 8))
        for indices, mode in [([0, -1, 7], "raise"), ([50, -99], "wrap"), ([50, -99], "clip")]:
            for view in (lambda x: x[::2, ::3], lambda x: x.T, lambda x: x):
                on_gpu, on_cpu = np.array(a)._cuda(), np.array(a)
                np.put(view(on_gpu), indices, [-1, -2], mode)
                np.put(view(on_cpu), indices, [-1, -2], mode)
                exact(on_gpu, on_cpu)
        x = np.array(a)._cuda()
        raises(IndexError, lambda: np.put(x[::2, ::3], [9], [1]), "out of bounds")
        assert np.zeros(np.array([2, 3])._cuda()).shape == (2, 3) and np.ones((2, 3))._cuda().sum(np.array(1)._cuda()).shape == (2,)
        for start, stop, step, dtype in [(0, 10, 1, "int64"), (3, -8, -2, "int8"), (0.1, 4, 0.3, "float32"), (0, 1, 0.01, "float16"), (5, 5, 1, "uint8"), (0, 2, 1, "bool"), (1, 4, 0.5, "complex64")]:
            exact(np.arange(start, stop, step, dtype=dtype, device="cuda"), np.arange(start, stop, step, dtype=dtype))
    """)


@needs_device
def test_compositions_make_what_they_need_beside_their_arrays():
    """With the CPU as the default device, arrays on the last GPU."""
    emulated("""
        a = numpy.random.default_rng(0).standard_normal((30, 40))
        last = torch_np.cuda.device_count() - 1
        gpu = lambda x: np.array(x)._cuda(last)
        here = lambda xp: gpu if xp is np else numpy.asarray
        for f in (lambda xp, x: xp.unique(xp.round(x, 1), return_index=True, return_inverse=True, return_counts=True), lambda xp, x: xp.unique(x, axis=0),
                  lambda xp, x: xp.median(x, axis=1), lambda xp, x: xp.nanmedian(x), lambda xp, x: xp.percentile(x, [10, 50], axis=0),
                  lambda xp, x: xp.histogram(x, 12), lambda xp, x: xp.histogram(x, [-1, 0, 1], weights=x * x), lambda xp, x: xp.histogram2d(x[0], x[1], 5),
                  lambda xp, x: xp.digitize(x[0], [1.0, 0.0, -1.0]), lambda xp, x: xp.interp(x, [-1, 0, 1], [3, 4, 5]), lambda xp, x: xp.interp(0.5, here(xp)([0.0, 1.0]), here(xp)([2.0, 4.0])),
                  lambda xp, x: xp.insert(x, [1, 3], 5.0, axis=0), lambda xp, x: xp.delete(x, [1, 3], axis=1), lambda xp, x: xp.packbits(x > 0), lambda xp, x: xp.intersect1d(x[0], x[0, :5], return_indices=True),
                  lambda xp, x: xp.isin(x, x[0]), lambda xp, x: xp.vander(x[0], 3), lambda xp, x: xp.concatenate([x, x]), lambda xp, x: xp.pad(x, 2, mode="reflect"), lambda xp, x: xp.append(x, [1.0])):
            got, expected = f(np, gpu(a)), f(numpy, a.copy())
            for x, y in zip(got if isinstance(got, tuple) else (got,), expected if isinstance(expected, tuple) else (expected,)):
                assert x._device == f"cuda:{last}"
                same(x, y)
        assert torch_np.get_default_device() == torch_np.device("cpu") and np.zeros(3)._device == "cpu"
        raises(ValueError, lambda: np.percentile(gpu(a), 200), "100")
        assert np.zeros(3)._device == "cpu"
    """)
