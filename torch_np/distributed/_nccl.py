"""The backend "nccl": passes tensors on GPUs to NVIDIA's NCCL library, which is opened at run time.

NCCL comes from PyPI's nvidia-nccl-cu13 or the system. MPI starts the processes and broadcasts the
identifier by which NCCL connects them. Operations run in a CUDA stream of their own, which first
waits for the work queued in the current stream. Waiting for an operation makes the current stream
wait, so the backward pass overlaps with communication. Signatures and constants: nccl.h of NCCL 2.
"""
from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor, cuda
from torch_np.distributed._mpi import Complete, errors_of
from torch_np.distributed._work import Backend, ReduceOp, Work

_DATATYPES = {torch_np.int8: 0, torch_np.uint8: 1, torch_np.int32: 2, torch_np.uint32: 3, torch_np.int64: 4, torch_np.uint64: 5,
              torch_np.float16: 6, torch_np.float32: 7, torch_np.float64: 8, torch_np.bfloat16: 9}
_OPERATIONS = {ReduceOp.SUM: 0, ReduceOp.PRODUCT: 1, ReduceOp.MAX: 2, ReduceOp.MIN: 3, ReduceOp.AVG: 4}
_OF_BOOLS = {ReduceOp.SUM: ReduceOp.MAX, ReduceOp.BOR: ReduceOp.MAX, ReduceOp.PRODUCT: ReduceOp.MIN, ReduceOp.BAND: ReduceOp.MIN,
             ReduceOp.MAX: ReduceOp.MAX, ReduceOp.MIN: ReduceOp.MIN}
_BYTE = 1


class _UniqueId(ctypes.Structure):
    _fields_ = [("internal", ctypes.c_byte * 128)]


_pointer, _size, _int = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
_FUNCTIONS: dict[str, list[Any]] = {
    "ncclGetUniqueId": [_pointer], "ncclCommInitRank": [_pointer, _int, _UniqueId, _int], "ncclCommDestroy": [_pointer],
    "ncclAllReduce": [_pointer, _pointer, _size, _int, _int, _pointer, _pointer],
    "ncclReduce": [_pointer, _pointer, _size, _int, _int, _int, _pointer, _pointer],
    "ncclBroadcast": [_pointer, _pointer, _size, _int, _int, _pointer, _pointer],
    "ncclAllGather": [_pointer, _pointer, _size, _int, _pointer, _pointer],
    "ncclReduceScatter": [_pointer, _pointer, _size, _int, _int, _pointer, _pointer],
    "ncclSend": [_pointer, _size, _int, _int, _pointer, _pointer], "ncclRecv": [_pointer, _size, _int, _int, _pointer, _pointer],
    "ncclGroupStart": [], "ncclGroupEnd": [],
}


def library_path() -> str | None:
    """The path of NCCL: TORCH_NP_NCCL_LIBRARY, else PyPI's package next to this one, else the
    system's library; None if none exists.
    """
    chosen = os.environ.get("TORCH_NP_NCCL_LIBRARY")
    if chosen:
        return chosen
    try:
        package = importlib.util.find_spec("nvidia.nccl")
    except ModuleNotFoundError:
        package = None
    for folder in (package.submodule_search_locations or ()) if package is not None else ():
        path = os.path.join(folder, "lib", "libnccl.so.2")
        if os.path.exists(path):
            return path
    try:
        ctypes.CDLL("libnccl.so.2")
    except OSError:
        return None
    return "libnccl.so.2"


@functools.cache
def library() -> ctypes.CDLL:
    """The NCCL library with its functions' signatures.

    Errors: RuntimeError if the library cannot be opened.
    """
    path = library_path()
    if path is None:
        raise RuntimeError("init_process_group(): the backend 'nccl' needs NVIDIA's NCCL: pip install nvidia-nccl-cu13")
    try:
        nccl = ctypes.CDLL(path)
    except OSError as error:
        raise RuntimeError(f"init_process_group(): NCCL can't be opened: {error}") from error
    for name, arguments in _FUNCTIONS.items():
        function = getattr(nccl, name)
        function.argtypes, function.restype = arguments, _int
    nccl.ncclGetErrorString.argtypes, nccl.ncclGetErrorString.restype = [_int], ctypes.c_char_p
    return nccl


def call(what: str, name: str, *arguments: Any) -> None:
    """Calls a function of NCCL.

    Errors: RuntimeError with NCCL's message.
    """
    nccl = library()
    status = getattr(nccl, name)(*arguments)
    if status != 0:
        raise RuntimeError(f"{what}(): {name} reports: {nccl.ncclGetErrorString(status).decode()} (NCCL_DEBUG=INFO says more)")


def elements(tensor: Tensor) -> tuple[int, int]:
    """Count and NCCL datatype of a tensor to move; dtypes unknown to NCCL are moved as bytes."""
    if tensor.dtype in _DATATYPES:
        return tensor.numel(), _DATATYPES[tensor.dtype]
    return tensor.numel() * tensor.element_size(), _BYTE


def summands(what: str, tensor: Tensor, op: ReduceOp) -> tuple[int, int, int]:
    """Count and NCCL datatype of a tensor to reduce, and NCCL's operation.

    Errors: TypeError for a dtype or operation that NCCL does not support.
    """
    dtype = tensor.dtype
    if dtype == torch_np.bool and op in _OF_BOOLS:
        return tensor.numel(), _BYTE, _OPERATIONS[_OF_BOOLS[op]]
    if dtype.is_complex and op in (ReduceOp.SUM, ReduceOp.AVG):  # NCCL adds them as pairs of real numbers
        return 2 * tensor.numel(), 7 if dtype == torch_np.complex64 else 8, _OPERATIONS[op]
    if dtype not in _DATATYPES or op not in _OPERATIONS or (op is ReduceOp.AVG and not dtype.is_floating_point):
        raise TypeError(f"{what}(): op {op.name} of {dtype} is not one of NCCL's")
    return tensor.numel(), _DATATYPES[dtype], _OPERATIONS[op]


class NCCLWork(Work):
    """An operation in the communication stream, tracked by a CUDA event."""

    def __init__(self, event: cuda.Event) -> None:
        super().__init__()
        self._event = event

    def _test(self) -> bool:
        if not self._event.query():
            return False
        self._wait(None)
        return True

    def _wait(self, timeout: float | None) -> None:
        self._event.wait()


class NCCLBackend(Backend):
    """An NCCL communicator on the current GPU, with its own stream."""

    name = "nccl"

    def __init__(self, communicator: Any) -> None:
        self._mpi, self.size, self.rank = communicator, communicator.Get_size(), communicator.Get_rank()
        if not cuda.is_available():
            raise RuntimeError("init_process_group(): the backend 'nccl' needs a GPU; take 'mpi'")
        library()
        self._device = cuda.current_device()
        self._communicator = ctypes.c_void_p()
        mine = _UniqueId()
        if self.rank == 0:
            call("init_process_group", "ncclGetUniqueId", ctypes.byref(mine))
        with errors_of("init_process_group"):
            mine = _UniqueId.from_buffer_copy(communicator.bcast(bytes(mine), 0))
        call("init_process_group", "ncclCommInitRank", ctypes.byref(self._communicator), self.size, mine, self.rank)
        self._stream = cuda.Stream(self._device)

    def _begin(self, what: str, tensors: list[Tensor], put: Callable[[Any], None], asynchronous: bool) -> Work:
        """Enqueues NCCL calls in the communication stream, after the work of the current stream.

        Errors: RuntimeError for tensors that are not on the group's GPU.
        """
        for t in tensors:
            if t.device.index != self._device:
                raise RuntimeError(f"{what}(): a tensor is on {t.device}, and the process group was made on cuda:{self._device}; call "
                                   "torch_np.cuda.set_device() before init_process_group(), or give device_id")
        with cuda.device(self._device):
            self._stream.wait_stream(cuda.current_stream())
            put(self._stream.cuda_stream)
            for t in tensors:
                t.record_stream(self._stream)
            work = NCCLWork(self._stream.record_event())
        if not asynchronous:
            work.wait()
        return work

    def all_reduce(self, what: str, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        count, datatype, operation = summands(what, tensor, op)
        at = tensor.data_ptr()
        return self._begin(what, [tensor], lambda stream: call(
            what, "ncclAllReduce", at, at, count, datatype, operation, self._communicator, stream), asynchronous)

    def reduce(self, what: str, tensor: Tensor, root: int, op: ReduceOp, asynchronous: bool) -> Work:
        count, datatype, operation = summands(what, tensor, op)
        at = tensor.data_ptr()
        return self._begin(what, [tensor], lambda stream: call(
            what, "ncclReduce", at, at if self.rank == root else None, count, datatype, operation, root, self._communicator, stream), asynchronous)

    def broadcast(self, what: str, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        count, datatype = elements(tensor)
        at = tensor.data_ptr()
        return self._begin(what, [tensor], lambda stream: call(
            what, "ncclBroadcast", at, at, count, datatype, root, self._communicator, stream), asynchronous)

    def all_gather(self, what: str, output: Tensor, tensor: Tensor, asynchronous: bool) -> Work:
        count, datatype = elements(tensor)
        return self._begin(what, [output, tensor], lambda stream: call(
            what, "ncclAllGather", tensor.data_ptr(), output.data_ptr(), count, datatype, self._communicator, stream), asynchronous)

    def reduce_scatter(self, what: str, output: Tensor, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        count, datatype, operation = summands(what, output, op)
        return self._begin(what, [output, tensor], lambda stream: call(
            what, "ncclReduceScatter", tensor.data_ptr(), output.data_ptr(), count, datatype, operation, self._communicator, stream), asynchronous)

    def _each(self, what: str, name: str, whole: Tensor, part: Tensor, stream: Any) -> None:
        """Enqueues one send or receive for each process, of that process's part of `whole`; they
        run concurrently.
        """
        count, datatype = elements(part)
        for rank in range(self.size):
            call(what, name, whole.data_ptr() + rank * part.numel() * part.element_size(), count, datatype, rank, self._communicator, stream)

    def gather(self, what: str, output: Tensor | None, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        def put(stream: Any) -> None:
            call(what, "ncclGroupStart")
            if output is not None:
                self._each(what, "ncclRecv", output, tensor, stream)
            call(what, "ncclSend", tensor.data_ptr(), *elements(tensor), root, self._communicator, stream)
            call(what, "ncclGroupEnd")
        return self._begin(what, [tensor, *([output] if output is not None else [])], put, asynchronous)

    def scatter(self, what: str, output: Tensor, tensor: Tensor | None, root: int, asynchronous: bool) -> Work:
        def put(stream: Any) -> None:
            call(what, "ncclGroupStart")
            if tensor is not None:
                self._each(what, "ncclSend", tensor, output, stream)
            call(what, "ncclRecv", output.data_ptr(), *elements(output), root, self._communicator, stream)
            call(what, "ncclGroupEnd")
        return self._begin(what, [output, *([tensor] if tensor is not None else [])], put, asynchronous)

    def send(self, what: str, tensor: Tensor, rank: int, tag: int, asynchronous: bool) -> Work:
        return self._begin(what, [tensor], lambda stream: call(
            what, "ncclSend", tensor.data_ptr(), *elements(tensor), rank, self._communicator, stream), asynchronous)

    def receive(self, what: str, tensor: Tensor, rank: int | None, tag: int, asynchronous: bool) -> tuple[Work, Callable[[], int]]:
        if rank is None:
            raise ValueError(f"{what}(): the backend 'nccl' needs src")
        return self._begin(what, [tensor], lambda stream: call(
            what, "ncclRecv", tensor.data_ptr(), *elements(tensor), rank, self._communicator, stream), asynchronous), lambda: rank

    def barrier(self, what: str, asynchronous: bool) -> Work:
        """Waits for this process's GPU and then for the other processes, by MPI; never
        asynchronous.
        """
        cuda.synchronize(self._device)
        with errors_of(what):
            self._mpi.Barrier()
        return Complete()

    def close(self) -> None:
        self._stream.synchronize()
        call("destroy_process_group", "ncclCommDestroy", self._communicator)
