from __future__ import annotations

import pytest

from torch_np import compiler


@pytest.fixture
def unverified():
    """For tests of what a replay does besides its results: how often it allocates, or runs a block."""
    with compiler.verify(False):
        yield
