"""Scripted functions and modules, which are the functions and modules themselves."""
from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from torch_np.nn import Module

_REASON = ("files of compiled programs are not implemented; save the parameters with "
           "torch_np.save(module.state_dict(), file) and build the module from its class")


class ScriptFunction:
    """The class of PyTorch's scripted functions. `script` returns the function itself, so nothing is
    an instance of it.
    """


class ScriptModule(Module):
    """A module whose methods run in Python, like those of every module here."""

    def save(self, f: Any, **kwargs: Any) -> None:
        """Raises NotImplementedError, since files of compiled programs are not implemented."""
        raise NotImplementedError(f"ScriptModule.save(): {_REASON}")


class RecursiveScriptModule(ScriptModule):
    """The class of PyTorch's scripted modules. `script` returns the module itself, so nothing is an
    instance of it.
    """


def save(m: Any, f: Any, _extra_files: Any = None) -> None:
    """Raises NotImplementedError, since files of compiled programs are not implemented.

    Args:
      m: Module.
      f: File.
    """
    raise NotImplementedError(f"jit.save(): {_REASON}")


def load(f: Any, map_location: Any = None, _extra_files: Any = None, _restore_shapes: bool = False) -> Any:
    """Raises NotImplementedError, since files of compiled programs are not implemented.

    Args:
      f: File.
      map_location: Device.
    """
    raise NotImplementedError(f"jit.load(): {_REASON}")


def _refuse_to_save(*args: Any, **kwargs: Any) -> None:
    raise NotImplementedError(f"save() of a scripted or traced object: {_REASON}")


def returned(obj: Any) -> Any:
    """Returns `obj` with a method `save` that refuses, unless it has such a method."""
    if not inspect.isclass(obj) and not hasattr(obj, "save"):
        try:
            object.__setattr__(obj, "save", _refuse_to_save)
        except (AttributeError, TypeError):
            pass  # a built-in function has no attributes
    return obj


def script(obj: Any, optimize: Any = None, _frames_up: int = 0, _rcb: Any = None, example_inputs: Any = None) -> Any:
    """Returns `obj` itself: it runs in Python, with the results that a compiled program has.

    `torch_np.compile` is the way to faster calls.

    Args:
      obj: Function, module or class.
      optimize: Has no effect, as in PyTorch.
      example_inputs: Types of arguments are not recorded, so examples have no effect.

    Errors: TypeError if `obj` is not callable.
    """
    if isinstance(obj, (dict, list)):
        return obj
    if not callable(obj):
        raise TypeError(f"script(): obj must be a function, a module or a class, not {type(obj).__name__}")
    return returned(obj)


def script_method(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a method of a ScriptModule; returns it.

    Args:
      fn: The method.
    """
    return fn


def script_if_tracing(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Returns `fn`, which a trace runs like every function.

    Args:
      fn: The function.
    """
    return fn


def interface(obj: type) -> type:
    """Marks a class as the declaration of an interface; returns it.

    Args:
      obj: The class.

    Errors: RuntimeError if `obj` is not a class.
    """
    if not inspect.isclass(obj):
        raise RuntimeError("interface must be applied to a class")
    return obj


def freeze(mod: Any, preserved_attrs: list[str] | None = None, optimize_numerics: bool = True) -> Any:
    """Returns the module itself. PyTorch makes a copy with its parameters as constants, of the same
    results.

    Args:
      mod: Module in evaluation mode.
      preserved_attrs: Attributes to keep; all are kept.
      optimize_numerics: Whether PyTorch may round differently; nothing rounds differently here.

    Errors: RuntimeError if the module is in training mode.
    """
    if getattr(mod, "training", False):
        raise RuntimeError(
            "Freezing is currently only implemented for modules in eval mode. Please call .eval() on your module before freezing.")
    return mod


def optimize_for_inference(mod: Any, other_methods: list[str] | None = None) -> Any:
    """Returns the module itself, like `freeze`. The engine chooses its kernels at each call.

    Args:
      mod: Module in evaluation mode.
      other_methods: Further methods to optimise.

    Errors: RuntimeError if the module is in training mode.
    """
    return freeze(mod)


def run_frozen_optimizations(mod: Any, optimize_numerics: bool = True, preserved_methods: list[str] | None = None) -> None:
    """Does nothing: a frozen module is the module itself.

    Args:
      mod: Module.
      optimize_numerics: No result is rounded differently.
      preserved_methods: All methods are kept.
    """
