"""torch_np.cuda: GPUs, their memory, streams and events.

The CUDA library is opened at its first use by a function here or by an array. Without a driver or a
GPU `is_available()` is False, and the rest of torch_np works.
"""
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch_np import _C
from torch_np._C import device as _device_type
from torch_np._deferred import deferred as _deferred

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Self

    from torch_np._C import Tensor
    from torch_np._typing import DeviceLike, TensorLike

_cuda = _C._cuda


def _find_library(version: str) -> None:
    """Registers the library of the package torch-np-cuda, if it is installed and matches torch_np
    `version`. Warns if it does not match.
    """
    try:
        import torch_np_cuda
    except ImportError:
        return
    if torch_np_cuda.__version__ == version:
        _cuda.set_library_folder(torch_np_cuda.library_folder())
    else:
        import warnings
        warnings.warn(f"torch-np-cuda {torch_np_cuda.__version__} does not match torch-np {version} and is not used: "
                      f"pip install torch-np-cuda=={version}", RuntimeWarning, stacklevel=4)


def is_available() -> bool:
    """Whether a usable GPU exists."""
    return device_count() > 0


def device_count() -> int:
    """Returns the number of usable GPUs."""
    return _cuda.device_count()


def init() -> None:
    """Opens the CUDA library now. Errors: RuntimeError without a GPU, with the reason."""
    _cuda.initialize()


def _index(device: DeviceLike | None) -> int:
    """Returns the index of a GPU; None is the current one."""
    if device is None:
        return current_device()
    if isinstance(device, int):
        return current_device() if device < 0 else device
    gpu = _device_type(device)
    if gpu.type != "cuda" or gpu.index is None:
        raise ValueError(f"expected a GPU, got '{gpu}'")
    return gpu.index


def current_device() -> int:
    """Returns the index of this thread's current GPU."""
    return _cuda.current_device()


def set_device(device: DeviceLike) -> None:
    """Sets this thread's current GPU.

    Args:
      device: The GPU; a negative number changes nothing.
    """
    if not (isinstance(device, int) and device < 0):
        _cuda.set_device(_index(device))


class device:
    """A context manager that sets the current GPU: `with torch_np.cuda.device(1): ...`.

    Args:
      device: The GPU; None or -1 changes nothing.
    """

    def __init__(self, device: DeviceLike | None) -> None:
        self.idx = -1 if device is None or device == -1 else _index(device)
        self._before = -1

    def __enter__(self) -> Self:
        if self.idx >= 0:
            self._before = current_device()
            _cuda.set_device(self.idx)
        return self

    def __exit__(self, *exception: object) -> None:
        if self.idx >= 0:
            _cuda.set_device(self._before)


class device_of(device):
    """A context manager that makes the GPU of an array the current one.

    Args:
      tensor: The array. An array on the CPU changes nothing.
    """

    def __init__(self, tensor: TensorLike) -> None:
        where = _device_type(str(tensor.device))
        super().__init__(where.index if where.type == "cuda" else -1)


class _Properties:
    """Properties of a GPU, the result of get_device_properties()."""

    def __init__(self, device: int) -> None:
        self.name, self.total_memory, self.major, self.minor, self.multi_processor_count = _cuda.properties(device)

    def __repr__(self) -> str:
        return (f"_CudaDeviceProperties(name='{self.name}', major={self.major}, minor={self.minor}, "
                f"total_memory={self.total_memory // 2**20}MB, multi_processor_count={self.multi_processor_count})")


def get_device_properties(device: DeviceLike | None = None) -> _Properties:
    """Returns the properties of a GPU: `name`, `total_memory` in bytes, `major` and `minor`
    (compute capability), and `multi_processor_count`.

    Args:
      device: The GPU; None is the current GPU.
    """
    return _Properties(_index(device))


def get_device_name(device: DeviceLike | None = None) -> str:
    """Returns the name of a GPU.

    Args:
      device: The GPU; None is the current GPU.
    """
    return get_device_properties(device).name


def get_device_capability(device: DeviceLike | None = None) -> tuple[int, int]:
    """Returns the compute capability of a GPU, as the pair (major, minor).

    Args:
      device: The GPU; None is the current GPU.
    """
    p = get_device_properties(device)
    return p.major, p.minor


def synchronize(device: DeviceLike | None = None) -> None:
    """Waits until all work on a GPU is done.

    Args:
      device: The GPU; None is the current GPU.
    """
    _cuda.synchronize(_index(device))


class Stream:
    """A queue of work on a GPU. Work in one stream runs in order; work in different streams may
    overlap.

    If this stream uses an array that was allocated in another stream, call the array's
    `record_stream`, so that its memory is not reused before this stream is done with it.

    Args:
      device: The GPU; None is the current GPU.
      priority: Priority of the stream; smaller numbers run first.
    """

    def __init__(self, device: DeviceLike | None = None, priority: int = 0) -> None:
        self._index, self._owned = _index(device), False
        self.cuda_stream = _cuda.new_stream(self._index, priority)
        self._owned = True

    @classmethod
    def _known(cls, index: int, handle: int) -> Self:
        self = cls.__new__(cls)
        self._index, self._owned, self.cuda_stream = index, False, handle
        return self

    def __del__(self) -> None:
        if getattr(self, "_owned", False):  # __init__ may have raised before it set the attribute
            _cuda.delete_stream(self._index, self.cuda_stream)

    @property
    def device(self) -> _device_type:
        """The GPU of the stream."""
        return _device_type("cuda", self._index)

    def query(self) -> bool:
        """Whether all work in the stream is done."""
        return _cuda.stream_is_done(self._index, self.cuda_stream)

    def synchronize(self) -> None:
        """Waits until all work in the stream is done."""
        _cuda.synchronize_stream(self._index, self.cuda_stream)

    def wait_event(self, event: Event) -> None:
        """Makes later work of this stream wait for an event.

        Args:
          event: The event. An event that was never recorded is ignored.
        """
        if event._handle is not None:
            _cuda.wait_event(self._index, self.cuda_stream, event._handle)

    def wait_stream(self, stream: Stream) -> None:
        """Makes later work of this stream wait for all work that is in another stream now.

        Args:
          stream: The stream whose work is waited for.
        """
        self.wait_event(stream.record_event())

    def record_event(self, event: Event | None = None) -> Event:
        """Records an event in the stream. The event completes when all earlier work of the stream
        is done. Returns the event.

        Args:
          event: The event; None creates a new event.
        """
        event = Event() if event is None else event
        event.record(self)
        return event

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Stream) and (self._index, self.cuda_stream) == (other._index, other.cuda_stream)

    def __hash__(self) -> int:
        return hash((self._index, self.cuda_stream))

    def __repr__(self) -> str:
        return f"<torch_np.cuda.Stream device={self.device} cuda_stream={self.cuda_stream:#x}>"


class Event:
    """A point in a stream, to wait for, or to measure the time between two events.

    Args:
      enable_timing: Whether the event records its time.
    """

    def __init__(self, enable_timing: bool = False) -> None:
        self._timing = bool(enable_timing)
        self._handle: int | None = None
        self._index: int | None = None

    def __del__(self) -> None:
        # __init__ may have raised before it set the attribute
        handle = getattr(self, "_handle", None)
        if handle is not None:
            _cuda.delete_event(handle)

    def record(self, stream: Stream | None = None) -> None:
        """Records the event in a stream.

        Args:
          stream: The stream; None is the current stream.

        Errors: RuntimeError if the event was first recorded on a GPU that is not the stream's.
        """
        stream = current_stream() if stream is None else stream
        if self._handle is None:
            self._index, self._handle = stream._index, _cuda.new_event(stream._index, self._timing)
        elif self._index != stream._index:
            raise RuntimeError(f"the event belongs to cuda:{self._index}, and the stream to cuda:{stream._index}")
        _cuda.record_event(self._handle, stream._index, stream.cuda_stream)

    def wait(self, stream: Stream | None = None) -> None:
        """Makes later work of a stream wait for the event.

        Args:
          stream: The stream; None is the current stream.
        """
        (current_stream() if stream is None else stream).wait_event(self)

    def query(self) -> bool:
        """Whether all work before the event is done; True if it was never recorded."""
        return self._handle is None or _cuda.event_is_done(self._handle)

    def synchronize(self) -> None:
        """Waits until all work before the event is done."""
        if self._handle is not None:
            _cuda.synchronize_event(self._handle)

    def elapsed_time(self, end_event: Event) -> float:
        """Returns the milliseconds from this event to another.

        Args:
          end_event: The later event.

        Errors: ValueError unless both were recorded, with `enable_timing`.
        """
        if self._handle is None or end_event._handle is None or not (self._timing and end_event._timing):
            raise ValueError("elapsed_time() needs two events that were made with enable_timing=True and recorded")
        return _cuda.elapsed(self._handle, end_event._handle)


def current_stream(device: DeviceLike | None = None) -> Stream:
    """Returns this thread's current stream on a GPU.

    Args:
      device: The GPU; None is the current GPU.
    """
    index = _index(device)
    return Stream._known(index, _cuda.current_stream(index))


def default_stream(device: DeviceLike | None = None) -> Stream:
    """Returns the default stream of a GPU, which is current at first.

    Args:
      device: The GPU; None is the current GPU.
    """
    return Stream._known(_index(device), 0)


def set_stream(stream: Stream | None) -> None:
    """Sets this thread's current stream on the stream's GPU.

    Args:
      stream: The stream; None changes nothing.
    """
    if stream is not None:
        _cuda.set_stream(stream._index, stream.cuda_stream)
        _keep.setdefault(stream._index, {})[stream.cuda_stream] = stream


# keeps streams alive that set_stream() received, as a thread may still use them
_keep: dict[int, dict[int, "Stream"]] = {}


class stream:
    """A context manager that sets the current stream, and its GPU.

    Args:
      stream: The stream; None changes nothing.
    """

    def __init__(self, stream: Stream | None) -> None:
        self.stream = stream

    def __enter__(self) -> Stream | None:
        if self.stream is not None:
            self._device = current_device()
            self._before = _cuda.current_stream(self.stream._index)
            _cuda.set_device(self.stream._index)
            _cuda.set_stream(self.stream._index, self.stream.cuda_stream)
        return self.stream

    def __exit__(self, *exception: object) -> None:
        if self.stream is not None:
            _cuda.set_stream(self.stream._index, self._before)
            _cuda.set_device(self._device)


def memory_stats(device: DeviceLike | None = None) -> dict[str, int]:
    """Returns memory counters of a GPU.

    In bytes: `allocated_bytes` in blocks that arrays hold, `peak_allocated_bytes`, and
    `cached_bytes` in freed blocks that are kept. As counts: `allocations`, and `cache_hits`, the
    allocations served from the cache.

    Args:
      device: The GPU; None is the current GPU.
    """
    return _cuda.memory_stats(_index(device))


def memory_allocated(device: DeviceLike | None = None) -> int:
    """Returns the bytes in blocks that arrays hold.

    Args:
      device: The GPU; None is the current GPU.
    """
    return memory_stats(device)["allocated_bytes"]


def max_memory_allocated(device: DeviceLike | None = None) -> int:
    """Returns the highest number of bytes that arrays held, since the start or since
    `reset_peak_memory_stats`.

    Args:
      device: The GPU; None is the current GPU.
    """
    return memory_stats(device)["peak_allocated_bytes"]


def memory_reserved(device: DeviceLike | None = None) -> int:
    """Returns the bytes allocated from the driver: those that arrays hold, and the cached ones.

    Args:
      device: The GPU; None is the current GPU.
    """
    stats = memory_stats(device)
    return stats["allocated_bytes"] + stats["cached_bytes"]


def reset_peak_memory_stats(device: DeviceLike | None = None) -> None:
    """Resets the peak of `max_memory_allocated` to the bytes that are allocated now.

    Args:
      device: The GPU; None is the current GPU.
    """
    _cuda.reset_peak_memory_stats(_index(device))


def empty_cache() -> None:
    """Returns cached blocks to the driver."""
    _cuda.empty_cache()


def mem_get_info(device: DeviceLike | None = None) -> tuple[int, int]:
    """Returns the free and the total bytes of a GPU, from its driver.

    Args:
      device: The GPU; None is the current GPU.
    """
    return _cuda.memory_info(_index(device))


def _generator(device: DeviceLike | None = None) -> _C.Generator:
    """Returns a GPU's default generator, a Philox generator whose numbers are drawn on the GPU."""
    return _C._default_generator(f"cuda:{_index(device)}")


def manual_seed(seed: int) -> None:
    """Seeds the default generator of the current GPU. Without a GPU it does nothing.
    torch_np.manual_seed seeds all devices.

    Args:
      seed: The seed.
    """
    if is_available():
        _generator().manual_seed(seed)


def manual_seed_all(seed: int) -> None:
    """Seeds the default generators of all GPUs.

    Args:
      seed: The seed.
    """
    for index in range(device_count()):
        _generator(index).manual_seed(seed)


def seed() -> None:
    """Seeds the default generator of the current GPU, if there is one, from the system's entropy.
    """
    if is_available():
        _generator().seed()


def seed_all() -> None:
    """Seeds the default generators of all GPUs with one seed from the system's entropy."""
    seed()
    if is_available():
        manual_seed_all(initial_seed())


def initial_seed() -> int:
    """Returns the last seed of the current GPU's default generator."""
    return _generator().initial_seed()


def get_rng_state(device: DeviceLike = "cuda") -> Tensor:
    """Returns the state of a GPU's default generator, as a uint8 tensor on the CPU.

    Args:
      device: The GPU.

    Shapes: (n,).
    """
    import torch_np
    words = torch_np.tensor(_generator(device).get_words(), dtype=torch_np.uint64, device="cpu")
    return words.view(torch_np.uint8)


def get_rng_state_all() -> list[Tensor]:
    """Returns the states of all GPUs' default generators. Shapes: (n,) each."""
    return [get_rng_state(index) for index in range(device_count())]


def set_rng_state(new_state: Tensor, device: DeviceLike = "cuda") -> None:
    """Sets the state of a GPU's default generator.

    Args:
      new_state: A state from `get_rng_state`.
      device: The GPU.

    Shapes: `new_state` (n,), as `get_rng_state` returned it.
    Errors: ValueError if `new_state` is not such a state.
    """
    import torch_np
    if new_state.dtype is not torch_np.uint8 or new_state.dim() != 1 or new_state.numel() % 8:
        raise ValueError("expected a state, a uint8 tensor from get_rng_state()")
    _generator(device).set_words(new_state.cpu().contiguous().view(torch_np.uint64).tolist())


def set_rng_state_all(new_states: Iterable[Tensor]) -> None:
    """Sets the states of all GPUs' default generators.

    Args:
      new_states: States from `get_rng_state_all`.

    Shapes: (n,) each.
    Errors: ValueError if an item of the list is not such a state.
    """
    for index, state in enumerate(new_states):
        set_rng_state(state, index)


StreamContext = stream


class _DefaultGenerators(Sequence[_C.Generator]):
    """The default generator of each GPU. The CUDA library is opened at the first access."""

    def __len__(self) -> int:
        return device_count()

    def __getitem__(self, index: Any) -> Any:
        places = range(len(self))[index]
        return _generator(places) if isinstance(places, int) else tuple(map(_generator, places))


default_generators = _DefaultGenerators()

__all__ = [
    "BFloat16Storage", "BFloat16Tensor", "BoolStorage", "BoolTensor", "ByteStorage", "ByteTensor", "CUDAGraph", "CUDAPluggableAllocator",
    "CharStorage", "CharTensor", "ComplexDoubleStorage", "ComplexDoubleTensor", "ComplexFloatStorage", "ComplexFloatTensor", "CudaError",
    "DeferredCudaCallError", "DoubleStorage", "DoubleTensor", "Event", "ExternalStream", "FloatStorage", "FloatTensor", "GreenContext",
    "HalfStorage", "HalfTensor", "IntStorage", "IntTensor", "LongStorage", "LongTensor", "MemPool", "ShortStorage", "ShortTensor",
    "Stream", "StreamContext", "caching_allocator_alloc", "caching_allocator_delete", "caching_allocator_disabled",
    "caching_allocator_enable", "can_device_access_peer", "change_current_allocator", "check_error", "clock_rate", "cudaStatus", "cudart",
    "current_blas_handle", "current_device", "current_solver_handle", "current_stream", "default_generators", "default_stream", "device",
    "device_count", "device_memory_used", "device_of", "empty_cache", "export_dot", "export_graph_data", "get_allocator_backend",
    "get_arch_list", "get_device_capability", "get_device_name", "get_device_properties", "get_gencode_flags",
    "get_per_process_memory_fraction", "get_rng_state", "get_rng_state_all", "get_stream_from_external", "get_sync_debug_mode", "graph",
    "graph_annotations", "graph_pool_handle", "graphs", "has_half", "has_magma", "host_memory_stats", "host_memory_stats_as_nested_dict",
    "init", "initial_seed", "ipc_collect", "is_available", "is_bf16_supported", "is_current_stream_capturing", "is_initialized",
    "is_tf32_supported", "jiterator", "list_gpu_processes", "make_graphed_callables", "manual_seed", "manual_seed_all",
    "max_memory_allocated", "max_memory_cached", "max_memory_reserved", "mem_get_info", "memory_allocated", "memory_cached",
    "memory_reserved", "memory_snapshot", "memory_stats", "memory_stats_as_nested_dict", "memory_summary", "memory_usage", "nccl", "nvtx",
    "power_draw", "profiler", "reset_accumulated_host_memory_stats", "reset_accumulated_memory_stats", "reset_max_memory_allocated",
    "reset_max_memory_cached", "reset_peak_host_memory_stats", "reset_peak_memory_stats", "seed", "seed_all", "set_device",
    "set_per_process_memory_fraction", "set_rng_state", "set_rng_state_all", "set_stream", "set_sync_debug_mode", "sparse", "stream",
    "synchronize", "temperature", "tunable", "use_mem_pool", "utilization",
]

from torch_np.cuda._more import *  # noqa: E402,F403
from torch_np.cuda._more import _lazy_call as _lazy_call, _lazy_init as _lazy_init  # noqa: E402

if TYPE_CHECKING:
    from torch_np.cuda import nvtx as nvtx
else:
    nvtx = _deferred("torch_np.cuda.nvtx")

OutOfMemoryError = MemoryError  # the engine raises it on every device
