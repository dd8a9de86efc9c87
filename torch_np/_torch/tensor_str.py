"""Text of a Tensor in PyTorch's style, such as `tensor([1., 2.])`."""
import contextlib
from collections.abc import Iterator
from typing import Any

import numpy as _numpy

from torch_np import _C


class _Options:
    """The current print options, which set_printoptions() changes."""

    precision, threshold, edgeitems, linewidth = 4, 1000.0, 3, 80
    sci_mode: bool | None = None  # None: chosen by the range of the numbers


PRINT_OPTS = _Options  # PyTorch's name
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


def get_printoptions() -> dict[str, Any]:
    """Returns the options of `set_printoptions` by name."""
    return {name: getattr(_Options, name) for name in ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")}


@contextlib.contextmanager
def printoptions(**kwargs: Any) -> Iterator[None]:
    """Context manager of options of `set_printoptions`.

    Args:
      kwargs: The options.
    """
    before = get_printoptions()
    set_printoptions(**kwargs)
    try:
        yield
    finally:
        set_printoptions(**before)


class _Plain:
    """The format of bools and integers. `values` are all that are printed."""

    def __init__(self, values: Any) -> None:
        self.width = max((len(str(v)) for v in values), default=1)

    def text(self, value: Any) -> str:
        return str(value).rjust(self.width)


class _Real:
    """The format of real numbers: integers as `1.`, wide ranges in scientific notation, all others with
    `precision` digits. Numbers other than zero, infinity and NaN choose it, and the width.
    """

    def __init__(self, values: Any) -> None:
        finite = values[_numpy.isfinite(values) & (values != 0)].astype(_numpy.float64)
        self.is_whole, self.is_scientific, self.width = bool((finite == _numpy.trunc(finite)).all()), False, 1
        if finite.size == 0:
            return
        largest, smallest = abs(finite).max(), abs(finite).min()
        with _numpy.errstate(over="ignore"):
            is_wide = largest / smallest > 1000 or largest > 1e8 or smallest < 1e-4
        self.is_scientific = bool(is_wide) if _Options.sci_mode is None else _Options.sci_mode
        self.width = max(len(self.text(v)) for v in finite)

    def text(self, value: Any) -> str:
        if self.is_scientific:
            text = f"{value:.{_Options.precision}e}"
        elif self.is_whole:
            text = f"{value:.0f}." if _numpy.isfinite(value) else f"{value:.0f}"
        else:
            text = f"{value:.{_Options.precision}f}"
        return text.rjust(self.width)


class _Complex:
    """The format of complex numbers: that of the real and that of the imaginary parts."""

    def __init__(self, values: Any) -> None:
        self.real, self.imag = _Real(values.real), _Real(values.imag)
        self.width = self.real.width + self.imag.width + 1

    def text(self, value: Any) -> str:
        imag = f"{self.imag.text(value.imag)}j".lstrip()
        return f"{self.real.text(value.real)}{'' if imag[0] in '+-' else '+'}{imag}"


def _format_of(host):
    """The format of the elements that are printed."""
    kind = {"c": _Complex, "f": _Real}.get(host.dtype.kind, _Plain)
    return kind(_shown(host).ravel())


def _shown(host):
    """Returns the elements that will be printed, so that no other element affects the format."""
    if host.size <= _Options.threshold:
        return host
    for axis, n in enumerate(host.shape):
        if n > 2 * _Options.edgeitems:
            keep = [*range(_Options.edgeitems), *range(n - _Options.edgeitems, n)]
            host = host.take(keep, axis)
    return host


def _lines(host, form, indent, summarize):
    """The text of an array of one or more dimensions; `summarize` leaves out the middle of long ones."""
    edge = _Options.edgeitems
    cut = summarize and len(host) > 2 * edge
    parts = [*host[:edge], *host[len(host) - edge:]] if cut else list(host)
    if host.ndim == 1:
        items = [form.text(v) for v in parts]
        if cut:
            items.insert(edge, " ..." if edge else "...")
        per_line = max(1, (_Options.linewidth - indent) // (form.width + 2))
        rows = [", ".join(items[i:i + per_line]) for i in range(0, len(items), per_line)]
        return "[" + (",\n" + " " * (indent + 1)).join(rows) + "]"
    texts = [_lines(part, form, indent + 1, summarize) for part in parts]
    if cut:
        texts.insert(edge, "...")
    return "[" + ("," + "\n" * (host.ndim - 1) + " " * (indent + 1)).join(texts) + "]"


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
    if self.dtype in (_C.float16, _C.bfloat16):
        host = host.astype(_numpy.float32)
    form = _format_of(host)
    return form.text(host[()]) if host.ndim == 0 else _lines(host, form, indent, host.size > _Options.threshold)


def _of_transformed(inp: Any) -> str:
    """The text of a tensor of a transformation."""
    from torch_np._transforms import _levels

    shown = _levels.texts.get(_C._wrapped_parts(inp)[0])  # type: ignore[index]
    if shown is None:
        return _str_intern(inp, tensor_contents="...")
    tensor, suffixes = shown(inp)
    return _add_suffixes(_str_intern(tensor)[:-1], suffixes, len("tensor("), False)


def _str_intern(inp: Any, *, tensor_contents: str | None = None) -> str:
    """The text of a tensor: values, or `tensor_contents` in their place, then the properties that differ
    from the default: device, shape, dtype, gradient.
    """
    if tensor_contents is None and _C._is_wrapped(inp):
        return _of_transformed(inp)
    default = _C.get_default_dtype()
    shown_by_default = {default, _C.complex128 if default == _C.float64 else _C.complex64, _C.int64, _C.bool}
    name = type(inp).__name__
    prefix = "tensor(" if name in ("Tensor", "Parameter") else f"{name}("
    suffixes = [] if str(inp.device) == "cpu" else [f"device='{inp.device}'"]
    if inp.is_meta or inp.numel() == 0 and inp.dim() != 1 or not _Options.edgeitems:
        suffixes.append(f"size={tuple(inp.shape)}")
    if inp.dtype != default if inp.is_meta or inp.numel() == 0 else inp.dtype not in shown_by_default:
        suffixes.append(f"dtype={inp.dtype}")
    if inp.grad_fn is not None:
        suffixes.append(f"grad_fn=<{inp.grad_fn.name()}>")
    elif inp.requires_grad:
        suffixes.append("requires_grad=True")
    contents = _tensor_str(inp, len(prefix)) if tensor_contents is None else tensor_contents
    return _add_suffixes(prefix + contents, suffixes, len(prefix), False)


_plain_repr = _C.Tensor.__repr__


def _repr(self: _C.Tensor, *, tensor_contents: Any = None) -> str:
    """The text of the tensor, with `tensor_contents` in the place of its values."""
    return _plain_repr(self) if tensor_contents is None else _str_intern(self, tensor_contents=tensor_contents)


_repr.__name__, _repr.__qualname__ = "__repr__", "Tensor.__repr__"
setattr(_C.Tensor, "__repr__", _repr)
