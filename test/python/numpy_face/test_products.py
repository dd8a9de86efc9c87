"""matmul, dot, einsum and related functions, compared with NumPy."""
import importlib.metadata
import inspect
import os
import subprocess
import sys

import ml_dtypes
import numpy
import pytest
from same_as_numpy import agrees, random_array

import torch_np
import torch_np.numpy as np

DTYPES = ["bool", "uint8", "int8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32",
          "float64", "complex64", "complex128"]
SHAPES = [((2, 3), (3, 4)), ((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((5, 2, 3), (3, 4)), ((5, 2, 3), (5, 3, 4)),
          ((5, 1, 2, 3), (4, 3, 2)), ((2, 3), (5, 3, 4)), ((0, 3), (3, 4)), ((2, 0), (0, 4)), ((5, 2, 3), (3,)),
          ((3,), (5, 3, 4)), ((1, 1), (1, 1)), ((2, 3), (2, 3)), ((3, 2, 2), (2, 2, 2)), ((), (2,)), ((70, 80), (80, 60))]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("a, b", SHAPES, ids=str)
def test_matmul_and_dot(dtype, a, b):
    x, y = random_array(a, dtype, 1), random_array(b, dtype, 2)
    agrees(lambda xp: xp.matmul(xp.asarray(x), xp.asarray(y)), "matmul")
    agrees(lambda xp: xp.asarray(x) @ xp.asarray(y), "@")
    agrees(lambda xp: xp.dot(xp.asarray(x), xp.asarray(y)), "dot")
    agrees(lambda xp: xp.asarray(x).dot(xp.asarray(y)), "method dot")


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex128", "int32", "float16"])
@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[::-1], lambda x: x[:, ::-1], lambda x: x[::2, ::2], lambda x: x.T,
                                  lambda x: x.T[::3], lambda x: x[:1], lambda x: x[:, :1]],
                         ids=["plain", "rows back", "columns back", "strided", "T", "T strided", "one row", "one column"])
def test_operands_in_any_layout(dtype, view):
    x, y = random_array((12, 9), dtype), random_array((9,), dtype)
    agrees(lambda xp: view(xp.asarray(x)) @ view(xp.asarray(x)).T)
    agrees(lambda xp: view(xp.asarray(x)).T @ view(xp.asarray(x)))
    agrees(lambda xp: view(xp.asarray(x)) @ view(xp.asarray(x))[0])
    agrees(lambda xp: view(xp.asarray(x))[:, 0] @ view(xp.asarray(x)))
    agrees(lambda xp: xp.broadcast_to(xp.asarray(y), (4, 9)) @ xp.asarray(x).T)


def test_integer_products_wrap():
    agrees(lambda xp: xp.full((3, 200), 100, dtype=xp.int8) @ xp.full((200, 2), 100, dtype=xp.int8))


def test_half_precision_accumulates_in_single():
    x = np.full((1, 4096), 0.5, dtype=np.float16)
    assert float((x @ x.T)[0, 0]) == 1024.0


def test_core_dimensions_that_differ_are_numpys_error():
    with pytest.raises(ValueError, match=r"mismatch in its core dimension 0, with gufunc signature \(n\?,k\),\(k,m\?\)->\(n\?,m\?\) "
                                         r"\(size 2 is different from 3\)"):
        np.matmul(np.ones((2, 3)), np.ones((2, 3)))
    with pytest.raises(RuntimeError, match=r"shapes cannot be multiplied \(2x3 and 2x3\)"):
        torch_np.matmul(torch_np.ones(2, 3), torch_np.ones(2, 3))


def test_matmul_as_a_ufunc():
    x, y = random_array((2, 3, 4), "float64"), random_array((4, 2, 5), "float64")
    agrees(lambda xp: xp.matmul(xp.asarray(x), xp.asarray(y), axes=[(0, 2), (0, 1), (1, 2)]))
    agrees(lambda xp: xp.matmul(xp.asarray(x[0]), xp.asarray(y[:, 0]), dtype=xp.complex128))
    agrees(lambda xp: xp.matmul(xp.asarray(x[0]), xp.asarray(y[:, 0]), out=xp.zeros((3, 5))))
    agrees(lambda xp: xp.matmul(xp.asarray(x[0]), xp.asarray(y[:, 0]), out=xp.zeros((3, 4))))
    agrees(lambda xp: xp.matmul(xp.asarray(x[0]), xp.asarray(y[:, 0]), dtype=xp.int64))
    agrees(lambda xp: xp.vecdot(xp.asarray(x), xp.asarray(x), axis=1))
    agrees(lambda xp: xp.vecdot(xp.asarray(x), xp.asarray(x), keepdims=True))
    for name in ("matmul", "vecdot", "matvec", "vecmat"):
        assert inspect.signature(getattr(np, name)) == inspect.signature(getattr(numpy, name))


@pytest.mark.parametrize("name", ["inner", "vdot", "outer", "kron"])
@pytest.mark.parametrize("dtype", ["int32", "float32", "complex128", "bool", "float16"])
@pytest.mark.parametrize("a, b", [((3,), (3,)), ((2, 3), (2, 3)), ((2, 3), (4, 3)), ((), (2,)), ((2,), (3,)), ((0,), (0,))], ids=str)
def test_products_of_vectors(name, dtype, a, b):
    x, y = random_array(a, dtype, 1), random_array(b, dtype, 2)
    agrees(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))


@pytest.mark.parametrize("axes", [([1, 0], [0, 1]), ([0, 1], [1, 0]), 0, 1, 2, (1, 0), ((0,), (1,)), (2, 2), ([0, 0], [1, 1])], ids=str)
def test_tensordot(axes):
    x, y = random_array((3, 4, 5), "float64"), random_array((4, 3, 2), "float64")
    agrees(lambda xp: xp.tensordot(xp.asarray(x), xp.asarray(y), axes=axes))


@pytest.mark.parametrize("name, a, b", [("vecdot", (2, 3), (2, 3)), ("vecdot", (4, 2, 3), (3,)), ("matvec", (4, 2, 3), (3,)),
                                        ("vecmat", (3,), (4, 3, 2)), ("vecdot", (2,), (3,))])
@pytest.mark.parametrize("dtype", ["float64", "complex64", "int32"])
def test_products_with_vectors(name, a, b, dtype):
    x, y = random_array(a, dtype, 1), random_array(b, dtype, 2)
    agrees(lambda xp: getattr(xp, name)(xp.asarray(x), xp.asarray(y)))


@pytest.mark.parametrize("dtype", ["int8", "float32", "bool", "complex128"])
def test_trace_and_cross(dtype):
    x = random_array((3, 4, 5), dtype)
    agrees(lambda xp: xp.trace(xp.asarray(x), 1, 0, 2))
    agrees(lambda xp: xp.asarray(x[0]).trace())
    if dtype != "bool":
        agrees(lambda xp: xp.cross(xp.asarray(x[..., :3]), xp.asarray(x[::-1, :, 2:])))


EQUATIONS = [
    ("ij,jk", (2, 3), (3, 4)), ("ij,jk->ki", (2, 3), (3, 4)), ("ii", (3, 3)), ("ii->i", (3, 3)), ("ij->ji", (2, 3)), ("ij->", (2, 3)),
    ("...j->...", (2, 3, 4)), ("i,i", (3,), (3,)), ("i,i", (1,), (3,)), ("i,j", (2,), (3,)), ("ij,kl,jl->ik", (2, 3), (4, 5), (3, 5)),
    ("bij,bjk->bik", (5, 2, 3), (5, 3, 4)), ("...ij,...jk", (5, 2, 3), (3, 4)), ("ij...,jk...->ik...", (2, 3, 5), (3, 4, 5)),
    ("ij,ij->ij", (2, 3), (2, 3)), ("ij,j->ij", (2, 3), (3,)), ("iij->j", (3, 3, 2)), ("abc,cd,def->abef", (2, 3, 4), (4, 5), (5, 2, 3)),
    ("i...", (2, 3)), ("ij,jk", (0, 3), (3, 4)), ("ij,jk", (2, 0), (0, 4)), ("aabb->ab", (2, 2, 3, 3)), ("ij , jk -> ik", (2, 3), (3, 4)),
    ("Ab,bC", (2, 3), (3, 4)), ("ba", (2, 3)), ("ij,ij->", (2, 3), (2, 3)), ("ij,ik->jk", (1, 3), (4, 2)), (",ij", (), (2, 3)),
    # malformed
    ("ij,jk", (2, 3), (2, 2)), ("i,j->k", (2,), (2,)), ("ij", (2,)), ("i->ii", (2,)), ("i,i", (2,)), ("i$", (2,)), ("i.j", (2, 2)),
    ("i->i->i", (2,)), ("ii", (2, 3)), ("i...->i", (2, 3)), ("i-j", (2,)), ("", (2,)), ("i...,j...", (2, 3), (2, 2)), ("i,i", (3,), (2,)),
]


@pytest.mark.parametrize("equation, shapes", [(e[0], e[1:]) for e in EQUATIONS], ids=str)
@pytest.mark.parametrize("dtype", ["float64", "int8", "complex64", "bool", "float16"])
def test_einsum(equation, shapes, dtype):
    arrays = [random_array(s, dtype, i) for i, s in enumerate(shapes)]
    agrees(lambda xp: xp.einsum(equation, *[xp.asarray(a) for a in arrays]))


@pytest.mark.parametrize("dtypes", [("u1", "u1", "f8"), ("i4", "i4", "i8"), ("f2", "f2", "f4"), ("f4", "f4", "f8"), ("?", "?", "i8"), ("u1", "f4", "i8"),
                                    ("i1", "u1", "f2"), ("f4", "i2", "c8")], ids="-".join)
def test_einsum_of_several_dtypes_computes_in_the_common_one(dtypes):
    values = [200, 100_000, 300, 1e-30, 1]
    arrays = [numpy.full(3, min(values[i % 5], numpy.iinfo(t).max) if numpy.dtype(t).kind in "iu" else 1e-2).astype(t) for i, t in enumerate(dtypes)]
    a, b, c = arrays
    wide = "c16" if "c8" in dtypes else "f8"
    for equation, operands in (("i,i,i->", arrays), ("i,i->", (a, c)), ("i,j->", (a, c)), ("i,j,k->k", (b, a, c)), ("i,i,i->i", arrays),
                               ("ij,jk,k->i", (numpy.stack([a] * 3), numpy.stack([b] * 3), c))):
        got = np.einsum(equation, *map(np.asarray, operands))
        assert got.dtype == numpy.result_type(*operands), equation
        expected = numpy.einsum(equation, *(x.astype(wide) for x in operands)).astype(got.dtype)
        eps = numpy.finfo(got.dtype).eps if got.dtype.kind in "fc" else 0
        numpy.testing.assert_allclose(numpy.asarray(got), expected, rtol=20 * eps, err_msg=equation)


@pytest.mark.parametrize("order", [(0, 1, 2), (2, 0, 1), (1, 2, 0)], ids=str)
def test_einsum_of_several_dtypes_in_any_order(order):
    a, b, c = numpy.full(3, 200, "u1"), numpy.full(3, 200, "u1"), numpy.ones(3)
    operands = [(a, b, c)[i] for i in order]
    agrees(lambda xp: xp.einsum("i,i,i->", *map(xp.asarray, operands)), exact=True)
    # NumPy multiplies in the dtype of each pair here, and wraps around
    for optimize in (True, ["einsum_path", (0, 1), (0, 1)]):
        assert np.einsum("i,i,i->", *map(np.asarray, operands), optimize=optimize).item() == 120_000


def test_gradients_of_einsum_of_several_dtypes():
    x = np.array([1.0, 2.0, 3.0], dtype="f4", _requires_grad=True)
    y = np.array([0.5, 1.5, -1.0], _requires_grad=True)
    np.einsum("i,i,i->", x, np.array([1, 2, 3], dtype="u1"), y)._backward()
    assert x._grad.dtype == numpy.float32 and x._grad.tolist() == [0.5, 3, -3]
    assert y._grad.tolist() == [1, 4, 9]


def test_einsum_may_sum_over_an_ellipsis_when_there_is_a_path():
    a, b = random_array((2, 3), "float64"), random_array((2, 3, 4), "float64")
    for optimize in (False, True, "greedy"):
        for call in (lambda xp: xp.einsum("...,...d->", xp.asarray(a), xp.asarray(b), optimize=optimize),  # noqa: B023
                     lambda xp: xp.einsum("...->", xp.asarray(a), optimize=optimize),  # noqa: B023
                     lambda xp: xp.einsum("...i, ... ij -> j", xp.asarray(a), xp.asarray(b), optimize=optimize),  # noqa: B023
                     lambda xp: xp.einsum(xp.asarray(a), [...], xp.asarray(b), [..., 0], [0], optimize=optimize)):  # noqa: B023
            agrees(call)


def test_einsum_of_label_lists_and_its_keywords():
    x, y = random_array((2, 3), "float64"), random_array((3, 3), "float64")
    agrees(lambda xp: xp.einsum(xp.asarray(x), [0, 1], xp.asarray(y), [1, 2]))
    agrees(lambda xp: xp.einsum(xp.asarray(x), [0, 1], xp.asarray(y), [1, 2], [2, 0]))
    agrees(lambda xp: xp.einsum(xp.asarray(x), [Ellipsis, 1], xp.asarray(y), [1, 2], [Ellipsis, 2]))
    for optimize in (False, True, "greedy", "optimal", ["einsum_path", (0, 1), (0, 1)], ["einsum_path", (1, 2), (0, 1)]):
        agrees(lambda xp, o=optimize: xp.einsum("ij,jk,kl->il", xp.asarray(x), xp.asarray(y), xp.asarray(y), optimize=o))
    agrees(lambda xp: xp.einsum("ij->i", xp.asarray(x.astype("f4")), dtype="f8"))
    agrees(lambda xp: xp.einsum("ij->i", xp.asarray(x), out=xp.zeros(2)))
    agrees(lambda xp: xp.einsum("ij->i", xp.asarray(x), nonsense=1))
    agrees(lambda xp: xp.einsum())
    agrees(lambda xp: xp.einsum("i"))
    path = np.einsum_path("ij,jk,kl->il", np.asarray(x), np.asarray(y), np.asarray(y))
    assert path[0] == numpy.einsum_path("ij,jk,kl->il", x, y, y)[0]


def test_torch_products():
    a, b = torch_np.rand(2, 3, dtype=torch_np.float64), torch_np.rand(3, 4, dtype=torch_np.float64)
    expected = numpy.asarray(a._np_compat()) @ numpy.asarray(b._np_compat())
    for got in (a @ b, a.matmul(b), torch_np.mm(a, b), torch_np.einsum("ij,jk", a, b), torch_np.einsum("ij,jk", [a, b]),
                torch_np.tensordot(a, b, dims=1), torch_np.tensordot(a, b, dims=([1], [0]))):
        assert type(got) is torch_np.Tensor
        assert numpy.allclose(numpy.asarray(got._np_compat()), expected)
    assert torch_np.bmm(a[None], b[None]).shape == (1, 2, 4)
    with pytest.raises(RuntimeError):
        torch_np.mm(a[0], b)
    with pytest.raises(RuntimeError):
        torch_np.dot(a, b)


def within_half_an_ulp(result, x, y):
    """One rounding of a float32 accumulation: the float64 product, plus half an ULP, plus float32's
    error on the sum of magnitudes."""
    x, y = numpy.asarray(x, numpy.float64), numpy.asarray(y, numpy.float64)
    exact, magnitude = numpy.matmul(x, y), numpy.matmul(abs(x), abs(y))
    half_ulp = {"float16": 2.0**-11, "bfloat16": 2.0**-8}[result.dtype.name]
    error = abs(numpy.asarray(result, numpy.float64) - exact)
    assert result.shape == exact.shape
    assert (error <= half_ulp * abs(exact) + 2.0**-24 * (8 + x.shape[-1] / 8) * magnitude + 2.0**-25).all()


# Large enough for a library of 16-bit products, if installed; otherwise products are computed in
# float32.
@pytest.mark.parametrize("dtype", [numpy.dtype("float16"), numpy.dtype(ml_dtypes.bfloat16)], ids=str)
@pytest.mark.parametrize("a, b", [((16, 16), (16, 16)), ((1, 1024), (1024, 1024)), ((1024,), (1024, 800)), ((900, 1024), (1024,)),
                                  ((1024, 16), (16, 1024)), ((20, 70, 90), (20, 90, 80)), ((64, 32, 64), (64, 64)),
                                  ((3, 1, 80, 90), (5, 90, 100)), ((5, 7, 100, 90), (5, 7, 90, 110)), ((300, 1000), (1000, 300))],
                         ids=str)
def test_products_of_16_bit_floats_round_once(dtype, a, b):
    x, y = random_array(a, "float32", 1).astype(dtype), random_array(b, "float32", 2).astype(dtype)
    p, q = np.asarray(x), np.asarray(y)
    within_half_an_ulp(p @ q, x, y)
    if len(a) > 1 and len(b) > 1:
        within_half_an_ulp(np.matrix_transpose(q) @ np.matrix_transpose(p), numpy.matrix_transpose(y), numpy.matrix_transpose(x))
        within_half_an_ulp(p[..., ::2, :] @ q[..., 1:], x[..., ::2, :], y[..., 1:])
        within_half_an_ulp(p[::-1] @ q[..., ::-1], x[::-1], y[..., ::-1])
        within_half_an_ulp(np.broadcast_to(p, (2, *p.shape)) @ q, numpy.broadcast_to(x, (2, *x.shape)), y)


@pytest.mark.parametrize("dtype", [numpy.dtype("float16"), numpy.dtype(ml_dtypes.bfloat16)], ids=str)
def test_large_products_of_16_bit_floats_keep_infinity_and_nan(dtype):
    x = np.ones((1024, 1024), dtype=dtype)
    x[3, 5], x[4, 7], x[4, 8] = np.inf, np.inf, -np.inf
    row = (np.ones((2, 1024), dtype=dtype) @ x.T)[0]
    assert float(row[3]) == np.inf and np.isnan(row[4]) and float(row[0]) == 1024.0
    if dtype.name == "float16":
        assert float((np.full((2, 1024), 300, dtype=dtype) @ x)[0, 0]) == np.inf


def libraries(code, **environment):
    """The standard output of `code` in a new process, and the shared libraries that it has mapped
    at the end."""
    code += "\nprint(*{line.split()[-1] for line in open('/proc/self/maps') if '.so' in line}, sep='\\n')"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ | environment)
    return done.stdout, {os.path.basename(line) for line in done.stdout.splitlines() if line.startswith("/")}


def test_onednn_is_not_loaded_before_it_is_used():
    assert not any("dnnl" in name for name in libraries("import torch_np.numpy as np; np.ones((9, 9)) @ np.ones((9, 9))")[1])


@pytest.mark.skipif("avx512_bf16" not in open("/proc/cpuinfo").read(), reason="this processor has no instructions for bfloat16")
def test_onednn_multiplies_16_bit_floats_on_the_same_threads():
    for package in ("onednn-cpu-tbb", "intel-cmplr-lib-rt"):
        try:
            importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            pytest.skip(f"{package} is not installed")
    output, names = libraries("""
import ml_dtypes, torch_np.numpy as np
np.ones((2, 1024), dtype=ml_dtypes.bfloat16) @ np.ones((1024, 1024), dtype=ml_dtypes.bfloat16).T""", DNNL_VERBOSE="1")
    assert "exec,cpu,matmul,brg:avx512_core" in output and "runtime:TBB" in output
    assert len({name for name in names if name.startswith("libtbb.so")}) == 1


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64"])
def test_long_products_with_vectors(dtype):
    a, v = random_array((700, 1100), dtype), random_array((1100,), dtype, seed=1)
    u, w = random_array((700,), dtype), random_array((300_001,), dtype)
    for call in (lambda xp, a, u, v, w: a @ v, lambda xp, a, u, v, w: u @ a, lambda xp, a, u, v, w: v @ a.T, lambda xp, a, u, v, w: a[::-1, ::2] @ v[::-2],
                 lambda xp, a, u, v, w: xp.dot(w, w[::-1])):
        got = numpy.asarray(call(np, *map(np.asarray, (a, u, v, w))))
        wide = [x.astype("complex128" if a.dtype.kind == "c" else "float64") for x in (a, u, v, w)]
        expected = call(numpy, *wide)
        assert numpy.allclose(got, expected, atol=numpy.finfo(dtype).eps * 3000)


def test_what_dot_writes_to_is_as_its_result_would_be():
    a, b = np.random.rand(3, 3), np.random.rand(3, 3)
    for out in (np.empty((3, 3)).T, np.empty((3, 6))[:, ::2], np.empty((3, 3), "f"), np.empty((3, 3), "D")):
        with pytest.raises(ValueError, match="C-contiguous"):
            np.dot(a, b, out=out)
        with pytest.raises(ValueError):
            numpy.dot(numpy.asarray(a), numpy.asarray(b), out=numpy.asarray(out))
    product = np.dot(a, b)
    assert np.dot(a, b, out=b) is b and (b == product).all()


def test_einsum_assigns_a_number_that_comes_of_a_path():
    for xp in (np, numpy):
        out = xp.array(0)
        assert xp.einsum("i,i->", xp.ones(7), xp.ones(7), out=out, optimize="optimal") is out and out == 7


def test_traces_of_a_subclass():
    class Sub(np.ndarray):
        pass

    cube = np.arange(8).reshape(2, 2, 2).view(Sub)
    assert type(cube.trace()) is Sub and type(np.trace(cube)) is Sub and cube.trace().tolist() == [6, 8]
    assert type(cube[0].trace()) is np.int64


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16", "float16"])
def test_a_linear_layer_adds_its_bias(dtype):
    """Sizes for every path: small matrices, vectors, and products by oneDNN."""
    dtype = getattr(torch_np, dtype)
    for rows, k, n in ((1, 1, 1), (1, 3, 3), (3, 1, 3), (3, 3, 1), (4, 4, 4), (1, 1024, 1024), (1024, 16, 1024), (300, 300, 300), (17, 512, 33)):
        x, w, b = torch_np.zeros(rows, k, dtype=dtype), torch_np.ones(n, k, dtype=dtype), (torch_np.arange(n) % 64 + 1).to(dtype)
        x[0, 0] = 1
        expected = torch_np.zeros(rows, n, dtype=dtype) + b
        expected[0] += 1
        assert torch_np.equal(torch_np.nn.functional.linear(x, w, b), expected), (rows, k, n)
        assert torch_np.equal(torch_np.addmm(b, x, w.T), expected), (rows, k, n)
