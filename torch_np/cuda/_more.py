"""Further names of torch.cuda: classes of tensors on GPUs, statistics by their older names, and names
that refuse.
"""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

from torch_np import _C
from torch_np._absent import absent_function, absent_names
from torch_np._torch.dtype_names import LEGACY

_GRAPHS = "CUDA graphs of Python code are not implemented; torch_np.compile launches its records as CUDA graphs"
_ALLOCATOR = "the allocator of GPU memory is the engine's own and cannot be exchanged"
_HANDLES = "handles of CUDA's libraries are not given out"
_SENSORS = "sensors of GPUs are not read; use the program nvidia-smi"


class _CudaType(type):
    dtype: _C.dtype

    def __instancecheck__(cls, instance: object) -> bool:
        return isinstance(instance, _C.Tensor) and instance.is_cuda and instance.dtype == cls.dtype

    def __call__(cls, *args: Any) -> _C.Tensor:
        """Makes a tensor on the current GPU from data, or an uninitialised tensor from sizes."""
        if len(args) == 1 and isinstance(args[0], _C.Size):
            return _C._torch.empty(args[0], dtype=cls.dtype, device="cuda")
        if len(args) == 1 and not isinstance(args[0], int):
            return _C._torch.tensor(args[0], dtype=cls.dtype, device="cuda")
        return _C._torch.empty(args or (0,), dtype=cls.dtype, device="cuda")


for _dtype, _name in LEGACY.items():
    globals()[f"{_name}Tensor"] = _CudaType(f"{_name}Tensor", (), {
        "dtype": _dtype, "__module__": "torch_np.cuda", "__doc__": f"Tensors of {_dtype} on GPUs."})

has_half = True
has_magma = False


class CudaError(RuntimeError):
    """PyTorch's error of the CUDA library; errors here are RuntimeError."""


class DeferredCudaCallError(Exception):
    """PyTorch's error of a call that it had put off until CUDA was initialised."""


def is_initialized() -> bool:
    """Whether GPUs can be used; the library is initialised when the package looks for them."""
    from torch_np import cuda
    return cuda.is_available()


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU computes with bfloat16.

    Args:
      including_emulation: Whether slow support counts.
    """
    from torch_np import cuda
    return cuda.is_available() and (including_emulation or cuda.get_device_capability()[0] >= 8)


def is_tf32_supported() -> bool:
    """Whether the GPU computes matrix products with TF32."""
    from torch_np import cuda
    return cuda.is_available() and cuda.get_device_capability()[0] >= 8


def is_current_stream_capturing() -> bool:
    """Returns False: Python code is not captured into CUDA graphs."""
    return False


def get_allocator_backend() -> str:
    """Returns 'native': the allocator of GPU memory is the engine's own."""
    return "native"


def get_arch_list() -> list[str]:
    """Returns an empty list: builds do not record the architectures that kernels are compiled for."""
    return []


def get_gencode_flags() -> str:
    """Returns '': builds do not record the architectures that kernels are compiled for."""
    return ""


def ipc_collect() -> None:
    """Does nothing: GPU memory is not shared with other processes."""


def device_memory_used(device: Any = None) -> int:
    """Returns the number of bytes of the GPU's memory that are in use, by all processes.

    Args:
      device: GPU; None is the current one.
    """
    from torch_np import cuda
    free, total = cuda.mem_get_info(device)
    return total - free


def memory_cached(device: Any = None) -> int:
    """Returns the number of bytes that the allocator holds: the older name of `memory_reserved`.

    Args:
      device: GPU; None is the current one.
    """
    from torch_np import cuda
    return cuda.memory_reserved(device)


def reset_max_memory_allocated(device: Any = None) -> None:
    """Resets the peak of `max_memory_allocated`: the older name of `reset_peak_memory_stats`.

    Args:
      device: GPU; None is the current one.
    """
    from torch_np import cuda
    cuda.reset_peak_memory_stats(device)


def reset_max_memory_cached(device: Any = None) -> None:
    """Resets the peaks of memory: the older name of `reset_peak_memory_stats`.

    Args:
      device: GPU; None is the current one.
    """
    from torch_np import cuda
    cuda.reset_peak_memory_stats(device)


def memory_stats_as_nested_dict(device: Any = None) -> dict[str, Any]:
    """Returns `memory_stats` as nested dicts, split at the points of the names.

    Args:
      device: GPU; None is the current one.
    """
    from torch_np import cuda
    made: dict[str, Any] = {}
    for name, value in cuda.memory_stats(device).items():
        *path, last = name.split(".")
        table = made
        for part in path:
            table = table.setdefault(part, {})
        table[last] = value
    return made


def memory_summary(device: Any = None, abbreviated: bool = False) -> str:
    """Returns `memory_stats` as text, a line for each number.

    Args:
      device: GPU; None is the current one.
      abbreviated: Whether to leave out details; there are none.
    """
    from torch_np import cuda
    return "\n".join(f"{name}: {value}" for name, value in cuda.memory_stats(device).items())


def get_sync_debug_mode() -> int:
    """Returns 0: waits for the GPU are not reported."""
    return 0


def set_sync_debug_mode(debug_mode: int | str) -> None:
    """Accepts 0 and 'default'.

    Args:
      debug_mode: Whether waits for the GPU give warnings or errors.

    Errors: NotImplementedError for other modes.
    """
    if debug_mode not in (0, "default"):
        raise NotImplementedError("set_sync_debug_mode(): reports of waits for the GPU are not implemented; torch_np.profiler shows them")


def get_per_process_memory_fraction(device: Any = None) -> float:
    """Returns 1.0: the process may use all memory of the GPU.

    Args:
      device: GPU; None is the current one.
    """
    return 1.0


def set_per_process_memory_fraction(fraction: float, device: Any = None) -> None:
    """Accepts 1.0.

    Args:
      fraction: Part of the GPU's memory that the process may use.
      device: GPU; None is the current one.

    Errors: NotImplementedError for another part.
    """
    if fraction != 1.0:
        raise NotImplementedError(f"set_per_process_memory_fraction(): {fraction} is not implemented; the process may use all memory of the GPU")


absent_names(globals(), _GRAPHS, functions="export_dot export_graph_data graph_annotations graph_pool_handle graphs make_graphed_callables",
             classes="CUDAGraph graph")
absent_names(globals(), _ALLOCATOR,
             functions="""caching_allocator_alloc caching_allocator_delete caching_allocator_disabled caching_allocator_enable
             change_current_allocator host_memory_stats host_memory_stats_as_nested_dict max_memory_cached max_memory_reserved memory_snapshot
             reset_accumulated_host_memory_stats reset_accumulated_memory_stats reset_peak_host_memory_stats use_mem_pool""",
             classes="CUDAPluggableAllocator MemPool")
absent_names(globals(), _HANDLES,
             functions="""can_device_access_peer check_error cudart current_blas_handle current_solver_handle get_stream_from_external
             jiterator nccl profiler sparse tunable""",
             classes="ExternalStream GreenContext cudaStatus")
absent_names(globals(), _SENSORS, functions="clock_rate list_gpu_processes memory_usage power_draw temperature utilization")
absent_names(globals(), "storages are on the CPU; use tensors on device='cuda'",
             classes=" ".join(f"{name}Storage" for name in LEGACY.values()))

if TYPE_CHECKING:  # names that other statements define
    from torch_np._absent import (
        AbsentClass as CUDAGraph, AbsentClass as graph, AbsentClass as CUDAPluggableAllocator, AbsentClass as MemPool,
        AbsentClass as ExternalStream, AbsentClass as GreenContext, AbsentClass as cudaStatus, AbsentClass as DoubleStorage,
        AbsentClass as FloatStorage, AbsentClass as HalfStorage, AbsentClass as BFloat16Storage, AbsentClass as LongStorage,
        AbsentClass as IntStorage, AbsentClass as ShortStorage, AbsentClass as CharStorage, AbsentClass as ByteStorage,
        AbsentClass as BoolStorage, AbsentClass as ComplexFloatStorage, AbsentClass as ComplexDoubleStorage,
    )
    export_dot = export_graph_data = graph_annotations = graph_pool_handle = graphs = make_graphed_callables = absent_function("", "", "")
    caching_allocator_alloc = caching_allocator_delete = caching_allocator_disabled = absent_function("", "", "")
    caching_allocator_enable = change_current_allocator = host_memory_stats = absent_function("", "", "")
    host_memory_stats_as_nested_dict = max_memory_cached = max_memory_reserved = memory_snapshot = absent_function("", "", "")
    reset_accumulated_host_memory_stats = reset_accumulated_memory_stats = reset_peak_host_memory_stats = absent_function("", "", "")
    use_mem_pool = can_device_access_peer = check_error = cudart = current_blas_handle = absent_function("", "", "")
    current_solver_handle = get_stream_from_external = jiterator = nccl = profiler = sparse = tunable = absent_function("", "", "")
    clock_rate = list_gpu_processes = memory_usage = power_draw = temperature = utilization = absent_function("", "", "")
    DoubleTensor = FloatTensor = HalfTensor = BFloat16Tensor = LongTensor = IntTensor = ShortTensor = CharTensor = ByteTensor = cast(Any, _CudaType)
    BoolTensor = ComplexFloatTensor = ComplexDoubleTensor = cast(Any, _CudaType)

__all__ = [
    "BFloat16Storage", "BFloat16Tensor", "BoolStorage", "BoolTensor", "ByteStorage", "ByteTensor", "CUDAGraph", "CUDAPluggableAllocator",
    "CharStorage", "CharTensor", "ComplexDoubleStorage", "ComplexDoubleTensor", "ComplexFloatStorage",
    "ComplexFloatTensor", "CudaError", "DeferredCudaCallError", "DoubleStorage", "DoubleTensor", "ExternalStream",
    "FloatStorage", "FloatTensor", "GreenContext", "HalfStorage", "HalfTensor", "IntStorage", "IntTensor", "LongStorage", "LongTensor",
    "MemPool", "ShortStorage", "ShortTensor", "caching_allocator_alloc", "caching_allocator_delete", "caching_allocator_disabled",
    "caching_allocator_enable", "can_device_access_peer", "change_current_allocator", "check_error", "clock_rate", "cudaStatus", "cudart",
    "current_blas_handle", "current_solver_handle", "device_memory_used", "export_dot", "export_graph_data", "get_allocator_backend",
    "get_arch_list", "get_gencode_flags", "get_per_process_memory_fraction", "get_stream_from_external", "get_sync_debug_mode", "graph",
    "graph_annotations", "graph_pool_handle", "graphs", "has_half", "has_magma", "host_memory_stats", "host_memory_stats_as_nested_dict",
    "ipc_collect", "is_bf16_supported", "is_current_stream_capturing", "is_initialized", "is_tf32_supported", "jiterator",
    "list_gpu_processes", "make_graphed_callables", "max_memory_cached", "max_memory_reserved", "memory_cached", "memory_snapshot",
    "memory_stats_as_nested_dict", "memory_summary", "memory_usage", "nccl", "power_draw", "profiler",
    "reset_accumulated_host_memory_stats", "reset_accumulated_memory_stats", "reset_max_memory_allocated", "reset_max_memory_cached",
    "reset_peak_host_memory_stats", "set_per_process_memory_fraction", "set_sync_debug_mode", "sparse", "temperature", "tunable",
    "use_mem_pool", "utilization",
]


def _lazy_init() -> None:
    """Has no effect with a GPU: the library is initialised already. Errors: RuntimeError without a GPU."""
    if not is_initialized():
        raise RuntimeError("torch_np.cuda._lazy_init(): there is no GPU that can be used")


def _lazy_call(callable: Any, **kwargs: Any) -> None:  # noqa: A002  (PyTorch's name)
    """Calls a function if a GPU can be used; without one, never.

    Args:
      callable: The function.
      kwargs: Ignored: PyTorch's order among functions that wait for the first use of a GPU.
    """
    if is_initialized():
        callable()
