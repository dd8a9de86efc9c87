"""Runs the random programs of fused_programs.py as compiled functions. Each call must give the same
bits as the function itself."""
from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy

import torch_np
import torch_np.numpy as np
from fuzz.fused_programs import leaf, made, outcome, shown

_MADE = re.compile(r"(made|leaf)\((\([^)]*\)), '([^']*)', (\d+)\)")


# Statements that distinguish NumPy's scalars from the 0-d arrays that replace them in a graph: a
# power of a bool, text, changes, masks, memory of their own. They are left out for variables that
# are scalars.
_TELLS_SCALARS = ("** 2", ".fill(", " > 0]", "repr(", "memoryview(", ".shape = ", ".data = ", ".real = ")


def function_of(lines: list[str]) -> tuple[Callable[..., Any], list[tuple[Any, ...]], str]:
    """A function of the arrays that the program makes, without the statements that raise; the
    statements that make these arrays; and the function's text."""
    makers: list[tuple[Any, ...]] = []
    body = []
    tells_scalars = []

    def is_scalar(name: str, space: dict[str, Any]) -> bool:
        return isinstance(space.get(name), numpy.generic)

    def look(line: str, space: dict[str, Any]) -> None:
        changed = re.match(r"(\w+) [-+*]= ", line)  # rebinds the scalar's name
        names = re.findall(r"\b[axyg]\d+\b", re.sub(r"^\w+ = ", "", line))
        has_scalar = any(is_scalar(name, space) for name in names)
        tells_scalars.append(has_scalar and any(part in line for part in _TELLS_SCALARS) or changed is not None and is_scalar(changed[1], space))

    for line, error, tells in zip(lines, outcome(lines, "off", look)[1], tells_scalars, strict=True):
        if error or tells:
            continue

        def argument(found: re.Match[str]) -> str:
            makers.append((found[1], eval(found[2]), found[3], int(found[4])))
            return f"m{len(makers) - 1}"
        body.append(_MADE.sub(argument, line))
    names = sorted({m[1] for m in re.finditer(r"^([axyg]\d+|loss) = ", "\n".join(body), re.MULTILINE)})
    text = "\n    ".join([f"def program({', '.join(f'm{i}' for i in range(len(makers)))}):", "seen = []", *body, f"return [{', '.join(names)}], seen"])
    space: dict[str, Any] = {"np": np, "numpy": numpy, "torch": torch_np}
    exec(compile(text, "<program>", "exec"), space)
    return space["program"], makers, text


def _compared(value: Any) -> Any:
    """The comparable value. NumPy's scalars are 0-d arrays in a traced function; the sign of a NaN
    may differ between them."""
    if isinstance(value, (numpy.generic, np.ndarray)) and value.ndim == 0:
        return str(value.dtype), repr(value.item())
    return shown(value)


def _called(function: Callable[..., Any], makers: list[tuple[Any, ...]], shift: int) -> Any:
    torch_np.manual_seed(shift)
    np.random.seed(shift)
    arguments = [(made if kind == "made" else leaf)(shape, dtype, seed + 5 * shift) for kind, shape, dtype, seed in makers]
    try:
        results, seen = function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    gradients = [a.grad for a in arguments if isinstance(a, torch_np.Tensor) and a.grad is not None]
    return [_compared(v) for v in [*results, *seen, *arguments, *gradients]]


def difference(lines: list[str]) -> str | None:
    """The first call of the compiled function (traced or replayed, with the same values or others)
    whose bits differ from the function's; None if there is none."""
    function, makers, text = function_of(lines)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch_np.compile(function)
        for round_, shift in enumerate((0, 0, 1, 2, 1)):
            expected, got = _called(function, makers, shift), _called(compiled, makers, shift)
            if expected != got:
                where = next((f"{g}, and {e}" for e, g in zip(expected, got) if e != g), f"{got}, and {expected}")  # noqa: B905
                return f"round {round_}: {where}\n{text}\n{compiled.statistics()}"
    return None


def _differentiated(function: Callable[..., Any], makers: list[tuple[Any, ...]], uses: list[str | None], shift: int) -> Any:
    """Results of the function, and gradients of its arguments, which its caller uses too."""
    torch_np.manual_seed(shift)
    arrays = [made(shape, dtype, seed + 5 * shift)._torch() if kind == "made" else leaf(shape, dtype, seed + 5 * shift) for kind, shape, dtype, seed in makers]
    try:
        scaled = [a * 1.5 if shift % 2 and a.requires_grad else a for a in arrays]
        results = function(*scaled)
        parts = [eval(use.format("r"), {"r": r}) for r, use in zip(results, uses, strict=True) if use and r.requires_grad]
        if parts:
            around = sum(a.double().sum() for a in scaled if a.requires_grad) if shift % 3 else 0
            (sum(p.double() for p in parts) + around).backward()
    except Exception as error:
        return type(error).__name__, str(error)
    return [*(_compared(r.detach()) for r in results), *(None if a.grad is None else _compared(a.grad) for a in arrays)]


def gradient_difference(lines: list[str]) -> str | None:
    """The first difference in bits between gradients through the compiled function of
    fused_programs.result_statements and through the function itself; None if there is none."""
    uses = eval(lines[-1].removeprefix("uses = "))
    makers = [(m[1], eval(m[2]), m[3], int(m[4])) for line in lines[:3] if (m := _MADE.search(line))]
    text = "\n    ".join(["def program(x0, x1, k):", *lines[3:-1], "return results"])
    space: dict[str, Any] = {"np": np, "numpy": numpy, "torch": torch_np}
    exec(compile(text, "<program>", "exec"), space)
    function = space["program"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        compiled = torch_np.compile(function)
        for round_, shift in enumerate((0, 0, 1, 2, 1, 3, 4)):
            expected, got = _differentiated(function, makers, uses, shift), _differentiated(compiled, makers, uses, shift)
            if expected != got:
                where = next((f"{g}, and {e}" for e, g in zip(expected, got) if e != g), f"{got}, and {expected}")  # noqa: B905
                return f"round {round_}: {where}\n{text}\n{lines[:3]}\\n{uses}\n{compiled.statistics()}"
    return None
