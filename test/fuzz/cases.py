"""Cases as Python source: statements that make arrays, and a call. The printed source of a finding
is exactly the source that ran."""
from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import ClassVar


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
    """Statements, then a call whose value is `result`. Findings are grouped by `subject`."""

    setup: tuple[str, ...]
    call: Call
    subject: str
    most_tries: ClassVar[int] = 30  # of smaller cases, when a finding is reduced

    def __str__(self) -> str:
        return "; ".join([*self.setup, f"result = {self.call}"])

    def smaller(self) -> Iterator[Case]:
        """Variants of the case with one element less. Later elements are removed first."""
        for i in reversed(range(len(self.call.arguments))):
            yield replace(self, call=self.call.without(i))
        for i in reversed(range(len(self.setup))):
            yield replace(self, setup=self.setup[:i] + self.setup[i + 1:])


@dataclass(frozen=True)
class Finding:
    """A defect. `kind` and `subject` group findings; `detail` is for the reader."""

    kind: str
    subject: str
    detail: str

    @property
    def key(self) -> tuple[str, str]:
        return self.kind, self.subject


@dataclass(frozen=True)
class Outcome:
    """The outcome of a case. The summary counts `word` ("returned", "raised", or a reason of
    differences.py), and adds up `figures`."""

    word: str
    finding: Finding | None = None
    figures: Counter = field(default_factory=Counter)
