"""torch_np.__config__: how the engine was built."""
from __future__ import annotations

from torch_np import _C, __version__

__all__ = ["parallel_info", "show"]


def show() -> str:
    """Returns the version of the engine, its instruction set and its number of threads, as text."""
    return (f"torch_np {__version__}: C++20, oneMKL, oneTBB, CPU capability {_C._cpu.get_cpu_capability()}, "
            f"{_C.get_num_threads()} threads\n")


def parallel_info() -> str:
    """Returns the number of threads that operators use, as text."""
    return f"torch_np.get_num_threads() : {_C.get_num_threads()}\nthread pool: oneTBB\n"
