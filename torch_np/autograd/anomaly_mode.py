"""Detection of NaN in gradients."""
from __future__ import annotations

from torch_np import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class _Setting:
    """Sets the check at once; as a context manager it restores the earlier setting at the end."""

    def __init__(self, enabled: bool) -> None:
        self.prev = _C._nan_check_enabled()
        _C._set_nan_check(enabled)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _C._set_nan_check(self.prev)


class detect_anomaly(_Setting):
    """Makes backward passes raise RuntimeError if an operator's gradient has a NaN. The error names
    the node of the operator. Calls of forward are not recorded: there is no traceback of them.

        with torch_np.autograd.detect_anomaly():
            loss.backward()

    Args:
      check_nan: Whether to check for NaN.
    """

    def __init__(self, check_nan: bool = True) -> None:
        super().__init__(check_nan)
        self.check_nan = check_nan


class set_detect_anomaly(_Setting):
    """Sets whether backward passes raise RuntimeError if an operator's gradient has a NaN: at once,
    or for the block of a `with` statement.

    Args:
      mode: Whether anomalies are detected.
      check_nan: Whether NaN are anomalies.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        super().__init__(mode and check_nan)
        self.mode, self.check_nan = mode, check_nan
