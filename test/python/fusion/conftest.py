from __future__ import annotations

import pytest

from torch_np import fusion


@pytest.fixture
def always():
    """All results that can be pending are."""
    before = fusion.get_mode()
    fusion.set_mode("always")
    yield
    fusion.set_mode(before)
