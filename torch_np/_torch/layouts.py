"""Layouts of tensors: names."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np import _public_names

__all__ = ["jagged", "layout", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr", "strided"]


class layout:  # noqa: N801  (PyTorch's name)
    """Layout of a tensor in memory: `torch_np.strided`, or a sparse one."""

    __module__ = "torch_np"
    __slots__ = ("_name",)
    _name: str

    def __repr__(self) -> str:
        return f"{_public_names.public}.{self._name}"

    def __reduce__(self) -> str:
        return self._name


class _SparseLayout(layout):
    """A layout that overrides the functions to which it is given: `zeros(3, 3, layout=torch_np.sparse_csr)`."""

    __module__ = "torch_np"
    __slots__ = ()

    @classmethod
    def __torch_function__(cls, function: Callable[..., Any], types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None) -> Any:
        from torch_np.sparse import _factories

        return _factories.call_with_layout(function, args, kwargs or {})


def _make(name: str) -> layout:
    made: layout = object.__new__(_SparseLayout if name.startswith("sparse") else layout)
    made._name = name
    return made


strided = _make("strided")
sparse_coo = _make("sparse_coo")
sparse_csr = _make("sparse_csr")
sparse_csc = _make("sparse_csc")
sparse_bsr = _make("sparse_bsr")
sparse_bsc = _make("sparse_bsc")
jagged = _make("jagged")
