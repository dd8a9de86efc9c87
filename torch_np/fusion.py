"""Fusion: whole expressions in one pass over memory.

A pointwise operator on the CPU whose result is large need not run when it is called: its result is *pending*, an array like any other, that is computed
when somebody looks at its bytes, or is about to change an operand. By then more of the expression is known: operators run one after the other over blocks
of elements that stay in the cache, and what nobody holds any more is never written. The results are bit for bit those of the operators one by one.

    y = 2.5 * a + b * 0.5 - a * b + c      # four arrays are read, one is written

That is so by itself; set_mode('off') turns it off.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import _C

__all__ = ["get_mode", "has_machine_code", "machine_code_statistics", "off", "program", "set_machine_code", "set_mode", "statistics"]

_MODES = ("off", "auto", "always")


def get_mode() -> str:
    """'off', 'auto' or 'always'; see set_mode."""
    return _MODES[_C._fusion_mode()]


def set_mode(mode: str) -> None:
    """Which results are pending, in all threads: none with 'off'; with 'auto' those of 256 KiB and more; with 'always' all that can be (for tests).

    What is pending already stays so. The environment variable TORCH_NP_FUSION sets the mode that a process begins with; it is 'auto' else.
    Errors: ValueError for another mode.
    """
    if mode not in _MODES:
        raise ValueError(f"set_mode(): mode must be one of {', '.join(map(repr, _MODES))}, got {mode!r}")
    _C._fusion_set_mode(_MODES.index(mode))


@contextlib.contextmanager
def off() -> Iterator[None]:
    """Within it every operator runs when it is called, in all threads."""
    before = get_mode()
    set_mode("off")
    try:
        yield
    finally:
        set_mode(before)


def statistics() -> dict[str, int]:
    """Since the process began: operators 'recorded', how many of those were 'dropped' since nobody asked for their results, 'programs' that were run,
    'steps' (operators) in them, and 'outputs' that they wrote to memory."""
    return _C._fusion_statistics()


def has_machine_code() -> bool:
    """Whether chains of cheap operators (arithmetic, comparisons, `where`) of float32 and float64 run as machine code made for them: on x86-64 with AVX2
    or AVX-512, unless the system forbids it or it was turned off."""
    return _C._fusion_has_machine_code()


def set_machine_code(is_on: bool) -> None:
    """Whether machine code is made of chains, in all threads. The environment variable TORCH_NP_MACHINE_CODE=0 turns it off from the beginning.
    The results are the same bits."""
    _C._fusion_set_machine_code(is_on)


def machine_code_statistics() -> dict[str, int]:
    """Since the process began: chains that machine code was 'made' for, and 'found' for; the 'bytes' of memory that code which is kept takes up."""
    return _C._fusion_machine_code_statistics()


def program(array: Any) -> str | None:
    """The program that would compute a pending array, a line a step; None where the array is not pending. m0, m1, ... are arrays in memory, r0, r1, ...
    registers of a block. Errors: TypeError for what is no Tensor or ndarray."""
    return _C._fusion_program(array)
