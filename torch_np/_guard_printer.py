"""Text of guards: for `torch_np.compiler.explain`, and the table in docs/compile.md."""
from __future__ import annotations

import collections
import types
from typing import Any

from . import _C, _object_kinds
from ._argument_members import members
from ._guards import ANY, KINDS

def _shown(value: Any) -> str:
    """A value that a guard compares, as short text. Runs no code of the value's class."""
    most = 60
    if type(value) in _object_kinds.PLAIN:
        text = repr(value)
        return text if len(text) <= most else text[:most] + "..."
    if isinstance(value, (types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type)):
        kind = "module" if isinstance(value, types.ModuleType) else "class" if isinstance(value, type) else "function"
        return f"{kind} {getattr(value, '__qualname__', value.__name__)}"
    if type(value) in (tuple, list):
        open_, close = "()" if type(value) is tuple else "[]"
        return open_ + ", ".join(map(_shown, value[:8])) + ", ..." * (len(value) > 8) + close
    return "any value" if value is ANY else f"this {type(value).__qualname__}"


_MOST_SHOWN = 100


def described(guards: list[tuple[int, Any, Any, str]]) -> list[str]:
    """Returns a line for each guard of a record: its kind, the location, and the value compared.

    Args:
      guards: The guards as CompiledFunction._guards gives them.
    """
    lines = []
    for number, key, value, where in guards:
        kind, where = KINDS[number], where.strip() or "an object"
        if kind == "Dict" and len(value) > 2 * _MOST_SHOWN:
            lines.append(f"{kind}: {where} has these {len(value) // 2} keys and values")
        elif kind in ("Attributes", "Dict"):
            for name, item in zip(value[::2], value[1::2], strict=True):
                at = f"{where}.{name}" if kind == "Attributes" else f"{where}[{_shown(name)}]"
                lines.append(f"{kind}: {at} = {_shown(item)}")
            if not value:
                lines.append(f"{kind}: {where} is empty")
        elif kind == "Class":
            lines.append(f"{kind}: {where} has the bases {_shown(value[0][1:])}")
            lines += [f"{kind}: {where.removeprefix('class ')}.{name} = {_shown(item)}"
                      for name, item in zip(value[2::2], value[3::2], strict=True) if item is not ANY and not _object_kinds.is_special(name)]
        elif kind == "Absent":
            lines.append(f"{kind}: {where} does not exist")
        elif kind == "Slot":
            lines.append(f"{kind}: {where} " + ("is empty" if value is key else f"= {_shown(value)}"))
        elif kind == "Function":
            lines.append(f"{kind}: {where} has this code, and the defaults {_shown(value[1])}")
        elif kind == "Buffer":
            lines.append(f"{kind}: {where} has these {len(value)} bytes of geometry and contents")
        else:
            lines.append(f"{kind}: {where} = {_shown(value)}")
    return lines


def described_arguments(function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[str]:
    """The same for the arguments of a call (csrc/compiler/call_key.h)."""
    lines = []
    for name, o in (*((f"argument {i}", o) for i, o in enumerate(args)), *((f"argument {name}", o) for name, o in kwargs.items())):
        if isinstance(o, (_C.Tensor, _C.ndarray)):
            lines.append(f"Geometry: {name} = {o.dtype} of shape {tuple(o.shape)}, of the class {type(o).__name__}")
        elif type(o) in (tuple, list, dict, collections.OrderedDict):
            lines.append(f"Contents: {name} = a {type(o).__name__} of {len(o)} items")
        else:
            place = int(name.split()[-1]) if name.split()[-1].isdigit() else name.split()[-1]
            read = None if type(o) in (*_object_kinds.PLAIN, slice) else members(function, place, type(o))
            for attribute in read or ():
                text = attribute if isinstance(attribute, str) else attribute.__name__
                lines.append(f"Members: {name}.{text} " + (f"= {_shown(getattr(o, text))}" if text in getattr(o, "__dict__", {}) or text != attribute else "is not its own"))
            if read is None:
                lines.append(f"{'Value' if type(o) in (*_object_kinds.PLAIN, slice) else 'Identity'}: {name} = {_shown(o)}")
    return lines


def documentation() -> str:
    """Returns the table of the kinds of guards as docs/compile.md shows it."""
    rows = [f"| {kind} | {guarded} | {compared} |" for kind, guarded, compared, _ in _C._guard_kinds()]
    return "\n".join(["| kind | what is guarded | what is compared |", "|---|---|---|", *rows])
