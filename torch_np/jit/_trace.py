"""Traced functions and modules, which are the functions and modules themselves."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from torch_np import _C
from torch_np.jit._script import returned


class TracerWarning(Warning):
    """The category of PyTorch's warnings about traces that do not hold for other arguments. Functions
    run in Python here, so there is nothing to warn of.
    """

    @staticmethod
    def ignore_lib_warnings() -> None:
        """Does nothing, since no such warning is issued."""


class TracingCheckError(Exception):
    """PyTorch's error for a trace whose results differ from those of the function."""


def is_tracing() -> bool:
    """Returns False: a traced function is always run by Python."""
    return False


def _run(function: Callable[..., Any], example: Any, named: Any = None) -> None:
    if isinstance(example, (_C.Tensor, dict)) or not isinstance(example, (tuple, list)):
        example = (example,)
    function(*example, **(named or {}))


def trace(func: Any, example_inputs: Any = None, optimize: Any = None, check_trace: bool = True, check_inputs: Any = None,
          check_tolerance: float = 1e-5, strict: bool = True, _force_outplace: bool = False, _module_class: Any = None,
          _compilation_unit: Any = None, example_kwarg_inputs: Any = None, _store_inputs: bool = True) -> Any:
    """Runs a function once on example arguments and returns it.

    PyTorch records the operators of that run, and the result replays them for all later arguments,
    even where the function would branch otherwise. Here the function itself is called, so branches
    follow the arguments. `torch_np.compile` records with guards.

    Args:
      func: Function or module.
      example_inputs: Arguments of the run: a tuple, or one tensor.
      optimize: Has no effect, as in PyTorch.
      check_trace: Whether PyTorch compares the record with the function; there is no record.
      check_inputs: Further arguments for that comparison; the function runs on them, too.
      check_tolerance: Tolerance of the comparison.
      strict: Whether PyTorch refuses containers that it cannot record; all are accepted.
      example_kwarg_inputs: Keyword arguments of the run, in place of `example_inputs`.

    Errors: RuntimeError without examples, and with both kinds of them; exceptions of the run.
    """
    if (example_inputs is None) == (example_kwarg_inputs is None):
        raise RuntimeError("trace(): exactly one of example_inputs and example_kwarg_inputs must be given")
    if example_kwarg_inputs is not None and not isinstance(example_kwarg_inputs, dict):
        raise RuntimeError("example_kwarg_inputs should be a dict")
    _run(func, () if example_inputs is None else example_inputs, example_kwarg_inputs)
    for inputs in check_inputs or ():
        _run(func, inputs)
    return returned(func)


def trace_module(mod: Any, inputs: dict[str, Any], optimize: Any = None, check_trace: bool = True, check_inputs: Any = None,
                 check_tolerance: float = 1e-5, strict: bool = True, _force_outplace: bool = False, _module_class: Any = None,
                 _compilation_unit: Any = None, example_inputs_is_kwarg: bool = False, _store_inputs: bool = True) -> Any:
    """Runs methods of a module once on example arguments and returns the module; see `trace`.

    Args:
      mod: Module.
      inputs: Example arguments by name of the method.
      optimize: Has no effect, as in PyTorch.
      check_trace: Whether PyTorch compares the record with the module; there is no record.
      check_inputs: Further dicts like `inputs`; the methods run on them, too.
      check_tolerance: Tolerance of the comparison.
      strict: Whether PyTorch refuses containers that it cannot record; all are accepted.
      example_inputs_is_kwarg: Whether the examples are dicts of keyword arguments.

    Errors: AttributeError if `inputs` is not a dict; exceptions of the methods.
    """
    if not isinstance(inputs, dict):
        raise AttributeError("expected a dictionary of (method_name, input) pairs")
    for each in (inputs, *(check_inputs or ())):
        for name, example in each.items():
            method = mod if name == "forward" else getattr(mod, name)
            _run(method, () if example_inputs_is_kwarg else example, example if example_inputs_is_kwarg else None)
    return returned(mod)
