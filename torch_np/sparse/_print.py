"""Text of sparse tensors, as PyTorch writes it."""
from __future__ import annotations

import torch_np
from torch_np import Tensor, _C
from torch_np._torch.tensor_str import _add_suffixes, _tensor_str
from torch_np.sparse._common import BY_COLUMNS, nnz_of
from torch_np.sparse._parts import COO, LAYOUTS, Parts, parts_of, size_of
from torch_np.sparse._tensor import implements


def _named(parts: Parts) -> list[tuple[str, Tensor]]:
    """The parts with their names."""
    if parts.plain is None:
        return [("indices", parts.indices), ("values", parts.values)]
    first, second = ("ccol_indices", "row_indices") if parts.layout in BY_COLUMNS else ("crow_indices", "col_indices")
    return [(first, parts.indices), (second, parts.plain), ("values", parts.values)]


@implements("Tensor.__repr__", "Tensor.__str__")
def text_of(x: Tensor, *, tensor_contents: str | None = None) -> str:
    """The text of a sparse tensor."""
    parts = parts_of(x)
    values, size = parts.values, size_of(x)
    indent = len("tensor(")
    shown = []
    for name, part in _named(parts):
        prefix = f"{name}=tensor("
        text = prefix + _tensor_str(part.detach(), indent + len(prefix))
        if part.is_meta or not part.numel():
            text += f", size={tuple(part.shape)}"
        shown.append(text + ")")
    suffixes = [] if values.device.type == "cpu" else [f"device='{values.device}'"]
    suffixes.append(f"size={tuple(size)}")
    if not values.is_meta:
        suffixes.append(f"nnz={nnz_of(parts)}")
    default = _C.get_default_dtype()
    if values.dtype not in (default, torch_np.complex128 if default == torch_np.float64 else torch_np.complex64, torch_np.int64, torch_np.bool):
        suffixes.append(f"dtype={values.dtype}")
    suffixes.append(f"layout={LAYOUTS[parts.layout]}")
    if values.grad_fn is not None:
        suffixes.append(f"grad_fn=<{values.grad_fn.name()}>")
    elif values.requires_grad:
        suffixes.append("requires_grad=True")
    contents = (",\n" + " " * indent).join(shown) if tensor_contents is None else tensor_contents
    return _add_suffixes("tensor(" + contents, suffixes, indent, parts.layout == COO)


@implements("Tensor.__format__")
def _format(x: Tensor, spec: str = "") -> str:
    return format(text_of(x), spec)
