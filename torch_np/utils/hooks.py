"""torch_np.utils.hooks: handles of registered hooks."""
from __future__ import annotations

import sys
import warnings
import weakref
from collections.abc import Callable
from typing import Any, TypeVar

from torch_np import _C

__all__ = ["BackwardHook", "RemovableHandle", "unserializable_hook", "warn_if_has_hooks"]

_Hook = TypeVar("_Hook", bound=Callable[..., Any])


class _HandleType(type):
    """Makes the handles of tensors and modules instances of RemovableHandle, too."""

    def __instancecheck__(cls, instance: object) -> bool:
        return cls.__subclasscheck__(type(instance))

    def __subclasscheck__(cls, other: type) -> bool:
        if super().__subclasscheck__(other):
            return True
        modules = sys.modules.get("torch_np.nn.modules._hooks")
        of_modules = (modules.RemovableHandle,) if modules is not None else ()
        return cls is RemovableHandle and issubclass(other, (_C.RemovableHandle, *of_modules))


class RemovableHandle(metaclass=_HandleType):
    """A handle that removes an entry of a dictionary of hooks, by `remove()` or at the end of a
    `with` statement. The entry's key is `id`.

    Handles of the hooks of tensors and modules are instances of this class.

    Args:
      hooks_dict: The dictionary, which the handle does not keep alive.
      extra_dict: A dictionary, or a list of them, that has an entry with the same key.

    Errors: TypeError for a dictionary without weak references, such as a plain dict.
    """

    next_id = 0

    def __init__(self, hooks_dict: Any, *, extra_dict: Any = None) -> None:
        extra = [] if extra_dict is None else extra_dict if isinstance(extra_dict, list) else [extra_dict]
        self.hooks_dict_ref: Any = weakref.ref(hooks_dict)
        self.extra_dict_ref: tuple[Any, ...] = tuple(weakref.ref(d) for d in extra)
        self.id = RemovableHandle.next_id
        RemovableHandle.next_id += 1

    def remove(self) -> None:
        """Removes the entry, if it is still there."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            found = reference()
            if found is not None:
                found.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def unserializable_hook(f: _Hook) -> _Hook:
    """Decorates a hook of a tensor that `warn_if_has_hooks` should not name.

    Args:
      f: The hook.
    """
    setattr(f, "__torch_unserializable__", True)
    return f


def warn_if_has_hooks(tensor: _C.Tensor) -> None:
    """Warns of the hooks in `tensor._backward_hooks`, which pickles do not hold.

    Tensors keep the hooks of `register_hook` in the engine, and have such an attribute only if a
    program sets it.

    Args:
      tensor: The tensor.

    Shapes: any.
    """
    for hook in (getattr(tensor, "_backward_hooks", None) or {}).values():
        if not hasattr(hook, "__torch_unserializable__"):
            warnings.warn(f"backward hook {hook!r} on tensor will not be serialized.  If this is expected, you can decorate the function with "
                          "@torch_np.utils.hooks.unserializable_hook to suppress this warning", stacklevel=2)


class BackwardHook:
    """The backward hooks of one call of a module. They are called when the gradients of its inputs
    and outputs are known.

    Args:
      module: The module, the first argument of the hooks.
      user_hooks: Functions of the module and the gradients of its inputs and outputs.
      user_pre_hooks: Functions of the module and the gradients of its outputs.
    """

    def __init__(self, module: Any, user_hooks: list[Any], user_pre_hooks: list[Any]) -> None:
        from torch_np.nn.modules._hooks import BackwardHooks

        self.module, self.user_hooks, self.user_pre_hooks = module, user_hooks, user_pre_hooks
        self._hooks = BackwardHooks(module, user_hooks, user_pre_hooks)

    def setup_input_hook(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Returns the inputs, as tensors that know the hooks.

        Args:
          args: The inputs of the module.
        """
        return self._hooks.inputs(args)

    def setup_output_hook(self, args: Any) -> Any:
        """Returns the outputs, as tensors that know the hooks.

        Args:
          args: The outputs of the module: a tensor or a tuple.
        """
        return self._hooks.outputs(args)
