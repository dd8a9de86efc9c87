"""How often each difference may be explained away: a reason that explains more cases than it used to is itself a finding, since its pattern
may hide a defect. bounds.txt has a line a reason: the part, cases in 100,000, the reason.

    make fuzz CALLS=100000 WRITE_BOUNDS=1      # measures, and writes half as much again as was found

Read the diff: a bound that grew wants a narrower pattern in differences.py, or a reason.
"""
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

FILE = Path(__file__).with_name("bounds.txt")
EXPLAINED = "explained: "
# In 100,000 cases, of reasons that were too rare to be measured.
RARE = 2.0
# Of what is measured, since other seeds find other numbers.
MARGIN = 1.5


def read(text: str | None = None) -> dict[tuple[str, str], float]:
    lines = (FILE.read_text() if text is None else text).splitlines()
    fields = (line.split(maxsplit=2) for line in lines if line and not line.startswith("#"))
    return {(part, reason): float(rate) for part, rate, reason in fields}


def most(rate: float, cases: int) -> float:
    """So many of a number of cases, and five standard deviations of a count more."""
    expected = rate * cases / 100_000
    return expected + 5 * math.sqrt(expected) + 3


def exceeded(counts: dict[str, Counter], bounds: dict[tuple[str, str], float] | None = None) -> Iterator[tuple[str, str, int, float]]:
    """(part, reason, how often, how often it may be), of the counts of the words of each part."""
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
    """Of the parts that were run; of reasons that are not in the counts, none."""
    kept = {key: rate for key, rate in read().items() if key[0] not in counts} if FILE.exists() else {}
    for part, words in counts.items():
        cases = sum(words.values())
        for word, count in words.items():
            if word.startswith(EXPLAINED) and (rate := 100_000 * MARGIN * count / cases) > RARE:
                kept[part, word.removeprefix(EXPLAINED)] = rate
    lines = [f"{part} {rate:.1f} {reason}" for (part, reason), rate in sorted(kept.items(), key=lambda item: (item[0][0], -item[1], item[0][1]))]
    FILE.write_text("# How many of 100,000 cases of a part a reason may explain (bounds.py): measured, and half as much again.\n" + "\n".join(lines) + "\n")
