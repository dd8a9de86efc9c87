"""Which case a number stands for: the entries in turn, each with random choices of its own.

A case depends on the seed, the part, its entry and how often that entry had its turn; not on what other entries there are. So a new
operator adds cases and changes none of the others'.
"""
from __future__ import annotations

import bisect
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

from fuzz.cases import Case


def stable_hash(text: str) -> float:
    """Between 0 and 1, the same in every process."""
    return zlib.crc32(text.encode()) / 2**32


@dataclass(frozen=True)
class Entry:
    key: str
    make: Callable[[Random], Case]


class Schedule:
    def __init__(self, part: str, entries: Sequence[Entry]):
        self.part = part
        self.entries = sorted(entries, key=lambda entry: stable_hash(entry.key))  # any first few of them are a sample

    def case(self, seed: int, number: int) -> Case:
        turn, index = divmod(number, len(self.entries))
        entry = self.entries[index]
        return entry.make(Random(f"{seed}:{self.part}:{entry.key}:{turn}"))


class Ring:
    """Random choice of an item by name, which another item more or less hardly changes (consistent hashing)."""

    def __init__(self, items: dict):
        places = sorted((stable_hash(f"{name}:{copy}"), name) for name in items for copy in range(4))
        self.places = [place for place, _ in places]
        self.items = [items[name] for _, name in places]

    def choice(self, random: Random):
        return self.items[bisect.bisect(self.places, random.random()) % len(self.items)]
