"""Construction of modules without initial values."""
from __future__ import annotations

import inspect
from typing import Any

from torch_np.nn.modules.module import Module

__all__ = ["skip_init"]


def skip_init(module_cls: Any, *args: Any, **kwargs: Any) -> Any:
    """Returns a module whose parameters and buffers are not initialised. Programs that load a state
    into it save the time.

    Args:
      module_cls: class of the module; its constructor has the keyword `device`
      args: arguments of the constructor
      kwargs: keywords of the constructor; `device` is that of the module

    Errors: RuntimeError unless `module_cls` is a class of modules with the keyword `device`.
    """
    if not (isinstance(module_cls, type) and issubclass(module_cls, Module)):
        raise RuntimeError(f"Expected a Module; got {module_cls}")
    if "device" not in inspect.signature(module_cls).parameters:
        raise RuntimeError("Module must support a 'device' arg to skip initialization")
    device = kwargs.pop("device", "cpu")
    return module_cls(*args, **{**kwargs, "device": "meta"}).to_empty(device=device)
