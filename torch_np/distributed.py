"""torch_np.distributed: several processes. They are not implemented: `is_available()` says so, and all else raises."""
from __future__ import annotations

from typing import Any

__all__ = ["destroy_process_group", "get_rank", "get_world_size", "init_process_group", "is_available", "is_initialized"]

_MISSING = "several processes are not implemented; torch_np.distributed.is_available() is False"


def is_available() -> bool:
    """False."""
    return False


def is_initialized() -> bool:
    """False."""
    return False


def init_process_group(*args: Any, **kwargs: Any) -> None:
    """Raises NotImplementedError."""
    raise NotImplementedError(f"init_process_group(): {_MISSING}")


def destroy_process_group(*args: Any, **kwargs: Any) -> None:
    """Raises NotImplementedError."""
    raise NotImplementedError(f"destroy_process_group(): {_MISSING}")


def get_rank(*args: Any, **kwargs: Any) -> int:
    """Raises NotImplementedError."""
    raise NotImplementedError(f"get_rank(): {_MISSING}")


def get_world_size(*args: Any, **kwargs: Any) -> int:
    """Raises NotImplementedError."""
    raise NotImplementedError(f"get_world_size(): {_MISSING}")
