"""Attention by blocks: what blocks give is what the whole gives, with gradients, and memory stays small."""
import pytest

import torch_np as torch
from torch_np.nn import _attention
from torch_np.nn.functional import scaled_dot_product_attention


def inputs(*shape, keys=None):
    torch.manual_seed(3)
    keys = shape[-2] if keys is None else keys
    return [torch.randn(*shape[:-2], n, shape[-1], dtype=torch.float64).requires_grad_() for n in (shape[-2], keys, keys)]


def results(q, k, v, **options):
    y = scaled_dot_product_attention(q, k, v, **options)
    grads = torch.autograd.grad((y * y).sum(), (q, k, v), create_graph=True)
    second = torch.autograd.grad(sum((g * g).sum() for g in grads), (q, k, v))
    return [y, *grads, *second]


@pytest.mark.parametrize("options", [{}, {"is_causal": True}, {"scale": 0.7}, {"mask": "float"}, {"mask": "bool"}, {"mask": "row"}])
@pytest.mark.parametrize("keys", [7, 3, 11])
def test_blocks_give_what_the_whole_gives(monkeypatch, options, keys):
    q, k, v = inputs(2, 3, 7, 4, keys=keys)
    options = dict(options)
    kind = options.pop("mask", None)
    if kind:
        mask = torch.randn(7 if kind != "row" else 1, keys, dtype=torch.float64)
        options["attn_mask"] = mask > 0 if kind == "bool" else mask
    whole = results(q, k, v, **options)
    monkeypatch.setattr(_attention, "_SCORES", 1)
    monkeypatch.setattr(_attention, "_ROWS", 2)
    for a, b in zip(results(q, k, v, **options), whole, strict=True):
        assert torch.allclose(a, b, rtol=1e-9, atol=1e-11)


def test_inputs_are_broadcast_by_blocks(monkeypatch):
    q, k, v = inputs(2, 3, 5, 4)
    k, v = k[:1], v[0]
    whole = scaled_dot_product_attention(q, k, v)
    monkeypatch.setattr(_attention, "_SCORES", 1)
    monkeypatch.setattr(_attention, "_ROWS", 2)
    assert torch.allclose(scaled_dot_product_attention(q, k, v), whole)


def test_queries_that_see_nothing_get_zeros_and_no_gradients():
    q, k, v = inputs(3, 4)
    mask = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    y = scaled_dot_product_attention(q, k, v, mask)
    assert y[1].tolist() == [0.0] * 4
    grads = torch.autograd.grad((y * y).sum(), (q, k, v))
    assert grads[0][1].tolist() == [0.0] * 4
    assert not any(torch.isnan(g).any() for g in grads)


@pytest.mark.parametrize("dtype, tolerance", [(torch.float16, 2e-3), (torch.bfloat16, 2e-2)])
def test_short_floats_are_computed_in_float32(dtype, tolerance):
    q, k, v = (x.detach().to(dtype) for x in inputs(2, 9, 4))
    y = scaled_dot_product_attention(q, k, v)
    assert y.dtype == dtype
    assert torch.allclose(y.double(), scaled_dot_product_attention(q.double(), k.double(), v.double()), rtol=tolerance, atol=tolerance)
