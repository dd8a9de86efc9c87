"""The transforms under their names before torch.func, which give a FutureWarning."""
from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

from torch_np import func as _func
from torch_np._functorch import make_functional as _modules

__all__ = [
    "combine_state_for_ensemble", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional",
    "make_functional_with_buffers", "vjp", "vmap",
]


def _deprecated(function: Callable[..., Any], replacement: str) -> Callable[..., Any]:
    name = function.__name__

    @functools.wraps(function)
    def wrapped(*args: Any, **kwargs: Any) -> Any:
        warnings.warn(f"We've integrated functorch into PyTorch. As the final step of the integration, `functorch.{name}` is deprecated as of PyTorch "
                      f"2.0 and will be deleted in a future version of PyTorch >= 2.3. Please use `{replacement}` instead; see the PyTorch 2.0 "
                      "release notes and/or the `torch.func` migration guide for more details https://pytorch.org/docs/main/func.migrating.html",
                      FutureWarning, stacklevel=2)
        return function(*args, **kwargs)
    return wrapped


_of_func = {name: _deprecated(getattr(_func, name), f"torch.{name}" if name == "vmap" else f"torch.func.{name}") for name in __all__ if hasattr(_func, name)}
functionalize, grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap = (
    _of_func[name] for name in ("functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "vjp", "vmap"))
make_functional = _deprecated(_modules.make_functional, "torch.func.functional_call")
make_functional_with_buffers = _deprecated(_modules.make_functional_with_buffers, "torch.func.functional_call")
combine_state_for_ensemble = _deprecated(_modules.combine_state_for_ensemble, "torch.func.stack_module_state")
