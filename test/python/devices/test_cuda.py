"""CUDA: behaviour without a GPU, and, on a GPU or the emulated one (docs/cuda.md), memory, copies,
streams, devices, errors.

Tests of the second kind run in separate processes (device_processes.py), so that this file needs no
GPU. The whole suite with --device cuda compares the kernels' results.
"""
import json
import os
import subprocess
import sys
import textwrap

import device_processes
import numpy
import pytest
from device_processes import ROOT, needs_device

import torch_np.numpy as np

pytestmark = [pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]


def run(code, **options):
    """Runs `code` on the emulated device, once in each direction, and on a GPU."""
    return device_processes.run(code, PRELUDE, **options)


PRELUDE = """
import os, numpy, torch_np, torch_np.numpy as np
def raises(kind, call, *texts):
    try:
        call()
    except kind as error:
        assert all(t in str(error) for t in texts), error
    else:
        assert False, "did not raise"
def same(gpu, expected):
    gpu = getattr(gpu, "_cpu", None) or gpu.cpu
    got, expected = numpy.asarray(gpu()), numpy.asarray(expected)
    assert got.dtype == expected.dtype and got.shape == expected.shape, (got.dtype, expected.dtype, got.shape, expected.shape)
    # NVIDIA's libraries add in another order.
    wider = os.environ.get("TORCH_NP_CUDA_EMULATED", "0") == "0" and got.dtype in ("f4", "c8")
    rtol, atol = (1e-5, 1e-6) if wider else (1e-6 if got.dtype.itemsize > 2 else 1e-2, 1e-8)
    assert numpy.allclose(got, expected, rtol=rtol, atol=atol, equal_nan=True), (got, expected)
"""


# ------------------------------------------------------------------------------------------------------ without a GPU

def in_a_machine_without_gpu(code):
    environment = {k: v for k, v in os.environ.items() if k != "TORCH_NP_CUDA_EMULATED"}
    return subprocess.run([sys.executable, "-c", PRELUDE + textwrap.dedent(code)], capture_output=True, text=True, timeout=600,
                          env={**environment, "PYTHONPATH": str(ROOT)})


def test_a_machine_without_a_gpu_says_so_and_works():
    result = in_a_machine_without_gpu("""
        if torch_np.cuda.is_available():
            raise SystemExit(0)
        assert torch_np.cuda.device_count() == 0
        x = np.ones(3)
        raises(RuntimeError, lambda: x._cuda(), "CUDA is not available")
        raises(RuntimeError, lambda: torch_np.ones(3).cuda(), "CUDA is not available")
        raises(RuntimeError, lambda: torch_np.ones(3, device="cuda"), "CUDA is not available")
        raises(RuntimeError, lambda: np.zeros(3, _device="cuda"), "CUDA is not available")
        raises(RuntimeError, lambda: torch_np.set_default_device("cuda"), "CUDA is not available")
        raises(RuntimeError, torch_np.cuda.init, "CUDA is not available")
        assert x._cpu() is x and x._to("cpu") is x and x.to_device("cpu") is x and x._device == "cpu"
        assert (x + 1).tolist() == [2, 2, 2]
    """)
    assert result.returncode == 0, result.stderr


def test_importing_opens_no_cuda_library():
    result = in_a_machine_without_gpu("""
        np.ones(3).sum()
        assert "libcuda" not in open("/proc/self/maps").read() and "torch_np_cuda" not in open("/proc/self/maps").read()
    """)
    assert result.returncode == 0, result.stderr


def test_to_takes_a_dtype_or_a_device():
    x = np.arange(3, _device="cpu")
    assert x._to(numpy.float32).dtype == numpy.float32 and x._to("cpu", numpy.int8).dtype == numpy.int8
    assert x._to("cpu") is x and x._to("cpu", copy=True) is not x
    with pytest.raises(ValueError):
        x.to_device("nonsense")


# ------------------------------------------------------------------------------------------------------ the emulated GPU, and a GPU

@needs_device
def test_copies_there_and_back_keep_every_dtype_and_layout():
    run("""
        for dtype in ("bool", "uint8", "int16", "int64", "float16", "float32", "float64", "complex64", "complex128"):
            x = numpy.arange(24).reshape(2, 3, 4).astype(dtype)
            for host in (x, x.T, x[::-1, :, ::2], x[:0], x[0, 0, 0], numpy.broadcast_to(x[0], (5, 3, 4))):
                g = np.array(host)._cuda()
                assert g._device == "cuda:0" and g.device == "cuda:0" and g.shape == host.shape
                same(g, host)
                same(np.asarray(host)._cuda(), host)
        f = np.asfortranarray(np.ones((3, 4)))._cuda()
        assert f.flags.f_contiguous and not f.flags.c_contiguous
    """)


@needs_device
def test_moving_and_naming_devices():
    run("""
        x = np.arange(6.0)
        g = x._cuda()
        assert g._cuda() is g and g._cpu() is not x and x._cpu() is x and g._cuda(1)._device == "cuda:1"
        assert g.to_device("cuda:1").device == "cuda:1" and g._to("cuda:1", "float32").dtype == numpy.float32
        t = torch_np.arange(6.0)
        c = t.cuda()
        assert c.is_cuda and c.device == torch_np.device("cuda", 0) and c.cpu().device.type == "cpu" and t.to("cuda:1").device.index == 1
        assert c.to(t).device.type == "cpu" and t.to(device="cuda", dtype=torch_np.float64).dtype is torch_np.float64
        assert torch_np.ones(2, 3, device="cuda").device.type == "cuda" and np.zeros(3, _device="cuda")._device == "cuda:0"
        assert np.array([1, 2], device="cuda:1")._device == "cuda:1" and torch_np.tensor([1.5], device="cuda").is_cuda
        assert np.arange(5, _device="cuda")._device == "cuda:0" and np.ones_like(g)._device == "cuda:0" and np.eye(3, _device="cuda")._device == "cuda:0"
        raises(RuntimeError, lambda: x._cuda(2), "there is no device cuda:2", "2")
        raises(ValueError, lambda: x._cuda("nonsense"), "Device not understood")
        with torch_np.cuda.device(1):
            assert torch_np.cuda.current_device() == 1 and x._cuda()._device == "cuda:1" and torch_np.zeros(2, device="cuda").device.index == 1
        assert torch_np.cuda.current_device() == 0
        torch_np.set_default_device("cuda")
        assert np.ones(3)._device == "cuda:0" and torch_np.zeros(2).is_cuda and np.array([1])._device == "cuda:0" and np.linspace(0, 1, 5)._device == "cuda:0"
        torch_np.set_default_device(None)
        assert np.ones(3)._device == "cpu"
    """, needs_gpus=2)


@needs_device
def test_memory_formats_of_what_moves_and_changes():
    run("""
        last, rows = torch_np.channels_last, torch_np.contiguous_format
        x = torch_np.tensor(numpy.random.RandomState(5).standard_normal((2, 3, 4, 5)))
        c = x.cuda()
        for moved in (x.cuda(memory_format=last), x.cuda(memory_format=last).cpu(), c.cpu(memory_format=last), c.cuda(memory_format=last),
                      c.float(memory_format=last), c.to("cpu", torch_np.float32, memory_format=last), x.type("torch.cuda.FloatTensor", memory_format=last)):
            assert moved.stride() == (60, 1, 15, 3)
            assert numpy.allclose(numpy.asarray(moved.cpu()), numpy.asarray(x), rtol=1e-6)
        kept = c.cuda(memory_format=last)
        assert kept.cuda(memory_format=last) is kept and kept.cuda() is kept and kept.cpu(memory_format=rows).stride() == (60, 20, 5, 1)
        assert torch_np.empty(2, 3, 4, 5, device="cuda", memory_format=last).stride() == (60, 1, 15, 3)
        assert c.resize_(1, 3, 4, 5, memory_format=last).stride() == (60, 1, 15, 3) and c.is_cuda
        raises(RuntimeError, lambda: x[0].cuda(memory_format=last), "cuda()", "4 dimensions, not 3")
    """)


@needs_device
def test_outputs_are_resized_there_too():
    run("""
        import warnings
        for make in (lambda: torch_np.ones(4, device="cuda"), lambda: torch_np.empty(0, device="cuda")):
            for f, wanted in ((lambda x, out: torch_np.add(x, 1, out=out), [[2] * 3] * 2), (lambda x, out: torch_np.sum(x, 0, out=out), [2] * 3),
                              (lambda x, out: torch_np.mm(x, x.t(), out=out), [[3] * 2] * 2), (lambda x, out: torch_np.cat([x, x], out=out), [[1] * 3] * 4)):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    out = make()
                    had = out.numel()
                    assert f(torch_np.ones(2, 3, device="cuda"), out) is out and out.is_cuda and out.tolist() == wanted
                assert len(caught) == (had > 0)
        x = torch_np.ones(2, 3, device="cuda")
        raises(RuntimeError, lambda: torch_np.add(x, 1, out=torch_np.ones(4)))
        raises(RuntimeError, lambda: torch_np.add(x.cpu(), 1, out=torch_np.ones(4, device="cuda")))
    """)


@needs_device
def test_ranges_go_where_they_are_asked_for_or_their_ends_are():
    run("""
        g = np.array([0.0, 1.0])._cuda()
        for y in (np.linspace(g, 5, 3), np.linspace([0, 1], 5, 3, device="cuda"), np.linspace(0, 5, 3, device="cuda"), np.linspace(g, np.array([3, 4])._cuda(), 3),
                  np.logspace(g, 2, 3), np.tri(3, _device="cuda"), np.identity(3, _device="cuda"), np.arange(3, _device="cuda"), np.tril(g)):
            assert y._device == "cuda:0"
        same(np.linspace(g, 5, 3), numpy.linspace([0, 1], 5, 3))
        assert np.linspace([0, 1], 5, 3)._device == "cpu" and torch_np.linspace(0, 1, 3, device="cuda").is_cuda
        raises(RuntimeError, lambda: np.linspace(g, np.array([5, 6]), 3), "cuda:0", "cpu")
        torch_np.set_default_device("cuda")
        for y in (np.linspace([0, 1], [5, 6], 3), np.linspace(0, 1, 3), np.indices((2, 3)), np.mgrid[0:3, 0:2], np.geomspace(1, 100, 3)):
            assert y._device == "cuda:0"
    """)


@needs_device
def test_compiled_functions_of_arrays_there():
    run("""
        import warnings
        warnings.simplefilter("ignore")
        torch_np.set_default_device("cuda")
        f = torch_np.compile(lambda x: torch_np.where(x > 0, x, 2.0) * torch_np.nan_to_num(x))
        for values in ([1.0, -2.0, 3.0], [-1.0, 5.0, 0.5]):
            x = torch_np.tensor(values, requires_grad=True)
            y = f(x)
            y.sum().backward()
            same(y.detach(), [(v if v > 0 else 2) * v for v in numpy.float32(values)])
            same(x.grad, [2 * v if v > 0 else numpy.float32(2) for v in numpy.float32(values)])
    """)


@needs_device
def test_pointwise_and_reductions_agree_with_the_cpu():
    run("""
        a, b = numpy.random.default_rng(0).standard_normal((2, 37, 53))
        x, y = np.array(a)._cuda(), np.array(b)._cuda()
        for f in (lambda xp, a, b: a + b * 2 - 1, lambda xp, a, b: xp.exp(-a) / (1 + b * b), lambda xp, a, b: xp.where(a > b, a, b), lambda xp, a, b: xp.maximum(a[::-1], b[:, ::-1]),
                  lambda xp, a, b: a.T @ b if xp is numpy and False else a.T + b.T, lambda xp, a, b: a[3] + b, lambda xp, a, b: (a > 0) & (b < 0), lambda xp, a, b: xp.divmod(a, b)[1],
                  lambda xp, a, b: a.astype("float16") + b.astype("float16"), lambda xp, a, b: a.astype("int8") + 3, lambda xp, a, b: xp.frexp(a)[0], lambda xp, a, b: xp.sqrt(a + 0j)):
            r = f(np, x, y)
            assert r._device == "cuda:0"
            same(r, f(numpy, a, b))
        for f in (lambda xp, a: a.sum(), lambda xp, a: a.sum(0), lambda xp, a: a.sum(1), lambda xp, a: a.T.mean(0), lambda xp, a: a.var(1), lambda xp, a: a.std(), lambda xp, a: a.max(0),
                  lambda xp, a: a.argmin(1), lambda xp, a: a.argmax(), lambda xp, a: (a > 0).any(1), lambda xp, a: (a > -9).all(), lambda xp, a: a.prod(0), lambda xp, a: xp.count_nonzero(a > 0, axis=0),
                  lambda xp, a: xp.sum(a, axis=0, where=a > 0), lambda xp, a: xp.sum(a[:0], axis=0), lambda xp, a: xp.max(a, initial=100.0), lambda xp, a: a.astype("float16").sum(1)):
            r = f(np, x)
            assert r._device == "cuda:0"
            same(r, f(numpy, a))
        out = np.zeros((37, 53), _device="cuda")
        np.add(x, y, out=out, where=x > 0)
        same(out, numpy.where(a > 0, a + b, 0))
        x += 1; x[3] = 7; x[:, ::2] = y[:, ::2]
        a += 1; a[3] = 7; a[:, ::2] = b[:, ::2]
        same(x, a)
        assert np.zeros((0, 3), _device="cuda").sum().item() == 0 and (np.zeros((0, 3), _device="cuda") + 1).shape == (0, 3)
        assert float(x[0, 0]) == a[0, 0] and bool(x[0, 0] == a[0, 0]) and x.tolist() == a.tolist() and "device='cuda:0'" in repr(x)
        raises(ValueError, lambda: np.zeros((0,), _device="cuda").max(), "zero-size")
    """)


@needs_device
def test_mixed_devices_raise_unless_a_number():
    run("""
        x, y = np.ones(3), np.ones(3)._cuda()
        for f in (lambda: x + y, lambda: y + x, lambda: np.add(y, y, out=x), lambda: np.add(y, y, where=x > 0), lambda: np.where(y > 0, x, y), lambda: y + np.ones(3)._cuda(torch_np.cuda.device_count() - 1) + x,
                  lambda: np.concatenate([x, y]), lambda: np.sum(y, out=np.array(0.0))):
            raises(RuntimeError, f, "cuda:0", "on")
        raises(RuntimeError, lambda: torch_np.ones(3).cuda() + torch_np.ones(3), "same device")
        same(y * np.array(3.0), [3.0, 3, 3]); same(np.array(3.0) - y, [2.0, 2, 2]); same(y + 2, [3.0, 3, 3])
        assert (y * np.array(3.0))._device == "cuda:0"
    """)


@needs_device
def test_gradients_land_where_their_leaf_lives():
    run("""
        w = np.arange(4.0, _requires_grad=True)
        g = w._cuda()
        (g * g)._torch().sum().backward()
        assert w._grad._device == "cpu" and w._grad.tolist() == [0, 2, 4, 6]
        s = np.array(3.0, _requires_grad=True)
        v = np.arange(4.0, _device="cuda", _requires_grad=True)
        (v * s).sum()._backward()
        assert s._grad._device == "cpu" and s._grad.item() == 6 and v._grad._device == "cuda:0" and v._grad._cpu().tolist() == [3, 3, 3, 3]
        t = torch_np.ones(3, device="cuda", requires_grad=True)
        (t.exp() * 2).mean().backward()
        assert t.grad.is_cuda and abs(float(t.grad[0]) - 2 * 2.718281828 / 3) < 1e-5
        c = torch_np.ones(3, requires_grad=True)
        c.cuda().cpu().sum().backward()
        assert c.grad.device.type == "cpu"
    """)


@needs_device
def test_host_code_never_reads_device_memory():
    """Every access that would give host code the address raises. The emulated memory is
    inaccessible to host code, so a missing check crashes."""
    run("""
        x = np.arange(4.0)._cuda()
        raises(TypeError, lambda: numpy.asarray(x), "_cpu()")
        raises(BufferError, lambda: memoryview(x), "_cpu()")
        raises(TypeError, lambda: torch_np.ones(2, device="cuda").numpy(), "cpu()")
        assert not hasattr(x, "__array_interface__")
    """)


@pytest.mark.slow("calls every operator")
@needs_device
def test_every_operator_computes_or_raises_on_the_device():
    """Calls all native operators that take tensors with many kinds of samples. Each gives a result
    on the device or an exception; never a result on the CPU, and never a crash."""
    out = run("""
        import inspect, json, pathlib
        operators = json.loads((pathlib.Path(torch_np.__file__).parent / "_operators.json").read_text())
        samples = [lambda: torch_np.ones(2, 3, device="cuda"), lambda: torch_np.ones(3, device="cuda"), lambda: torch_np.eye(3, device="cuda"),
                   lambda: torch_np.arange(3, device="cuda"), lambda: torch_np.ones(3, device="cuda") > 0, lambda: torch_np.tensor(2.0, device="cuda"),
                   lambda: torch_np.ones(3, device="cuda").to(torch_np.complex64), lambda: torch_np.ones(3, device="cuda").to(torch_np.float16)]
        extras = [(), (0,), (1,), (0, 1), ((0,),), (2, 0, 1), ([1, 0],), ("sum",), (1, 0, 1)]
        creation = ("empty", "normal", "empty_permuted", "empty_strided", "full", "logspace", "ones", "rand", "randn", "range", "scalar_tensor", "zeros")  # read a shape from their arguments
        computed, raised, wrong = set(), {}, []
        def tensors(r):
            if isinstance(r, torch_np.Tensor): yield r
            elif isinstance(r, (tuple, list)):
                for e in r: yield from tensors(e)
        spaces = [("", torch_np), ("linalg.", torch_np.linalg), ("fft.", torch_np.fft)]
        for prefix, space in spaces:
            for name, f in sorted(vars(space).items()):
                if name.startswith("_") or not callable(f) or inspect.isclass(f) or name in ("set_num_threads", "set_default_device", "manual_seed", "arange", "linspace", "tensor", "as_tensor", "asarray", "set_default_dtype", "set_grad_enabled", "save", "load", "compile", *creation):
                    continue
                if name in ("install", "load_ipython_extension") or name.startswith(("set_", "use_", "autocast_", "init_")) or (f.__doc__ or "").startswith("Raises NotImplementedError"):
                    continue
                for make in samples:
                    for extra in extras:
                        for args in ((make(), *extra), (make(), make(), *extra), ([make(), make()], *extra), (make(), make(), make(), *extra)):
                            try:
                                result = f(*args)
                            except NotImplementedError as e:
                                raised[prefix + name] = str(e)
                            except Exception:
                                pass
                            else:
                                for t in tensors(result):
                                    if not t.is_cuda: wrong.append((prefix + name, str(args)[:80]))
                                    else: computed.add(prefix + name)
        assert not wrong, sorted({w[0] for w in wrong})
        said = ("cpu()", "on cuda", "CUDA", "not implemented", "bool tensor", "must be of", "must not be of", "norms are of", "is not used", "unsupported")
        unclear = {name: text for name, text in raised.items() if not any(words in text for words in said)}
        assert not unclear, unclear
        print(json.dumps({"computed": sorted(computed), "raised": sorted(raised)}))
    """)
    report = json.loads(out.splitlines()[-1])
    assert len(report["computed"]) > 150, report


@needs_device
def test_memory_is_counted_cached_and_runs_out_with_figures():
    run("""
        cuda = torch_np.cuda
        x = np.ones(100_000, _device="cuda")
        held = cuda.memory_allocated()
        assert 800_000 <= held <= 1_100_000, held
        del x
        assert cuda.memory_allocated() == 0 and cuda.memory_stats()["cached_bytes"] > 0 and cuda.max_memory_allocated() >= 800_000
        x = np.ones(100_000, _device="cuda")
        assert cuda.memory_stats()["cache_hits"] > 0
        del x
        cuda.empty_cache()
        assert cuda.memory_reserved() == 0
        free, total = cuda.mem_get_info()
        raises(MemoryError, lambda: np.empty(2 * total, dtype="u1", _device="cuda"), f"{2 * total} bytes", "cuda:0", "free")
        same(np.ones(3, _device="cuda") + 1, [2.0, 2, 2])
        free, total = cuda.mem_get_info()
        assert 0 < free <= total
    """)


@needs_device
def test_plans_of_transforms_are_kept_by_layout_and_limit():
    run("""
        cache = torch_np.backends.cuda.cufft_plan_cache
        x = np.arange(24.0).reshape(4, 6)._cuda()
        two = torch_np.cuda.device_count() > 1
        assert cache.max_size == 4096 and cache.size == 0
        np.fft.rfft(x)
        np.fft.rfft(x + 1)
        assert cache.size == 1 and not (two and cache[1].size)
        np.fft.rfft(x, axis=0)
        np.fft.fft(x._to(dtype=complex))
        assert cache.size == 3
        cache[0].max_size = 2
        assert cache.max_size == cache.size == 2 and not (two and cache["cuda:1"].max_size != 4096)
        same(np.fft.rfft(x), numpy.fft.rfft(numpy.arange(24.0).reshape(4, 6)))
        cache.clear()
        assert cache.size == 0
        cache.max_size = 0
        same(np.fft.fft(x), numpy.fft.fft(numpy.arange(24.0).reshape(4, 6)))
        assert cache.size == 0
        if two:
            np.fft.fft(x._cuda(1))
            assert cache[1].size == 1
        def assign(name, value):
            setattr(cache, name, value)
        raises(RuntimeError, lambda: assign("max_size", -1), "non-negative", "-1")
        raises(AttributeError, lambda: assign("size", 1))
        raises(AttributeError, lambda: assign("limit", 1))
        raises(RuntimeError, lambda: cache[70].size, "70")
    """)


@needs_device
def test_transforms_take_layouts_as_they_are_or_copy():
    run("""
        rng = numpy.random.default_rng(0)
        def check(x, axis):
            g = np.asarray(numpy.ascontiguousarray(x))._cuda()
            views = [(g, x), (g[::-1], x[::-1]), (g[1:], x[1:]), (g[..., ::2], x[..., ::2]), (g.swapaxes(0, -1), x.swapaxes(0, -1)),
                     (np.broadcast_to(g[:1], g.shape), numpy.broadcast_to(x[:1], x.shape))]
            for ours, theirs in views:
                for name in ("fft", "ifft") + (("irfft",) if theirs.shape[axis] > 1 else ()) + (() if x.dtype.kind == "c" else ("rfft",)):
                    same(getattr(np.fft, name)(ours, axis=axis, norm="ortho"), getattr(numpy.fft, name)(theirs, axis=axis, norm="ortho"))
        for shape in ((3, 8, 5), (20, 4, 3), (9, 7, 3), (2, 300, 256), (10, 6, 3)):
            for axis in range(3):
                check(rng.standard_normal(shape), axis)
                check(rng.standard_normal(shape) + 1j * rng.standard_normal(shape), axis)
        z = rng.standard_normal((5, 6)) + 1j * rng.standard_normal((5, 6))
        g = np.asarray(z)._cuda()
        for n in (1, 2, 9, 10, 13):  # elements that must equal their own conjugate are read as real
            same(np.fft.irfft(g, n), numpy.fft.irfft(z, n))
            same(np.fft.hfft(g, n, axis=0), numpy.fft.hfft(z, n, axis=0))
        assert numpy.array_equal(numpy.asarray(g._cpu()), z)
    """)


@needs_device
def test_streams_and_events():
    run("""
        cuda = torch_np.cuda
        s = cuda.Stream()
        assert cuda.current_stream() == cuda.default_stream() and s != cuda.current_stream()
        with cuda.stream(s):
            assert cuda.current_stream() == s
            x = np.ones(1000, _device="cuda") * 2
            done = s.record_event()
        assert cuda.current_stream() == cuda.default_stream()
        cuda.current_stream().wait_event(done); done.synchronize(); assert done.query() and s.query()
        same(x, numpy.full(1000, 2.0))
        x._record_stream(cuda.current_stream())
        a, b = cuda.Event(enable_timing=True), cuda.Event(enable_timing=True)
        a.record(); b.record(); b.synchronize(); cuda.synchronize(); s.synchronize(); s.wait_stream(cuda.current_stream())
        assert a.elapsed_time(b) >= 0
        raises(ValueError, lambda: cuda.Event().elapsed_time(b))
        if cuda.device_count() > 1:
            other = cuda.Stream(device=1)
            raises(RuntimeError, lambda: a.record(other), "cuda:1")
        import threading
        seen = []
        with cuda.stream(s):
            threading.Thread(target=lambda: seen.append(cuda.current_stream() == cuda.default_stream())).start()
        import time
        while not seen: time.sleep(0.01)
        assert seen == [True]
        p = torch_np.ones(1000).pin_memory()
        assert p.is_pinned() and not torch_np.ones(3).is_pinned() and p.pin_memory() is p
        g = p.cuda(non_blocking=True); same(g, numpy.ones(1000, "float32"))
        back = torch_np.zeros(1000).pin_memory(); back.copy_(g, non_blocking=True); cuda.synchronize(); assert float(back.sum()) == 1000
        assert cuda.get_device_name().startswith("emulated") == (os.environ["TORCH_NP_CUDA_EMULATED"] != "0") and "MB" in repr(cuda.get_device_properties(0))
    """)


@needs_device
def test_interchange_on_the_device():
    run("""
        x = np.arange(12.0, _device="cuda").reshape(3, 4)[:, ::2]
        i = x.__cuda_array_interface__
        assert i["shape"] == (3, 2) and i["strides"] == (32, 16) and i["typestr"] == "<f8" and i["version"] == 3 and i["stream"] == 1
        assert x.__dlpack_device__() == (2, 0)
        y = np.from_dlpack(x)
        assert y._device == "cuda:0"
        class Producer:
            def __dlpack__(self, **k):
                self.asked = k
                return x.__dlpack__(**k)
            def __dlpack_device__(self):
                return x.__dlpack_device__()
        p = Producer()
        z = torch_np.from_dlpack(p)
        assert z.is_cuda and p.asked["stream"] == 1 and z.data_ptr() == i["data"][0]
        z.fill_(5)
        assert x.tolist() == [[5, 5]] * 3
        h = numpy.from_dlpack(x, device="cpu") if "device" in str(numpy.from_dlpack.__doc__) else None
        assert h is None or h.tolist() == [[5, 5]] * 3
        assert not hasattr(np.ones(3), "__cuda_array_interface__")
        raises(BufferError, lambda: np.ones(3, _device="cuda", _requires_grad=True).__dlpack__(), "requires grad")
        import pickle
        assert pickle.loads(pickle.dumps(x)).tolist() == x.tolist()
    """)


@needs_device
def test_copies_and_changes_in_place_stay_on_the_gpu():
    run("""
        import copy
        last = f'cuda:{torch_np.cuda.device_count() - 1}'
        x = np.arange(6., _device=last, _requires_grad=True)
        (x * x).sum()._backward()
        twin = copy.deepcopy(x)
        assert str(twin.device) == str(twin._grad.device) == last and twin._requires_grad
        same(twin._grad, 2 * numpy.arange(6.))
        y = np.arange(6, _device='cuda')
        y.resize((2, 4))
        assert str(y.device) == 'cuda:0'
        same(y, [[0, 1, 2, 3], [4, 5, 0, 0]])
        y.shape = 4, 2
        y.dtype = 'u8'
        same(y, numpy.array([[0, 1], [2, 3], [4, 5], [0, 0]], 'u8'))
        t = torch_np.arange(12., device='cuda', requires_grad=True)
        t.as_strided((3, 4), (2, 1), 1).sum().backward()
        same(t.grad, numpy.array([0, 1, 1, 2, 2, 2, 2, 1, 1, 0, 0, 0], 'f4'))
    """)


@needs_device
def test_all_arrays_of_a_call_are_on_one_device():
    run("""
        x, host = np.arange(3., _device='cuda'), np.arange(3.)
        texts = "expected all arrays to be on the same device", "cuda:0", "cpu"
        for name, call in {'add': lambda: x + host, 'cumsum': lambda: np.cumsum(x, out=host), 'sum': lambda: np.sum(x, axis=0, out=np.zeros(())),
                           'lexsort': lambda: np.lexsort((host, x)), 'concatenate': lambda: np.concatenate([x, host]),
                           'solve': lambda: np.linalg.solve(np.eye(3, _device='cuda'), host)}.items():
            raises(RuntimeError, call, name + '(): expected', *texts)
        raises(RuntimeError, lambda: np.add.at(host, np.arange(3, _device='cuda'), 1.), *texts)
        raises(RuntimeError, lambda: np.add.at(x, [0, 1], host[:2]), *texts)
        for places, result in (1, 9), ((1,), 9), ([1], 9), (np.array([1, 1]), 45):
            y = np.arange(3., _device='cuda')
            np.add.at(y, places, 2)
            np.multiply.at(y, places, np.array(3.))
            assert y.tolist() == [0, result, 2], (places, y)
        same(host, [0., 1., 2.])
    """)


@needs_device
def test_complex_numbers_that_are_aligned_as_their_parts():
    run("""
        for real, complex in ('f4', 'c8'), ('f8', 'c16'):
            host = numpy.arange(9).astype(real)[1:].view(complex)
            z = np.arange(9, _device='cuda').astype(real)[1:].view(complex)
            same(z + 1, host + 1)
            same(z.sum(), host.sum())
            same(z[::2] * z[1::2], host[::2] * host[1::2])
            square, host = z.reshape(2, 2), host.reshape(2, 2)
            same(np.triu(square), numpy.triu(host))
            same(square @ square, host @ host)
            same(np.fft.fft(square), numpy.fft.fft(host).astype(complex))
            same(np.linalg.solve(square, square), numpy.eye(2).astype(complex) + 0 * host)
    """)


@needs_device
def test_places_where_numpy_has_no_word_for_them():
    run("""
        for made in (np.array([1, 2], _device='cuda'), np.asarray([1, 2], _device='cuda'), np.zeros(2, _device='cuda'),
                     np.logspace(0, 1, 3, _device='cuda'), np.geomspace(1, 2, 3, _device='cuda'), np.linspace(0, 1, 3, device='cuda')):
            assert str(made.device) == 'cuda:0', made
        info = np.__array_namespace_info__()
        there = [f'cuda:{i}' for i in range(torch_np.cuda.device_count())]
        assert info.devices() == ('cpu', *there, 'meta') and info.default_device() == 'cpu'
        torch_np.set_default_device(there[-1])
        assert info.default_device() == there[-1]
        assert float(torch_np.rand(1, generator=torch_np.Generator('MT19937', device='cuda'), device='cuda')[0]) != 0
        assert float(torch_np.rand(1, generator=torch_np.Generator('cuda'), device='cuda')[0]) != 0
    """)


@needs_device
def test_numbers_of_the_cpu_are_brought_to_kernels():
    """A kernel that dereferenced such a number would read host memory: on a GPU, that ends the
    context."""
    run("""
        x, y = np.arange(6.0)._cuda(), np.zeros(6)._cuda()
        for mask in False, True, np.array(False), np.array(True), numpy.bool_(False):
            same(np.add(x, 1, out=np.full(6, 7.0)._cuda(), where=mask), numpy.add(numpy.arange(6.0), 1, out=numpy.full(6, 7.0), where=bool(mask)))
            same(np.sum(x, where=mask), numpy.sum(numpy.arange(6.0), where=bool(mask)))
            same(x.reshape(2, 3).max(axis=1, where=mask, initial=2), numpy.arange(6.0).reshape(2, 3).max(axis=1, where=bool(mask), initial=2))
            y = np.zeros(6)._cuda()
            np.copyto(y, x, where=mask)
            same(y, numpy.arange(6.0) * bool(mask))
            np.exp(x[::2], out=y[::2], where=mask)
            same(y[1::2], numpy.arange(6.0)[1::2] * bool(mask))
        t, one = torch_np.arange(6.0, device="cuda"), torch_np.tensor(2.5)
        assert torch_np.searchsorted(t, one).item() == 3
        q = torch_np.ones(1, 1, 4, 8, device="cuda")
        for mask in torch_np.tensor(0.5), torch_np.tensor(True):
            same(torch_np.nn.functional.scaled_dot_product_attention(q, q, q, attn_mask=mask), numpy.ones((1, 1, 4, 8), "f4"))
        w = torch_np.ones(3, 6, device="cuda")
        same(torch_np.nn.functional.linear(t, w, one), numpy.full(3, 17.5, "f4"))
        leaf = torch_np.arange(6.0, device="cuda").reshape(2, 3).requires_grad_()
        place = torch_np.tensor(1, device="cuda")
        leaf[place, place].backward(one)
        same(leaf.grad, numpy.float32([[0, 0, 0], [0, 2.5, 0]]))
        leaf = torch_np.tensor(0.5, device="cuda").requires_grad_()
        torch_np.softmax(leaf, 0).backward(one)
        same(leaf.grad, numpy.float32(0))
    """)


@needs_device
def test_complex_results_may_be_aligned_as_their_parts():
    run("""
        for real, complex in ("f4", "c8"), ("f8", "c16"):
            host = (numpy.eye(3) * 2 + 1j * numpy.arange(9).reshape(3, 3)).astype(complex)
            a = np.array(host)._cuda()
            def out():
                return np.zeros(19, _device="cuda").astype(real)[1:].view(complex).reshape(3, 3)
            same(np.matmul(a, a, out=out()), host @ host)
            same(np.fft.fft(a, out=out()), numpy.fft.fft(host).astype(complex))
            same(torch_np.linalg.inv(a._torch(), out=out()._torch()), numpy.linalg.inv(host))
            same(torch_np.linalg.cholesky(torch_np.tensor(host @ host.conj().T).cuda(), out=out()._torch()), numpy.linalg.cholesky(host @ host.conj().T))
            same(np.take(a, [2, 0], axis=0), host[[2, 0]])
    """)


@needs_device
def test_promotion_rules_of_the_device_hold_for_calls_on_its_arrays():
    run("""
        f = numpy.float32
        i, x = np.arange(4, dtype='int32'), np.ones(4, dtype='float32')
        gi, gx = i._cuda(), x._cuda()
        assert (gi + gx).dtype == numpy.float64
        np._set_promotion_rules('torch', device='cuda')
        for done in (gi + gx, np.add(gi, gx), gi / gi, np.exp(gi), np.concatenate([gi, gx]), np.where(gi > 1, gi, gx), np.mean(gi),
                     gi @ gx, np.add.outer(gi, gx), np.hypot(gi, gi), gi * 2.5, gx + np.ones((), dtype='float64'), gi + gx[0]):
            assert done.dtype == f, done.dtype
        assert np.result_type(gi, gx) == numpy.float64   # a question about NEP 50, and no call on arrays
        assert np.sum(np.ones(3, dtype='uint8')._cuda()).dtype == numpy.int64
        same(gi + gx, numpy.arange(4, dtype=f) + 1)

        # On the CPU, and without promotion, the behaviour is unchanged.
        assert (i + x).dtype == (i / i).dtype == np.concatenate([i, x]).dtype == np.result_type(i, x) == numpy.float64
        assert np.zeros(2, _device='cuda').dtype == numpy.linspace(0, 1).dtype
        raises(numpy.exceptions.AxisError, lambda: np.swapaxes(gx[0], 0, 0))
        raises(Exception, lambda: gi + x, 'cuda:0', 'cpu')

        # A gradient follows the rules of its forward call.
        w = np.ones(3, dtype='float32', _device='cuda', _requires_grad=True)
        y = (w * np.arange(3, _device='cuda')).sum()
        np._set_promotion_rules(None, device='cuda')
        y._backward()
        assert y.dtype == w._grad.dtype == f
        assert (gi + gx).dtype == numpy.float64

        # The reverse: NumPy's rules on the device only.
        np._set_promotion_rules('torch')
        np._set_promotion_rules('numpy', device='cuda')
        assert (gi + gx).dtype == numpy.float64 and (i + x).dtype == f
    """)
