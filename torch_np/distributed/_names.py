"""Backends by name, errors, options and settings, as PyTorch names them."""
from __future__ import annotations

import enum
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, NewType

from torch_np._absent import absent_class, absent_function
from torch_np.distributed._group import ProcessGroup, _groups, get_backend, is_available, is_nccl_available
from torch_np.distributed._work import ReduceOp

_MODULE = "torch_np.distributed"
GroupName = NewType("GroupName", str)


class DistError(RuntimeError):
    """Base class of PyTorch's errors of distributed programs. Operations here raise RuntimeError
    and ValueError.
    """


class DistBackendError(DistError):
    """An error of a backend."""


class DistNetworkError(DistError):
    """An error of the network."""


class DistStoreError(DistError):
    """An error of a store."""


class QueueEmptyError(DistStoreError):
    """An empty queue of a store."""


class Backend(str):
    """The name of a backend, in lower case: 'mpi' or 'gloo' for tensors in host memory, which MPI
    moves under both names, and 'nccl' for tensors on GPUs.

    Args:
      name: The name.

    Errors: ValueError unless `name` is a str.
    """

    UNDEFINED = "undefined"
    GLOO = "gloo"
    NCCL = "nccl"
    UCC = "ucc"
    MPI = "mpi"
    XCCL = "xccl"
    backend_list: ClassVar[list[str]] = ["undefined", "gloo", "nccl", "mpi"]
    default_device_backend_map: ClassVar[dict[str, str]] = {"cpu": "mpi", "cuda": "nccl"}
    backend_capability: ClassVar[dict[str, list[str]]] = {"gloo": ["cpu"], "mpi": ["cpu"], "nccl": ["cuda"]}

    def __new__(cls, name: str) -> Backend:
        if not isinstance(name, str):
            raise ValueError(f"Backend constructor parameter must be string-ish, but got {name!r}")
        return super().__new__(cls, name.lower())

    @classmethod
    def register_backend(cls, name: str, func: Any, extended_api: bool = False, devices: Any = None) -> None:
        """Raises NotImplementedError: there are no backends of other libraries. Errors:
        NotImplementedError.
        """
        raise NotImplementedError(f"Backend.register_backend(): the backend {name!r} is not used; tensors are moved by MPI and NCCL")


class BackendConfig:
    """Backends by type of devices.

    Args:
      backend: A name, or pairs such as 'cpu:gloo,cuda:nccl'.

    Errors: ValueError for a malformed text.
    """

    def __init__(self, backend: str) -> None:
        self.device_backend_map: dict[str, str] = {}
        for part in str(backend).lower().split(","):
            device, colon, name = part.strip().rpartition(":")
            if colon and not (device and name):
                raise ValueError(f"BackendConfig(): expected '<device>:<backend>' pairs, got {backend!r}")
            for place in [device] if colon else Backend.backend_capability.get(name, ["cpu", "cuda"]):
                if place in self.device_backend_map:
                    raise ValueError(f"BackendConfig(): the device type {place!r} has two backends in {backend!r}")
                self.device_backend_map[place] = name

    def get_device_backend_map(self) -> dict[str, str]:
        """Returns the names of the backends by device type."""
        return self.device_backend_map

    def __repr__(self) -> str:
        return ",".join(f"{device}:{name}" for device, name in self.device_backend_map.items())


class DebugLevel(enum.Enum):
    """How much is checked: DETAIL compares the calls of all processes before they run."""

    OFF = 0
    INFO = 1
    DETAIL = 2


def get_debug_level() -> DebugLevel:
    """Returns the level that the variable TORCH_NP_DISTRIBUTED_DEBUG names."""
    return getattr(DebugLevel, os.environ.get("TORCH_NP_DISTRIBUTED_DEBUG", "").upper(), DebugLevel.OFF)


class _Options:
    """Options of an operation in PyTorch's low-level interface: attributes, which the functions of
    this module take as arguments instead.
    """

    def __init__(self) -> None:
        self.timeout: Any = None
        self.asyncOp = True


def _options(name: str, **defaults: Any) -> Any:
    def __init__(self: Any) -> None:  # noqa: N807
        _Options.__init__(self)
        vars(self).update(defaults)
    return type(name, (_Options,), {"__init__": __init__, "__module__": _MODULE, "__doc__": (
        f"Options with the attributes {', '.join([*defaults, 'timeout', 'asyncOp'])}, for PyTorch's low-level interface. The functions of "
        "torch_np.distributed\n    take arguments instead.")})


AllreduceOptions = _options("AllreduceOptions", reduceOp=ReduceOp.SUM)
AllreduceCoalescedOptions = _options("AllreduceCoalescedOptions", reduceOp=ReduceOp.SUM)
AllToAllOptions = _options("AllToAllOptions")
BarrierOptions = _options("BarrierOptions", device_ids=[], device=None)
BroadcastOptions = _options("BroadcastOptions", rootRank=0, rootTensor=0)
GatherOptions = _options("GatherOptions", rootRank=0)
ReduceOptions = _options("ReduceOptions", reduceOp=ReduceOp.SUM, rootRank=0, rootTensor=0)
ReduceScatterOptions = _options("ReduceScatterOptions", reduceOp=ReduceOp.SUM)
ScatterOptions = _options("ScatterOptions", rootRank=0)
reduce_op = ReduceOp  # PyTorch's former name


def is_gloo_available() -> bool:
    """Whether the backend 'gloo' can be named: MPI moves the tensors."""
    return is_available()


def is_ucc_available() -> bool:
    """False: UCC is not used."""
    return False


def is_xccl_available() -> bool:
    """False: Intel's GPUs are not supported."""
    return False


def is_backend_available(backend: str) -> bool:
    """Whether a backend can be used.

    Args:
      backend: Its name.
    """
    name = backend.lower()
    return is_nccl_available() if name == "nccl" else name in ("mpi", "gloo") and is_available()


def is_torchelastic_launched() -> bool:
    """Whether PyTorch's launcher torchrun started this process."""
    return "TORCHELASTIC_RUN_ID" in os.environ


def get_node_local_rank(fallback_rank: int | None = None) -> int:
    """Returns the rank of this process among those of its machine, from the variable LOCAL_RANK.

    Args:
      fallback_rank: The result without that variable.

    Errors: RuntimeError without the variable and `fallback_rank`.
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is None:
        raise RuntimeError("get_node_local_rank(): LOCAL_RANK is not in the environment; start the processes with "
                           "`python -m torch_np.distributed.run`, or pass fallback_rank")
    return int(fallback_rank)


def get_pg_count() -> int:
    """Returns the number of process groups that exist."""
    return len(_groups)


def get_backend_config(group: ProcessGroup | None = None) -> str:
    """Returns the backends of a group by device type, such as 'cpu:mpi'.

    Args:
      group: process group; by default the group of all processes

    Errors: ValueError if there is no process group or this process is not a member.
    """
    return str(BackendConfig(get_backend(group)))


def get_default_backend_for_device(device: Any) -> str:
    """Returns the name of the backend for a device: 'mpi' or 'nccl'.

    Args:
      device: The device.

    Errors: ValueError for a device without a backend.
    """
    import torch_np

    kind = torch_np.device(device).type
    if kind not in Backend.default_device_backend_map:
        raise ValueError(f"get_default_backend_for_device(): no backend moves tensors on {device}")
    return Backend.default_device_backend_map[kind]


def supports_complex(reduceOp: ReduceOp) -> bool:  # noqa: N803
    """Whether a reduction of complex tensors is defined.

    Args:
      reduceOp: The reduction.
    """
    return reduceOp not in (ReduceOp.MAX, ReduceOp.MIN, ReduceOp.PRODUCT, *(getattr(ReduceOp, n) for n in ("BAND", "BOR", "BXOR") if hasattr(ReduceOp, n)))


@contextmanager
def record_comm(name: str) -> Iterator[None]:
    """A context whose operations have a label in profiles.

    Args:
      name: The label.
    """
    from torch_np.profiler import record_function

    with record_function(name):
        yield


_RENDEZVOUS = "processes are found by MPI, or the launcher; call init_process_group() without a store"
register_rendezvous_handler = absent_function("register_rendezvous_handler", _RENDEZVOUS, _MODULE)
rendezvous = absent_function("rendezvous", _RENDEZVOUS, _MODULE)
shrink_group = absent_function("shrink_group", "a group keeps its processes; create another one with new_group()", _MODULE)
get_backend_impl = absent_function("get_backend_impl", "backends have no interface of their own; call the functions of torch_np.distributed", _MODULE)
_STORE = "stores are not implemented; use all_gather_object() and broadcast_object_list()"
Store: Any = absent_class("Store", _STORE, _MODULE)
PrefixStore: Any = absent_class("PrefixStore", _STORE, _MODULE, Store)
HashStore: Any = absent_class("HashStore", _STORE, _MODULE, Store)
FileStore: Any = absent_class("FileStore", _STORE, _MODULE, Store)
TCPStore: Any = absent_class("TCPStore", _STORE, _MODULE, Store)
_CLASS = "groups are made by init_process_group() and new_group(), and their backend is 'mpi', 'gloo' or 'nccl'; pass its name"
ProcessGroupGloo: Any = absent_class("ProcessGroupGloo", _CLASS, _MODULE)
ProcessGroupMPI: Any = absent_class("ProcessGroupMPI", _CLASS, _MODULE)
ProcessGroupNCCL: Any = absent_class("ProcessGroupNCCL", _CLASS, _MODULE)
ProcessGroupNCCL2: Any = absent_class("ProcessGroupNCCL2", _CLASS, _MODULE)
ProcessGroupNCCLLazy: Any = absent_class("ProcessGroupNCCLLazy", _CLASS, _MODULE)
