"""Optimizer, the base class of all optimisers: parameter groups, state, hooks, saving and loading.
"""
from __future__ import annotations

import functools
import itertools
import warnings
from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable
from copy import deepcopy
from typing import Any, Protocol, TypeAlias, overload

import torch_np
from torch_np import Tensor

__all__ = ["Optimizer", "register_optimizer_step_post_hook", "register_optimizer_step_pre_hook", "required"]

# Names that optimisers of packages import from here.
from torch_np.optim._helpers import *  # noqa: E402,F401,F403

StateDict: TypeAlias = dict[str, Any]
params_t: TypeAlias = "ParamsT"
ParamsT: TypeAlias = "Iterable[Tensor] | Iterable[dict[str, Any]] | Iterable[tuple[str, Tensor]]"
State: TypeAlias = dict[str, Any]


class Required:
    """Type of `required`, which marks an option of a group that has no default."""

    def __repr__(self) -> str:
        return "<required parameter>"


required = Required()
_RequiredParameter = Required  # PyTorch's name


class Removable(Protocol):
    """Protocol of the handles that hook registrations return."""
    def remove(self) -> None:
        """Removes the hook."""


class _Handle:
    """A handle that removes a registered hook, by `remove()` or at the end of a `with` statement.
    """

    _next = itertools.count()

    def __init__(self, hooks: OrderedDict[int, Callable[..., Any]]) -> None:
        self._hooks, self.id = hooks, next(_Handle._next)

    def remove(self) -> None:
        self._hooks.pop(self.id, None)

    def __enter__(self) -> _Handle:
        return self

    def __exit__(self, *exception: object) -> None:
        self.remove()


def _register(hooks: OrderedDict[int, Callable[..., Any]], hook: Callable[..., Any], first: bool = False) -> _Handle:
    handle = _Handle(hooks)
    hooks[handle.id] = hook
    if first:
        hooks.move_to_end(handle.id, last=False)
    return handle


_global_step_pre_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_global_step_post_hooks: OrderedDict[int, Callable[..., Any]] = OrderedDict()
_NONE: dict[int, Callable[..., Any]] = {}


def register_optimizer_step_pre_hook(hook: Callable[..., Any]) -> Removable:
    """Registers `hook(optimizer, args, kwargs)`, which is called before `step()` of each optimiser
    and may return new `(args, kwargs)`. Returns a handle whose `remove()` removes the hook.

    Args:
      hook: the function
    """
    return _register(_global_step_pre_hooks, hook)


def register_optimizer_step_post_hook(hook: Callable[..., Any]) -> Removable:
    """Registers `hook(optimizer, args, kwargs)`, which is called after `step()` of each optimiser.
    Returns a handle whose `remove()` removes the hook.

    Args:
      hook: the function
    """
    return _register(_global_step_post_hooks, hook)


def _with_hooks(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    def step_with_hooks(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        own = self.__dict__  # a subclass may not call the constructor of Optimizer, and has no hooks then
        for hook in (*_global_step_pre_hooks.values(), *own.get("_optimizer_step_pre_hooks", _NONE).values()):
            changed = hook(self, args, kwargs)
            if changed is not None:
                if not (isinstance(changed, tuple) and len(changed) == 2):
                    raise RuntimeError(f"a hook before step() must return None or new (args, kwargs), got {changed}")
                args, kwargs = changed
        result = step(self, *args, **kwargs)
        for hook in (*own.get("_optimizer_step_post_hooks", _NONE).values(), *_global_step_post_hooks.values()):
            hook(self, args, kwargs)
        return result
    # functools.wraps() replaced these annotations by the method's.
    step_with_hooks.__annotations__.update(args=Any, kwargs=Any)
    return step_with_hooks


class Optimizer:
    """Base class of optimisers.

    Subclasses define `step()`.

    Args:
      params: parameters to optimise: Tensors, (name, Tensor) pairs, or dictionaries that each
        define a group by "params" and options of its own
      defaults: options of the groups that do not define their own

    Errors: TypeError if `params` is none of these; ValueError for an empty list, for a parameter in
    two groups, and for a parameter that is not a leaf.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "step" in cls.__dict__:
            setattr(cls, "step", _with_hooks(cls.__dict__["step"]))

    def __init__(self, params: ParamsT, defaults: dict[str, Any]) -> None:
        self.defaults = defaults
        self._make_hooks()
        if isinstance(params, Tensor):
            raise TypeError("params argument given to the optimizer should be an iterable of Tensors or dicts, but got "
                            + type(params).__name__)
        if isinstance(params, set):
            warnings.warn("optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                          "will change between runs. Please use a list instead. This will be an error in a future release.",
                          FutureWarning, stacklevel=2)
        self.state: defaultdict[Tensor, State] = defaultdict(dict)
        self.param_groups: list[dict[str, Any]] = []
        groups: list[Any] = list(params)
        if not groups:
            raise ValueError("optimizer got an empty parameter list")
        if not isinstance(groups[0], dict):
            groups = [{"params": groups}]
        for group in groups:
            self.add_param_group(group)

    def _make_hooks(self) -> None:
        for when in ("step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre", "load_state_dict_post"):
            self.__dict__.setdefault(f"_optimizer_{when}_hooks", OrderedDict())

    def _hooks(self, when: str) -> OrderedDict[int, Callable[..., Any]]:
        self._make_hooks()  # a subclass may not call the constructor of Optimizer
        return self.__dict__[f"_optimizer_{when}_hooks"]

    _optimizer_step_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_step_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_pre_hooks: OrderedDict[int, Callable[..., Any]]
    _optimizer_load_state_dict_post_hooks: OrderedDict[int, Callable[..., Any]]

    def __getstate__(self) -> dict[str, Any]:
        return {"defaults": self.defaults, "state": self.state, "param_groups": self.param_groups}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._make_hooks()
        self.defaults.setdefault("differentiable", False)

    def __repr__(self) -> str:
        text = type(self).__name__ + " ("
        for i, group in enumerate(self.param_groups):
            options = "".join(f"    {key}: {group[key]}\n" for key in sorted(group) if key != "params")
            text += f"\nParameter Group {i}\n{options}"
        return text + ")"

    # ------------------------------------------------------------------------------------------------------------------ hooks

    def register_step_pre_hook(self, hook: Callable[..., Any]) -> Removable:
        """Registers `hook(optimizer, args, kwargs)`, which is called before `step()` and may return
        new `(args, kwargs)`.

        Returns a handle whose `remove()` removes the hook.
        """
        return _register(self._hooks("step_pre"), hook)

    def register_step_post_hook(self, hook: Callable[..., Any]) -> Removable:
        """Registers `hook(optimizer, args, kwargs)`, which is called after `step()`.

        Returns a handle whose `remove()` removes the hook.
        """
        return _register(self._hooks("step_post"), hook)

    def register_state_dict_pre_hook(self, hook: Callable[[Optimizer], None], prepend: bool = False) -> Removable:
        """Registers `hook(optimizer)`, which is called before `state_dict()`.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far

        Returns a handle whose `remove()` removes the hook.
        """
        return _register(self._hooks("state_dict_pre"), hook, prepend)

    def register_state_dict_post_hook(self, hook: Callable[[Optimizer, State], State | None], prepend: bool = False) -> Removable:
        """Registers `hook(optimizer, state_dict)`, which is called after `state_dict()` and may
        return a replacement.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far

        Returns a handle whose `remove()` removes the hook.
        """
        return _register(self._hooks("state_dict_post"), hook, prepend)

    def register_load_state_dict_pre_hook(self, hook: Callable[[Optimizer, State], State | None], prepend: bool = False) -> Removable:
        """Registers `hook(optimizer, state_dict)`, which is called before `load_state_dict()` and
        may return a replacement.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far

        Returns a handle whose `remove()` removes the hook.
        """
        return _register(self._hooks("load_state_dict_pre"), hook, prepend)

    def register_load_state_dict_post_hook(self, hook: Callable[[Optimizer], None], prepend: bool = False) -> Removable:
        """Registers `hook(optimizer)`, which is called after `load_state_dict()`.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far

        Returns a handle whose `remove()` removes the hook.
        """
        return _register(self._hooks("load_state_dict_post"), hook, prepend)

    # ------------------------------------------------------------------------------------------------------------- saving, loading

    def state_dict(self) -> State:
        """The state and the groups' options as a dictionary in PyTorch's layout.

        Parameters are numbered in the order of the groups. The dictionary holds the optimiser's own
        tensors, not copies.
        """
        for hook in tuple(self._hooks("state_dict_pre").values()):
            hook(self)
        numbers: dict[int, int] = {}
        for p in self._parameters():
            numbers.setdefault(id(p), len(numbers))
        groups = [{**{k: v for k, v in group.items() if k != "params"}, "params": [numbers[id(p)] for p in group["params"]]}
                  for group in self.param_groups]
        state = {numbers[id(k)] if isinstance(k, Tensor) else k: v for k, v in self.state.items()}
        result: State = {"state": state, "param_groups": groups}
        for hook in tuple(self._hooks("state_dict_post").values()):
            changed = hook(self, result)
            if changed is not None:
                result = changed
        return result

    def load_state_dict(self, state_dict: State) -> None:
        """Restores a state saved by `state_dict()` of this optimiser or of PyTorch's.

        Tensors are converted to the dtype and device of their parameter.

        Args:
          state_dict: the saved state

        Errors: ValueError if the number of groups, or of parameters in a group, differs.
        """
        state_dict = dict(state_dict)
        for hook in tuple(self._hooks("load_state_dict_pre").values()):
            changed = hook(self, state_dict)
            if changed is not None:
                state_dict = changed
        groups, saved = self.param_groups, deepcopy(state_dict["param_groups"])
        if len(groups) != len(saved):
            raise ValueError("loaded state dict has a different number of parameter groups")
        if any(len(a["params"]) != len(b["params"]) for a, b in zip(groups, saved)):
            raise ValueError("loaded state dict contains a parameter group that doesn't match the size of optimizer's group")
        parameters = dict(zip([i for group in saved for i in group["params"]], self._parameters()))
        state: defaultdict[Any, State] = defaultdict(dict)
        for key, value in state_dict["state"].items():
            if key in parameters:
                p = parameters[key]
                state[p] = {name: _fitting(v, p, name) for name, v in value.items()}
            else:
                state[key] = value
        for own, other in zip(groups, saved):
            other["params"] = own["params"]
            if "param_names" in own:
                other.setdefault("param_names", own["param_names"])
        self.__setstate__({"state": state, "param_groups": saved})
        for hook in tuple(self._hooks("load_state_dict_post").values()):
            hook(self)

    # ------------------------------------------------------------------------------------------------------------------- groups

    def _parameters(self) -> list[Tensor]:
        return [p for group in self.param_groups for p in group["params"]]

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        """Adds a parameter group.

        Args:
          param_group: dictionary with the parameters under "params" and options of the group

        Errors: TypeError if the parameters are not Tensors or (name, Tensor) pairs; ValueError for
        a parameter that is in another group, is not a leaf, or lacks a required option.
        """
        if not isinstance(param_group, dict):
            raise TypeError(f"param_group must be a dict, but got {type(param_group)}")
        params = param_group["params"]
        if isinstance(params, Tensor):
            params = [params]
        elif isinstance(params, set):
            raise TypeError("optimizer parameters need to be organized in ordered collections, but the ordering of tensors in sets "
                            "will change between runs. Please use a list instead.")
        params = list(params)
        names: list[str] = []
        if params and isinstance(params[0], tuple):
            if not all(isinstance(p, tuple) and len(p) == 2 for p in params):
                raise ValueError("all optimizer params should be with/without names. Some param names are missing")
            names, params = [n for n, _ in params], [p for _, p in params]
        for p in params:
            if not isinstance(p, Tensor):
                if isinstance(p, tuple):
                    raise ValueError("all optimizer params should be with/without names. Some param names are missing")
                raise TypeError(f"optimizer can only optimize Tensors, but one of the params is {type(p).__name__}")
            if not self.defaults.get("differentiable") and not (p.is_leaf or p.retains_grad):
                raise ValueError("can't optimize a non-leaf Tensor")
        param_group["params"] = params
        if names:
            param_group["param_names"] = names
        for name, default in self.defaults.items():
            if default is required and name not in param_group:
                raise ValueError(f"parameter group didn't specify a value of required optimization parameter {name}")
            param_group.setdefault(name, default)
        if len({id(p) for p in params}) != len(params):
            warnings.warn("optimizer contains a parameter group with duplicate parameters; in future, this will cause an error",
                          stacklevel=3)
        known = {id(p) for p in self._parameters()}
        if any(id(p) in known for p in params):
            raise ValueError("some parameters appear in more than one parameter group")
        if self.param_groups and bool(names) != ("param_names" in self.param_groups[0]):
            raise ValueError("all optimizer param groups should be with/without names. cannot add param group "
                             f"{'with' if names else 'without'} names to the optimizer")
        self.param_groups.append(param_group)

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Resets the gradients of all parameters.

        Args:
          set_to_none: set gradients to None instead of filling them with zeros
        """
        for group in self.param_groups:
            for p in group["params"]:
                grad = p.grad
                if grad is None:
                    continue
                if set_to_none:
                    p.grad = None
                elif grad.requires_grad or not grad.is_leaf:
                    p.grad = torch_np.zeros_like(grad)
                else:
                    with torch_np.no_grad():
                        grad.zero_()

    @staticmethod
    def _group_tensors_by_device_and_dtype(tensorlistlist: list[list[Any]], with_indices: bool = False) -> dict[Any, Any]:
        """Tensors of the same device and dtype (torch_np.utils._foreach_utils)."""
        from torch_np.utils._foreach_utils import _group_tensors_by_device_and_dtype

        return _group_tensors_by_device_and_dtype(tensorlistlist, with_indices)

    @overload
    def step(self, closure: None = None) -> None: ...
    @overload
    def step(self, closure: Callable[[], Any]) -> Any: ...

    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Performs one optimisation step; subclasses define it.

        Args:
          closure: function without arguments that computes the loss with gradients; `step()`
            returns its result

        Errors: NotImplementedError if a subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__} has no step()")


def _fitting(value: Any, p: Tensor, name: str) -> Any:
    if isinstance(value, Tensor):
        if name == "step":
            return value.clone() if value.dtype == torch_np.float32 else value.to(torch_np.float32)
        return value.to(dtype=p.dtype, device=p.device) if p.is_floating_point() or p.is_complex() else value.to(device=p.device)
    if isinstance(value, dict):
        return {k: _fitting(v, p, name) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(_fitting(v, p, name) for v in value)
    return value
