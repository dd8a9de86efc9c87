"""Numbers that tell the tensors of one transformation from those of others."""
from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

_counter = itertools.count(1)

# For printing: how the transformation shows one of its tensors, by its number: another tensor, whose
# text is printed, and suffixes.
texts: dict[int, Callable[[Any], tuple[Any, list[str]]]] = {}


def next_level() -> int:
    """A number that no other transformation of the process has."""
    return next(_counter)
