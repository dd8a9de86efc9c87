"""Bounds how many cases each reason of differences.py may explain. A reason above its bound is a finding: its pattern may hide a defect.

bounds.txt has one line per reason: the part, cases in 100,000, the reason.

    make fuzz CALLS=100000 WRITE_BOUNDS=1      # measures, and writes 1.5 times the share of each reason

Read the diff: if a bound grew, make the pattern in differences.py narrower, or explain the growth.
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).with_name("bounds.txt")
EXPLAINED = "explained: "
# The bound, in cases in 100,000, of reasons without a line. They are too rare to be measured.
RARE = 2.0
# Bound over measured share, since shares vary with the seed.
MARGIN = 1.5


def read(text: str | None = None) -> dict[tuple[str, str], float]:
    lines = (FILE.read_text() if text is None else text).splitlines()
    fields = (line.split(maxsplit=2) for line in lines if line and not line.startswith("#"))
    return {(part, reason): float(rate) for part, rate, reason in fields}


def most(rate: float, cases: int) -> float:
    """The largest count that is not a finding: the expected one and five standard deviations."""
    expected = rate * cases / 100_000
    return expected + 5 * math.sqrt(expected) + 3


def exceeded(counts: dict[str, Counter], bounds: dict[tuple[str, str], float] | None = None) -> Iterator[tuple[str, str, int, float]]:
    """(part, reason, count, largest allowed count) of each reason above its bound."""
    bounds = read() if bounds is None else bounds
    for part, words in counts.items():
        cases = sum(words.values())
        for word, count in words.items():
            if word.startswith(EXPLAINED):
                reason = word.removeprefix(EXPLAINED)
                may = most(bounds.get((part, reason), RARE), cases)
                if count > may:
                    yield part, reason, count, may


def write(counts: dict[str, Counter]) -> None:
    """Replaces the bounds of the parts in `counts`."""
    kept = {key: rate for key, rate in read().items() if key[0] not in counts} if FILE.exists() else {}
    for part, words in counts.items():
        cases = sum(words.values())
        for word, count in words.items():
            if word.startswith(EXPLAINED) and (rate := 100_000 * MARGIN * count / cases) > RARE:
                kept[part, word.removeprefix(EXPLAINED)] = rate
    lines = [f"{part} {rate:.1f} {reason}" for (part, reason), rate in sorted(kept.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))]
    FILE.write_text("# Cases in 100,000 of a part that a reason may explain: 1.5 times the measured share (bounds.py).\n" + "\n".join(lines) + "\n")
