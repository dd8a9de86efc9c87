"""Methods of PyTorch's Tensor that only raise: those of other layouts and backends, and those that
PyTorch removed.
"""
from __future__ import annotations

from typing import Any, NoReturn

from torch_np import _C
from torch_np._absent import absent_function
from torch_np._torch.absent_names import REMOVED

_ABSENT = {
    "quantised tensors are not implemented; use tensors of integers and a scale": ("int_repr",),
    "nested tensors are not implemented; use torch_np.nn.utils.rnn.pad_sequence": ("to_padded_tensor",),
    "oneDNN's layout is not a layout of tensors; convolutions use it by themselves": ("to_mkldnn",),
    "Intel's GPUs are not supported; use cuda() or cpu()": ("xpu",),
}
_REMOVED = {**{name: instead for name, instead in REMOVED.items() if name != "matrix_rank"},
            "reinforce": "torch_np.distributions and a loss of log_prob"}


def _raising(name: str, error: type[Exception], text: str) -> Any:
    def method(self: _C.Tensor, *args: Any, **kwargs: Any) -> NoReturn:
        raise error(f"{name}(): {text}")
    method.__name__, method.__qualname__ = name, f"Tensor.{name}"
    method.__doc__ = f"Raises {error.__name__}: {text}. Shapes: any."
    return method


for _reason, _names in _ABSENT.items():
    for _name in _names:
        setattr(_C.Tensor, _name, absent_function(_name, _reason, "torch_np"))
for _name, _instead in _REMOVED.items():
    setattr(_C.Tensor, _name, _raising(_name, RuntimeError, f"This function was deprecated since version 1.9 and is now removed; use {_instead}"))
