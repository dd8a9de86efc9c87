"""Inputs and results of the jobs: parameters with given values, and results as JSON."""
from __future__ import annotations

import math
from typing import Any

MOST = 200  # elements of a tensor that are kept; of a larger one, every n-th


def fill(module: Any) -> Any:
    """Sets all parameters of a module to values that do not depend on a random stream."""
    import torch

    with torch.no_grad():
        for k, parameter in enumerate(module.parameters()):
            steps = torch.arange(parameter.numel(), dtype=torch.float64)
            parameter.copy_((torch.sin(steps * 0.37 + k) * 0.3).reshape(parameter.shape))
    return module


def wave(*shape: int, step: float = 0.37, dtype: Any = None) -> Any:
    """A tensor of numbers between -1 and 1."""
    import torch

    return torch.sin(torch.arange(math.prod(shape), dtype=torch.float64) * step).reshape(shape).to(dtype or torch.float32)


def described(value: Any) -> Any:
    """Returns a result as JSON: numbers, texts, lists and dictionaries; a tensor as its dtype, shape
    and elements."""
    import torch

    if isinstance(value, torch.Tensor):
        flat = value.detach().resolve_conj().reshape(-1) if hasattr(value, "resolve_conj") else value.detach().reshape(-1)
        if flat.is_complex():
            flat = torch.view_as_real(flat.contiguous()).reshape(-1)
        step = max(1, -(-flat.numel() // MOST))
        return {"dtype": str(value.dtype), "shape": list(value.shape), "values": [float(v) for v in flat[::step].tolist()]}
    if isinstance(value, dict):
        return {str(k): described(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [described(v) for v in value]
    if isinstance(value, (bool, int, float, str)) or value is None:
        return value
    return str(value)


def differences(got: Any, want: Any, tolerance: float, at: str = "") -> list[str]:
    """Returns the places where two descriptions differ."""
    if isinstance(want, dict) and isinstance(got, dict):
        if set(got) != set(want):
            return [f"{at}: {sorted(got)} in place of {sorted(want)}"]
        return [d for key in want for d in differences(got[key], want[key], tolerance, f"{at}.{key}".lstrip("."))]
    if isinstance(want, list) and isinstance(got, list):
        if len(got) != len(want):
            return [f"{at}: {len(got)} in place of {len(want)}"]
        return [d for i, (g, w) in enumerate(zip(got, want)) for d in differences(g, w, tolerance, f"{at}[{i}]")]
    if isinstance(want, float) and isinstance(got, float):
        near = math.isclose(got, want, rel_tol=tolerance, abs_tol=tolerance) or (math.isnan(got) and math.isnan(want))
        return [] if near else [f"{at}: {got!r} in place of {want!r}"]
    return [] if got == want and type(got) is type(want) else [f"{at}: {got!r} in place of {want!r}"]
