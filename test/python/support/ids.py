"""Ids of parametrized tests."""
import re


def stable_text(value):
    """The text of a value without addresses: pytest-xdist needs the same ids in every process."""
    return re.sub(r" at 0x[0-9a-f]+", "", str(value) if not isinstance(value, str) else repr(value))
