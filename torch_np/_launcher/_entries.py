"""Functions of libraries that keep an array as it is if it is an instance of numpy.ndarray, and whose
compiled code then refuses ours. Under the launcher they get NumPy arrays over the same memory.

`x.__class__` is numpy.ndarray for such libraries (_numpy.py), so these functions are where their data
comes in.
"""
from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

import numpy

from torch_np import _C
from torch_np._launcher._finder import found_by_others

# By module: functions, or methods of classes.
_ENTRIES = {
    "pandas.core.construction": ("sanitize_array", "extract_array", "ensure_wrapped_if_datetimelike"),
    "pandas.core.internals.construction": ("ndarray_to_mgr",),
    "pandas.core.algorithms": ("factorize", "isin", "unique"),
    "h5py._hl.selections": ("select",),
    "h5py._hl.dataset": ("Dataset.read_direct", "Dataset.write_direct"),
    "pyarrow": ("array",),
}


def _converted(value: Any) -> Any:
    if _C._is_ndarray(value):
        return numpy.asarray(value)
    return tuple(map(_converted, value)) if type(value) is tuple else value


def _converting(function: Any) -> Any:
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*map(_converted, args), **{name: _converted(value) for name, value in kwargs.items()})

    return call


class _Loader:
    """Loader of a library's module, whose entries then convert."""

    def __init__(self, loader: Any) -> None:
        self.wrapped = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.wrapped.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec: Any = module.__spec__
        module.__loader__ = spec.loader = self.wrapped
        self.wrapped.exec_module(module)
        for path in _ENTRIES[spec.name]:
            *within, name = path.split(".")
            owner = functools.reduce(lambda o, part: getattr(o, part, None), within, module)
            if (function := getattr(owner, name, None)) is not None:  # not all versions of the library have it
                setattr(owner, name, _converting(function))

    def __getattr__(self, name: str) -> Any:  # sources and resources come from the wrapped loader
        return getattr(self.wrapped, name)


class _Finder:
    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name not in _ENTRIES:
            return None
        spec = found_by_others(self, name, path, target)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader)
        return spec


def convert_at_entries() -> None:
    """Makes the entries of libraries that are imported later convert."""
    sys.meta_path.insert(0, _Finder())
