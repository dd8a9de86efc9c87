"""Lazy modules, which find the sizes of their parameters in their first call."""
from __future__ import annotations

from typing import Any

from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.parameter import UninitializedParameter, is_lazy

__all__ = ["LazyModuleMixin"]


class LazyModuleMixin:
    """Mix-in of modules whose parameters get their shapes from the first input.

    A subclass derives from it and from a module class, in this order. Its constructor assigns
    UninitializedParameters. It defines `initialize_parameters`, with the arguments of `forward`,
    which materialises them. The module becomes an instance of `cls_to_become` then.

    Args:
      args: arguments of the module class
      kwargs: keywords of the module class
    """

    cls_to_become: Any = None

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
        self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)

    def initialize_parameters(self, *args: Any, **kwargs: Any) -> None:
        """Materialises the uninitialised parameters; subclasses define it.

        Args:
          args: the arguments of the call
          kwargs: the keywords of the call

        Errors: NotImplementedError if a subclass does not define it.
        """
        raise NotImplementedError(f"initialize_parameters is not implemented for {type(self).__name__}")

    def has_uninitialized_params(self: Any) -> bool:
        """Whether a parameter or buffer of the module is uninitialised."""
        return any(map(is_lazy, self._parameters.values())) or any(map(is_lazy, self._buffers.values()))

    def _infer_parameters(self: Any, module: Any, args: Any, kwargs: Any = None) -> None:
        """Forward pre-hook that initialises the module, and removes itself."""
        module.initialize_parameters(*args, **(kwargs or {}))
        if module.has_uninitialized_params():
            raise RuntimeError(f"module {module._get_name()} has not been fully initialized")
        module._initialize_hook.remove()
        module._load_hook.remove()
        del module._initialize_hook, module._load_hook
        if module.cls_to_become is not None:
            module.__class__ = module.cls_to_become

    def _save_to_state_dict(self: Any, destination: Any, prefix: str, keep_vars: bool) -> None:
        for table in (self._parameters, self._buffers):
            for name, t in table.items():
                if t is not None and name not in self._non_persistent_buffers_set:
                    destination[prefix + name] = t if is_lazy(t) or keep_vars else t.detach()

    def _lazy_load_hook(self: Any, state_dict: Any, prefix: str, *rest: Any) -> None:
        """Materialises the parameters for which the state has values."""
        for table in (self._parameters, self._buffers):
            for name, t in table.items():
                value = state_dict.get(prefix + name)
                if is_lazy(t) and value is not None and not is_lazy(value):
                    with no_grad():
                        t.materialize(value.shape)

    def __getstate__(self: Any) -> dict[str, Any]:
        # the hooks are made anew, since they belong to this object
        state: Any = super().__getstate__()
        for tables, handle in ((("_forward_pre_hooks", "_forward_pre_hooks_with_kwargs"), "_initialize_hook"),
                               (("_load_state_dict_pre_hooks", "_load_state_dict_pre_hooks_with_module"), "_load_hook")):
            if handle in state:
                number = state.pop(handle).id
                for table in tables:
                    state[table].pop(number, None)
        return state

    def __setstate__(self: Any, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[misc]
        if "_initialize_hook" not in self.__dict__:
            self._load_hook = self._register_load_state_dict_pre_hook(self._lazy_load_hook)
            self._initialize_hook = self.register_forward_pre_hook(self._infer_parameters, with_kwargs=True)


def uninitialized(present: bool, device: Any, dtype: Any) -> UninitializedParameter | None:
    """An uninitialised parameter, or None."""
    return UninitializedParameter(device=device, dtype=dtype) if present else None


def materialize(shape: Any, *tensors: Tensor | None) -> None:
    """Materialises those of the tensors that are uninitialised."""
    with no_grad():
        for t in tensors:
            if is_lazy(t):
                t.materialize(shape)  # type: ignore[union-attr]
