"""torch_np.backends.mkl: oneMKL."""
from __future__ import annotations

from torch_np._torch.settings import has_mkl

__all__ = ["VERBOSE_OFF", "VERBOSE_ON", "is_available", "verbose"]

VERBOSE_OFF, VERBOSE_ON = 0, 1


def is_available() -> bool:
    """Whether oneMKL computes matrix products and transforms."""
    return has_mkl


class verbose:  # noqa: N801  (PyTorch's name)
    """Context manager that prints the calls of oneMKL. Only VERBOSE_OFF is implemented.

    Args:
      enable: VERBOSE_OFF or VERBOSE_ON.

    Errors: NotImplementedError for VERBOSE_ON.
    """

    def __init__(self, enable: int) -> None:
        if enable != VERBOSE_OFF:
            raise NotImplementedError("backends.mkl.verbose(): set the environment variable MKL_VERBOSE=1 before the program starts")
        self.enable = enable

    def __enter__(self) -> verbose:
        return self

    def __exit__(self, *exception: object) -> None:
        return None
