"""torch_np.torch_version: versions that compare by their numbers."""
from __future__ import annotations

import re
from typing import Any

__all__ = ["TorchVersion"]

_FORM = re.compile(r"v?(?:(\d+)!)?(\d+(?:\.\d+)*)[-_.]?(?:(a|alpha|b|beta|c|rc|pre|preview)[-_.]?(\d*))?"
                   r"(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+([a-z0-9]+(?:[-_.][a-z0-9]+)*))?", re.IGNORECASE)
_STAGES = {"a": 0, "alpha": 0, "b": 1, "beta": 1}
_FINAL = 3


def _key(version: str) -> Any:
    """Returns a tuple that orders versions by PEP 440; None for a text that is no version."""
    found = _FORM.fullmatch(version.strip())
    if found is None:
        return None
    epoch, release, stage, number, dashed, post, revision, dev, day, local = found.groups()
    numbers = [int(n) for n in release.split(".")]
    while len(numbers) > 1 and numbers[-1] == 0:
        numbers.pop()
    later = int(dashed) if dashed else int(revision or 0) if post else -1
    if stage:
        before = (_STAGES.get(stage.lower(), 2), int(number or 0))
    else:
        before = (-1, 0) if dev and later < 0 else (_FINAL, 0)
    parts = tuple((1, int(p), "") if p.isdigit() else (0, 0, p.lower()) for p in re.split(r"[-_.]", local)) if local else ()
    return int(epoch or 0), tuple(numbers), before, later, (0, int(day or 0)) if dev else (1, 0), parts


class TorchVersion(str):
    """A version: a string that compares with strings and tuples of numbers by the rules of versions,
    so that `TorchVersion("2.15.0") > "2.9"` and `TorchVersion("2.15.0") >= (2, 15)`.

    A text that is no version compares as a string.
    """

    __slots__ = ()

    def _compared(self, other: Any, by: str) -> Any:
        if isinstance(other, (tuple, list)):
            other = ".".join(map(str, other))
        if not isinstance(other, str):
            return NotImplemented
        ours, theirs = _key(self), _key(other)
        if ours is None or theirs is None:
            return getattr(str, by)(self, other)
        return getattr(tuple, by)(ours, theirs)

    def __lt__(self, other: Any) -> bool:
        return self._compared(other, "__lt__")

    def __le__(self, other: Any) -> bool:
        return self._compared(other, "__le__")

    def __gt__(self, other: Any) -> bool:
        return self._compared(other, "__gt__")

    def __ge__(self, other: Any) -> bool:
        return self._compared(other, "__ge__")

    def __eq__(self, other: object) -> bool:
        return self._compared(other, "__eq__")

    def __ne__(self, other: object) -> bool:
        return self._compared(other, "__ne__")

    __hash__ = str.__hash__
