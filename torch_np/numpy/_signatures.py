"""What inspect.signature says of functions: for compositions, what it says of NumPy's."""
from __future__ import annotations

import inspect
import sys
from types import FunctionType
from typing import Any

_NUMPY = "torch_np.numpy"


def of(function: Any) -> inspect.Signature:
    """The signature of NumPy's function of that name, if `function` is a composition: parameters that NumPy has not, as _device, are named in
    our documentation alone. Else that of `function` without annotations, which NumPy's functions do not have: the same function with the
    same parameters compares equal."""
    numpys = _numpys(function)
    try:
        signature = inspect.signature(function if numpys is None else numpys)
    except ValueError:  # some of NumPy's have none
        signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=signature.empty)


def _numpys(function):
    module, name = function.__module__, function.__name__
    if type(function) is not FunctionType or not module.startswith(_NUMPY) or function.__qualname__ != name:
        return None
    return getattr(sys.modules.get(module.removeprefix("torch_np.")), name, None)
