"""torch_np.sparse: sparse tensors, by name. They are not implemented."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np._absent import absent_names

_REASON = "sparse tensors are not implemented; use dense tensors, or scipy.sparse for matrices"

__all__ = ["as_sparse_gradcheck", "check_sparse_tensor_invariants", *absent_names(
    globals(), _REASON, functions="addmm log_softmax mm softmax solve spdiags spsolve sum to_sparse_semi_structured",
    classes="SparseSemiStructuredTensor SparseSemiStructuredTensorCUSPARSELT SparseSemiStructuredTensorCUTLASS")]


class check_sparse_tensor_invariants:  # noqa: N801  (PyTorch's name)
    """Context manager for checks of sparse tensors. There are none, so nothing is checked.

    Args:
      enable: Whether to check.
    """

    _enabled = False

    def __init__(self, enable: bool = True) -> None:
        self.state, self.saved_state = enable, False

    @staticmethod
    def is_enabled() -> bool:
        """Whether the checks are on."""
        return check_sparse_tensor_invariants._enabled

    @staticmethod
    def enable() -> None:
        """Turns the checks on."""
        check_sparse_tensor_invariants._enabled = True

    @staticmethod
    def disable() -> None:
        """Turns the checks off."""
        check_sparse_tensor_invariants._enabled = False

    def __enter__(self) -> None:
        self.saved_state = self.is_enabled()
        check_sparse_tensor_invariants._enabled = self.state

    def __exit__(self, *exception: object) -> None:
        check_sparse_tensor_invariants._enabled = self.saved_state


def as_sparse_gradcheck(gradcheck: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `gradcheck`, which checks dense tensors; there are no sparse ones.

    Args:
      gradcheck: The function.
    """
    return gradcheck
