"""torch_np.onnx: placeholder for the export of ONNX files, which is not implemented."""
from __future__ import annotations

from typing import Any

__all__ = ["export"]


def export(*args: Any, **kwargs: Any) -> Any:
    """Raises NotImplementedError."""
    raise NotImplementedError("onnx.export(): files of the ONNX format are not implemented; torch_np.save keeps the parameters")
