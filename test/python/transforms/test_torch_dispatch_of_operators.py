"""Every operator with a derivative below a mode and on a wrapper subclass: the samples of
operator_cases.py, results and gradients against plain tensors.
"""
import pytest
from operator_cases import DIFFERENTIABLE, KIND, Maker, callable_on, cases_of, takes_dtype

import torch_np
import torch_np.numpy as np
from torch_np.autograd._gradcheck_values import outputs_of
from torch_np.utils._python_dispatch import BaseTorchDispatchMode
from torch_np.utils._pytree import tree_map

CHECKS = [name for name, op in DIFFERENTIABLE.items() if callable_on(op, "Tensor") and takes_dtype(name, "Tensor", "float64")]


class Wrapper(torch_np.Tensor):
    """A tensor without elements around another one."""

    @staticmethod
    def __new__(cls, elem, requires_grad=False):
        made = torch_np.Tensor._make_wrapper_subclass(cls, elem.size(), strides=elem.stride(), dtype=elem.dtype, device=elem.device,
                                                      requires_grad=requires_grad)
        made.elem = elem.detach()
        return made

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        results = func(*tree_map(value_of, args), **tree_map(value_of, kwargs or {}))
        return tree_map(lambda x: cls(x) if isinstance(x, torch_np.Tensor) else x, results)


def value_of(x):
    return x.elem if isinstance(x, Wrapper) else x


def tensor(x):
    return x._torch() if isinstance(x, np.ndarray) else x


def computed(call, inputs):
    """Results, and gradients of the sum of all of them."""
    ys = [tensor(y) for y in outputs_of(call, inputs)]
    used = [y for y in ys if y.requires_grad]
    gs = torch_np.autograd.grad(used, inputs, [torch_np.ones_like(y) for y in used], allow_unused=True) if used else [None] * len(inputs)
    return ys, gs


def check_same(found, expected):
    for a, b in zip(found, expected, strict=True):
        assert (a is None) == (b is None)
        if a is None:
            continue
        a, b = value_of(a).detach(), b.detach()
        assert a.dtype == b.dtype and a.shape == b.shape
        assert torch_np.allclose(a, b, rtol=1e-9, atol=1e-12, equal_nan=True)


def cases(name):
    op = DIFFERENTIABLE[name]
    return [c for c in cases_of(op, Maker("Tensor", "float64", name, op.get("domain"))) if KIND["float64"] in c.kinds]


@pytest.mark.parametrize("name", CHECKS)
def test_below_a_mode(name):
    for case in cases(name):
        inputs = [x.detach().clone().requires_grad_() for x in case.inputs]
        expected = computed(case.call, inputs)
        with BaseTorchDispatchMode():
            found = computed(case.call, [x.detach().clone().requires_grad_() for x in case.inputs])
        for a, b in zip(found, expected, strict=True):
            check_same(a, b)


# Recorded changes in place of views of wrappers raise.
@pytest.mark.parametrize("name", [name for name in CHECKS if name != "put_indexed_"])
def test_on_a_wrapper(name):
    for case in cases(name):
        inputs = [x.detach().clone().requires_grad_() for x in case.inputs]
        expected = computed(case.call, inputs)
        found = computed(case.call, [Wrapper(x.detach().clone(), requires_grad=True) for x in case.inputs])
        for a, b in zip(found, expected, strict=True):
            check_same(a, b)
