"""Attention in blocks, at sizes that need several blocks, compared with float64 attention without
blocks."""
import math

import numpy
import pytest

import torch_np

F = torch_np.nn.functional


def expected(q, k, v, mask=None, causal=False):
    scores = q @ k.swapaxes(-1, -2) / math.sqrt(q.shape[-1])
    if mask is not None:
        scores = numpy.where(mask, scores, -numpy.inf) if mask.dtype == bool else scores + mask
    if causal:
        scores = numpy.where(numpy.tril(numpy.ones(scores.shape[-2:], bool)), scores, -numpy.inf)
    p = numpy.exp(scores - scores.max(-1, keepdims=True))
    p /= p.sum(-1, keepdims=True)
    return p, p @ v


def gradients(q, k, v, p, dy):
    dp = dy @ v.swapaxes(-1, -2)
    ds = p * (dp - (dp * p).sum(-1, keepdims=True)) / math.sqrt(q.shape[-1])
    return ds @ k, ds.swapaxes(-1, -2) @ q, p.swapaxes(-1, -2) @ dy


# A row's sum has a few hundred terms below 1, each with one or two roundings.
TOLERANCE = {"float32": 2e-5, "float64": 1e-12}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", ["plain", "causal", "bools", "floats", "more keys"])
def test_blocks(dtype, case):
    rng = numpy.random.default_rng(5)
    n, s = 300, 1111 if case == "more keys" else 700
    if case == "causal":
        n = s
    q, k, v = (rng.standard_normal(shape).astype(dtype) for shape in ((2, 3, n, 16), (2, 3, s, 16), (2, 3, s, 24)))
    mask = {"bools": rng.random((n, s)) < 0.3, "floats": rng.standard_normal((2, 1, 1, s)).astype(dtype)}.get(case)
    leaves = [torch_np.tensor(x, requires_grad=True) for x in (q, k, v)]
    out = F.scaled_dot_product_attention(*leaves, attn_mask=None if mask is None else torch_np.tensor(mask), is_causal=case == "causal")
    wide = [x.astype("f8") for x in (q, k, v)]
    p, result = expected(*wide, mask, case == "causal")
    tolerance = TOLERANCE[dtype]
    numpy.testing.assert_allclose(numpy.asarray(out.detach()), result, rtol=tolerance, atol=tolerance)
    dy = rng.standard_normal(result.shape)
    out.backward(torch_np.tensor(dy.astype(dtype)))
    for leaf, grad in zip(leaves, gradients(*wide, p, dy)):
        numpy.testing.assert_allclose(numpy.asarray(leaf.grad), grad, rtol=10 * tolerance, atol=10 * tolerance)


def test_rows_that_see_nothing_are_zero_and_have_no_gradient():
    q, k, v = (torch_np.rand(1, 4, 8, requires_grad=True) for _ in range(3))
    mask = torch_np.tensor([[True] * 4, [False] * 4, [True] * 4, [True] * 4])
    out = F.scaled_dot_product_attention(q, k, v, mask)
    out.sum().backward()
    assert out[0, 1].tolist() == [0] * 8 and q.grad[0, 1].tolist() == [0] * 8
    assert all(bool(torch_np.isfinite(x.grad).all()) for x in (q, k, v))


def test_heads_that_lie_between_each_other_come_back_so():
    x = torch_np.rand(2, 5, 3, 8).transpose(1, 2)
    out = F.scaled_dot_product_attention(x, x, x)
    assert out.shape == (2, 3, 5, 8) and out.transpose(1, 2).is_contiguous()


def test_second_derivatives_are_composed():
    q, k, v = (torch_np.rand(3, 4, dtype=torch_np.float64).requires_grad_() for _ in range(3))
    out = F.scaled_dot_product_attention(q, k, v)
    first, = torch_np.autograd.grad(out.sum(), [q], create_graph=True)
    second, = torch_np.autograd.grad((first * first).sum(), [k])
    assert second.shape == (3, 4) and bool((second != 0).any())


def test_groups_of_rows():
    a, b = torch_np.rand(7, 4), torch_np.rand(3, 4, 5)
    offs = torch_np.tensor([2, 2, 6], dtype=torch_np.int32)
    out = F.grouped_mm(a, b, offs=offs)
    parts = [a[:2] @ b[0], a[2:2] @ b[1], a[2:6] @ b[2], torch_np.zeros(1, 5)]
    numpy.testing.assert_allclose(numpy.asarray(out), numpy.asarray(torch_np.cat(parts)), rtol=1e-6)
    with pytest.raises(RuntimeError, match="offs"):
        F.grouped_mm(a, b)
    both = F.grouped_mm(torch_np.rand(2, 6), torch_np.rand(6, 3), offs=torch_np.tensor([2, 6], dtype=torch_np.int32))
    assert both.shape == (2, 2, 3) and F.grouped_mm(torch_np.rand(2, 3, 4), torch_np.rand(2, 4, 5)).shape == (2, 3, 5)


@pytest.mark.parametrize("name", ["scaled_mm", "scaled_grouped_mm", "scaled_addmm", "scaled_addmm_"])
def test_there_is_no_float8(name):
    x = torch_np.rand(2, 2)
    arguments = [x, x, x] if "addmm" in name else [x, x]
    with pytest.raises(NotImplementedError, match="float8"):
        getattr(F, name)(*arguments, x, F.ScalingType.TensorWise, x, F.ScalingType.TensorWise)
