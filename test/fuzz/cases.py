"""A case is Python source: statements that make arrays, and a call. What is printed of a finding is what ran."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Call:
    """`function(*arguments)`; an argument is (keyword or None, source)."""

    function: str
    arguments: tuple[tuple[str | None, str], ...] = ()

    def __str__(self) -> str:
        return f"{self.function}({', '.join(source if name is None else f'{name}={source}' for name, source in self.arguments)})"

    def without(self, index: int) -> Call:
        return replace(self, arguments=self.arguments[:index] + self.arguments[index + 1:])


@dataclass(frozen=True)
class Case:
    """Statements, then a call whose value is `result`. `subject` is what findings are grouped by."""

    setup: tuple[str, ...]
    call: Call
    subject: str

    def __str__(self) -> str:
        return "; ".join([*self.setup, f"result = {self.call}"])

    def smaller(self) -> Iterator[Case]:
        """The same with one thing less, later things first."""
        for i in reversed(range(len(self.call.arguments))):
            yield replace(self, call=self.call.without(i))
        for i in reversed(range(len(self.setup))):
            yield replace(self, setup=self.setup[:i] + self.setup[i + 1:])


@dataclass(frozen=True)
class Finding:
    """What went wrong: `kind` and `subject` group findings, `detail` is for reading."""

    kind: str
    subject: str
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.subject


@dataclass(frozen=True)
class Outcome:
    """What became of a case: `word` is counted in the summary ("returned", "raised", or a reason of differences.py)."""

    word: str
    finding: Finding | None = None
