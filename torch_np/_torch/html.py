"""HTML representation of arrays in notebooks: a line of description, and a table of the elements.
"""
from __future__ import annotations

import html
from typing import Any

import numpy

from torch_np import _C
from torch_np._torch.tensor_str import _Options

_MOST = 12  # rows and columns that are shown; longer axes omit their middle


def _places(n: int) -> list[int | None]:
    """Returns the indices of the shown elements out of n; one None stands for the omitted middle.
    """
    if n <= _MOST:
        return list(range(n))
    half = _MOST // 2
    return [*range(half), None, *range(n - half, n)]


def _text(value: Any, precision: int) -> str:
    return f"{value:.{precision}g}" if isinstance(value, (float, complex)) else str(value)


def _cells(array: Any, precision: int) -> list[list[str]]:
    """Formats the elements of a 2-d array as text."""
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
    """Returns HTML for an array: a line with type, shape, dtype, device and gradient, and its
    elements.

    Arrays with up to two axes are tables, which omit the middle of axes with more than 12 elements.
    Arrays with more axes are text.
    """
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
