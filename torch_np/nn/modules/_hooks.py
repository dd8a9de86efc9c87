"""Hooks of modules, called before and after forward, and when the gradients of inputs and outputs
are computed.
"""
from __future__ import annotations

import itertools
import weakref
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from torch_np import autograd
from torch_np._C import Tensor

_numbers = itertools.count()


class RemovableHandle:
    """A handle that removes a registered hook, by `remove()` or at the end of a `with` statement.
    """

    def __init__(self, hooks: OrderedDict[int, Any], *, extra: tuple[dict[int, Any], ...] = ()) -> None:
        self.id = next(_numbers)
        self.hooks_dict_ref: Any = weakref.ref(hooks)
        self.extra_dict_ref: tuple[Any, ...] = tuple(weakref.ref(t) for t in extra)

    def remove(self) -> None:
        """Removes the hook, if it is still registered."""
        for reference in (self.hooks_dict_ref, *self.extra_dict_ref):
            table = reference()
            if table is not None:
                table.pop(self.id, None)

    def __enter__(self) -> RemovableHandle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


class Hooks(OrderedDict[int, Any]):
    """Hooks by the number of their handle, in the order of their calls."""

    def add(self, hook: Callable[..., Any], prepend: bool = False, **flags: bool) -> RemovableHandle:
        """Registers `hook` and stores the flags given by keyword."""
        handle = RemovableHandle(self, extra=(self.flags,))
        self[handle.id] = hook
        if any(flags.values()):
            self.flags[handle.id] = flags
        if prepend:
            self.move_to_end(handle.id, last=False)
        return handle

    @property
    def flags(self) -> OrderedDict[int, dict[str, bool]]:
        if not hasattr(self, "_flags"):
            self._flags: OrderedDict[int, dict[str, bool]] = OrderedDict()
        return self._flags

    def has(self, number: int, flag: str) -> bool:
        """Whether the hook was registered with that flag."""
        return self.flags.get(number, {}).get(flag, False)

    def __copy__(self) -> Hooks:
        made = Hooks(self)
        made.flags.update(self.flags)
        return made


# Tables of flags in the state of a module, as PyTorch's pickles have them: (table of hooks, flag).
_FLAGS = {"_forward_hooks_with_kwargs": ("_forward_hooks", "with_kwargs"),
          "_forward_hooks_always_called": ("_forward_hooks", "always_call"),
          "_forward_pre_hooks_with_kwargs": ("_forward_pre_hooks", "with_kwargs"),
          "_load_state_dict_pre_hooks_with_module": ("_load_state_dict_pre_hooks", "with_module")}


def as_tables(own: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The state of a module for pickles: Hooks as OrderedDicts, and their flags in further ones."""
    state = dict(own)
    for name in names:
        if name in own:
            state[name] = OrderedDict(own[name])
    for table, (hooks, flag) in _FLAGS.items():
        state[table] = OrderedDict((number, True) for number in own.get(hooks, ()) if own[hooks].has(number, flag))
    state["_is_full_backward_hook"] = True if own.get("_backward_hooks") else None
    return state


def from_tables(state: dict[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """The attributes of a module from such a state."""
    own = dict(state)
    own.pop("_is_full_backward_hook", None)
    for name in names:
        if not isinstance(own.get(name), Hooks):
            own[name] = Hooks(own.get(name) or {})
    for table, (hooks, flag) in _FLAGS.items():
        for number in own.pop(table, ()):
            own[hooks].flags.setdefault(number, {})[flag] = True
    return own


# Hooks of all modules, from torch_np.nn.modules.module.register_module_forward_hook and the like.
global_forward_hooks, global_forward_pre_hooks = Hooks(), Hooks()
global_backward_hooks, global_backward_pre_hooks = Hooks(), Hooks()
# Hooks that are called when a module gets a parameter, a buffer or a submodule.
global_parameter_registration_hooks, global_buffer_registration_hooks, global_module_registration_hooks = Hooks(), Hooks(), Hooks()


def registered(hooks: Hooks, module: Any, name: str, value: Any) -> Any:
    """The value to register: that of the hooks `hook(module, name, value)` that return one."""
    for hook in hooks.values():
        replaced = hook(module, name, value)
        if replaced is not None:
            value = replaced
    return value


class _Border(autograd.Function):
    """The identity function; its backward passes the gradients to `seen`, which may replace them.
    """

    @staticmethod
    def forward(ctx: Any, seen: Callable[[tuple[Any, ...]], tuple[Any, ...]], *tensors: Tensor) -> Any:
        ctx.seen = seen
        return tuple(t.view_as(t) for t in tensors)

    @staticmethod
    def backward(ctx: Any, *grads: Any) -> Any:
        return (None, *ctx.seen(grads))


def _through_border(value, seen):
    """Passes the tensors in `value`, a tensor or a tuple, through a _Border. Returns the value and
    whether any tensor requires a gradient.
    """
    items = list(value) if isinstance(value, tuple) else [value]
    places = [i for i, v in enumerate(items) if isinstance(v, Tensor)]
    if not any(items[i].requires_grad for i in places):
        return value, False

    def expand(grads):
        all_grads: list[Any] = [None] * len(items)
        for i, g in zip(places, grads, strict=True):
            all_grads[i] = g
        replaced = seen(tuple(all_grads))
        return tuple(replaced[i] for i in places)

    for i, t in zip(places, _Border.apply(expand, *(items[i] for i in places)), strict=True):
        items[i] = t
    if not isinstance(value, tuple):
        return items[0], True
    make = getattr(type(value), "_make", type(value))     # a namedtuple has _make
    return make(items), True


def _as_tuple(value):
    return value if isinstance(value, tuple) else (value,)


class BackwardHooks:
    """The backward hooks of one call of a module.

    Inputs and outputs pass through a _Border. The hooks are called when the gradients of both are
    known.
    """

    def __init__(self, module: Any, hooks: list[Any], pre_hooks: list[Any]) -> None:
        self.module, self.hooks, self.pre_hooks = module, hooks, pre_hooks
        self.grad_outputs: tuple[Any, ...] | None = None
        self.inputs_differ = False
        self.count = 0

    def inputs(self, args: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments of forward, passed through a _Border."""
        self.count = len(args)
        args, self.inputs_differ = _through_border(args, self._inputs_known)
        return args

    def outputs(self, result: Any) -> Any:
        """The result of forward, passed through a _Border."""
        return _through_border(result, self._outputs_known)[0]

    def _outputs_known(self, grads):
        for hook in self.pre_hooks:
            replaced = hook(self.module, grads)
            if replaced is not None:
                grads = _as_tuple(replaced)
        self.grad_outputs = grads
        if not self.inputs_differ:  # no gradient will reach the _Border of the inputs
            inputs = (None,) * self.count
            if any(g is not None for g in self._call_hooks(inputs)):
                raise RuntimeError("Backward hook for Modules where no input requires gradient should always return None or None for all gradients.")
        return grads

    def _inputs_known(self, grads):
        if self.grad_outputs is None:  # in a second derivative, or the call of the hooks is over
            return grads
        return self._call_hooks(grads)

    def _call_hooks(self, grad_inputs):
        for hook in self.hooks:
            replaced = hook(self.module, grad_inputs, self.grad_outputs)
            if replaced is not None:
                if len(_as_tuple(replaced)) != len(grad_inputs):
                    raise RuntimeError(f"Backward hook returned an invalid number of grad_input, got {len(_as_tuple(replaced))}, but expected "
                                       f"{len(grad_inputs)}")
                grad_inputs = _as_tuple(replaced)
        self.grad_outputs = None
        return grad_inputs
