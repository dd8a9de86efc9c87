"""Parametrisations: parameters and buffers that modules compute from other tensors.

A parametrised module is an instance of a new subclass, in which the tensor is a property.
"""
from __future__ import annotations

import contextlib
import copy
from collections.abc import Iterator, Sequence
from typing import Any

from torch_np._C import Tensor
from torch_np.autograd import no_grad
from torch_np.nn.modules.container import ModuleDict, ModuleList
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter

__all__ = ["ParametrizationList", "cached", "is_parametrized", "register_parametrization", "remove_parametrizations",
           "transfer_parametrizations_and_params", "type_before_parametrizations"]

_cached_blocks = 0  # number of active cached() blocks
_cache: dict[tuple[int, str], Tensor] = {}


@contextlib.contextmanager
def cached() -> Iterator[None]:
    """Context manager: each parametrised tensor is computed at its first use within it, and kept to
    the end. Changes of the original tensors in between are not seen.
    """
    global _cached_blocks
    _cached_blocks += 1
    try:
        yield
    finally:
        _cached_blocks -= 1
        if not _cached_blocks:
            _cache.clear()


def _set_original(owner: Module, name: str, tensor: Tensor, like: Tensor | None = None) -> None:
    """Registers an original tensor: a parameter if `like` is one, else a buffer."""
    if isinstance(tensor if like is None else like, Parameter):
        owner.register_parameter(name, tensor if isinstance(tensor, Parameter) else Parameter(tensor.detach(), tensor.is_floating_point()
                                                                                              or tensor.is_complex()))
    else:
        owner.register_buffer(name, tensor)


class ParametrizationList(ModuleList):
    """The parametrisations of one tensor, which are applied one after another, and its original
    tensors. These are `original`, or `original0`, `original1`, ... if the `right_inverse` of the
    first parametrisation to be undone returns several.

    Args:
      modules: the parametrisations
      original: the tensor
      unsafe: do not check that dtype and shape stay the same

    Shapes: as `original`.
    Errors: ValueError for no parametrisation, and for results that differ from `original` in dtype
    or shape; TypeError for results that are not Tensors.
    """

    original: Tensor

    def __init__(self, modules: Sequence[Module], original: Tensor, unsafe: bool = False) -> None:
        if not modules:
            raise ValueError("ParametrizationList requires one or more modules.")
        super().__init__(modules)
        self.unsafe = unsafe
        before = original.shape, original.dtype
        new: Any = original
        with no_grad():
            for module in reversed(list(self)):
                if hasattr(module, "right_inverse"):
                    try:
                        new = module.right_inverse(new)
                    except NotImplementedError:
                        pass  # the tensor itself is the original
        if not isinstance(new, (Tensor, Sequence)):
            raise ValueError("'right_inverse' must return a Tensor or a Sequence of tensors (list, tuple...). "
                             f"Got {type(new).__name__}")
        self.is_tensor = isinstance(new, Tensor)
        self.ntensors = 1 if isinstance(new, Tensor) else len(new)
        if isinstance(new, Tensor):
            if original.dtype != new.dtype:
                raise ValueError("When `right_inverse` outputs one tensor, it may not change the dtype.\n"
                                 f"original.dtype: {original.dtype}\nright_inverse(original).dtype: {new.dtype}")
            if new is not original:
                with no_grad():
                    original.data = new.detach()
            _set_original(self, "original", original)
        else:
            for i, part in enumerate(new):
                if not isinstance(part, Tensor):
                    raise ValueError("`right_inverse` must return a Tensor or a Sequence of tensors (list, tuple...). Got element {} of the "
                                     f"sequence with type {type(part).__name__}.".format(i))
                _set_original(self, f"original{i}", part.detach().requires_grad_(original.requires_grad), original)
                getattr(self, f"original{i}").requires_grad_(original.requires_grad)
        if not self.unsafe:
            value = self()
            if not isinstance(value, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(value).__name__}.")
            if value.dtype != before[1]:
                raise ValueError("Registering a parametrization may not change the dtype of the tensor, unless `unsafe` flag is enabled.\n"
                                 f"unparametrized dtype: {before[1]}\nparametrized dtype: {value.dtype}")
            if value.shape != before[0]:
                raise ValueError("Registering a parametrization may not change the shape of the tensor, unless `unsafe` flag is enabled.\n"
                                 f"unparametrized shape: {before[0]}\nparametrized shape: {value.shape}")

    def _originals(self) -> list[Tensor]:
        return [self.original] if self.is_tensor else [getattr(self, f"original{i}") for i in range(self.ntensors)]

    def right_inverse(self, value: Tensor) -> None:
        """Changes the original tensors so that the parametrised tensor is `value`.

        Args:
          value: the tensor

        Shapes: as the parametrised tensor.
        Errors: RuntimeError if a parametrisation has no `right_inverse`; ValueError if its result
        does not fit the original tensors.
        """
        with no_grad():
            new: Any = value
            for module in reversed(list(self)):
                if not hasattr(module, "right_inverse"):
                    raise RuntimeError(f"parametrization {type(module).__name__} does not implement right_inverse.")
                new = module.right_inverse(new)
            parts = [new] if self.is_tensor else list(new)
            if len(parts) != self.ntensors or not all(isinstance(p, Tensor) for p in parts):
                raise ValueError(f"'right_inverse' must return {self.ntensors} tensors")
            for own, part in zip(self._originals(), parts):
                if part.dtype != own.dtype:
                    raise ValueError(f"The tensor returned by `right_inverse` has dtype {part.dtype} while `original` has dtype {own.dtype}")
                own.data = part.detach().clone() if part is value else part.detach()

    def forward(self) -> Tensor:
        """The parametrised tensor.

        Shapes: as the original tensor, unless the parametrisations change it.
        """
        result: Any = None
        for i, module in enumerate(self):
            result = module(*self._originals()) if i == 0 else module(result)
        return result


def _parametrized_class(module: Module) -> type:
    """A subclass of the module's class, for its parametrised tensors."""
    cls = type(module)

    def __getstate__(self: Any) -> Any:  # noqa: N807
        raise RuntimeError("Serialization of parametrized modules is only supported through state_dict(). See:\n"
                           "https://pytorch.org/tutorials/beginner/saving_loading_models.html")

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:  # noqa: N807
        if id(self) in memo:
            return memo[id(self)]
        made = memo[id(self)] = self.__new__(type(self))
        made.__dict__ = copy.deepcopy(self.__dict__, memo)
        return made

    return type(f"Parametrized{cls.__name__}", (cls,), {"__getstate__": __getstate__, "__deepcopy__": __deepcopy__, "__module__": cls.__module__,
                                                         "__doc__": cls.__doc__})


def _property_of(name: str) -> property:
    def get(self: Any) -> Tensor:
        parametrization = self.parametrizations[name]
        if not _cached_blocks:
            return parametrization()
        key = id(self), name
        if key not in _cache:
            _cache[key] = parametrization()
        return _cache[key]

    def change(self: Any, value: Tensor) -> None:
        self.parametrizations[name].right_inverse(value)

    return property(get, change)


def is_parametrized(module: Module, tensor_name: str | None = None) -> bool:
    """Whether a module has parametrised tensors, or one of a name.

    Args:
      module: the module
      tensor_name: the name; None is any
    """
    own = module.__dict__.get("_modules", {}).get("parametrizations")
    if own is None or not isinstance(own, ModuleDict):
        return False
    return len(own) > 0 if tensor_name is None else tensor_name in own


def register_parametrization(module: Module, tensor_name: str, parametrization: Module, *, unsafe: bool = False) -> Module:
    """Parametrises a parameter or buffer of a module, and returns the module. From then on reading
    the attribute computes `parametrization(original)`.

    Setting the attribute calls `parametrization.right_inverse(value)`, if it has one. The original
    tensor is `module.parametrizations.<name>.original`. A tensor may have several parametrisations.

    Args:
      module: the module
      tensor_name: name of the tensor
      parametrization: module whose `forward` computes the tensor
      unsafe: do not check that dtype and shape stay the same

    Errors: ValueError for a name that the module does not have, and for a changed dtype or shape.
    """
    parametrization.train(module.training)
    if is_parametrized(module, tensor_name):
        parametrizations: Any = module.parametrizations[tensor_name]
        if not unsafe:
            value = getattr(module, tensor_name)
            made = parametrization(value)
            if not isinstance(made, Tensor):
                raise ValueError(f"A parametrization must return a tensor. Got {type(made).__name__}.")
            for what in ("dtype", "shape"):
                if getattr(made, what) != getattr(value, what):
                    raise ValueError(f"Registering a parametrization may not change the {what} of the tensor, unless the `unsafe` flag is "
                                     f"enabled.\nmodule.{tensor_name}.{what}: {getattr(value, what)}\n"
                                     f"parametrization(module.{tensor_name}).{what}: {getattr(made, what)}")
            if hasattr(parametrization, "right_inverse"):
                _check_inverse(parametrization, made, f"module.{tensor_name}", value)
        parametrizations.append(parametrization)
        parametrizations.unsafe |= unsafe
    elif tensor_name in module._buffers or tensor_name in module._parameters:
        made_list = ParametrizationList([parametrization], getattr(module, tensor_name), unsafe=unsafe)
        delattr(module, tensor_name)
        if not is_parametrized(module):
            module.__class__ = _parametrized_class(module)
            module.parametrizations = ModuleDict()
        setattr(type(module), tensor_name, _property_of(tensor_name))
        module.parametrizations[tensor_name] = made_list
    else:
        raise ValueError(f"Module '{module}' does not have a parameter, a buffer, or a parametrized element with name '{tensor_name}'")
    return module


def _check_inverse(parametrization: Any, made: Tensor, name: str, value: Tensor) -> None:
    """Raises ValueError if the right inverse of a further parametrisation returns another dtype or shape."""
    try:
        with no_grad():
            inverse = parametrization.right_inverse(made)
    except NotImplementedError:
        return
    if not isinstance(inverse, Tensor):
        raise ValueError(f"parametrization.right_inverse must return a tensor. Got: {type(inverse).__name__}")
    for what in ("dtype", "shape"):
        if getattr(inverse, what) != getattr(value, what):
            raise ValueError(f"The tensor returned by parametrization.right_inverse must have the same {what} as {name}, unless the `unsafe` "
                             f"flag is enabled.\n{name}.{what}: {getattr(value, what)}\nreturned {what}: {getattr(inverse, what)}")


def remove_parametrizations(module: Module, tensor_name: str, leave_parametrized: bool = True) -> Module:
    """Removes the parametrisations of a tensor, and returns the module.

    Args:
      module: the module
      tensor_name: name of the tensor
      leave_parametrized: keep the parametrised value; otherwise the original one

    Errors: ValueError for a tensor without parametrisations, and for several original tensors
    without `leave_parametrized`.
    """
    if not is_parametrized(module, tensor_name):
        raise ValueError(f"Module {module} does not have a parametrization on {tensor_name}")
    parametrizations: Any = module.parametrizations[tensor_name]
    if parametrizations.is_tensor:
        original = parametrizations.original
        if leave_parametrized:
            with no_grad():
                value = getattr(module, tensor_name)
                original.data = value.detach()
    elif leave_parametrized:
        value = getattr(module, tensor_name)
        original = Parameter(value.detach()) if value.requires_grad else value
    else:
        raise ValueError("Cannot leave unparametrized (`leave_parametrized=False`) a tensor that is parametrized in terms of a sequence of "
                         "tensors.")
    delattr(type(module), tensor_name)
    del module.parametrizations[tensor_name]
    _set_original(module, tensor_name, original)
    if not is_parametrized(module):
        del module.parametrizations
        module.__class__ = type(module).__bases__[0]
    return module


def type_before_parametrizations(module: Module) -> type:
    """The class of a module without its parametrisations.

    Args:
      module: the module
    """
    return type(module).__bases__[0] if is_parametrized(module) else type(module)


def transfer_parametrizations_and_params(from_module: Module, to_module: Module, tensor_name: str | None = None) -> Module:
    """Copies parametrised tensors of a module to another one, and returns that.

    Args:
      from_module: the module that is parametrised
      to_module: the other module
      tensor_name: name of the tensor; None is all

    Errors: AssertionError if `from_module` does not have such a parametrisation.
    """
    if not is_parametrized(from_module, tensor_name):
        raise AssertionError(f"from_module: {type(from_module).__name__} is not parametrized")
    names = list(from_module.parametrizations) if tensor_name is None else [tensor_name]
    for name in names:
        source: Any = from_module.parametrizations[name]
        if not hasattr(to_module, name):
            setattr(to_module, name, Parameter(getattr(from_module, name).detach().clone()))
        for parametrization in source:
            register_parametrization(to_module, name, parametrization)
        target: Any = to_module.parametrizations[name]
        parts = ["original"] if source.is_tensor else [f"original{i}" for i in range(source.ntensors)]
        for part in parts:
            setattr(target, part, getattr(source, part))
    return to_module
