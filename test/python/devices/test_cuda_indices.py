"""Indices on a device: negative ones, errors with their class and time, and products at repeated
positions."""
import pytest
from device_processes import needs_device
from test_cuda import run

pytestmark = [pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]

CALLS = """
        import torch_np.nn.functional as F
        F64 = torch_np.float64
        def x(*shape):
            return torch_np.arange(1, 1 + int(numpy.prod(shape)), dtype=F64, device="cuda").reshape(shape)
        def at(*places):
            return torch_np.tensor(places, device="cuda")
        def calls(i):
            return {
                "gather": (RuntimeError, lambda: x(3).gather(0, at(0, i))),
                "gather of lines": (RuntimeError, lambda: x(3, 2).gather(0, at([0, 1], [i, 0]))),
                "scatter": (RuntimeError, lambda: x(3).scatter(0, at(i), x(1))),
                "scatter_": (RuntimeError, lambda: x(3).scatter_(0, at(i), 2.0)),
                "scatter_add": (RuntimeError, lambda: x(3).scatter_add(0, at(i), x(1))),
                "scatter_reduce": (RuntimeError, lambda: x(3).scatter_reduce(0, at(i), x(1), "prod")),
                "scatter_reduce of means": (RuntimeError, lambda: x(3).scatter_reduce(0, at(i), x(1), "mean", include_self=False)),
                "index_select": (IndexError, lambda: x(3, 2).index_select(0, at(i))),
                "index_select of nothing": (IndexError, lambda: x(3, 0).index_select(0, at(i))),
                "index_add": (IndexError, lambda: x(3).index_add(0, at(i), x(1))),
                "index_copy_": (IndexError, lambda: x(3).index_copy_(0, at(i), x(1))),
                "index_reduce": (IndexError, lambda: x(3).index_reduce(0, at(i), x(1), "amax")),
                "embedding": (IndexError, lambda: F.embedding(at(0, i), x(3, 2))),
                "embedding_bag": (RuntimeError, lambda: F.embedding_bag(at(0, i), x(3, 2), at(0))),
                "nll_loss": (IndexError, lambda: F.nll_loss(x(1, 3), at(i))),
                "weighted nll_loss": (IndexError, lambda: F.nll_loss(x(1, 3), at(i), x(3))),
                "cross_entropy": (IndexError, lambda: F.cross_entropy(x(1, 3), at(i))),
                "ctc_loss": (RuntimeError, lambda: F.ctc_loss(x(2, 1, 3), at([i]), (2,), (1,))),
                "max_unpool1d": (RuntimeError, lambda: F.max_unpool1d(x(1, 1, 1), at([[i]]), 3)),
            }
        both_ends = {
            "take": lambda i: x(3).take(at(i)),
            "take_along_dim": lambda i: x(3).take_along_dim(at(i), 0),
            "index": lambda i: x(3)[at(i)],
            "put_": lambda i: x(3).put_(at(i), x(1)),
            "index_put_": lambda i: x(3).index_put_((at(i),), x(1)),
            "index_fill_": lambda i: x(3).index_fill_(0, at(i), 1.0),
            "np.take": lambda i: np.take(np.arange(3, _device="cuda"), np.asarray([i])),
            "np.take_along_axis": lambda i: np.take_along_axis(np.arange(3, _device="cuda"), np.asarray([i])._cuda(), 0),
        }
"""


@needs_device
def test_a_place_that_is_not_there_raises_as_on_the_cpu():
    run(CALLS + """
        for i in (-1, -3, 3, 2**40):
            for name, (kind, call) in calls(i).items():
                try:
                    call()
                except kind as error:
                    assert type(error) is kind and str(i) in str(error), (name, i, error)
                else:
                    assert False, (name, i)
        for name, call in both_ends.items():
            a, b = call(-1), call(2)
            assert (getattr(a, "_cpu", None) or a.cpu)().tolist() == (getattr(b, "_cpu", None) or b.cpu)().tolist(), name
            raises(IndexError, lambda: call(-4))
    """, TORCH_NP_CUDA_CHECK="1")


@needs_device
def test_without_checks_the_first_mistake_is_told_when_the_device_is_waited_for():
    run(CALLS + """
        for i in (-1, 3):
            for name, (kind, call) in calls(i).items():
                raises(kind, lambda: (call(), torch_np.cuda.synchronize()), str(i))
                torch_np.cuda.synchronize()  # once
        y, below, above = x(3), at(-1), at(7)
        y.index_select(0, below), y.gather(0, above)
        raises(IndexError, torch_np.cuda.synchronize, "-1")
        torch_np.cuda.synchronize()
        for name, call in both_ends.items():
            call(-1)
        torch_np.cuda.synchronize()
    """, TORCH_NP_CUDA_CHECK="0")


@needs_device
@pytest.mark.parametrize("at_once", ["0", "1"])
def test_pivots_that_are_no_rows_raise_as_on_the_cpu(at_once):
    run("""
        for device in ("cpu", "cuda"):
            x = torch_np.eye(3, device=device)
            for i in (0, 4, -1):
                pivots = torch_np.tensor([1, i, 3], dtype=torch_np.int32, device=device)
                for call in (lambda: torch_np.lu_unpack(x, pivots), lambda: torch_np.linalg.lu_solve(x, pivots, x),
                             lambda: torch_np.lu_solve(x, x, pivots)):
                    raises(RuntimeError, lambda: (call(), torch_np.cuda.synchronize()), f"pivots must be from 1 to 3, got {i}")
                    torch_np.cuda.synchronize()  # once
    """, TORCH_NP_CUDA_CHECK=at_once)


@needs_device
def test_classes_that_are_not_there_are_called_so():
    run(CALLS + """
        for name in ("nll_loss", "cross_entropy", "ctc_loss"):
            kind, call = calls(7)[name]
            raises(kind, call, "Target 7 is out of bounds: there are 3 classes")
    """, TORCH_NP_CUDA_CHECK="1")


@needs_device
def test_nothing_is_written_where_an_index_is_wrong():
    run(CALLS + """
        y = x(3)
        for write in (lambda: y.scatter_(0, at(0, -1), x(2)), lambda: y.index_add_(0, at(0, 5), x(2)), lambda: y.index_copy_(0, at(0, -1), x(2)),
                      lambda: y.scatter_add_(0, at(0, -1), x(2)), lambda: y.scatter_reduce_(0, at(0, -1), x(2), "prod")):
            raises((IndexError, RuntimeError), write)
            assert y.cpu().tolist() == [1, 2, 3]
    """, TORCH_NP_CUDA_CHECK="1")


@needs_device
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_products_at_places_that_are_named_again(dtype):
    run(f"""
        rng = numpy.random.default_rng(0)
        values = (rng.standard_normal(300) + 1j * rng.standard_normal(300)).astype("{dtype}")
        start = (rng.standard_normal(40) + 1j * rng.standard_normal(40)).astype("{dtype}")
        places = rng.integers(0, 40, 300)
        expected = start.copy()
        numpy.multiply.at(expected, places, values)
        for view in (start, numpy.repeat(start, 2)[::2]):
            a = torch_np.from_numpy(view).cuda()
            got = a.scatter_reduce(0, torch_np.from_numpy(places).cuda(), torch_np.from_numpy(values).cuda(), "prod")
            assert numpy.allclose(numpy.asarray(got.cpu()), expected, rtol=1e-4 if "{dtype}" == "complex64" else 1e-12, atol=0)
    """)


@needs_device
def test_bags_and_their_gradients_are_those_of_the_cpu():
    run("""
        import torch_np.nn.functional as F
        rng = numpy.random.default_rng(1)
        rows = rng.integers(0, 50, 400)
        for d in (0, 1, 3, 70):
            table, scale = rng.standard_normal((50, d)), rng.standard_normal(400)
            for offsets in ([0], [0, 0, 7, 7, 150, 400], list(range(400))):
                g = rng.standard_normal((len(offsets), d))
                for options in ({"mode": "sum"}, {"mode": "mean"}, {"mode": "max"}, {"mode": "mean", "padding_idx": 3}, {"mode": "max", "padding_idx": 3},
                                {"mode": "sum", "scale_grad_by_freq": True}, {"mode": "sum", "weights": True, "padding_idx": -1}):
                    results = []
                    for device in ("cpu", "cuda"):
                        own = dict(options)
                        leaves = [torch_np.tensor(table, device=device, requires_grad=True)]
                        if own.pop("weights", False):
                            leaves.append(torch_np.tensor(scale, device=device, requires_grad=True))
                            own["per_sample_weights"] = leaves[1]
                        y = F.embedding_bag(torch_np.tensor(rows, device=device), leaves[0], torch_np.tensor(offsets, device=device), **own)
                        y.backward(torch_np.tensor(g, device=device))
                        results.append([numpy.asarray(t.detach().cpu()) for t in [y] + [leaf.grad for leaf in leaves]])
                    for ours, theirs in zip(*results):
                        assert ours.shape == theirs.shape and numpy.allclose(ours, theirs, rtol=1e-12, atol=1e-12), (d, offsets[:3], options)
    """)


@needs_device
def test_convolutions_of_integers_wrap_as_on_the_cpu():
    run("""
        rng = numpy.random.default_rng(2)
        for dtype in ("uint8", "int8", "int16", "int32", "int64"):
            info = numpy.iinfo(dtype)
            x, w = (rng.integers(info.min, info.max, s, dtype=dtype, endpoint=True) for s in ((2, 4, 6, 5), (6, 2, 3, 2)))
            b = rng.integers(info.min, info.max, 6, dtype=dtype)
            for bias in (None, b):
                args = [torch_np.from_numpy(a) if a is not None else None for a in (x, w, bias)]
                expected = torch_np.nn.functional.conv2d(*args, stride=2, padding=1, groups=2)
                got = torch_np.nn.functional.conv2d(*[a if a is None else a.cuda() for a in args], stride=2, padding=1, groups=2)
                assert numpy.array_equal(numpy.asarray(got.cpu()), numpy.asarray(expected)) and got.dtype == expected.dtype
    """)
