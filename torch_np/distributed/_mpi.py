"""The backend "mpi": passes the memory of tensors on the host to MPI without copies, by mpi4py.

Note [16-bit floats] MPI has no arithmetic for float16 and bfloat16. Such tensors are sent as 16-bit
integers and combined by custom operations, which MPI calls with two buffers. That avoids copies
and halves the traffic compared to float32. The result is rounded after each addition, as NCCL's is.
To sum in float32, sum a float32 copy.
"""
from __future__ import annotations

import functools
import time
from collections.abc import Callable
from typing import Any

import torch_np
from torch_np import Tensor
from torch_np.distributed._work import Backend, ReduceOp, Work

_INTEGERS = {torch_np.uint8: "UINT8_T", torch_np.int8: "INT8_T", torch_np.int16: "INT16_T", torch_np.uint16: "UINT16_T",
             torch_np.int32: "INT32_T", torch_np.uint32: "UINT32_T", torch_np.int64: "INT64_T", torch_np.uint64: "UINT64_T"}
_DATATYPES = _INTEGERS | {torch_np.float32: "FLOAT", torch_np.float64: "DOUBLE", torch_np.complex64: "C_FLOAT_COMPLEX",
                          torch_np.complex128: "C_DOUBLE_COMPLEX", torch_np.bool: "UINT8_T", torch_np.float16: "UINT16_T",
                          torch_np.bfloat16: "UINT16_T"}
_OPERATIONS = {ReduceOp.SUM: "SUM", ReduceOp.AVG: "SUM", ReduceOp.PRODUCT: "PROD", ReduceOp.MIN: "MIN", ReduceOp.MAX: "MAX",
               ReduceOp.BAND: "BAND", ReduceOp.BOR: "BOR", ReduceOp.BXOR: "BXOR"}
# Bools are bytes of 0 or 1, combined by MAX and MIN. MPI's logical operations give the same result,
# but not all implementations support a one-byte type for them.
_OF_BOOLS = {"SUM": "MAX", "PROD": "MIN"}
_BITWISE = (ReduceOp.BAND, ReduceOp.BOR, ReduceOp.BXOR)


def load_mpi() -> Any:
    """Imports the module mpi4py.MPI, which initialises MPI.

    Errors: RuntimeError, with the package to install, if mpi4py or an MPI is missing.
    """
    try:
        from mpi4py import MPI
    except (ImportError, RuntimeError) as error:  # RuntimeError: mpi4py is installed, but no MPI
        raise RuntimeError(f"torch_np.distributed needs mpi4py and an MPI, which `pip install 'torch-np[mpi]'` brings: {error}") from error
    return MPI


def message(tensor: Tensor) -> list[Any]:
    """The memory of a contiguous tensor in the form that mpi4py accepts.

    The buffer is one of bytes, since the buffer protocol has no format for bfloat16. It is a buffer
    rather than an address so that the engine is notified of its release: only then are cached facts
    about the tensor valid again.
    """
    bytes_of: Any = tensor.reshape(-1).view(torch_np.uint8)
    return [memoryview(bytes_of), getattr(load_mpi(), _DATATYPES[tensor.dtype])]


def apart(tensor: Tensor, output: Tensor) -> list[Any]:
    """The message of `tensor`, or of a copy if it overlaps the memory of `output`, which MPI
    forbids.
    """
    ours, others = message(tensor), message(output)
    MPI = load_mpi()
    if tensor.numel() and output.numel():
        first, second = MPI.Get_address(ours[0]), MPI.Get_address(others[0])
        if first < second + others[0].nbytes and second < first + ours[0].nbytes:
            return message(tensor.clone())
    return ours


@functools.cache
def _operation_of_halves(op: ReduceOp, dtype: torch_np.dtype) -> Any:
    combine = {ReduceOp.SUM: torch_np.add, ReduceOp.AVG: torch_np.add, ReduceOp.PRODUCT: torch_np.mul,
               ReduceOp.MIN: torch_np.minimum, ReduceOp.MAX: torch_np.maximum}[op]

    def reduce(addend: Any, total: Any, _: Any) -> None:
        if len(addend):
            into = torch_np.frombuffer(total, dtype=dtype)
            combine(into, torch_np.frombuffer(addend, dtype=dtype), out=into)
    return load_mpi().Op.Create(reduce, commute=True)


def operation(what: str, op: ReduceOp, dtype: torch_np.dtype) -> Any:
    """MPI's operation for a reduction.

    Errors: TypeError for combinations that are not defined: AVG of integers, MIN of complex
    numbers, BAND of floats.
    """
    numbers = dtype.is_floating_point or dtype.is_complex
    if (op is ReduceOp.AVG and not numbers) or (op in _BITWISE and numbers) or (op in (ReduceOp.MIN, ReduceOp.MAX) and dtype.is_complex):
        raise TypeError(f"{what}(): op {op.name} is not defined for {dtype}")
    if dtype in (torch_np.float16, torch_np.bfloat16):
        return _operation_of_halves(op, dtype)
    name = _OPERATIONS[op]
    return getattr(load_mpi(), _OF_BOOLS.get(name, name) if dtype == torch_np.bool else name)


class MPIWork(Work):
    """An operation that MPI performs asynchronously: a wrapped MPI request."""

    def __init__(self, what: str, request: Any, timeout: float | None, under_way: set[MPIWork]) -> None:
        super().__init__()
        self._what, self._request, self._timeout = what, request, timeout
        # MPI writes to a request's memory until it completes, even if the program has dropped the
        # Work.
        self._under_way = under_way
        under_way.add(self)

    def _complete(self) -> None:
        self._under_way.discard(self)
        super()._complete()

    def _test(self) -> bool:
        with errors_of(self._what):
            return bool(self._request.Test())

    def _wait(self, timeout: float | None) -> None:
        limit = self._timeout if timeout is None else timeout
        with errors_of(self._what):
            if limit is None:
                self._request.Wait()
                return
            end, pause = time.monotonic() + limit, 0.0
            while not self._request.Test():
                if time.monotonic() > end:
                    raise RuntimeError(f"{self._what}(): not complete after {limit:g} s; did every process of the group call it?")
                time.sleep(pause)
                pause = min(pause + 2e-5, 1e-3)


class Complete(Work):
    """A Work that is already complete."""

    def __init__(self) -> None:
        super().__init__()
        self._done = True

    def _test(self) -> bool:
        return True

    def _wait(self, timeout: float | None) -> None:
        pass


class errors_of:
    """A context manager that converts MPI's exceptions into RuntimeErrors that name the operation.
    """

    def __init__(self, what: str) -> None:
        self.what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        if error is not None and isinstance(error, load_mpi().Exception):
            raise RuntimeError(f"{self.what}(): MPI reports: {error}") from error


class MPIBackend(Backend):
    """Collectives of an MPI communicator."""

    name = "mpi"

    def __init__(self, communicator: Any, timeout: float | None) -> None:
        self.communicator, self.size, self.rank = communicator, communicator.Get_size(), communicator.Get_rank()
        self._timeout = timeout
        self._under_way: set[MPIWork] = set()

    def _call(self, what: str, name: str, asynchronous: bool, *arguments: Any, **options: Any) -> Work:
        for work in tuple(self._under_way):  # drop finished requests
            if work.is_completed():
                self._under_way.discard(work)
        with errors_of(what):
            if not asynchronous and self._timeout is None:
                getattr(self.communicator, name)(*arguments, **options)
                return Complete()
            work = MPIWork(what, getattr(self.communicator, "I" + name.lower())(*arguments, **options), self._timeout, self._under_way)
        if not asynchronous:
            work.wait()
        return work

    def _divided(self, tensor: Tensor, op: ReduceOp) -> Tensor:
        return tensor / self.size if op is ReduceOp.AVG else tensor

    def all_reduce(self, what: str, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        combine = operation(what, op, tensor.dtype)
        if op is ReduceOp.AVG:
            tensor.div_(self.size)
        return self._call(what, "Allreduce", asynchronous, load_mpi().IN_PLACE, message(tensor), combine)

    def reduce(self, what: str, tensor: Tensor, root: int, op: ReduceOp, asynchronous: bool) -> Work:
        combine = operation(what, op, tensor.dtype)
        if self.rank != root:
            return self._call(what, "Reduce", asynchronous, message(self._divided(tensor, op)), None, combine, root)
        if op is ReduceOp.AVG:
            tensor.div_(self.size)
        return self._call(what, "Reduce", asynchronous, load_mpi().IN_PLACE, message(tensor), combine, root)

    def broadcast(self, what: str, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        return self._call(what, "Bcast", asynchronous, message(tensor), root)

    def all_gather(self, what: str, output: Tensor, tensor: Tensor, asynchronous: bool) -> Work:
        return self._call(what, "Allgather", asynchronous, apart(tensor, output), message(output))

    def reduce_scatter(self, what: str, output: Tensor, tensor: Tensor, op: ReduceOp, asynchronous: bool) -> Work:
        combine = operation(what, op, tensor.dtype)
        return self._call(what, "Reduce_scatter_block", asynchronous, apart(self._divided(tensor, op), output), message(output), combine)

    def gather(self, what: str, output: Tensor | None, tensor: Tensor, root: int, asynchronous: bool) -> Work:
        return self._call(what, "Gather", asynchronous, message(tensor), None if output is None else message(output), root)

    def scatter(self, what: str, output: Tensor, tensor: Tensor | None, root: int, asynchronous: bool) -> Work:
        return self._call(what, "Scatter", asynchronous, None if tensor is None else message(tensor), message(output), root)

    def send(self, what: str, tensor: Tensor, rank: int, tag: int, asynchronous: bool) -> Work:
        return self._call(what, "Send", asynchronous, message(tensor), rank, tag)

    def receive(self, what: str, tensor: Tensor, rank: int | None, tag: int, asynchronous: bool) -> tuple[Work, Callable[[], int]]:
        MPI = load_mpi()
        status = MPI.Status()
        source = MPI.ANY_SOURCE if rank is None else rank
        if not asynchronous and self._timeout is None:
            with errors_of(what):
                self.communicator.Recv(message(tensor), source, tag, status)
            work: Work = Complete()
        else:
            with errors_of(what):
                request = self.communicator.Irecv(message(tensor), source, tag)
            work = MPIWork(what, _WithStatus(request, status), self._timeout, self._under_way)
            if not asynchronous:
                work.wait()
        return work, status.Get_source

    def barrier(self, what: str, asynchronous: bool) -> Work:
        return self._call(what, "Barrier", asynchronous)

    def close(self) -> None:
        for work in tuple(self._under_way):
            work.wait()


class _WithStatus:
    """An MPI request whose completion records the sender of the message in `status`."""

    def __init__(self, request: Any, status: Any) -> None:
        self._request, self._status = request, status

    def Test(self) -> bool:  # noqa: N802  (MPI's names)
        """Whether the request is complete."""
        return bool(self._request.Test(self._status))

    def Wait(self) -> None:  # noqa: N802
        """Blocks until the request is complete."""
        self._request.Wait(self._status)
