"""The keywords of functions that make tensors."""
from __future__ import annotations

from typing import Any


def factory_kwargs(kwargs: dict[str, Any] | None) -> dict[str, Any]:
    """Returns the keywords `device`, `dtype` and `memory_format` among those of a module's
    constructor. The keyword `factory_kwargs` may hold further ones.

    Args:
      kwargs: the keywords

    Errors: TypeError for other keywords, and for a keyword given twice.
    """
    if kwargs is None:
        return {}
    simple = {"device", "dtype", "memory_format"}
    unknown = kwargs.keys() - (simple | {"factory_kwargs"})
    if unknown:
        raise TypeError(f"unexpected kwargs {unknown}")
    result = dict(kwargs.get("factory_kwargs", {}))
    for name in sorted(simple & kwargs.keys()):
        if name in result:
            raise TypeError(f"{name} specified twice, in **kwargs and in factory_kwargs")
        result[name] = kwargs[name]
    return result
