"""torch_np.storage: the memory of tensors, as bytes and as elements."""
from __future__ import annotations

from torch_np._torch.storage import TypedStorage as TypedStorage, UntypedStorage as UntypedStorage

__all__ = ["TypedStorage", "UntypedStorage"]
