"""torch_np.utils: reading of data in batches (`data`), recomputed activations (`checkpoint`), trees
of tensors (`_pytree`), timings (`benchmark`) and other tools, under PyTorch's names. Each module
loads on first use.
"""
from typing import TYPE_CHECKING

from torch_np._deferred import deferred as _deferred
from torch_np.utils._tools import cmake_prefix_path, get_cpp_backtrace, set_module, swap_tensors

if TYPE_CHECKING:
    from torch_np.utils import (
        _contextlib as _contextlib, _python_dispatch as _python_dispatch, _pytree as _pytree, benchmark as benchmark,
        checkpoint as checkpoint, cpp_extension as cpp_extension, data as data, deterministic as deterministic, dlpack as dlpack, flop_counter as flop_counter, hooks as hooks,
        model_zoo as model_zoo, tensorboard as tensorboard, weak as weak,
    )
else:
    globals().update((_name, _deferred(f"torch_np.utils.{_name}")) for _name in (
        "_contextlib", "_foreach_utils", "_mode_utils", "_python_dispatch", "_pytree", "benchmark", "checkpoint", "collect_env", "cpp_extension", "data", "deterministic", "dlpack", "flop_counter", "hooks",
        "model_zoo", "tensorboard", "weak"))

__all__ = ["cmake_prefix_path", "get_cpp_backtrace", "set_module", "swap_tensors"]
