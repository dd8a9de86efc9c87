"""torch_np.distributed._tensor: the former name of torch_np.distributed.tensor."""
from torch_np.distributed.device_mesh import DeviceMesh as DeviceMesh, init_device_mesh as init_device_mesh
from torch_np.distributed.tensor import (
    DTensor as DTensor, Partial as Partial, Placement as Placement, Replicate as Replicate, Shard as Shard,
    distribute_module as distribute_module, distribute_tensor as distribute_tensor, empty as empty, full as full, ones as ones, rand as rand,
    randn as randn, zeros as zeros,
)
