"""Small functions of torch_np.utils."""
from __future__ import annotations

import weakref
from pathlib import Path
from typing import Any

from torch_np import _C

# The folder of CMake packages, for CMAKE_PREFIX_PATH. torch_np.library.cmake_dir() is ours in it.
cmake_prefix_path = str(Path(__file__).resolve().parents[1] / "share" / "cmake")


def get_cpp_backtrace(frames_to_skip: int = 0, maximum_number_of_frames: int = 64) -> str:
    """Returns the stack of C++ functions: here always an empty text, as the engine does not read
    it.

    Args:
      frames_to_skip: Has no effect.
      maximum_number_of_frames: Has no effect.
    """
    return ""


def set_module(obj: Any, mod: str) -> None:
    """Sets the module that a function or class says it is from.

    Args:
      obj: The function or class.
      mod: Name of the module.

    Errors: TypeError unless `mod` is a str.
    """
    if not isinstance(mod, str):
        raise TypeError("The mod argument should be a string")
    obj.__module__ = mod


def swap_tensors(t1: _C.Tensor, t2: _C.Tensor) -> None:
    """Exchanges two tensors: each object gets the memory, the gradient, the class and the
    attributes of the other one.

    Args:
      t1: A tensor without a history.
      t2: A tensor without a history.

    Shapes: any.
    Errors: RuntimeError for a tensor with weak references; NotImplementedError for a tensor that an
    operator computed with a gradient.
    """
    for t in (t1, t2):
        if weakref.getweakrefs(t):
            raise RuntimeError(f"Cannot swap {'t1' if t is t1 else 't2'} because it has weakref associated with it")
        if t.grad_fn is not None:
            raise NotImplementedError("swap_tensors(): a tensor with a history cannot be exchanged; detach it")
    states = [(t.detach(), t.requires_grad, t.grad, dict(vars(t)), type(t)) for t in (t1, t2)]
    for t, (data, requires_grad, grad, attributes, kind) in zip((t1, t2), reversed(states), strict=True):
        t.requires_grad_(False)
        t.grad = None
        t.data = data
        t.requires_grad_(requires_grad)
        t.grad = grad
        t.__class__ = kind
        vars(t).clear()
        vars(t).update(attributes)
