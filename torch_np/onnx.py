"""torch_np.onnx: the name by which programs ask for files of the ONNX format, which are not written."""
from __future__ import annotations

from typing import Any

__all__ = ["export"]


def export(*args: Any, **kwargs: Any) -> Any:
    """Raises NotImplementedError."""
    raise NotImplementedError("onnx.export(): files of the ONNX format are not implemented; torch_np.save keeps the parameters")
