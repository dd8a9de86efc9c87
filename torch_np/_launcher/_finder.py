"""The import hook of the launcher: `torch` and its submodules are this package's modules.

`torch.nn` is `torch_np.nn`: `sys.modules` holds one module object under both names. A module of
this package that is imported later is entered under both names before its code runs. The hook is
first in `sys.meta_path`. It lets the other finders find all other modules, and refuses extension
modules that are linked with PyTorch's libraries.
"""
from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator, Sequence
from importlib.machinery import ExtensionFileLoader, ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from torch_np import _public_names
from torch_np._deferred import Loader, wrap_loaders
from torch_np._launcher import _linked_libraries, _renaming

_PREFIX = f"{_public_names.TORCH}."


def _ours(alias: str) -> str:
    return _public_names.OURS + alias.removeprefix(_public_names.TORCH)


class _AliasLoader:
    """Loader of a name below `torch`: imports the module of this package, and enters it under the
    alias. The import system returns the entry of `sys.modules`.
    """

    def create_module(self, spec: ModuleSpec) -> None:
        return None

    def exec_module(self, module: ModuleType) -> None:
        alias = module.__name__
        sys.modules[alias] = importlib.import_module(_ours(alias))

    def _call(self, method, alias):
        spec = importlib.util.find_spec(_ours(alias))
        return getattr(spec.loader, method)(spec.name) if spec is not None else None

    def get_code(self, fullname: str) -> Any:  # `python -m torch.distributed.run` reads these
        return self._call("get_code", fullname)

    def get_source(self, fullname: str) -> Any:
        return self._call("get_source", fullname)

    def get_filename(self, fullname: str) -> Any:
        return self._call("get_filename", fullname)

    def is_package(self, fullname: str) -> bool:
        return bool(self._call("is_package", fullname))


class _RenamingLoader:
    """Loader of a module of this package: enters the module under its alias, executes it, and gives
    its classes and functions their public names.
    """

    def __init__(self, loader: Any) -> None:
        self.wrapped = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self.wrapped.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        spec: Any = module.__spec__
        if spec is not None and spec.loader is self:
            module.__loader__ = spec.loader = self.wrapped
        alias = _public_names.alias(module.__name__)
        sys.modules[alias] = module
        try:
            self.wrapped.exec_module(module)
        except BaseException:
            sys.modules.pop(alias, None)
            raise
        sys.modules[alias] = module = sys.modules.get(_ours(alias), module)  # a module may replace itself
        _renaming.rename(module)

    def __getattr__(self, name: str) -> Any:  # sources and resources come from the wrapped loader
        return getattr(self.wrapped, name)


class _ExtensionLoader(ExtensionFileLoader):
    """Loader of an extension module, unless it is linked with PyTorch's libraries. Packages may ask for its spec (`find_spec`)."""

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        _linked_libraries.check(spec.name, spec.origin)
        return super().create_module(spec)


class Finder:
    """The finder in `sys.meta_path`, of modules and of the distribution `torch`."""

    def find_spec(self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Returns the spec of any module that is found. See the module's docstring."""
        if name == _public_names.TORCH or name.startswith(_PREFIX):
            return _find_alias(name)
        if name == "functorch":  # a package that PyTorch's distribution holds, too
            return PathFinder.find_spec(name, [os.path.dirname(__file__)])
        spec: Any = found_by_others(self, name, path, target)
        if spec is None or spec.loader is None:
            return spec
        if isinstance(spec.loader, ExtensionFileLoader):
            spec.loader = _ExtensionLoader(name, spec.origin)
        elif _public_names.has_alias(name) and not isinstance(spec.loader, Loader):
            spec.loader = _RenamingLoader(spec.loader)
        return spec

    def find_distributions(self, context: Any = None) -> Iterator[Any]:
        """Yields the distribution `torch`, for `importlib.metadata`."""
        from torch_np._launcher import _metadata

        if context is None or context.name is None or _metadata.is_torch(context.name):
            yield _metadata.Torch()

    def invalidate_caches(self) -> None:
        """Has nothing to do: the finder keeps nothing."""


def found_by_others(finder: Any, name: str, path: Sequence[str] | None, target: ModuleType | None) -> ModuleSpec | None:
    """Returns what the finders after `finder` in `sys.meta_path` find."""
    finders = list(sys.meta_path)
    for other in finders[finders.index(finder) + 1:] if finder in finders else finders:
        find = getattr(other, "find_spec", None)
        if find is not None and (spec := find(name, path, target)) is not None:
            return spec
    return None


def _find_alias(name):
    if name == f"{_PREFIX}numpy":  # the NumPy face is not part of PyTorch
        found = None
    elif name == _public_names.TORCH:
        found = sys.modules[_public_names.OURS].__spec__
    else:
        try:
            found = importlib.util.find_spec(_ours(name))
        except ValueError:  # a module without a spec, as those of the extension module torch_np._C
            found = sys.modules[_ours(name)].__spec__ or ModuleSpec(_ours(name), None)
    if found is None:
        raise ModuleNotFoundError(f"No module named {name!r}: torch_np, which stands for PyTorch here, does not have it", name=name)
    spec = ModuleSpec(name, _AliasLoader(), origin=found.origin, is_package=found.submodule_search_locations is not None)  # type: ignore[arg-type]
    if found.submodule_search_locations is not None:
        spec.submodule_search_locations = list(found.submodule_search_locations)
    return spec


finder = Finder()


def put_first() -> None:
    """Puts the finder at the beginning of `sys.meta_path`, and makes it find the lazy modules that
    are not yet loaded.
    """
    sys.meta_path.insert(0, finder)
    wrap_loaders(lambda name, loader: _RenamingLoader(loader) if _public_names.has_alias(name) else loader)
