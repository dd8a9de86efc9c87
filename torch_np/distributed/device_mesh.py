"""torch_np.distributed.device_mesh: the processes of a job as an array with named axes."""
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch_np.distributed import _group

if TYPE_CHECKING:
    from torch_np import Tensor

__all__ = ["DeviceMesh", "init_device_mesh"]


class DeviceMesh:
    """Processes as an array: for each axis there is a group of the processes that differ in it
    only.

    Args:
      device_type: 'cpu' or 'cuda'.
      mesh: Global ranks: a tensor, or nested sequences.
      mesh_dim_names: Names of the axes.
      _groups: The groups of the axes, instead of new ones.

    Shapes: one axis for each of the mesh.
    Errors: ValueError for ranks that repeat, names that do not fit, and without a process group.
    """

    def __init__(self, device_type: str, mesh: Any = None, *, mesh_dim_names: Sequence[str] | None = None, _groups: list[Any] | None = None) -> None:
        import torch_np

        self.device_type = device_type
        self.mesh: Tensor = torch_np.as_tensor(mesh, dtype=torch_np.int64, device="cpu").clone()
        self.mesh_dim_names = None if mesh_dim_names is None else tuple(mesh_dim_names)
        ranks = self.mesh.reshape(-1).tolist()
        if len(set(ranks)) < len(ranks):
            raise ValueError(f"DeviceMesh(): mesh has a rank twice: {ranks}")
        if self.mesh_dim_names is not None and (len(self.mesh_dim_names) != self.ndim or len(set(self.mesh_dim_names)) < self.ndim):
            raise ValueError(f"DeviceMesh(): mesh_dim_names {self.mesh_dim_names} are not {self.ndim} different names")
        self._rank = _group.get_rank()
        self._groups = self._new_groups() if _groups is None else _groups

    def _new_groups(self) -> list[Any]:
        made: list[Any] = []
        for axis in range(self.ndim):
            # all processes create all groups, in the same order
            lines = self.mesh.movedim(axis, -1).reshape(-1, self.mesh.shape[axis]).tolist()
            if len(lines) == 1 and len(lines[0]) == _group.get_world_size() and lines[0] == sorted(lines[0]):
                made.append(_group.GroupMember.WORLD)
                continue
            groups = [(line, _group.new_group(line)) for line in lines]
            made.append(next((g for line, g in groups if self._rank in line), _group.GroupMember.NON_GROUP_MEMBER))
        return made

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return self.mesh.dim()

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of processes along each axis."""
        return tuple(self.mesh.shape)

    def size(self, mesh_dim: int | None = None) -> int:
        """Returns the number of processes, of the mesh or along one axis."""
        return self.mesh.numel() if mesh_dim is None else self.mesh.shape[mesh_dim]

    def _axis(self, mesh_dim: int | str | None) -> int:
        if mesh_dim is None:
            if self.ndim > 1:
                raise RuntimeError("DeviceMesh: the mesh has several axes; mesh_dim must name one")
            return 0
        if isinstance(mesh_dim, str):
            if self.mesh_dim_names is None or mesh_dim not in self.mesh_dim_names:
                raise KeyError(f"DeviceMesh: there is no axis {mesh_dim!r} among {self.mesh_dim_names}")
            return self.mesh_dim_names.index(mesh_dim)
        return mesh_dim

    def get_group(self, mesh_dim: int | str | None = None) -> Any:
        """Returns the group of this process along an axis.

        Args:
          mesh_dim: Index or name of the axis; None for a mesh with one.

        Errors: RuntimeError for None with several axes; KeyError for an unknown name.
        """
        return self._groups[self._axis(mesh_dim)]

    def get_all_groups(self) -> list[Any]:
        """Returns the groups of this process along all axes."""
        return list(self._groups)

    def get_rank(self) -> int:
        """Returns the global rank of this process."""
        return self._rank

    def get_coordinate(self) -> tuple[int, ...] | None:
        """Returns the place of this process in the mesh; None if it is not in it."""
        found = (self.mesh == self._rank).nonzero()
        return tuple(int(i) for i in found[0]) if len(found) else None

    def get_local_rank(self, mesh_dim: int | str | None = None) -> int:
        """Returns the place of this process along an axis.

        Args:
          mesh_dim: Index or name of the axis; None for a mesh with one.

        Errors: RuntimeError if this process is not in the mesh; those of `get_group`.
        """
        place = self.get_coordinate()
        if place is None:
            raise RuntimeError("get_local_rank(): this process is not in the mesh")
        return place[self._axis(mesh_dim)]

    def __getitem__(self, mesh_dim_names: str | tuple[str, ...]) -> DeviceMesh:
        """The mesh of the processes that differ from this one in the named axes only."""
        names = (mesh_dim_names,) if isinstance(mesh_dim_names, str) else tuple(mesh_dim_names)
        axes = [self._axis(name) for name in names]
        place = self.get_coordinate()
        if place is None:
            raise RuntimeError("DeviceMesh: this process is not in the mesh")
        if axes != sorted(axes):
            raise KeyError(f"DeviceMesh: axes must be named in the order of the mesh, {self.mesh_dim_names}")
        part = self.mesh[tuple(slice(None) if axis in axes else place[axis] for axis in range(self.ndim))]
        return DeviceMesh(self.device_type, part, mesh_dim_names=names, _groups=[self._groups[axis] for axis in axes])

    def __eq__(self, other: object) -> bool:
        return self is other or isinstance(other, DeviceMesh) and self.device_type == other.device_type and self.shape == other.shape and (
            self.mesh.tolist() == other.mesh.tolist() and self.mesh_dim_names == other.mesh_dim_names)

    def __hash__(self) -> int:
        return hash((self.device_type, self.shape, tuple(self.mesh.reshape(-1).tolist()), self.mesh_dim_names))

    def __repr__(self) -> str:
        named = "" if self.mesh_dim_names is None else f", mesh_dim_names={self.mesh_dim_names}"
        return f"DeviceMesh('{self.device_type}', {self.mesh.tolist()}{named})"


def init_device_mesh(device_type: str, mesh_shape: Sequence[int], *, mesh_dim_names: Sequence[str] | None = None,
                     backend_override: Any = None) -> DeviceMesh:
    """Returns a mesh of all processes, and starts the process group if there is none.

    Args:
      device_type: 'cpu' or 'cuda'.
      mesh_shape: Number of processes along each axis.
      mesh_dim_names: Names of the axes.
      backend_override: Only None.

    Errors: RuntimeError for a shape of another number of processes, or another device type;
    NotImplementedError for `backend_override`.
    """
    import torch_np

    if backend_override is not None:
        raise NotImplementedError("init_device_mesh(): all groups of a mesh have the backend of the job; backend_override must be None")
    if device_type not in ("cpu", "cuda"):
        raise RuntimeError(f"init_device_mesh(): device_type must be 'cpu' or 'cuda', not {device_type!r}")
    if not _group.is_initialized():
        _group.init_process_group("nccl" if device_type == "cuda" else "mpi")
    if math.prod(mesh_shape) != _group.get_world_size():
        raise RuntimeError(f"init_device_mesh(): a mesh of shape {tuple(mesh_shape)} has {math.prod(mesh_shape)} processes, and the job "
                           f"{_group.get_world_size()}")
    return DeviceMesh(device_type, torch_np.arange(math.prod(mesh_shape)).reshape(tuple(mesh_shape)), mesh_dim_names=mesh_dim_names)
