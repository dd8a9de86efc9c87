"""torch_np.library: custom operators, written in Python (`custom_op`) or loaded from a C++ library
(`load`).

They are called like built-in operators: with both types of arrays, with gradients, and on every
device for which they have a kernel.
"""
from torch_np.library._custom_op import CustomOpDef as CustomOpDef, custom_op as custom_op
from torch_np.library._load import LoadedLibrary as LoadedLibrary, list_libraries as list, load as load
from torch_np.library._opcheck import OpCheckError as OpCheckError, opcheck as opcheck
from torch_np.library._paths import cflags as cflags, cmake_dir as cmake_dir, include_dir as include_dir

__all__ = ["CustomOpDef", "LoadedLibrary", "OpCheckError", "cflags", "cmake_dir", "custom_op", "include_dir", "list", "load", "opcheck"]
