"""Arrays in notebooks: what they are, in a line, and the elements of small ones as tables."""
from __future__ import annotations

import html
from typing import Any

import numpy

from torch_np import _C
from torch_np._torch.tensor_str import _Options

_MOST = 12  # rows and columns, before the middle is left out


def _places(n: int) -> list[int | None]:
    """Which of n elements are shown; None for those that are not."""
    if n <= _MOST:
        return list(range(n))
    half = _MOST // 2
    return [*range(half), None, *range(n - half, n)]


def _text(value: Any, precision: int) -> str:
    return f"{value:.{precision}g}" if isinstance(value, (float, complex)) else str(value)


def _cells(array: Any, precision: int) -> list[list[str]]:
    """Of two axes."""
    columns = _places(array.shape[1])
    rows = []
    for i in _places(array.shape[0]):
        row = None if i is None else array[i]
        rows.append(["⋮" if row is None else "…" if j is None else _text(row[j].item(), precision) for j in columns])
    return rows


def _description(array: Any) -> str:
    is_tensor = isinstance(array, _C.Tensor)
    tensor = array if is_tensor else array._torch()
    parts = ["Tensor" if is_tensor else "ndarray", f"shape {tuple(tensor.shape)}", str(tensor.dtype).rpartition(".")[2]]
    if str(tensor.device) != "cpu":
        parts.append(f"device {tensor.device}")
    if tensor.grad_fn is not None:
        parts.append(f"grad_fn {tensor.grad_fn.name()}")
    elif tensor.requires_grad:
        parts.append("requires_grad")
    return ", ".join(parts)


def repr_html(array: Any) -> str:
    """A line with type, shape, dtype, device and gradient; of one and two axes a table, whose middle is left out beyond 12 rows or columns; of more the text."""
    precision = _Options.precision if isinstance(array, _C.Tensor) else numpy.get_printoptions()["precision"]
    head = f"<div><code>{html.escape(_description(array))}</code></div>"
    tensor = (array if isinstance(array, _C.Tensor) else array._torch()).detach()
    if str(tensor.device) == "meta" or tensor.dim() > 2:
        return head + f"<pre>{html.escape(repr(array))}</pre>"
    two = tensor.reshape(1, -1) if tensor.dim() < 2 else tensor
    rows = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in _cells(two, precision))
    return head + f"<table>{rows}</table>"


for _type in (_C.Tensor, _C.ndarray):
    setattr(_type, "_repr_html_", repr_html)
