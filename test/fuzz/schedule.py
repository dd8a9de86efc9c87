"""Maps numbers to cases: the entries take turns, each with its own random choices.

A case depends on the seed, the part, its entry and the number of earlier turns of that entry, but
not on the other entries. So a new operator adds cases and leaves those of the others unchanged.
"""
from __future__ import annotations

import bisect
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from fuzz.cases import Case


def stable_hash(text: str) -> float:
    """A hash between 0 and 1, the same in every process."""
    return zlib.crc32(text.encode()) / 2**32


@dataclass(frozen=True)
class Entry:
    key: str
    make: Callable[[Random], Case]


class Schedule:
    def __init__(self, part: str, entries: Sequence[Entry]):
        self.part = part
        self.entries = sorted(entries, key=lambda entry: stable_hash(entry.key))  # any prefix of them is a sample

    def case(self, seed: int, number: int) -> Case:
        turn, index = divmod(number, len(self.entries))
        entry = self.entries[index]
        return entry.make(Random(f"{seed}:{self.part}:{entry.key}:{turn}"))


class Ring:
    """Random choice of an item by name. Another item more or less hardly changes the choices
    (consistent hashing)."""

    def __init__(self, items: dict):
        places = sorted((stable_hash(f"{name}:{copy}"), name) for name in items for copy in range(4))
        self.places = [place for place, _ in places]
        self.items = [items[name] for _, name in places]

    def choice(self, random: Random):
        return self.items[bisect.bisect(self.places, random.random()) % len(self.items)]
