"""torch_np.types: names for annotations."""
from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from typing import IO, TypeAlias

from torch_np import _C
from torch_np._torch.storage import TypedStorage as TypedStorage, UntypedStorage as Storage

from torch_np._C import Size as Size, Tensor as Tensor  # names that annotations of packages import
from torch_np._torch.symbolic import SymBool as SymBool, SymFloat as SymFloat, SymInt as SymInt

__all__ = ["Device", "FileLike", "Number", "Storage"]

_TensorOrTensors: TypeAlias = _C.Tensor | Sequence[_C.Tensor]
_dtype = _C.dtype
_device = _C.device
_size: TypeAlias = _C.Size | list[builtins.int] | tuple[builtins.int, ...]
_int, _float, _bool, _complex = builtins.int, builtins.float, builtins.bool, builtins.complex
Number: TypeAlias = builtins.int | builtins.float | builtins.bool
Device: TypeAlias = _C.device | str | builtins.int | None
FileLike: TypeAlias = str | os.PathLike[str] | IO[bytes]
