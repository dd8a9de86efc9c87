"""Text of a Tensor in PyTorch's style, such as `tensor([1., 2.])`."""
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np._absent import absent_function

_DEFAULT_SHOWN = {"float32", "int64", "bool", "complex64"}  # dtypes that the text omits

class _Options:
    """The current print options, which set_printoptions() changes."""

    precision, threshold, edgeitems, linewidth = 4, 1000.0, 3, 80
    sci_mode: bool | None = None  # None: chosen by the range of the numbers


PRINT_OPTS = _Options  # PyTorch's name
_str_intern = absent_function("_str_intern", "texts of a tensor with other contents are not implemented; use _tensor_str and _add_suffixes",
                              "torch_np._tensor_str")
_PROFILES: dict[str, dict[str, Any]] = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": _numpy.inf, "edgeitems": 3, "linewidth": 80},
}


def set_printoptions(precision: int | None = None, threshold: float | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Sets how tensors are printed.

    Args:
      precision: Number of decimal digits; 4 at first.
      threshold: Number of elements above which the text is abbreviated; 1000 at first.
      edgeitems: Number of elements that abbreviated text shows at the start and end of each axis; 3
        at first.
      linewidth: Characters in a line; 80 at first.
      profile: 'default', 'short' or 'full', which sets all of the above.
      sci_mode: Whether numbers are in scientific notation; None chooses by their range.

    Errors: ValueError if `profile` is none of these.
    """
    if profile is not None:
        if profile not in _PROFILES:
            raise ValueError(f"profile must be 'default', 'short' or 'full', not {profile!r}")
        for name, value in _PROFILES[profile].items():
            setattr(_Options, name, value)
    for name, value in (("precision", precision), ("threshold", threshold), ("edgeitems", edgeitems), ("linewidth", linewidth)):
        if value is not None:
            setattr(_Options, name, value)
    _Options.sci_mode = sci_mode



def _float_format(values):
    """Chooses PyTorch's number format: integers as `1.`, wide ranges in scientific notation,
    otherwise 4 digits.
    """
    finite = values[_numpy.isfinite(values) & (values != 0)]
    if _Options.sci_mode is not None:
        kind = "e" if _Options.sci_mode else "f"
        if kind == "f" and (finite == _numpy.trunc(finite)).all():
            return lambda v: f"{v:.0f}." if _numpy.isfinite(v) else str(v)
        return lambda v: f"{v:.{_Options.precision}{kind}}"
    if finite.size == 0 or (finite == _numpy.trunc(finite)).all():
        largest = abs(finite).max(initial=0)
        if largest > 1e8:
            return lambda v: f"{v:.{_Options.precision}e}"
        return lambda v: f"{v:.0f}." if _numpy.isfinite(v) else str(v)
    largest, smallest = abs(finite).max(), abs(finite).min()
    with _numpy.errstate(over="ignore"):
        ratio = largest / smallest
    if ratio > 1000 or largest > 1e8 or smallest < 1e-4:
        return lambda v: f"{v:.{_Options.precision}e}"
    return lambda v: f"{v:.{_Options.precision}f}"


def _texts(host):
    if host.dtype.kind == "c":
        real, imag = _float_format(host.real.ravel()), _float_format(abs(host.imag).ravel())
        return lambda v: f"{real(v.real)}{'-' if _numpy.signbit(v.imag) else '+'}{imag(abs(v.imag))}j"
    if host.dtype.kind == "f":
        return _float_format(host.ravel())
    return str


def _shown(host):
    """Returns the elements that will be printed, so that no other element affects the format."""
    if host.size <= _Options.threshold:
        return host
    for axis, n in enumerate(host.shape):
        if n > 2 * _Options.edgeitems:
            keep = [*range(_Options.edgeitems), *range(n - _Options.edgeitems, n)]
            host = host.take(keep, axis)
    return host


def _lines(host, cell, width, indent, summarize):
    if host.ndim == 1:
        items = [cell(v).rjust(width) for v in (host if not summarize or len(host) <= 2 * _Options.edgeitems else
                                                [*host[:_Options.edgeitems], *host[-_Options.edgeitems:]])]
        if summarize and len(host) > 2 * _Options.edgeitems:
            items.insert(_Options.edgeitems, " ...")
        per_line = max(1, (_Options.linewidth - indent) // (width + 2))
        rows = [", ".join(items[i:i + per_line]) for i in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"
    parts = list(host)
    if summarize and len(parts) > 2 * _Options.edgeitems:
        texts = [_lines(p, cell, width, indent + 1, summarize) for p in parts[:_Options.edgeitems] + parts[-_Options.edgeitems:]]
        texts.insert(_Options.edgeitems, "...")
    else:
        texts = [_lines(p, cell, width, indent + 1, summarize) for p in parts]
    separator = "," + "\n" * (host.ndim - 1) + " " * (indent + 1)
    return "[" + separator.join(texts) + "]"


def _add_suffixes(tensor_str: str, suffixes: list[str], indent: int, force_newline: bool) -> str:
    """The text of a tensor's values, with properties and a closing parenthesis. A property that does
    not fit into the line begins a new one, and so does the first one by `force_newline`.
    """
    used = len(tensor_str) - tensor_str.rfind("\n") + 1
    for suffix in suffixes:
        if force_newline or used + len(suffix) + 2 > _Options.linewidth:
            tensor_str += ",\n" + " " * indent + suffix
            used, force_newline = indent + len(suffix), False
        else:
            tensor_str += ", " + suffix
            used += len(suffix) + 2
    return tensor_str + ")"


def _tensor_str(self: Any, indent: int) -> str:
    """The text of a tensor's values, for a line in which they begin at the column `indent`."""
    if self.is_meta:
        return "..."
    if self.numel() == 0:
        return "[]"
    host = _C._numpy_view(self.detach())
    if str(self.dtype).rpartition(".")[2] in ("float16", "bfloat16"):
        host = host.astype(_numpy.float32)
    shown = _shown(host)
    cell = _texts(shown)
    width = max(len(cell(v)) for v in shown.ravel())
    return cell(host[()]) if host.ndim == 0 else _lines(host, cell, width, indent, host.size > _Options.threshold)


def _tensor_repr(t):
    """Returns the text of `t`: values, then the properties that differ from the default: shape,
    device, dtype, gradient.
    """
    host = _numpy.empty(0) if t.is_meta else _C._numpy_view(t)
    name = str(t.dtype).rpartition(".")[2]
    if name in ("float16", "bfloat16"):
        host = host.astype(_numpy.float32)
    notes = []
    if t.is_meta:
        text = "..."
        notes.append(f"size={tuple(t.shape)}")
    elif host.size == 0:
        text = "[]"
        if host.ndim != 1:
            notes.append(f"size={tuple(t.shape)}")
    else:
        shown = _shown(host)
        cell = _texts(shown)
        width = max(len(cell(v)) for v in shown.ravel())
        text = cell(host[()]) if host.ndim == 0 else \
            _lines(host, cell, width, len("tensor("), host.size > _Options.threshold)
    if str(t.device) != "cpu":
        notes.append(f"device='{t.device}'")
    if name not in _DEFAULT_SHOWN or (host.size == 0 and name != "float32"):
        notes.append(f"dtype={t.dtype}")
    if t.grad_fn is not None:
        notes.append(f"grad_fn=<{t.grad_fn.name()}>")
    elif t.requires_grad:
        notes.append("requires_grad=True")
    return f"tensor({', '.join([text, *notes])})"
