"""Signatures that inspect.signature shows: for compositions, those of NumPy's functions."""
from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import Any

_NUMPY = "torch_np.numpy"


def of(function: Any) -> inspect.Signature:
    """Returns the signature of NumPy's function of the same name, if `function` is a composition.
    Parameters that only this package has, such as _device, are thus omitted; the documentation
    lists them.

    For other functions it returns their signature without annotations, which NumPy's functions
    lack. Equal functions with equal parameters then compare equal.
    """
    numpys = _numpys(function)
    try:
        signature = inspect.signature(function if numpys is None else numpys)
    except ValueError:  # some of NumPy's functions have no signature
        signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=signature.empty)


def check(function: Any, /, *args: Any, **kwargs: Any) -> None:
    """Checks arguments. Errors: TypeError for arguments that `function` does not accept."""
    try:
        inspect.signature(function).bind(*args, **{name: value for name, value in kwargs.items() if not name.startswith("_")})
    except TypeError as error:
        raise TypeError(f"{function.__name__}() {error}") from None


def of_numpys(function: Any) -> bool:
    """Whether NumPy's function of the same name has a __signature__; for others inspect follows
    __wrapped__.
    """
    return hasattr(_of_that_name(function), "__signature__")


def _numpys(function):
    return _of_that_name(function) if type(function) is FunctionType and function.__qualname__ == function.__name__ else None


def _of_that_name(function):
    module = function.__module__
    return getattr(sys.modules.get(module.removeprefix("torch_np.")), function.__name__, None) if module.startswith(_NUMPY) else None
