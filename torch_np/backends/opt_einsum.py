"""torch_np.backends.opt_einsum: settings of the package opt_einsum that programs may assign. They have
no effect, as einsum chooses its order of products without it.
"""
from __future__ import annotations

from typing import Any

__all__ = ["enabled", "get_opt_einsum", "is_available", "strategy"]

enabled = False
strategy: str | None = None


def is_available() -> bool:
    """Returns False: einsum does not use opt_einsum."""
    return False


def get_opt_einsum() -> Any:
    """Returns None, as opt_einsum is not used."""
    return None
