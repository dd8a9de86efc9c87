"""Names at the top of torch_np whose modules are imported when they are used."""
from __future__ import annotations

from types import ModuleType
from typing import Any

# Functions of sparse tensors.
_SPARSE = frozenset("""_coalesce _validate_compressed_sparse_indices _validate_sparse_bsc_tensor_args _validate_sparse_bsr_tensor_args
    _validate_sparse_compressed_tensor_args _validate_sparse_coo_tensor_args _validate_sparse_csc_tensor_args _validate_sparse_csr_tensor_args
    ccol_indices_copy col_indices_copy crow_indices_copy indices_copy native_norm resize_as_sparse_ row_indices_copy sparse_bsc_tensor
    sparse_bsr_tensor sparse_compressed_tensor sparse_coo_tensor sparse_csc_tensor sparse_csr_tensor values_copy
    _convert_indices_from_coo_to_csr _convert_indices_from_csr_to_coo _sparse_broadcast_to dsmm hsmm hspmm saddmm smm spmm sspaddmm""".split())


def _running_with_deploy() -> bool:
    """Whether PyTorch's package torch::deploy runs the program: never."""
    return False


def names() -> list[str]:
    """The `__dir__` of torch_np."""
    import torch_np

    return sorted(set(vars(torch_np)) | {name for name in _SPARSE if name[0] != "_"})


def attribute(name: str) -> Any:
    """The `__getattr__` of torch_np. Errors: AttributeError for all other names."""
    if name == "ScriptModule":
        from torch_np.jit import ScriptModule

        return ScriptModule
    if name == "vmap":
        from torch_np.func import vmap

        return vmap
    if name == "__all__":  # `from torch import *` has no modules
        import torch_np

        return [n for n in names() if n[0] != "_" and not isinstance(vars(torch_np).get(n), ModuleType)]
    if name == "classes":
        from torch_np._classes import classes

        return classes
    if name == "_segment_reduce":
        from torch_np._torch.segments import segment_reduce

        return segment_reduce
    if name == "_running_with_deploy":
        return _running_with_deploy
    if name in _SPARSE:
        import torch_np
        from torch_np.sparse import _top

        value = getattr(_top, name)
        value.__module__ = torch_np.__name__  # the module that users import
        setattr(torch_np, name, value)
        return value
    raise AttributeError(f"module 'torch_np' has no attribute {name!r}")
