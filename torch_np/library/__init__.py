"""torch_np.library: custom operators, written in Python (`custom_op`) or loaded from a C++ library
(`load`).

They are called like built-in operators: with both types of arrays, with gradients, and on every
device for which they have a kernel.
"""
from torch_np.library._custom_op import CustomOpDef as CustomOpDef, custom_op as custom_op
from torch_np.library._library import Library as Library, _scoped_library as _scoped_library
from torch_np.library._load import LoadedLibrary as LoadedLibrary, list_libraries as list, load as load
from torch_np.library._opcheck import OpCheckError as OpCheckError, opcheck as opcheck
from torch_np.library._paths import cflags as cflags, cmake_dir as cmake_dir, include_dir as include_dir

from torch_np.library._register import (
    define as define, fallthrough_kernel as fallthrough_kernel, get_ctx as get_ctx, get_kernel as get_kernel, impl as impl,
    impl_abstract as impl_abstract, infer_schema as infer_schema, register_autocast as register_autocast,
    register_autograd as register_autograd, register_fake as register_fake, register_kernel as register_kernel,
    register_torch_dispatch as register_torch_dispatch, register_vmap as register_vmap, triton_op as triton_op, wrap_triton as wrap_triton,
)

__all__ = [
    "CustomOpDef", "Library", "LoadedLibrary", "OpCheckError", "cflags", "cmake_dir", "custom_op", "define", "fallthrough_kernel", "get_ctx",
    "get_kernel", "impl", "impl_abstract", "include_dir", "infer_schema", "list", "load", "opcheck", "register_autocast", "register_autograd",
    "register_fake", "register_kernel", "register_torch_dispatch", "register_vmap", "triton_op", "wrap_triton",
]
