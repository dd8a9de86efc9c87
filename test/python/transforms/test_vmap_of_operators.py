"""vmap of every operator with a derivative: its samples (operator_cases.py) in a batch, against a loop."""
import warnings

import pytest
from operator_cases import DIFFERENTIABLE, KIND, Maker, callable_on, cases_of, takes_dtype

import torch_np
import torch_np.numpy as np

SIZE = 3
# Operators whose samples are no functions of tensors alone.
WITHOUT_BATCH = {op["full_name"] for op in DIFFERENTIABLE.values() if op["file"].endswith(("random.yaml", "sampling.yaml", "dropout.yaml"))}


def flat(value):
    """The results of a sample as tensors."""
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in flat(v)]
    value = np.asarray(value) if not isinstance(value, (torch_np.Tensor, np.ndarray)) else value
    return [value._torch() if isinstance(value, np.ndarray) else value]


def close(a, b):
    assert a.shape == b.shape and a.dtype == b.dtype, (a.shape, b.shape, a.dtype, b.dtype)
    torch_np.testing.assert_close(a, b, rtol=1e-7, atol=1e-8, equal_nan=True)


def batches(name, dtype):
    """For each sample call: the function, and the inputs of all samples of a batch."""
    op = DIFFERENTIABLE[name]
    made = [cases_of(op, Maker("Tensor", dtype, f"{name}{i or ''}", op.get("domain"))) for i in range(SIZE)]
    for cases in zip(*made):
        if KIND[dtype] in cases[0].kinds:
            inputs = [[x.detach() for x in case.inputs] for case in cases]
            yield cases[0].id, cases[0].call, list(zip(*inputs))


ONLY_LEADING = {"as_strided", "restride", "view_as_complex"}               # their results depend on strides
ONLY_COMPLEX = {"eig_stack": "NumPy's function chooses the dtype by the values"}
ONLY_TOGETHER = {"copy_", "put_indexed_"}                                  # a batch cannot be written into one tensor


def chosen(count):
    """Which arguments are batched: each one alone, and all."""
    alone = [[i == k for i in range(count)] for k in range(count)]
    return alone if count == 1 else [*alone, [True] * count]


def check_values(name, function, columns, axis):
    for batched in chosen(len(columns)):
        if name in ONLY_TOGETHER and not batched[0]:
            continue
        dims = tuple((axis if column[0].dim() else 0) if use else None for use, column in zip(batched, columns))
        given = [column[0] if d is None else torch_np.stack(column, d) for d, column in zip(dims, columns)]
        made = torch_np.vmap(function, in_dims=dims)(*given)
        expected = [function(*[column[i if use else 0] for use, column in zip(batched, columns)]) for i in range(SIZE)]
        for result, one in zip(made, zip(*expected), strict=True):
            close(result, torch_np.stack(one))


def in_samples(call):
    return lambda *xs: tuple(flat(call(*xs)))


def gradients(call, count):
    """The gradients of one sample by all arguments: of the sum of the real parts of the results."""
    def total(*xs):
        # A factor for each element: sums of some results are constant.
        parts = [(r * torch_np.arange(1, r.numel() + 1).reshape(r.shape)).sum() for r in flat(call(*[x * 1 for x in xs]))
                 if r.is_floating_point() or r.is_complex()]
        return sum(p.real if p.is_complex() else p for p in parts)
    return lambda *xs: torch_np.func.grad(total, tuple(range(count)))(*xs)


CHECKS = [(name, dtype) for name, op in DIFFERENTIABLE.items() for dtype in ("float64", "complex128")
          if name not in WITHOUT_BATCH and callable_on(op, "Tensor") and takes_dtype(name, "Tensor", dtype)
          and not (name in ONLY_COMPLEX and dtype == "float64")]


@pytest.mark.parametrize(("name", "dtype"), CHECKS)
def test_vmap_equals_a_loop(name, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for number, (_, call, columns) in enumerate(batches(name, dtype)):
            check_values(name, in_samples(call), columns, -1 if number % 2 and name not in ONLY_LEADING else 0)


@pytest.mark.parametrize(("name", "dtype"), CHECKS)
def test_vmap_of_gradients_equals_a_loop(name, dtype):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for number, (_, call, columns) in enumerate(batches(name, dtype)):
            check_values(name, gradients(call, len(columns)), columns, 0 if number % 2 or name in ONLY_LEADING else -1)
