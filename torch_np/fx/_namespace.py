"""Unique names of nodes."""
from __future__ import annotations

import builtins
import keyword
import re
from typing import Any

_RESERVED = frozenset(("inf", "nan", "NoneType", "torch", "torch_np", "device", "fx_pytree", "pytree"))


def snake_case(name: str) -> str:
    return re.sub(r"(?<=[a-z])([A-Z])", r"_\1", name).lower()


class Namespace:
    """Names that are in use in a graph, so that a new one is unique."""

    def __init__(self) -> None:
        self._names: dict[Any, str] = {}
        self._used: set[str] = set()
        self._counts: dict[str, int] = {}

    def create_name(self, candidate: str, obj: Any) -> str:
        """Returns a name like `candidate` that is an identifier, is new and is not that of a builtin.

        `obj` is an object of that name: a second call with it returns the same name.
        """
        if obj is not None and obj in self._names:
            return self._names[obj]
        candidate = re.sub("[^0-9a-zA-Z_]+", "_", candidate) or "_unnamed"
        if candidate[0].isdigit():
            candidate = "_" + candidate
        match = re.match(r"(.*)_(\d+)$", candidate)
        base, number = (match.group(1), int(match.group(2))) if match else (candidate, None)
        if not number:
            number = self._counts.get(base, 0)
        while candidate in self._used or self._is_illegal(candidate, obj):
            number += 1
            candidate = f"{base}_{number}"
        self._used.add(candidate)
        self._counts[base] = number
        if obj is not None:
            self._names[obj] = candidate
        return candidate

    def associate_name_with_obj(self, name: str, obj: Any) -> None:
        """Makes `name`, which is in use, the name of `obj`."""
        assert self._names.setdefault(obj, name) is name, "obj already associated"

    def _rename_object(self, obj: Any, name: str) -> None:
        self._names[obj] = name
        self._used.add(name)

    @staticmethod
    def _is_illegal(name: str, obj: Any) -> bool:
        if keyword.iskeyword(name) or name in _RESERVED:
            return True
        return name in builtins.__dict__ and builtins.__dict__[name] is not obj
