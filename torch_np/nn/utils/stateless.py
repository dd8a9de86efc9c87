"""Calls of a module with other tensors in the places of its parameters and buffers."""
from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from torch_np._C import Tensor
from torch_np.nn.modules.module import Module
from torch_np.nn.utils._named_member_accessor import NamedMemberAccessor as NamedMemberAccessor

__all__ = ["functional_call"]

_MISSING = object()


def _place(module: Module, name: str) -> tuple[dict[str, Any], str]:
    """The table of the module that holds a tensor, and the tensor's name in it."""
    path, _, last = name.rpartition(".")
    owner = module.get_submodule(path)
    for table in (owner._parameters, owner._buffers):
        if last in table:
            return table, last
    return owner.__dict__ if isinstance(owner.__dict__.get(last), Tensor) else owner._parameters, last


def _with_tied(module: Module, given: dict[str, Tensor]) -> dict[str, Tensor]:
    """Adds the other names of the module's tensors that have several.

    Errors: ValueError for different tensors under names of the same tensor.
    """
    names: dict[int, list[str]] = {}
    for tensors in (module.named_parameters(remove_duplicate=False), module.named_buffers(remove_duplicate=False)):
        for name, tensor in tensors:
            names.setdefault(id(tensor), []).append(name)
    result = dict(given)
    for group in names.values():
        values = {id(given[n]): given[n] for n in group if n in given}
        if len(values) > 1:
            raise ValueError(f"functional_call got multiple values for keys {sorted(n for n in group if n in given)}, which are tied. Consider "
                             "using tie_weights=False")
        for value in values.values():
            result.update(dict.fromkeys(group, value))
    return result


@contextlib.contextmanager
def _replaced(module: Module, tensors: dict[str, Tensor]) -> Iterator[None]:
    """Puts tensors in the places of the module's own; restores these at the end."""
    before: list[tuple[dict[str, Any], str, Any]] = []
    try:
        for name, tensor in tensors.items():
            table, last = _place(module, name)
            before.append((table, last, table.get(last, _MISSING)))
            table[last] = tensor
        yield
    finally:
        for table, last, value in reversed(before):
            if value is _MISSING:
                table.pop(last, None)
            else:
                table[last] = value


def _check_strict(module: Module, given: dict[str, Tensor]) -> None:
    own = {name for name, _ in module.named_parameters(remove_duplicate=False)}
    own |= {name for name, _ in module.named_buffers(remove_duplicate=False)}
    unexpected, missing = sorted(set(given) - own), sorted(own - set(given))
    if unexpected or missing:
        lists = [f"{kind} key(s): {', '.join(map(repr, names))}." for kind, names in (("Unexpected", unexpected), ("Missing", missing)) if names]
        raise RuntimeError(f"Error(s) in reparametrizing for {module._get_name()}:\n\t" + "\n\t".join(lists))


def functional_call(module: Module, parameters_and_buffers: dict[str, Tensor], args: Any = None, kwargs: dict[str, Any] | None = None, *,
                    tie_weights: bool = True, strict: bool = False) -> Any:
    """Calls a module with the given tensors in the places of its parameters and buffers, and
    returns its result. Buffers that the call changes are the given ones.

    Args:
      module: the module
      parameters_and_buffers: tensors by their dotted names; the module's own are used for all others
      args: the arguments: a tuple, or one argument
      kwargs: the keywords
      tie_weights: replace a tensor that the module has under several names under all of them
      strict: require tensors for all names, and no others

    Shapes: those of the module.
    Errors: RuntimeError for missing and unexpected names, if `strict`; ValueError for different
    tensors under tied names.
    """
    if args is None:
        args = ()
    elif not isinstance(args, tuple):
        args = (args,)
    if strict:
        _check_strict(module, _with_tied(module, parameters_and_buffers) if tie_weights else parameters_and_buffers)
    tensors = _with_tied(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    with _replaced(module, tensors):
        return module(*args, **(kwargs or {}))


@contextlib.contextmanager
def _reparametrize_module(module: Module, parameters_and_buffers: dict[str, Tensor], *, tie_weights: bool = False, strict: bool = False,
                          stack_weights: bool = False) -> Iterator[None]:
    """Puts tensors in the places of the module's own during a `with` statement. See functional_call."""
    tensors = _with_tied(module, parameters_and_buffers) if tie_weights else parameters_and_buffers
    if strict:
        _check_strict(module, tensors)
    with _replaced(module, tensors):
        yield
