"""torch_np.distributed.tensor._utils: the parts of distributed tensors."""
from __future__ import annotations

from collections.abc import Sequence

from torch_np.distributed.device_mesh import DeviceMesh
from torch_np.distributed.tensor.placement_types import Placement, Shard


def compute_local_shape_and_global_offset(global_shape: Sequence[int], mesh: DeviceMesh, placements: Sequence[Placement],
                                          skip_offset: bool = False) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The shape of the part of this process, and where it begins in the whole tensor.

    A process outside the mesh has the shape (0,) and no offset. With `skip_offset` the offset is
    empty.
    """
    place = mesh.get_coordinate()
    if place is None:
        return (0,), ()
    shape, offset = list(global_shape), [0] * len(global_shape)
    for axis, placement in enumerate(placements):
        if not isinstance(placement, Shard):
            continue
        dim = placement.dim
        if not -len(shape) <= dim < len(shape):
            raise AssertionError(f"Sharding dim {dim} is greater than tensor ndim {len(shape)}")
        whole = shape[dim]
        shape[dim], begin = Shard.local_shard_size_and_offset(whole, mesh.size(axis), place[axis])
        offset[dim] = offset[dim] + begin if shape[dim] else global_shape[dim]
    return tuple(shape), () if skip_offset else tuple(offset)
