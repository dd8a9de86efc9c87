"""Keys by which PyTorch chooses the function of an operator, and sets of them."""
from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Any

from torch_np import _C
from torch_np._absent import absent_class

__all__ = ["DispatchKey", "DispatchKeySet"]


class DispatchKey(enum.Enum):
    """Names of keys. Library.impl takes them as strings."""

    Undefined = "Undefined"
    CPU = "CPU"
    CUDA = "CUDA"
    XPU = "XPU"
    MPS = "MPS"
    Meta = "Meta"
    BackendSelect = "BackendSelect"
    Python = "Python"
    Functionalize = "Functionalize"
    ADInplaceOrView = "ADInplaceOrView"
    AutogradCPU = "AutogradCPU"
    AutogradCUDA = "AutogradCUDA"
    AutocastCPU = "AutocastCPU"
    AutocastCUDA = "AutocastCUDA"
    AutocastXPU = "AutocastXPU"
    Autograd = "Autograd"
    CompositeExplicitAutograd = "CompositeExplicitAutograd"
    CompositeImplicitAutograd = "CompositeImplicitAutograd"


class DispatchKeySet:
    """A set of keys: of one key, or of the keys of a set.

    Args:
      keys: The key or the set.
    """

    def __init__(self, keys: DispatchKey | DispatchKeySet) -> None:
        self._keys: frozenset[DispatchKey] = keys._keys if isinstance(keys, DispatchKeySet) else frozenset((keys,)) - {DispatchKey.Undefined}

    def _of(self, keys: frozenset[DispatchKey]) -> DispatchKeySet:
        made = DispatchKeySet(DispatchKey.Undefined)
        made._keys = keys
        return made

    def has(self, k: DispatchKey) -> bool:
        """Whether a key is in the set."""
        return k in self._keys

    def add(self, k: DispatchKey) -> DispatchKeySet:
        """Returns the set with one more key."""
        return self._of(self._keys | {k})

    def remove(self, k: DispatchKey) -> DispatchKeySet:
        """Returns the set without a key."""
        return self._of(self._keys - {k})

    def __or__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self._of(self._keys | other._keys)

    def __and__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self._of(self._keys & other._keys)

    def __sub__(self, other: DispatchKeySet) -> DispatchKeySet:
        return self._of(self._keys - other._keys)

    def __iter__(self) -> Iterator[DispatchKey]:
        return (key for key in DispatchKey if key in self._keys)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DispatchKeySet) and self._keys == other._keys

    def __hash__(self) -> int:
        return hash(self._keys)

    def __repr__(self) -> str:
        return f"DispatchKeySet({', '.join(key.name for key in self)})"


_extension: Any = _C
_extension.DispatchKey, _extension.DispatchKeySet = DispatchKey, DispatchKeySet
_extension._ExcludeDispatchKeyGuard = absent_class(
    "_ExcludeDispatchKeyGuard", "calls do not choose functions by dispatch keys; use torch_np.autocast(enabled=False) in place of the guard",
    "torch_np._C")
