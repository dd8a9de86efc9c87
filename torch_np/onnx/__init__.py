"""torch_np.onnx: placeholder for the export of ONNX files, which is not implemented."""
from __future__ import annotations

import enum
import re
from collections.abc import Callable
from typing import Any

from torch_np import __version__
from torch_np._absent import absent_names

_REASON = "files of the ONNX format are not implemented; torch_np.save keeps the parameters"


class OperatorExportTypes(enum.IntEnum):
    """How PyTorch writes operators that the format does not have."""

    ONNX = 0
    ONNX_ATEN = 1
    ONNX_ATEN_FALLBACK = 2
    ONNX_FALLTHROUGH = 3


class TrainingMode(enum.IntEnum):
    """The mode in which PyTorch writes a module."""

    EVAL = 0
    PRESERVE = 1
    TRAINING = 2


class OnnxExporterError(RuntimeError):
    """PyTorch's error for a model that cannot be written."""


producer_name, producer_version = "torch_np", __version__

__all__ = ["OnnxExporterError", "export", "is_in_onnx_export", "producer_name", "producer_version", "register_custom_op_symbolic", "unregister_custom_op_symbolic", *absent_names(
    globals(), _REASON, functions="errors ops", classes="ExportableModule InputObserver ONNXProgram")]


def is_in_onnx_export() -> bool:
    """Returns False: no file of the ONNX format is written."""
    return False


_symbolic: dict[tuple[str, int], Callable[..., Any]] = {}


def _check_name(name: str) -> None:
    if not re.fullmatch(r"[a-zA-Z0-9-_]+::[a-zA-Z-_]+[a-zA-Z0-9-_]*", name):
        raise OnnxExporterError(f"Failed to register operator {name}. The symbolic name must match the format domain::name, and should start with "
                                "a letter and contain only alphanumerical characters")


def register_custom_op_symbolic(symbolic_name: str, symbolic_fn: Callable[..., Any], opset_version: int) -> None:
    """Keeps a function that writes an operator into a file of the ONNX format. No such file is written,
    so the function is not called.

    Args:
      symbolic_name: The operator, 'namespace::name'.
      symbolic_fn: The function.
      opset_version: The first version of the format that it is for.

    Errors: OnnxExporterError for an invalid name.
    """
    _check_name(symbolic_name)
    _symbolic[symbolic_name, opset_version] = symbolic_fn


def unregister_custom_op_symbolic(symbolic_name: str, opset_version: int) -> None:
    """Forgets a function of `register_custom_op_symbolic`.

    Args:
      symbolic_name: The operator, 'namespace::name'.
      opset_version: The version of the format.

    Errors: OnnxExporterError for an invalid name.
    """
    _check_name(symbolic_name)
    _symbolic.pop((symbolic_name, opset_version), None)



def export(*args: Any, **kwargs: Any) -> Any:
    """Raises NotImplementedError."""
    raise NotImplementedError("onnx.export(): files of the ONNX format are not implemented; torch_np.save keeps the parameters")
