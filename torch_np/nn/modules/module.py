"""Module, the base class of all layers and networks."""
from __future__ import annotations

import functools
import sys
import types
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from torch_np import _C
from torch_np.__future__ import get_overwrite_module_params_on_conversion, get_swap_module_params_on_conversion
from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.modules import _hooks
from torch_np.nn.modules._hooks import (
    BackwardHooks, Hooks, RemovableHandle, global_buffer_registration_hooks as _global_buffer_registration_hooks,
    global_module_registration_hooks as _global_module_registration_hooks,
    global_parameter_registration_hooks as _global_parameter_registration_hooks,
)
from torch_np.nn.modules._state_dict import (
    _EXTRA_STATE_KEY_SUFFIX as _EXTRA_STATE_KEY_SUFFIX, StateDict, _IncompatibleKeys as _IncompatibleKeys,
)
from torch_np.nn.parameter import Buffer, Parameter, is_lazy
from torch_np.utils._tools import swap_tensors

__all__ = ["Module", "register_module_backward_hook", "register_module_buffer_registration_hook", "register_module_forward_hook",
           "register_module_forward_pre_hook", "register_module_full_backward_hook", "register_module_full_backward_pre_hook",
           "register_module_module_registration_hook", "register_module_parameter_registration_hook"]

T = TypeVar("T", bound="Module")

_ndarray = _C.ndarray
_TABLES = ("_parameters", "_buffers", "_modules")
_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks", "_state_dict_hooks", "_state_dict_pre_hooks",
          "_load_state_dict_pre_hooks", "_load_state_dict_post_hooks")


class Module(StateDict):
    """Base class of layers and networks.

    Subclasses call `super().__init__()`, assign Parameters and Modules to attributes, and define
    `forward`. A module is called like a function, with the arguments of its `forward`. It accepts
    arrays of torch_np.numpy too: `layer(x)` of an ndarray returns ndarrays.

    Errors: TypeError for unknown arguments; NotImplementedError for a call without a `forward`.
    """

    training: bool
    call_super_init: bool = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args or kwargs:
            if not self.call_super_init:
                unexpected = next(iter(kwargs), None)
                raise TypeError(f"{type(self).__name__}.__init__() got an unexpected keyword argument '{unexpected}'" if kwargs else
                                f"{type(self).__name__}.__init__() takes 1 positional argument but {len(args) + 1} were given")
        own = self.__dict__
        own["training"] = True
        for name in _TABLES:
            own[name] = {}
        own["_non_persistent_buffers_set"] = set()
        for name in _HOOKS:
            own[name] = Hooks()
        if self.call_super_init:
            super().__init__(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Computes the module's result; subclasses define it.

        Errors: NotImplementedError if a subclass does not define it.
        """
        raise NotImplementedError(f'Module [{type(self).__name__}] is missing the required "forward" function')

    # ---------------------------------------------------------------------------------------- calls

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        for a in args:
            if isinstance(a, _ndarray):
                return self._call_with_arrays(args, kwargs)
        if kwargs and any(isinstance(a, _ndarray) for a in kwargs.values()):
            return self._call_with_arrays(args, kwargs)
        own = self.__dict__
        try:
            if not (own["_forward_hooks"] or own["_forward_pre_hooks"] or own["_backward_hooks"] or own["_backward_pre_hooks"]
                    or _hooks.global_forward_hooks or _hooks.global_forward_pre_hooks or _hooks.global_backward_hooks
                    or _hooks.global_backward_pre_hooks):
                return self.forward(*args, **kwargs)
        except KeyError:
            if "_forward_hooks" not in own:
                raise AttributeError(f"{type(self).__name__}: call Module.__init__() before the module is called") from None
            raise
        return self._call_with_hooks(args, kwargs)

    def _call_with_arrays(self, args, kwargs):
        return _to_arrays(self(*map(_to_tensors, args), **{k: _to_tensors(v) for k, v in kwargs.items()}))

    def _call_with_hooks(self, args, kwargs):
        always = [(n, h, self._forward_hooks) for n, h in self._forward_hooks.items() if self._forward_hooks.has(n, "always_call")]
        always += [(n, h, _hooks.global_forward_hooks) for n, h in _hooks.global_forward_hooks.items()
                   if _hooks.global_forward_hooks.has(n, "always_call")]
        called: set[int] = set()
        result = None
        try:
            args, kwargs = self._call_forward_pre_hooks(args, kwargs)
            backward = self._backward_hooks_of_call()
            if backward is not None:
                args = backward.inputs(args)
            result = self.forward(*args, **kwargs)
            for hooks in (_hooks.global_forward_hooks, self._forward_hooks):
                for number, hook in list(hooks.items()):
                    called.add(number)
                    replaced = self._call_forward_hook(hooks, number, hook, args, kwargs, result)
                    result = result if replaced is None else replaced
            return result if backward is None else backward.outputs(result)
        except Exception:
            for number, hook, hooks in always:
                if number not in called:
                    try:
                        self._call_forward_hook(hooks, number, hook, args, kwargs, result)
                    except Exception:  # the first exception is raised
                        continue
            raise

    def _call_forward_pre_hooks(self, args, kwargs):
        for hooks in (_hooks.global_forward_pre_hooks, self._forward_pre_hooks):
            for number, hook in list(hooks.items()):
                if hooks.has(number, "with_kwargs"):
                    replaced = hook(self, args, kwargs)
                    if replaced is not None:
                        if not (isinstance(replaced, tuple) and len(replaced) == 2):
                            raise RuntimeError(f"forward pre-hook must return None or a tuple of (new_args, new_kwargs), but got {replaced}.")
                        args, kwargs = replaced
                else:
                    replaced = hook(self, args)
                    if replaced is not None:
                        args = replaced if isinstance(replaced, tuple) else (replaced,)
        return args, kwargs

    def _call_forward_hook(self, hooks, number, hook, args, kwargs, result):
        return hook(self, args, kwargs, result) if hooks.has(number, "with_kwargs") else hook(self, args, result)

    def _backward_hooks_of_call(self):
        hooks = [*_hooks.global_backward_hooks.values(), *self._backward_hooks.values()]
        before = [*_hooks.global_backward_pre_hooks.values(), *self._backward_pre_hooks.values()]
        return BackwardHooks(self, hooks, before) if hooks or before else None

    def register_forward_pre_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False) -> RemovableHandle:
        """Registers `hook(module, args)`, which is called before forward and may return new
        arguments.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far
          with_kwargs: call `hook(module, args, kwargs)`, which may return new `(args, kwargs)`
        """
        return self._forward_pre_hooks.add(hook, prepend, with_kwargs=with_kwargs)

    def register_forward_hook(self, hook: Callable[..., Any], *, prepend: bool = False, with_kwargs: bool = False,
                              always_call: bool = False) -> RemovableHandle:
        """Registers `hook(module, args, output)`, which is called after forward and may return a
        new output.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far
          with_kwargs: call `hook(module, args, kwargs, output)`
          always_call: call the hook even if forward raises
        """
        return self._forward_hooks.add(hook, prepend, with_kwargs=with_kwargs, always_call=always_call)

    def register_full_backward_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers `hook(module, grad_input, grad_output)`, which is called when the gradients of
        the positional arguments are computed.

        The hook gets tuples of gradients and may return a replacement for `grad_input`.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far
        """
        return self._backward_hooks.add(hook, prepend)

    register_backward_hook = register_full_backward_hook

    def register_full_backward_pre_hook(self, hook: Callable[..., Any], prepend: bool = False) -> RemovableHandle:
        """Registers `hook(module, grad_output)`, which is called when the gradients of the outputs
        are computed and may return replacements.

        Args:
          hook: the function
          prepend: call the hook before the hooks registered so far
        """
        return self._backward_pre_hooks.add(hook, prepend)

    # ------------------------------------------------------------------------------------------------------------- attributes

    def __setattr__(self, name: str, value: Any) -> None:
        own = self.__dict__
        parameters, modules, buffers = own.get("_parameters"), own.get("_modules"), own.get("_buffers")
        if isinstance(value, Parameter):
            if parameters is None:
                raise AttributeError("cannot assign parameters before Module.__init__() call")
            self._forget(name, "_parameters")
            self.register_parameter(name, value)
        elif parameters is not None and name in parameters:
            if value is not None:
                raise TypeError(f"cannot assign '{_name_of_class(value)}' as parameter '{name}' (torch_np.nn.Parameter or None expected)")
            self.register_parameter(name, None)
        elif isinstance(value, Module):
            if modules is None:
                raise AttributeError("cannot assign module before Module.__init__() call")
            self._forget(name, "_modules")
            modules[name] = _hooks.registered(_global_module_registration_hooks, self, name, value)
        elif modules is not None and name in modules:
            if value is not None:
                raise TypeError(f"cannot assign '{_name_of_class(value)}' as child module '{name}' (torch_np.nn.Module or None expected)")
            modules[name] = None
        elif buffers is not None and (name in buffers or isinstance(value, Buffer)):
            if value is not None and not isinstance(value, Tensor):
                raise TypeError(f"cannot assign '{_name_of_class(value)}' as buffer '{name}' (torch_np.nn.Buffer, torch_np.Tensor or None expected)")
            if name in buffers:
                buffers[name] = _hooks.registered(_global_buffer_registration_hooks, self, name, value)
            else:
                self._forget(name)
                self.register_buffer(name, value, getattr(value, "persistent", True))
        else:
            object.__setattr__(self, name, value)

    def _forget(self, name, but=None):
        """Removes the name from all tables except `but`, whose entry is about to be replaced in
        place.
        """
        own = self.__dict__
        own.pop(name, None)
        for table in _TABLES:
            if table != but:
                own[table].pop(name, None)
        own["_non_persistent_buffers_set"].discard(name)

    def __getattr__(self, name: str) -> Any:
        own = self.__dict__
        for table in _TABLES:
            if table in own and name in own[table]:
                return own[table][name]
        raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")

    def __delattr__(self, name: str) -> None:
        for table in _TABLES:
            if name in self.__dict__.get(table, ()):
                self._forget(name)
                return
        object.__delattr__(self, name)

    def __dir__(self) -> list[str]:
        names = {*dir(type(self)), *self.__dict__, *self._parameters, *self._modules, *self._buffers}
        return sorted(n for n in names if not n[0].isdigit())

    def __getstate__(self) -> dict[str, Any]:
        return _hooks.as_tables(self.__dict__, _HOOKS)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(_hooks.from_tables(state, _HOOKS))

    def register_parameter(self, name: str, param: Parameter | None) -> None:
        """Adds a parameter, or None as a placeholder.

        Args:
          name: name of the attribute
          param: the parameter

        Errors: KeyError for a name that exists, is empty or contains a dot; TypeError if `param` is
        not a Parameter; ValueError if `param` is not a leaf.
        """
        self._check_name("parameter", name, self.__dict__.get("_parameters"))
        if param is not None and not isinstance(param, Parameter):
            raise TypeError(f"cannot assign '{_name_of_class(param)}' object to parameter '{name}' (torch_np.nn.Parameter or None required)")
        if param is not None and param.grad_fn is not None:
            raise ValueError(f"Cannot assign non-leaf Tensor to parameter '{name}'. Model parameters must be created explicitly. To express "
                             f"'{name}' as a function of another Tensor, compute the value in the forward() method.")
        self._parameters[name] = param if param is None else _hooks.registered(_global_parameter_registration_hooks, self, name, param)

    def register_buffer(self, name: str, tensor: Tensor | None, persistent: bool = True) -> None:
        """Adds a buffer: a tensor that is part of the module's state but not trained.

        Args:
          name: name of the attribute
          tensor: the buffer
          persistent: whether the buffer is part of the state_dict

        Shapes: any.
        Errors: KeyError for a name that exists, is empty or contains a dot; TypeError if `tensor`
        is not a Tensor.
        """
        self._check_name("buffer", name, self.__dict__.get("_buffers"))
        if tensor is not None and not isinstance(tensor, Tensor):
            raise TypeError(f"cannot assign '{_name_of_class(tensor)}' object to buffer '{name}' (torch Tensor or None required)")
        self._buffers[name] = _hooks.registered(_global_buffer_registration_hooks, self, name, tensor)
        (self._non_persistent_buffers_set.discard if persistent else self._non_persistent_buffers_set.add)(name)

    def add_module(self, name: str, module: Module | None) -> None:
        """Adds a submodule.

        Args:
          name: name of the attribute
          module: the submodule

        Errors: KeyError for a name that exists, is empty or contains a dot; TypeError if `module`
        is not a Module.
        """
        if module is not None and not isinstance(module, Module):
            raise TypeError(f"{_name_of_class(module)} is not a Module subclass")
        self._check_name("module", name, self.__dict__.get("_modules"))
        self._modules[name] = _hooks.registered(_global_module_registration_hooks, self, name, module)

    register_module = add_module

    def _check_name(self, kind, name, table):
        if table is None:
            raise AttributeError(f"cannot assign {kind} before Module.__init__() call")
        if not isinstance(name, str):
            raise TypeError(f"{kind} name should be a string. Got {_name_of_class(name)}")
        if "." in name:
            raise KeyError(f'{kind} name can\'t contain ".", got: {name}' if kind == "module" else f'{kind} name can\'t contain "."')
        if name == "":
            raise KeyError(f'{kind} name can\'t be empty string ""')
        if hasattr(self, name) and name not in table:
            raise KeyError(f"attribute '{name}' already exists")

    # ------------------------------------------------------------------- submodules and tensors

    def _named(self, table, prefix, recurse, remove_duplicate):
        seen = set()
        for path, module in self.named_modules(prefix=prefix, remove_duplicate=remove_duplicate) if recurse else [(prefix, self)]:
            for name, value in module.__dict__[table].items():
                if value is None or id(value) in seen:
                    continue
                if remove_duplicate:
                    seen.add(id(value))
                yield (f"{path}." if path else "") + name, value

    def parameters(self, recurse: bool = True) -> Iterator[Parameter]:
        """The parameters of this module and, if `recurse`, of its submodules, each once.

        Args:
          recurse: include submodules
        """
        for _, p in self.named_parameters(recurse=recurse):
            yield p

    def named_parameters(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Parameter]]:
        """Pairs of the dotted names and the parameters.

        Args:
          prefix: prefix of the names
          recurse: include submodules
          remove_duplicate: omit parameters that occurred before
        """
        return self._named("_parameters", prefix, recurse, remove_duplicate)

    def buffers(self, recurse: bool = True) -> Iterator[Tensor]:
        """The buffers of this module and, if `recurse`, of its submodules, each once.

        Args:
          recurse: include submodules

        Shapes: any.
        """
        for _, b in self.named_buffers(recurse=recurse):
            yield b

    def named_buffers(self, prefix: str = "", recurse: bool = True, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Pairs of the dotted names and the buffers.

        Args:
          prefix: prefix of the names
          recurse: include submodules
          remove_duplicate: omit buffers that occurred before

        Shapes: any.
        """
        return self._named("_buffers", prefix, recurse, remove_duplicate)

    def children(self) -> Iterator[Module]:
        """The direct submodules, each once."""
        for _, module in self.named_children():
            yield module

    def named_children(self) -> Iterator[tuple[str, Module]]:
        """Pairs of the names and the direct submodules, each once."""
        seen = set()
        for name, module in self._modules.items():
            if module is not None and id(module) not in seen:
                seen.add(id(module))
                yield name, module

    def modules(self, remove_duplicate: bool = True) -> Iterator[Module]:
        """This module and all its submodules, each once.

        Args:
          remove_duplicate: omit modules that occurred before
        """
        for _, module in self.named_modules(remove_duplicate=remove_duplicate):
            yield module

    def named_modules(self, memo: set[Module] | None = None, prefix: str = "", remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """Pairs of the dotted names and the modules: this module and all its submodules.

        Args:
          memo: modules to omit
          prefix: prefix of the names
          remove_duplicate: omit modules that occurred before
        """
        memo = set() if memo is None else memo
        if self in memo:
            return
        if remove_duplicate:
            memo.add(self)
        yield prefix, self
        for name, module in self._modules.items():
            if module is not None:
                yield from module.named_modules(memo, f"{prefix}.{name}" if prefix else name, remove_duplicate)

    def get_submodule(self, target: str) -> Module:
        """The submodule with a dotted name.

        Args:
          target: the name

        Errors: AttributeError if there is none.
        """
        module: Any = self
        for name in target.split(".") if target else ():
            if not hasattr(module, name):
                raise AttributeError(f"{type(module).__name__} has no attribute `{name}`")
            module = getattr(module, name)
            if not isinstance(module, Module):
                raise AttributeError(f"`{name}` is not an nn.Module")
        return module

    def set_submodule(self, target: str, module: Module, strict: bool = False) -> None:
        """Replaces or adds the submodule with a dotted name.

        Args:
          target: the name
          module: the new submodule
          strict: require an existing submodule

        Errors: AttributeError if its parent, or with `strict` the submodule itself, does not exist;
        ValueError for an empty name, or if `module` is not a Module.
        """
        if not target:
            raise ValueError("Cannot set the submodule without a target name!")
        if not isinstance(module, Module):
            raise ValueError(f"`module` is not an nn.Module, found {type(module)}")
        path, _, name = target.rpartition(".")
        parent = self.get_submodule(path)
        if strict and not hasattr(parent, name):
            raise AttributeError(f"{type(parent).__name__} has no attribute `{name}`")
        if hasattr(parent, name) and not isinstance(getattr(parent, name), Module):
            raise AttributeError(f"`{name}` is not an nn.Module")
        setattr(parent, name, module)

    def get_parameter(self, target: str) -> Parameter:
        """The parameter with a dotted name.

        Args:
          target: the name

        Errors: AttributeError if there is none.
        """
        path, _, name = target.rpartition(".")
        found = getattr(self.get_submodule(path), name)
        if not isinstance(found, Parameter):
            raise AttributeError(f"`{name}` is not an nn.Parameter")
        return found

    def get_buffer(self, target: str) -> Tensor:
        """The buffer with a dotted name.

        Args:
          target: the name

        Shapes: any.
        Errors: AttributeError if there is none.
        """
        path, _, name = target.rpartition(".")
        module = self.get_submodule(path)
        found = getattr(module, name)
        if name not in module._buffers:
            raise AttributeError(f"`{name}` is not a buffer")
        return found

    # ---------------------------------------------------------------- conversions of all tensors

    def apply(self: T, fn: Callable[[Module], Any]) -> T:
        """Calls a function with each submodule and then with this module, and returns this module.

        Args:
          fn: the function
        """
        for module in self.children():
            module.apply(fn)
        fn(self)
        return self

    def _apply(self: T, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> T:
        """Replaces each parameter, gradient and buffer by `fn(tensor)`."""
        for module in self.children() if recurse else ():
            module._apply(fn)
        with no_grad():
            for name, p in self._parameters.items():
                if p is None:
                    continue
                if is_lazy(p):
                    p._converted(fn)  # type: ignore[attr-defined]
                elif get_swap_module_params_on_conversion():
                    self._swap_parameter(name, p, fn)
                elif get_overwrite_module_params_on_conversion():
                    self._parameters[name] = made = Parameter(fn(p.data), p.requires_grad)
                    made.grad = None if p.grad is None else fn(p.grad.data).requires_grad_(p.grad.requires_grad)
                else:
                    grad = p.grad
                    p.grad = None
                    p.data = fn(p.data)
                    if grad is not None:
                        grad.data = fn(grad.data)
                        p.grad = grad
        for name, buffer in self._buffers.items():
            if is_lazy(buffer):
                buffer._converted(fn)  # type: ignore[union-attr]
            elif buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _swap_parameter(self, name: str, p: Parameter, fn: Callable[[Tensor], Tensor]) -> None:
        """Exchanges a parameter with `fn` of it; both keep their object."""
        grad = p.grad
        p.grad = None
        try:
            swap_tensors(p, Parameter(fn(p), p.requires_grad))
            if grad is not None:
                swap_tensors(grad, fn(grad).requires_grad_(grad.requires_grad))
        except Exception as error:
            raise RuntimeError(f"_apply(): Couldn't swap {self._get_name()}.{name}") from error
        finally:
            p.grad = grad

    def to(self: T, *args: Any, **kwargs: Any) -> T:
        """Moves or converts parameters and buffers in place, and returns this module.

        It is called as `to(device)`, `to(dtype)`, `to(tensor)`, or with the keywords `device`,
        `dtype`, `non_blocking` and `memory_format`. Only floating and complex tensors change their
        dtype.

        Args:
          args: device, dtype, or tensor whose device and dtype to use
          kwargs: the keywords

        Errors: TypeError for a dtype of integers.
        """
        device, dtype, options = _arguments_of_to(*args, **kwargs)
        if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
            raise TypeError(f"nn.Module.to only accepts floating point or complex dtypes, but got desired dtype={dtype}")
        if dtype is not None and dtype.is_complex:
            warnings.warn("Complex modules are a new feature under active development, as in PyTorch: some layers may not take complex "
                          "parameters or buffers", stacklevel=2)
        memory_format = options.pop("memory_format", None)

        def convert(t):
            wanted = {} if device is None else {"device": device}
            if dtype is not None and (t.is_floating_point() or t.is_complex()):
                wanted["dtype"] = dtype
            if memory_format is not None and t.dim() in (4, 5):
                wanted["memory_format"] = memory_format
            return t.to(**wanted) if wanted else t
        return self._apply(convert)

    def float(self: T) -> T:
        """Converts floating parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self: T) -> T:
        """Converts floating parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self: T) -> T:
        """Converts floating parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self: T) -> T:
        """Converts floating parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def type(self: T, dst_type: Any) -> T:
        """Converts all parameters and buffers to a dtype.

        Args:
          dst_type: the dtype
        """
        return self._apply(lambda t: t.to(dst_type))

    def cpu(self: T) -> T:
        """Moves parameters and buffers to the CPU."""
        return self._apply(lambda t: t.cpu())

    def cuda(self: T, device: Any = None) -> T:
        """Moves parameters and buffers to a GPU.

        Args:
          device: the GPU, the current one by default
        """
        return self._apply(lambda t: t.cuda() if device is None else t.to(device if isinstance(device, str) else f"cuda:{device}"))

    def to_empty(self: T, *, device: Any, recurse: bool = True) -> T:
        """Moves parameters and buffers to a device without copying their values, which are left
        uninitialised.

        Args:
          device: the device
          recurse: include submodules
        """
        return self._apply(lambda t: _C._torch.empty_like(t, device=device), recurse)

    def train(self: T, mode: bool = True) -> T:
        """Sets training or evaluation mode of this module and its submodules; dropout and batch
        normalisation depend on it.

        Args:
          mode: True for training mode

        Errors: ValueError if `mode` is not a bool.
        """
        if not isinstance(mode, bool):
            raise ValueError("training mode is expected to be boolean")
        self.training = mode
        for module in self.children():
            module.train(mode)
        return self

    def eval(self: T) -> T:
        """Sets evaluation mode of this module and its submodules."""
        return self.train(False)

    def requires_grad_(self: T, requires_grad: bool = True) -> T:
        """Sets whether the parameters require gradients.

        Args:
          requires_grad: whether the parameters require a gradient
        """
        for p in self.parameters():
            p.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Resets the gradients of all parameters.

        Args:
          set_to_none: set gradients to None instead of filling them with zeros
        """
        for p in self.parameters():
            if p.grad is None:
                continue
            if set_to_none:
                p.grad = None
            else:
                p.grad = p.grad.detach().zero_()

    def share_memory(self: T) -> T:
        """Moves parameters and buffers to memory shared between processes, and returns this module.
        """
        for t in (*self.parameters(), *self.buffers()):
            if is_lazy(t):
                t.share_memory_()   # it raises
        return self._apply(lambda t: t.share_memory_())

    def compile(self, *args: Any, **kwargs: Any) -> None:
        """Not supported: modules run uncompiled.

        Errors: NotImplementedError always.
        """
        raise NotImplementedError("Module.compile(): compilation is not implemented; use torch_np.compile")

    # ------------------------------------------------------------------------------------------------------------- text

    def _get_name(self) -> str:
        return type(self).__name__

    def extra_repr(self) -> str:
        """The text between the parentheses of the module's representation; subclasses may override
        it.
        """
        return ""

    def __repr__(self) -> str:
        extra = self.extra_repr()
        lines = extra.split("\n") if extra else []
        within = [f"({name}): " + repr(module).replace("\n", "\n  ") for name, module in self._modules.items()]
        if not within and len(lines) <= 1:
            return f"{self._get_name()}({extra})"
        return f"{self._get_name()}(\n  " + "\n  ".join(lines + within) + "\n)"


def _name_of_class(value):
    module = type(value).__module__
    return type(value).__name__ if module == "builtins" else f"{module}.{type(value).__name__}"


def _arguments_of_to(*args, **kwargs):
    """The arguments of to() as (device, dtype, other options)."""
    options: dict[str, Any] = {"device": None, "dtype": None}
    for a in args:
        if isinstance(a, Tensor):
            options.update(device=a.device, dtype=a.dtype)
        elif isinstance(a, _C.dtype):
            options["dtype"] = a
        elif isinstance(a, (str, int, _C.device)) and not isinstance(a, bool):
            options["device"] = f"cuda:{a}" if isinstance(a, int) else a
        elif a is not None and not isinstance(a, bool):
            raise TypeError(f"to() received an invalid combination of arguments - got ({type(a).__name__})")
    if isinstance(kwargs.get("tensor"), Tensor):
        options.update(device=kwargs["tensor"].device, dtype=kwargs.pop("tensor").dtype)
    unknown = set(kwargs) - {"device", "dtype", "non_blocking", "memory_format", "copy"}
    if unknown:
        raise TypeError(f"to() got an unexpected keyword argument '{unknown.pop()}'")
    options.update((k, v) for k, v in kwargs.items() if v is not None)
    return options.pop("device"), options.pop("dtype"), options


def _to_tensors(value):
    """Converts ndarrays to Tensors, also within tuples, lists and dictionaries."""
    return _converted(value, _ndarray, lambda a: a._torch())


def _to_arrays(value):
    return _converted(value, Tensor, lambda t: t._np_compat())


def _converted(value, kind, convert):
    if isinstance(value, kind):
        return convert(value)
    if type(value) in (tuple, list):
        return type(value)(_converted(v, kind, convert) for v in value)
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return type(value)(*(_converted(v, kind, convert) for v in value))
    if type(value) in (dict, OrderedDict):
        return type(value)((k, _converted(v, kind, convert)) for k, v in value.items())
    return value


def _register_globally(hooks, hook, **flags):
    return hooks.add(hook, **flags)


register_module_forward_pre_hook = functools.partial(_register_globally, _hooks.global_forward_pre_hooks)
register_module_forward_hook = functools.partial(_register_globally, _hooks.global_forward_hooks)
register_module_full_backward_hook = functools.partial(_register_globally, _hooks.global_backward_hooks)
register_module_backward_hook = register_module_full_backward_hook
register_module_full_backward_pre_hook = functools.partial(_register_globally, _hooks.global_backward_pre_hooks)
register_module_buffer_registration_hook = functools.partial(_register_globally, _global_buffer_registration_hooks)
register_module_module_registration_hook = functools.partial(_register_globally, _global_module_registration_hooks)
register_module_parameter_registration_hook = functools.partial(_register_globally, _global_parameter_registration_hooks)

# PyTorch's names of the tables. Programs assign an empty dictionary to remove all hooks.
_GLOBAL_TABLES = {"_global_forward_hooks": _hooks.global_forward_hooks, "_global_forward_pre_hooks": _hooks.global_forward_pre_hooks,
                  "_global_backward_hooks": _hooks.global_backward_hooks, "_global_backward_pre_hooks": _hooks.global_backward_pre_hooks}
globals().update(_GLOBAL_TABLES)


class _WithTables(types.ModuleType):
    """The class of this module. An assignment to one of the tables changes its content: other modules refer to it."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _GLOBAL_TABLES:
            value = dict(value)
            _GLOBAL_TABLES[name].clear()
            _GLOBAL_TABLES[name].update(value)
        else:
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _WithTables


def _addindent(s_: str, numSpaces: int) -> str:  # noqa: N803  (PyTorch's name)
    """Indents all lines of a text but the first, as representations of modules are."""
    return s_.replace("\n", "\n" + " " * numSpaces)
