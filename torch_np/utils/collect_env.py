"""torch_np.utils.collect_env: describes the machine and the installed packages, for reports of faults.

    python -m torch_np.utils.collect_env
"""
from __future__ import annotations

import importlib.metadata
import locale
import os
import platform
import subprocess
import sys
from typing import Any, NamedTuple

import torch_np

__all__ = ["SystemEnv", "get_env_info", "get_pretty_env_info", "main", "run"]

# Installed distributions are listed if their names contain one of these.
PACKAGES = ("torch", "numpy", "mypy", "flake8", "triton", "onnx", "optree", "mkl", "tbb", "dask", "ml-dtypes")


class SystemEnv(NamedTuple):
    """The description. What does not exist is None or "N/A"."""

    torch_version: str
    is_debug_build: str
    cuda_compiled_version: str
    gcc_version: str | None
    clang_version: str | None
    cmake_version: str | None
    os: str
    libc_version: str
    python_version: str
    python_platform: str
    is_cuda_available: str
    cuda_runtime_version: str | None
    cuda_module_loading: str
    nvidia_driver_version: str | None
    nvidia_gpu_models: str | None
    cudnn_version: str | None
    is_xpu_available: str
    pip_version: str
    pip_packages: str
    conda_packages: str | None
    hip_compiled_version: str
    hip_runtime_version: str
    miopen_runtime_version: str
    caching_allocator_config: str
    is_xnnpack_available: str
    cpu_info: str | None


def run(command: Any) -> tuple[int, str, str]:
    """Runs a command. Returns its exit status, and what it wrote to stdout and stderr.

    Args:
      command: A string for the shell, or a list.
    """
    try:
        done = subprocess.run(command, shell=isinstance(command, str), capture_output=True, check=False)
    except OSError as error:
        return 127, "", str(error)
    encoding = locale.getpreferredencoding()
    return done.returncode, done.stdout.decode(encoding, "replace").strip(), done.stderr.decode(encoding, "replace").strip()


def _first_line(*command: str) -> str | None:
    status, out, _ = run(list(command))
    return out.splitlines()[0] if status == 0 and out else None


def _system() -> str:
    try:
        return f"{platform.freedesktop_os_release()['PRETTY_NAME']} ({platform.machine()})"
    except (OSError, KeyError):
        return platform.platform()


def _packages() -> str:
    found = {d.metadata["Name"]: d.version for d in importlib.metadata.distributions() if d.metadata["Name"]}
    return "\n".join(f"{name}=={found[name]}" for name in sorted(found, key=str.lower) if any(part in name.lower() for part in PACKAGES))


def get_env_info() -> SystemEnv:
    """Returns the description as a named tuple."""
    cuda = torch_np.cuda.is_available()
    names = [torch_np.cuda.get_device_name(i) for i in range(torch_np.cuda.device_count())] if cuda else []
    return SystemEnv(
        torch_version=str(torch_np.__version__), is_debug_build="False", cuda_compiled_version=str(torch_np.version.cuda),
        gcc_version=_first_line("gcc", "--version"), clang_version=_first_line("clang", "--version"), cmake_version=_first_line("cmake", "--version"),
        os=_system(), libc_version="-".join(platform.libc_ver()), python_version=f"{sys.version} ({sys.maxsize.bit_length() + 1}-bit runtime)",
        python_platform=platform.platform(), is_cuda_available=str(cuda), cuda_runtime_version=None,
        cuda_module_loading=os.environ.get("CUDA_MODULE_LOADING", "N/A"), nvidia_driver_version=None,
        nvidia_gpu_models="\n".join(f"GPU {i}: {name}" for i, name in enumerate(names)) or None, cudnn_version=None, is_xpu_available="False",
        pip_version=f"pip{sys.version_info.major}", pip_packages=_packages(), conda_packages=None, hip_compiled_version="N/A",
        hip_runtime_version="N/A", miopen_runtime_version="N/A", caching_allocator_config=os.environ.get("PYTORCH_CUDA_ALLOC_CONF", ""),
        is_xnnpack_available="False", cpu_info=_first_line("lscpu") and run(["lscpu"])[1])


def get_pretty_env_info() -> str:
    """Returns the description as text."""
    e = get_env_info()
    return f"""PyTorch version: {e.torch_version}
Is debug build: {e.is_debug_build}
CUDA used to build PyTorch: {e.cuda_compiled_version}

OS: {e.os}
GCC version: {e.gcc_version}
Clang version: {e.clang_version}
CMake version: {e.cmake_version}
Libc version: {e.libc_version}

Python version: {e.python_version}
Python platform: {e.python_platform}
Is CUDA available: {e.is_cuda_available}
GPU models and configuration: {e.nvidia_gpu_models or "No CUDA"}

CPU:
{e.cpu_info}

Versions of relevant libraries:
{e.pip_packages}"""


def main() -> None:
    """Prints the description."""
    print(get_pretty_env_info())


if __name__ == "__main__":
    main()
