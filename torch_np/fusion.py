"""torch_np.fusion: lazy evaluation of pointwise expressions on the CPU in one pass over memory.

The large result of a pointwise operator is *pending*: an ordinary array whose elements are computed
when they are read, or when an operand is about to change. The operators of the expression then run
together over blocks of elements that stay in the cache. Intermediate results that are no longer
referenced are never written. The results are bitwise identical to those of separate operators.

    y = 2.5 * a + b * 0.5 - a * b + c      # reads four arrays and writes one

Fusion is on by default; set_mode('off') turns it off.
"""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from . import _C

__all__ = ["get_mode", "has_machine_code", "machine_code_statistics", "off", "program", "set_machine_code", "set_mode", "statistics"]

_MODES = ("off", "auto", "always")


def get_mode() -> str:
    """Returns the current mode: 'off', 'auto' or 'always'; see `set_mode`."""
    return _MODES[_C._fusion_mode()]


def set_mode(mode: str) -> None:
    """Sets which results are pending, in all threads. Results that are already pending stay so.

    The environment variable TORCH_NP_FUSION sets the initial mode of a process; without it the mode
    is 'auto'.

    Args:
      mode: 'off' for none, 'auto' for results of 256 KiB and more, or 'always' for all results that
        can be pending (for tests).

    Errors: ValueError if `mode` is none of these.
    """
    if mode not in _MODES:
        raise ValueError(f"set_mode(): mode must be one of {', '.join(map(repr, _MODES))}, got {mode!r}")
    _C._fusion_set_mode(_MODES.index(mode))


@contextlib.contextmanager
def off() -> Iterator[None]:
    """Context manager in which every operator runs when it is called, in all threads."""
    before = get_mode()
    set_mode("off")
    try:
        yield
    finally:
        set_mode(before)


def statistics() -> dict[str, int]:
    """Returns counters since the start of the process: operators 'recorded', and those 'dropped'
    because their results were not used; 'programs' run, 'steps' (operators) in them, and 'outputs'
    that they wrote to memory.
    """
    return _C._fusion_statistics()


def has_machine_code() -> bool:
    """Whether sequences of cheap float32 and float64 operators (arithmetic, comparisons, `where`) run
    as generated machine code.

    This needs x86-64 with AVX2 or AVX-512. It is False if the system forbids it or it was turned
    off.
    """
    return _C._fusion_has_machine_code()


def set_machine_code(is_on: bool) -> None:
    """Turns generated machine code for sequences of operators on or off, in all threads. The results
    are bitwise identical.

    The environment variable TORCH_NP_MACHINE_CODE=0 turns it off from the start.

    Args:
      is_on: Whether to use machine code.
    """
    _C._fusion_set_machine_code(is_on)


def machine_code_statistics() -> dict[str, int]:
    """Returns counters since the start of the process: sequences for which machine code was 'made',
    and for which it was 'found' in the cache; and the 'bytes' of memory that the cached code
    occupies.
    """
    return _C._fusion_machine_code_statistics()


def program(array: Any) -> str | None:
    """Returns the program that would compute a pending array, one line for each step; None if the
    array is not pending.

    In the text m0, m1, ... are arrays in memory, and r0, r1, ... registers of a block.

    Args:
      array: Tensor or ndarray.

    Errors: TypeError if `array` is neither.
    """
    return _C._fusion_program(array)
