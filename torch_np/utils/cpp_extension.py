"""torch_np.utils.cpp_extension: questions about compilers, and the names of PyTorch's builds.

Extensions of PyTorch link its C++ library, which is not here. Operators in C++ have an interface of
their own: torch_np/extension.h, `torch_np.library.load` (docs/operators_of_your_own.md).
"""
from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from typing import Any

from torch_np._absent import absent_class, absent_function

__all__ = [
    "BuildExtension", "CUDAExtension", "CppExtension", "SyclExtension", "check_compiler_is_gcc", "check_compiler_ok_for_platform",
    "get_compiler_abi_compatibility_and_version", "get_cxx_compiler", "get_default_build_root", "include_paths", "is_ninja_available",
    "library_paths", "load", "load_inline", "remove_extension_h_precompiler_headers", "verify_ninja_availability",
]

CUDA_HOME = os.environ.get("CUDA_HOME") or os.environ.get("CUDA_PATH")
ROCM_HOME = None
IS_HIP_EXTENSION = False
_REASON = "extensions of PyTorch link its C++ library, which is not here; write operators with torch_np/extension.h and torch_np.library.load"
BuildExtension: Any = absent_class("BuildExtension", _REASON, __name__)
CppExtension, CUDAExtension, SyclExtension, load, load_inline = (
    absent_function(_name, _REASON, __name__) for _name in ("CppExtension", "CUDAExtension", "SyclExtension", "load", "load_inline"))


def get_cxx_compiler() -> str:
    """Returns the C++ compiler: the variable CXX, or 'c++'."""
    return os.environ.get("CXX", "c++")


def _version_text(compiler: str) -> str:
    try:
        done = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def check_compiler_is_gcc(compiler: str) -> bool:
    """Whether a compiler is GCC's C++ compiler.

    Args:
      compiler: Its name or path.
    """
    return "Free Software Foundation" in _version_text(compiler)


def check_compiler_ok_for_platform(compiler: str) -> bool:
    """Whether a compiler exists and is GCC or Clang.

    Args:
      compiler: Its name or path.
    """
    return shutil.which(compiler) is not None and (check_compiler_is_gcc(compiler) or "clang" in _version_text(compiler))


def get_compiler_abi_compatibility_and_version(compiler: str) -> tuple[bool, str]:
    """Returns whether a compiler can build operators, which need C++17, and its version.

    Args:
      compiler: Its name or path.
    """
    found = re.search(r"\b(\d+)\.(\d+)(\.\d+)?", _version_text(compiler))
    return (True, found[0]) if found and check_compiler_ok_for_platform(compiler) and int(found[1]) >= 7 else (False, found[0] if found else "0.0.0")


def get_default_build_root() -> str:
    """Returns a folder for builds, which it does not create."""
    return os.path.realpath(os.path.join(tempfile.gettempdir(), "torch_np_extensions"))


def include_paths(device_type: str = "cpu", torch_include_dirs: bool = True) -> list[str]:
    """Returns the folders with headers: that of torch_np/extension.h.

    Args:
      device_type: Has no effect.
      torch_include_dirs: Whether that folder is among them.
    """
    from torch_np.library import include_dir

    return [include_dir()] if torch_include_dirs else []


def library_paths(device_type: str = "cpu", torch_include_dirs: bool = True, cross_target_platform: str | None = None) -> list[str]:
    """Returns the folders with libraries to link: none, as operators link nothing.

    Args:
      device_type: Has no effect.
      torch_include_dirs: Has no effect.
      cross_target_platform: Has no effect.
    """
    return []


def is_ninja_available() -> bool:
    """Whether the program ninja runs."""
    return bool(_version_text("ninja"))


def verify_ninja_availability() -> None:
    """Raises RuntimeError unless the program ninja runs. Errors: RuntimeError."""
    if not is_ninja_available():
        raise RuntimeError("Ninja is required to load C++ extensions (pip install ninja to get it)")


def remove_extension_h_precompiler_headers() -> None:
    """Removes compiled headers of PyTorch. There are none, so it does nothing."""
