"""torch_np.distributed._functional_collectives: PyTorch's collectives that return tensors, by name."""
from __future__ import annotations

from torch_np import Tensor
from torch_np._absent import absent_names


def wait_tensor(tensor: Tensor) -> Tensor:
    """Returns the tensor: collectives that return one have ended."""
    return tensor


absent_names(globals(), "collectives that return new tensors are not implemented; use those of torch_np.distributed, which write to given ones",
             functions="all_gather_tensor all_gather_tensor_autograd all_reduce all_reduce_coalesced all_to_all_single "
                       "all_to_all_single_autograd broadcast permute_tensor reduce_scatter_tensor reduce_scatter_tensor_autograd",
             classes="AsyncCollectiveTensor")
