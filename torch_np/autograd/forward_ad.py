"""PyTorch's names of forward-mode derivatives, which are not implemented."""
from __future__ import annotations

from typing import NamedTuple

from torch_np._absent import absent_class, absent_function
from torch_np._C import Tensor

__all__ = ["UnpackedDualTensor", "dual_level", "enter_dual_level", "exit_dual_level", "make_dual", "unpack_dual"]

_REASON = "forward-mode derivatives are not implemented; use torch_np.autograd.functional.jvp, which takes two backward passes"


class UnpackedDualTensor(NamedTuple):
    """A tensor and its tangent, as PyTorch's `unpack_dual` returns them."""

    primal: Tensor
    tangent: Tensor | None


dual_level = absent_class("dual_level", _REASON, __name__)
enter_dual_level = absent_function("enter_dual_level", _REASON, __name__)
exit_dual_level = absent_function("exit_dual_level", _REASON, __name__)
make_dual = absent_function("make_dual", _REASON, __name__)
unpack_dual = absent_function("unpack_dual", _REASON, __name__)
