"""Tangents of every operator with a derivative: the samples of operator_cases.py, against its backward pass.

A tangent t of x and a cotangent u of y = f(x) satisfy <u, J t> = <J^H u, t>, where <a, b> is the real
part of the sum of conj(a) b. test_gradients.py checks J^H u against finite differences.
"""
import pytest
from operator_cases import DIFFERENTIABLE, DTYPES, KIND, OPERATORS, Maker, callable_on, cases_of, takes_dtype

import torch_np
import torch_np.numpy as np
from torch_np._transforms.dual import in_place, rules
from torch_np.autograd import forward_ad
from torch_np.autograd._gradcheck_values import outputs_of

FIRST_DERIVATIVES_ONLY = {"_embedding_bag", "ctc_losses", "grid_sample_nd"}
CHECKS = [(name, dtype) for name, op in DIFFERENTIABLE.items() for dtype in DTYPES
          if callable_on(op, "Tensor") and takes_dtype(name, "Tensor", dtype) and name not in FIRST_DERIVATIVES_ONLY]


def tensor(x):
    return x._torch() if isinstance(x, np.ndarray) else x


def random_like(x, seed):
    generator = torch_np.Generator().manual_seed(seed)
    return torch_np.randn(x.shape, dtype=x.dtype, generator=generator)


def inner(a, b):
    return float((a.conj() * b).sum().real)


def check(call, inputs, history):
    xs = [x.detach() for x in inputs]
    directions = [random_like(x, i) for i, x in enumerate(xs)]
    leaves = [x.clone().requires_grad_() for x in xs]
    ys = [tensor(y) for y in outputs_of(call, leaves)]
    us = [random_like(y, 100 + i) for i, y in enumerate(ys)]
    used = [(y, u) for y, u in zip(ys, us) if y.requires_grad]
    gs = torch_np.autograd.grad([y for y, _ in used], leaves, [u for _, u in used], allow_unused=True) if used else [None] * len(leaves)
    for which in [*range(len(xs)), None]:  # one input has a tangent, or all
        chosen = [which in (i, None) for i in range(len(xs))]
        expected = sum(inner(g, t) for g, t, use in zip(gs, directions, chosen) if use and g is not None)
        with forward_ad.dual_level():
            given = [x.clone().requires_grad_() if history else x.clone() for x in xs]
            results = outputs_of(call, [forward_ad.make_dual(x, t).requires_grad_() if use else x for x, t, use in zip(given, directions, chosen)])
            parts = [forward_ad.unpack_dual(tensor(y)) for y in results]
        for y, (p, _) in zip(ys, parts, strict=True):
            assert torch_np.allclose(p, y, equal_nan=True) and p.dtype == y.dtype and p.shape == y.shape
        for p, t in parts:
            assert t is None or t.dtype == p.dtype and t.shape == p.shape
        found = sum(inner(u, t.detach()) for u, (_, t) in zip(us, parts) if t is not None)
        assert found == pytest.approx(expected, rel=1e-6, abs=1e-8), (which, found, expected)


@pytest.mark.parametrize(("name", "dtype"), CHECKS)
def test_tangents_are_the_transpose_of_gradients(name, dtype):
    op = DIFFERENTIABLE[name]
    for case in cases_of(op, Maker("Tensor", dtype, name, op.get("domain"))):
        if KIND[dtype] in case.kinds:
            check(case.call, case.inputs, history=False)


@pytest.mark.parametrize(("name", "dtype"), [c for c in CHECKS if c[1] == "float64"])
def test_tangents_beside_recorded_operators(name, dtype):
    op = DIFFERENTIABLE[name]
    cases = [c for c in cases_of(op, Maker("Tensor", dtype, name, op.get("domain"))) if KIND[dtype] in c.kinds]
    for case in cases[:1]:
        check(case.call, case.inputs, history=True)


@pytest.mark.parametrize("name", [n for n, d in CHECKS if d == "float64"])
def test_second_derivatives_by_tangents_of_gradients(name):
    """Tangents of gradients are products with the Hessian: the same by two backward passes."""
    op = DIFFERENTIABLE[name]
    cases = [c for c in cases_of(op, Maker("Tensor", "float64", name, op.get("domain"))) if "real" in c.kinds and c.second]
    for case in cases[:1]:
        xs = [x.detach() for x in case.inputs]
        us = [random_like(tensor(y), 100 + i) for i, y in enumerate(outputs_of(case.call, xs))]

        def gradients(*given, case=case, us=us):
            outputs = [(tensor(y), u) for y, u in zip(outputs_of(case.call, given), us) if tensor(y).requires_grad]
            found = torch_np.autograd.grad([y for y, _ in outputs], given, [u for _, u in outputs], create_graph=True, allow_unused=True) \
                if outputs else [None] * len(given)
            return [torch_np.zeros_like(x) if g is None else g for x, g in zip(given, found)]
        ts = [random_like(x, i) for i, x in enumerate(xs)]
        leaves = [x.clone().requires_grad_() for x in xs]
        first = gradients(*leaves)
        used = [(g, t) for g, t in zip(first, ts) if g.requires_grad]
        by_reverse = torch_np.autograd.grad([g for g, _ in used], leaves, [t for _, t in used], allow_unused=True) if used else [None] * len(xs)
        with forward_ad.dual_level():
            duals = [forward_ad.make_dual(x.clone(), t).requires_grad_() for x, t in zip(xs, ts)]
            by_tangents = [forward_ad.unpack_dual(g).tangent for g in gradients(*duals)]
        for a, b in zip(by_reverse, by_tangents):
            zero = torch_np.zeros(1, dtype=torch_np.float64)
            assert torch_np.allclose(zero if a is None else a, zero if b is None else b.detach(), rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", sorted(FIRST_DERIVATIVES_ONLY))
def test_operators_without_tangents_raise(name):
    case = cases_of(DIFFERENTIABLE[name], Maker("Tensor", "float64", name))[0]
    with pytest.raises(NotImplementedError, match="first derivatives only"):
        check(case.call, case.inputs, history=False)


def test_the_rules_know_the_operators_with_derivatives_of_their_own():
    """Of composite operators, only those with a derivative have rules: the tape must see the inner operators of others."""
    natives = [op for op in OPERATORS if not op["np_compat"] and op["kind"] == "composite" and op["derivative"]]
    changing = {op["full_name"] for op in natives if any("(a!)" in a["type"] for a in op["arguments"])}
    views = {op["full_name"] for op in natives if op["returns"][0]["type"] == "Tensor(a)"}
    others = {op["full_name"] for op in natives} - changing - views
    assert rules.VIEWS == views
    assert others <= {name for name, rule in rules.RULES.items() if rule is not rules.inner}
    assert changing - {"copy_", "fill_"} == in_place.DIFFERENTIABLE_COMPOSITES


# Samples that differentiate within the function, and detach what has no gradient.
DETACHING = {"convolution_backward", "gather_planes"}


@pytest.mark.parametrize("name", [n for n, d in CHECKS if d == "float64" and n not in DETACHING])
def test_jacobians_by_batches_of_tangents(name):
    op = DIFFERENTIABLE[name]
    for case in [c for c in cases_of(op, Maker("Tensor", "float64", name, op.get("domain"))) if "real" in c.kinds][:1]:
        xs = [x.detach() for x in case.inputs]

        def function(*given, case=case):
            return tuple(tensor(y) for y in outputs_of(case.call, given))
        if any(y.is_complex() for y in function(*xs)):
            continue
        numbers = tuple(range(len(xs)))
        try:
            found = torch_np.func.jacfwd(function, numbers)(*xs)
        except RuntimeError as error:
            assert "random operation" in str(error)
            continue
        for columns, rows in zip(found, torch_np.func.jacrev(function, numbers)(*xs), strict=True):
            for a, b in zip(columns, rows, strict=True):
                assert torch_np.allclose(a, b, rtol=1e-6, atol=1e-8, equal_nan=True)
