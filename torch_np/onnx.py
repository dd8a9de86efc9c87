"""torch_np.onnx: placeholder for the export of ONNX files, which is not implemented."""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_names

_REASON = "files of the ONNX format are not implemented; torch_np.save keeps the parameters"


class OnnxExporterError(RuntimeError):
    """PyTorch's error for a model that cannot be written."""


__all__ = ["OnnxExporterError", "export", "is_in_onnx_export", *absent_names(
    globals(), _REASON, functions="errors ops", classes="ExportableModule InputObserver ONNXProgram")]


def is_in_onnx_export() -> bool:
    """Returns False: no file of the ONNX format is written."""
    return False



def export(*args: Any, **kwargs: Any) -> Any:
    """Raises NotImplementedError."""
    raise NotImplementedError("onnx.export(): files of the ONNX format are not implemented; torch_np.save keeps the parameters")
