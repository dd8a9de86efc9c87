"""Selects the tests of second passes: on the emulated device, and with every result pending.

The first pass runs all tests on the CPU. A second pass can only give another result if a test makes arrays on the device, or records
pending results. `--second-pass` therefore leaves out

- tests with a mark of `MARKS` for the pass. Full passes (`make test-all`) check the marks: a marked test fails if it does what its mark
  excludes (`touched`);
- combinations of parameters, as long as each value of each parameter (operator, dtype, layout) remains in at least one test. The first
  pass has all combinations. Tests with the mark `EVERY_COMBINATION` keep theirs.
"""
from __future__ import annotations

import hashlib

import pytest

MARKS = {"same_on_devices": "makes no array on the default device", "same_when_pending": "records no pending result"}
EVERY_COMBINATION = "every_combination"


def mark_of(config) -> str | None:
    """The mark of tests that this run leaves out; None in the first pass. Call it once, at the start: tests change the mode."""
    import torch_np
    if config.getoption("--device") != "cpu":
        return "same_on_devices"
    return "same_when_pending" if torch_np.fusion.get_mode() == "always" else None


def values(item) -> set:
    """The values of the parameters of a test, by identity."""
    return {(name, id(value)) for name, value in item.callspec.params.items()} if hasattr(item, "callspec") else set()


def with_each_value(items: list) -> list:
    """Tests of each function until each value of each parameter is included. The order is pseudo-random, so that the combinations vary."""
    met: dict[str, set] = {}
    selected = set()
    for item in sorted(items, key=lambda item: hashlib.sha1(item.nodeid.encode()).digest()):
        function = item.nodeid.partition("[")[0]
        new = values(item) - met.setdefault(function, set())
        if new or not hasattr(item, "callspec") or item.get_closest_marker(EVERY_COMBINATION):
            met[function] |= new
            selected.add(item)
    return [item for item in items if item in selected]


def selected(mark: str | None, items: list) -> list:
    if mark is None:
        raise pytest.UsageError("--second-pass needs --device cuda or TORCH_NP_FUSION=always: this would be the first pass")
    return with_each_value([item for item in items if not item.get_closest_marker(mark)])


def touched(mark: str) -> int:
    """A counter that increases if a test violates its mark."""
    import torch_np
    return torch_np.cuda.memory_stats()["allocations"] if mark == "same_on_devices" else torch_np.fusion.statistics()["recorded"]
