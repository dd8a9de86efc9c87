"""Detection of NaN in gradients."""
from __future__ import annotations

from torch_np import _C

__all__ = ["detect_anomaly", "set_detect_anomaly"]


class detect_anomaly:
    """Makes backward passes raise RuntimeError if an operator's gradient has a NaN. The error names
    the node of the operator. Calls of forward are not recorded: there is no traceback of them.

        with torch_np.autograd.detect_anomaly():
            loss.backward()

    Args:
      check_nan: Whether to check for NaN.
    """

    def __init__(self, check_nan: bool = True) -> None:
        self.prev, self.check_nan = _C._nan_check_enabled(), check_nan

    def __enter__(self) -> None:
        self.prev = _C._nan_check_enabled()
        _C._set_nan_check(self.check_nan)

    def __exit__(self, *exception: object) -> None:
        _C._set_nan_check(self.prev)


class set_detect_anomaly:
    """Sets whether backward passes raise RuntimeError if an operator's gradient has a NaN: at once,
    or for the block of a `with` statement.

    Args:
      mode: Whether anomalies are detected.
      check_nan: Whether NaN are anomalies.
    """

    def __init__(self, mode: bool, check_nan: bool = True) -> None:
        self.prev, self.mode, self.check_nan = _C._nan_check_enabled(), mode, check_nan
        _C._set_nan_check(mode and check_nan)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        _C._set_nan_check(self.prev)
