"""gradcheck and gradgradcheck of every operator with a `derivative` in native_functions.yaml: the calls of operator_cases.py."""

import pytest
import samples
from operator_cases import CHECKS, DIFFERENTIABLE, DTYPES, FACES, KIND, Maker, callable_on, cases_of, function_of, kinds_of, required_arguments, \
    takes_complex, takes_dtype

import torch_np
from torch_np.autograd import gradcheck, gradgradcheck


def test_samples_belong_to_operators():
    assert set(samples.SAMPLES) <= set(DIFFERENTIABLE)


@pytest.mark.parametrize("name", DIFFERENTIABLE)
def test_every_operator_can_be_called(name):
    assert name in samples.SAMPLES or any(function_of(DIFFERENTIABLE[name], face) for face in FACES)


def test_every_operator_that_takes_complex_numbers_is_checked_with_them():
    without = {n for n, op in DIFFERENTIABLE.items() if takes_complex(op) and "complex" not in kinds_of(op)}
    assert without == samples.WITHOUT_COMPLEX


@pytest.mark.parametrize(("name", "face", "dtype"), CHECKS)
def test_derivative_agrees_with_finite_differences(name, face, dtype):
    op = DIFFERENTIABLE[name]
    make = Maker(face, dtype, name, op.get("domain"))
    for case in cases_of(op, make):
        if KIND[dtype] not in case.kinds:
            continue
        assert gradcheck(case.call, case.inputs), case.id
        if case.second:
            assert gradgradcheck(case.call, case.inputs, atol=1e-4), case.id


# Without operators that have operands without a derivative.
INPLACE = [(n, dtype) for n, op in DIFFERENTIABLE.items() if "inplace" in op["variants"] and n not in samples.SAMPLES
           for dtype in DTYPES if KIND[dtype] in kinds_of(op)]


@pytest.mark.parametrize(("name", "dtype"), INPLACE)
def test_in_place_variant_has_the_same_derivative(name, dtype):
    op = DIFFERENTIABLE[name]
    make = Maker("Tensor", dtype, name, op.get("domain"))
    n = sum(a["type"] == "Tensor" for a in required_arguments(op))
    xs = [make(2, 3)] + [make(3) for _ in range(n - 1)]
    axes = {a["name"]: 0 for a in op["arguments"] if a["name"] == "dim" and a["default"] is None}

    def whole(x, *rest):
        return getattr(x * 1, name + "_")(*rest, **axes)

    def part(x, *rest):
        y = x * 1
        getattr(y[:, ::2], name + "_")(*[r[:1] for r in rest], **axes)
        return y

    for func in (whole, part):
        assert gradcheck(func, xs) and gradgradcheck(func, xs, atol=1e-4)


VIEWS = [n for n, op in DIFFERENTIABLE.items() if [r["type"] for r in op["returns"]] == ["Tensor(a)"]]


def can_be_written(case):
    """False for read-only views, and for views whose elements overlap."""
    view = case.call(case.inputs[0] * 1)
    try:
        view *= 2
    except (RuntimeError, ValueError) as error:
        assert "read-only" in str(error) or "single memory location" in str(error)
        return False
    return True


@pytest.mark.parametrize(("name", "face"), [(n, face) for n in VIEWS for face in FACES if callable_on(DIFFERENTIABLE[n], face)])
def test_in_place_on_views_and_bases(name, face):
    """For every view: writing into it changes the base's derivative, and writing into the base
    changes the view's."""
    op = DIFFERENTIABLE[name]
    make = Maker(face, "float64", name, op.get("domain"))
    for case in cases_of(op, make):
        if "real" not in case.kinds:
            continue

        writable = can_be_written(case)

        def through_view(x, case=case, writable=writable):
            y = x * 1
            view = case.call(y)
            if not writable:
                return view
            view *= 2
            return y, view

        def through_base(x, case=case):
            y = x * 1
            view = case.call(y)
            y *= x
            return y, view

        for func in (through_view, through_base):
            assert gradcheck(func, case.inputs) and gradgradcheck(func, case.inputs)


SHORTER = {"float32": ("float64", 1e-4), "float16": ("float64", 2e-2), "bfloat16": ("float64", 2e-1), "complex64": ("complex128", 1e-4)}
AUTOMATIC = [(n, dtype) for n, op in DIFFERENTIABLE.items() if n not in samples.SAMPLES and function_of(op, "Tensor")
             for dtype, (long, _) in SHORTER.items() if takes_dtype(n, "Tensor", long)]


@pytest.mark.parametrize(("name", "dtype"), AUTOMATIC)
def test_gradients_of_shorter_dtypes(name, dtype):
    """Gradients keep the inputs' dtype, and equal those of the long dtype up to rounding. The bound
    allows a few roundings to 2^-11 (float16) or 2^-8 (bfloat16) and a condition number around 10."""
    op = DIFFERENTIABLE[name]
    long, bound = SHORTER[dtype]
    make = Maker("Tensor", long, name, op.get("domain"))
    case = cases_of(op, make)[0]
    short = [x.detach().to(getattr(torch_np, dtype)).requires_grad_() for x in case.inputs]
    exact = [x.detach().to(getattr(torch_np, long)).requires_grad_() for x in short]  # the rounded values
    for xs in (short, exact):
        results = case.call(*xs)
        for result in results if isinstance(results, tuple) else (results,):
            if result.requires_grad:
                result.backward(torch_np.ones_like(result.detach()), retain_graph=True)
    for x, y in zip(short, exact):
        if y.grad is None:
            assert x.grad is None
            continue
        assert x.grad.dtype == x.dtype and x.grad.shape == x.shape
        scale = 1 + float(abs(y.grad).max())
        assert float(abs(x.grad.to(getattr(torch_np, long)) - y.grad).max()) <= bound * scale
