"""torch_np.utils.weak: weak references to tensors, and dictionaries whose keys are compared by
identity.
"""
from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any

from torch_np import _C

__all__ = ["TensorWeakRef", "WeakIdKeyDictionary", "WeakIdRef", "WeakTensorKeyDictionary"]


class WeakIdRef(weakref.ref[Any]):
    """A weak reference that is equal to another one if both are to the same object, and keeps its
    hash when the object is gone.

    Args:
      key: The object.
      callback: Function that is called with the reference when the object is gone.
    """

    __slots__ = ("_id",)

    def __init__(self, key: Any, callback: Any = None) -> None:
        self._id = id(key)

    def __hash__(self) -> int:
        return self._id

    def __eq__(self, other: object) -> bool:
        mine, theirs = self(), other() if isinstance(other, weakref.ref) else None
        if mine is not None and theirs is not None:
            return mine is theirs
        return self is other


class WeakIdKeyDictionary(MutableMapping[Any, Any]):
    """A dictionary that refers to its keys weakly, and compares them by identity.

    Args:
      dict: First entries: a mapping.
      ref_type: Class of the references.
    """

    def __init__(self, dict: Mapping[Any, Any] | None = None, ref_type: type[WeakIdRef] = WeakIdRef) -> None:  # noqa: A002
        self.data: Any = {}
        self.ref_type = ref_type
        of_self = weakref.ref(self)

        def forget(reference: Any) -> None:
            found = of_self()
            if found is not None:
                found.data.pop(reference, None)

        self._forget = forget
        if dict is not None:
            self.update(dict)

    def __getitem__(self, key: Any) -> Any:
        return self.data[self.ref_type(key)]

    def __setitem__(self, key: Any, value: Any) -> None:
        self.data[self.ref_type(key, self._forget)] = value

    def __delitem__(self, key: Any) -> None:
        del self.data[self.ref_type(key)]

    def __contains__(self, key: object) -> bool:
        try:
            return self.ref_type(key) in self.data
        except TypeError:  # an object without weak references
            return False

    def __iter__(self) -> Iterator[Any]:
        for reference in list(self.data):
            key = reference()
            if key is not None:
                yield key

    def __len__(self) -> int:
        return sum(reference() is not None for reference in list(self.data))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} at {id(self):#x}>"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Mapping):
            return NotImplemented
        return {id(k): v for k, v in self.items()} == {id(k): v for k, v in other.items()}

    __hash__ = None  # type: ignore[assignment]

    def keyrefs(self) -> list[WeakIdRef]:
        """Returns the references to the keys, some of which may be gone when they are used."""
        return list(self.data)

    def copy(self) -> WeakIdKeyDictionary:
        """Returns a dictionary with the same entries."""
        return type(self)(self, self.ref_type)

    __copy__ = copy

    def __deepcopy__(self, memo: Any) -> WeakIdKeyDictionary:
        from copy import deepcopy

        made = type(self)(None, self.ref_type)
        for key, value in self.items():
            made[key] = deepcopy(value, memo)
        return made


WeakTensorKeyDictionary = WeakIdKeyDictionary


class TensorWeakRef:
    """A weak reference to a tensor.

    Args:
      tensor: The tensor.

    Errors: TypeError unless `tensor` is a Tensor.
    """

    __slots__ = ("ref",)

    def __init__(self, tensor: _C.Tensor) -> None:
        if not isinstance(tensor, _C.Tensor):
            raise TypeError(f"TensorWeakRef(): expected a Tensor, but got {type(tensor).__name__}")
        self.ref = WeakIdRef(tensor)

    def __call__(self) -> _C.Tensor | None:
        found: _C.Tensor | None = self.ref()
        return found
