"""torch_np.onnx.symbolic_helper: helpers of functions that write operators of the ONNX format, whose files
are not written.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np._absent import absent_function


def parse_args(*arg_descriptors: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of a function that writes an operator. The result raises NotImplementedError when
    it is called.
    """
    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        made: Callable[..., Any] = absent_function(
            fn.__name__, "files of the ONNX format are not implemented; torch_np.save keeps the parameters", fn.__module__)
        return made
    return decorate
