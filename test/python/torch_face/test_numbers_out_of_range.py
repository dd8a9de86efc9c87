"""Numbers that a dtype cannot hold: every operator that writes a number, or computes with one in the tensor's dtype, raises PyTorch's error."""
from __future__ import annotations

import math

import pytest

import torch_np as torch
import torch_np.nn.functional as F

VALUES = [True, -1, -200, -300, 300, 70000, 2**31, 2**40, -2**63, 1.5, -1.5, 300.7, 1e5, 1e39, 1e300, -1e20, math.inf, -math.inf, math.nan, 1j, 2 + 0j, 1e300j]
BITS = {torch.uint8: (0, 8), torch.int8: (1, 7), torch.int16: (1, 15), torch.int32: (1, 31), torch.int64: (1, 63)}
LARGEST = {torch.float16: 65504.0, torch.bfloat16: float.fromhex("0x1.fep127"), torch.float32: float.fromhex("0x1.fffffep127"),
           torch.float64: math.inf}
COMPUTE = {torch.float16: torch.float32, torch.bfloat16: torch.float32}
FLOATS = list(LARGEST)
DTYPES = [torch.bool, *BITS, *FLOATS, torch.complex64]


def holds(dtype, value) -> bool:
    """Whether PyTorch converts `value` to `dtype`."""
    if dtype is torch.bool:
        return True
    if isinstance(value, complex):
        if dtype.is_complex:
            return holds(torch.float32, value.real) and holds(torch.float32, value.imag)
        return value.imag == 0 and holds(dtype, value.real)
    if dtype.is_complex:
        return holds(torch.float32, value)
    if dtype.is_floating_point:
        return not math.isfinite(value) or abs(value) <= LARGEST[dtype]
    signed, bits = BITS[dtype]
    if isinstance(value, float):
        return math.isfinite(value) and -signed * 2**bits <= value <= 2**bits - 1
    return -2**bits <= value < 2**bits if signed else -2**bits < value < 2**bits


def ones(dtype):
    return torch.ones(3, dtype=dtype)


def index():
    return torch.tensor([0, 1])


def mask():
    return torch.tensor([True, False, True])


def assigned(key):
    def assign(dtype, value):
        t = torch.ones(3, dtype=dtype, device="cpu" if key == 0 else None)   # elements of a GPU are converted as slices are
        t[key() if callable(key) else key] = value
        return t
    return assign


# Operators that store the number.
WRITERS = {
    "full": lambda d, v: torch.full((2,), v, dtype=d),
    "full_like": lambda d, v: torch.full_like(ones(d), v),
    "new_full": lambda d, v: ones(d).new_full((2,), v),
    "fill_": lambda d, v: ones(d).fill_(v),
    "fill": lambda d, v: torch.fill(ones(d), v),
    "masked_fill": lambda d, v: ones(d).masked_fill(mask(), v),
    "masked_fill_": lambda d, v: ones(d).masked_fill_(mask(), v),
    "index_fill": lambda d, v: ones(d).index_fill(0, index(), v),
    "index_fill_": lambda d, v: ones(d).index_fill_(0, index(), v),
    "scatter": lambda d, v: ones(d).scatter(0, index(), v),
    "scatter_": lambda d, v: ones(d).scatter_(0, index(), v),
    "scatter, reduce": lambda d, v: ones(d).scatter(0, index(), v, reduce="add"),
    "pad": lambda d, v: F.pad(ones(d), (1, 1), value=v),
    "fill_diagonal_": lambda d, v: torch.ones(3, 3, dtype=d).fill_diagonal_(v),
    "index_add": lambda d, v: ones(d).index_add(0, index(), torch.ones(2, dtype=d), alpha=v),
    "x[:] =": assigned(slice(None)),
    "x[mask] =": assigned(mask),
    "x[index] =": assigned(index),
    "scalar_tensor": lambda d, v: torch.scalar_tensor(v, dtype=d),
    "linspace": lambda d, v: torch.linspace(0, v, 3, dtype=d),
    "logspace": lambda d, v: torch.logspace(0, v, 3, dtype=d),
    "where": lambda d, v: torch.where(mask(), ones(d), v) if torch.result_type(ones(d), v) == d else ones(d).fill_(v),
    "x[0] =": assigned(0),
    "tensor": lambda d, v: torch.tensor(v, dtype=d),
    "tensor of a list": lambda d, v: torch.tensor([v], dtype=d),
    "threshold": lambda d, v: F.threshold(ones(d), 0, v),
    "hardshrink": lambda d, v: F.hardshrink(ones(d), v),
}
# Operators that compute with the number.
FACTORS = {
    "addcmul": lambda d, v: torch.addcmul(ones(d), ones(d), ones(d), value=v),
    "addcdiv": lambda d, v: torch.addcdiv(ones(d), ones(d), ones(d), value=v),
    "addmm": lambda d, v: torch.addmm(torch.ones(1, 3, dtype=d), torch.ones(1, 3, dtype=d), torch.ones(3, 3, dtype=d), alpha=v),
    "baddbmm": lambda d, v: torch.baddbmm(torch.ones(1, 1, 3, dtype=d), torch.ones(1, 1, 3, dtype=d), torch.ones(1, 3, 3, dtype=d), beta=v),
    "threshold at": lambda d, v: F.threshold(ones(d), v, 0),
    "leaky_relu": lambda d, v: F.leaky_relu(ones(d), v),
    "elu": lambda d, v: F.elu(ones(d), v),
    "softplus": lambda d, v: F.softplus(ones(d), v),
}
# These make infinities of numbers that are too large, for 16-bit floats or all floats.
INFINITE = {"where": COMPUTE, "x[0] =": COMPUTE, "tensor": [*FLOATS, torch.complex64], "tensor of a list": [*FLOATS, torch.complex64]}


@pytest.mark.parametrize("name", [*WRITERS, *FACTORS])
def test_number_raises_if_the_dtype_does_not_hold_it(name):
    call = (WRITERS | FACTORS)[name]
    for dtype in DTYPES:
        if dtype is torch.bool and name in ("linspace", "logspace"):   # PyTorch has none of bool
            continue
        for value in VALUES:
            if dtype in INFINITE.get(name, ()):
                held = dtype.is_complex or not isinstance(value, complex) or not value.imag
            else:
                held = holds(COMPUTE.get(dtype, dtype) if name in FACTORS else dtype, value)
            message = ""
            try:
                call(dtype, value)
            except (RuntimeError, TypeError) as error:
                message = str(error)
            if message and "without overflow" not in message:   # the operator has no such dtype, or takes no such kind of number
                continue
            assert bool(message) != held, (dtype, value, message)


def test_tensors_of_one_number_are_converted_as_numbers():
    large, chosen, places = (t.cpu() for t in (torch.tensor(300), mask(), index()))   # elements of a GPU are not read
    for call in (lambda t: t.fill_(large), lambda t: t.masked_fill(chosen, large), lambda t: t.masked_fill_(chosen, large),
                 lambda t: t.index_fill(0, places, large), lambda t: t.index_fill_(0, places, large)):
        with pytest.raises(RuntimeError, match="value cannot be converted to type uint8_t without overflow"):
            call(ones(torch.uint8).cpu())
        assert call(ones(torch.int16).cpu()).max() == 300


def test_unsigned_integers_take_negative_numbers_modulo_their_range():
    assert torch.full((2,), -1, dtype=torch.uint8).tolist() == [255, 255]
    t = ones(torch.uint8)
    t[1] = -2
    assert t.tolist() == [1, 254, 1]
    t[:] = -3
    assert t.tolist() == [253, 253, 253]
    assert torch.tensor(-1, dtype=torch.uint8).item() == 255
