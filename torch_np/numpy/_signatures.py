"""What inspect.signature says of functions."""
from __future__ import annotations

import inspect
from typing import Any


def of(function: Any) -> inspect.Signature:
    """The signature of `function` without annotations, which NumPy's functions do not have: the same function with the same
    parameters compares equal."""
    signature = inspect.signature(function)
    parameters = [p.replace(annotation=p.empty) for p in signature.parameters.values()]
    return signature.replace(parameters=parameters, return_annotation=signature.empty)
