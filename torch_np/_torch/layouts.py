"""Layouts of tensors. All tensors are strided; the other layouts are names."""
from __future__ import annotations

__all__ = ["jagged", "layout", "sparse_bsc", "sparse_bsr", "sparse_coo", "sparse_csc", "sparse_csr", "strided"]


class layout:  # noqa: N801  (PyTorch's name)
    """Layout of a tensor in memory. All tensors have `torch_np.strided`; operators refuse others."""

    __module__ = "torch_np"
    __slots__ = ("_name",)
    _name: str

    def __repr__(self) -> str:
        return f"torch_np.{self._name}"

    def __reduce__(self) -> str:
        return self._name


def _make(name: str) -> layout:
    made = object.__new__(layout)
    made._name = name
    return made


strided = _make("strided")
sparse_coo = _make("sparse_coo")
sparse_csr = _make("sparse_csr")
sparse_csc = _make("sparse_csc")
sparse_bsr = _make("sparse_bsr")
sparse_bsc = _make("sparse_bsc")
jagged = _make("jagged")
