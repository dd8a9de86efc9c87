"""16-bit floats with numbers and 0-d operands, which some operators do not round to the dtype first."""
import pytest
import torch_np as torch
import torch_np.numpy as np

F = torch.nn.functional
HALVES = [torch.float16, torch.bfloat16]

# In PyTorch the operators of KEPT compute with the number as it is; those of ROUNDED round it first.
KEPT = {
    "mul": lambda x, c: x * c, "rmul": lambda x, c: c * x, "mul_": lambda x, c: x.clone().mul_(c), "div": lambda x, c: x / c,
    "rdiv": lambda x, c: c / x, "div_": lambda x, c: x.clone().div_(c), "floor_divide": lambda x, c: torch.floor_divide(x, c),
    "floor": lambda x, c: torch.div(x, c, rounding_mode="floor"), "trunc": lambda x, c: torch.div(x, c, rounding_mode="trunc"),
    "leaky_relu": lambda x, c: F.leaky_relu(x, float(c)), "elu": lambda x, c: F.elu(x, float(c)), "celu": lambda x, c: F.celu(x, float(c)),
    "threshold": lambda x, c: F.threshold(x, float(c), float(c) * 3), "softplus": lambda x, c: F.softplus(x, float(c)),
    "lerp": lambda x, c: torch.lerp(x, x * 2, float(c)), "out": lambda x, c: torch.mul(x, c, out=torch.empty_like(x)),
}
ROUNDED = {
    "add": lambda x, c: x + c, "sub": lambda x, c: x - c, "rsub": lambda x, c: c - x, "pow": lambda x, c: x.abs() ** c,
    "fmod": lambda x, c: torch.fmod(x, c), "remainder": lambda x, c: torch.remainder(x, c), "softshrink": lambda x, c: F.softshrink(x, float(c)),
}


def operand(dtype):
    torch.manual_seed(0)
    return (torch.randn(1000) * 2).to(dtype)


@pytest.mark.parametrize("make", [float, torch.tensor], ids=["number", "0-d"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", [*KEPT, *ROUNDED])
def test_numbers_are_rounded_where_pytorch_rounds_them(name, dtype, make):
    f, x, c = {**KEPT, **ROUNDED}[name], operand(dtype), 0.1
    used = c if name in KEPT else torch.tensor(c, dtype=dtype).item()
    wide = x.float()
    expected = (torch.div(wide, used, rounding_mode="floor") if name in ("floor", "floor_divide") else f(wide, used)).to(dtype)
    assert torch.equal(f(x, make(c)), expected)


def test_numbers_beyond_the_range():
    x = torch.tensor([0.01], dtype=torch.float16)
    assert (x * 65536).item() == (x * torch.tensor(65536.0)).item() == 655.5 and (torch.tensor([600.0], dtype=torch.float16) / 1e6).item() > 0
    assert (x + 65536).item() == float("inf")
    assert np.isinf(np.float16(0.01) * np.array([65536.0], dtype=np.float16))[0]
    with pytest.warns(RuntimeWarning, match="overflow"):
        assert np.isinf(x._np_compat() * 65536)[0]  # NumPy rounds the number


def test_compiled_products_keep_numbers():
    @torch.compile
    def scaled(x):
        return x * 65536 + 1

    x = torch.full((1000,), 0.01, dtype=torch.float16)
    for _ in range(3):
        assert torch.equal(scaled(x), (x.float() * 65536).half() + 1)
