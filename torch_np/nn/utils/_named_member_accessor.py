"""Reading and replacing the tensors and submodules of a module by their dotted names."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from torch_np._C import Tensor
from torch_np.nn.modules.module import Module

_MISSING: Any = object()


def _checked(value: Any) -> Any:
    if not isinstance(value, Tensor):
        raise TypeError(f"{value!r} is not an instance of torch.Tensor")
    return value


def _check_name(module: Any, name: str) -> None:
    if not isinstance(module, Module):
        raise TypeError(f"{module} is not an instance of torch.nn.Module")
    if "." in name:
        raise KeyError('tensor name can\'t contain "."')
    if not name:
        raise KeyError('tensor name can\'t be empty string ""')


def set_tensor(module: Module, name: str, tensor: Tensor) -> None:
    """Puts a tensor in the place of a parameter, a buffer or an attribute.

    Args:
      module: Owner of the tensor itself.
      name: Name without dots.
      tensor: New tensor; None is possible for parameters and buffers.

    Errors: TypeError unless the arguments are a module and a tensor; KeyError for a name with dots.
    """
    _check_name(module, name)
    if tensor is not None:
        _checked(tensor)
    for table in (module._parameters, module._buffers):
        if name in table:
            table[name] = tensor  # type: ignore[assignment]
            return
    setattr(module, name, tensor)


def swap_tensor(module: Module, name: str, tensor: Any, allow_missing: bool = False) -> Any:
    """Replaces a parameter, a buffer or an attribute, and returns the old tensor.

    Args:
      module: Owner of the tensor itself.
      name: Name without dots.
      tensor: New tensor. The value that an earlier call returned for a missing tensor removes it.
      allow_missing: Whether the module may lack the tensor.

    Errors: TypeError unless the arguments are a module and a tensor, KeyError for a name with dots, AttributeError
    for a missing tensor.
    """
    _check_name(module, name)
    if tensor is not None and tensor is not _MISSING:
        _checked(tensor)
    for table in (module._parameters, module._buffers):
        if name in table:
            before: Any = table[name]
            if tensor is _MISSING:
                del table[name]
            else:
                table[name] = tensor
            return before
    before = getattr(module, name, _MISSING)
    if before is _MISSING:
        if not allow_missing:
            raise AttributeError(f"{module._get_name()} has no attribute `{name}`")
    else:
        _checked(before)
    if tensor is not _MISSING:
        setattr(module, name, tensor)
    elif before is not _MISSING:
        delattr(module, name)
    return before


class NamedMemberAccessor:
    """Access to the members of a module and of its submodules by dotted names.

    Args:
      module: The module.
    """

    def __init__(self, module: Module) -> None:
        self.module = module

    def _split(self, name: str) -> tuple[Module, str]:
        path, _, last = name.rpartition(".")
        return self.get_submodule(path), last

    def get_submodule(self, name: str) -> Module:
        """Returns a submodule; '' is the module itself. Errors: AttributeError if there is none."""
        return self.module.get_submodule(name)

    def swap_submodule(self, path: str, value: Module) -> Module:
        """Replaces a submodule, and returns the old one."""
        owner, last = self._split(path)
        before: Any = owner._modules[last]
        owner._modules[last] = value
        return before

    def get_tensor(self, name: str) -> Any:
        """Returns a tensor. Errors: AttributeError if there is none, TypeError for other attributes."""
        owner, last = self._split(name)
        try:
            found = getattr(owner, last)
        except AttributeError:
            raise AttributeError(f"{owner._get_name()} has no attribute `{last}`") from None
        return _checked(found) if found is not None else found

    def set_tensor(self, name: str, value: Tensor) -> None:
        """Replaces a tensor."""
        set_tensor(*self._split(name), value)

    def del_tensor(self, name: str) -> None:
        """Removes a tensor."""
        owner, last = self._split(name)
        self.get_tensor(name)
        delattr(owner, last)

    def swap_tensor(self, name: str, value: Any, allow_missing: bool = False) -> Any:
        """Replaces a tensor, and returns the old one."""
        return swap_tensor(*self._split(name), value, allow_missing=allow_missing)

    def get_tensors(self, names: Iterable[str]) -> list[Tensor]:
        """Returns tensors."""
        return [self.get_tensor(name) for name in names]

    def set_tensors(self, names: Iterable[str], values: Iterable[Tensor]) -> None:
        """Replaces tensors. Errors: ValueError for another number of values than names."""
        for name, value in zip(list(names), list(values), strict=True):
            self.set_tensor(name, value)

    def set_tensors_dict(self, named_tensors: dict[str, Tensor]) -> None:
        """Replaces tensors."""
        for name, value in named_tensors.items():
            self.set_tensor(name, value)

    def del_tensors(self, names: Iterable[str]) -> None:
        """Removes tensors."""
        for name in names:
            self.del_tensor(name)

    def swap_tensors(self, names: Iterable[str], values: Iterable[Any], allow_missing: bool = False) -> list[Any]:
        """Replaces tensors, and returns the old ones. Errors: ValueError for another number of values than names."""
        return [self.swap_tensor(name, value, allow_missing) for name, value in zip(list(names), list(values), strict=True)]

    def swap_tensors_dict(self, named_tensors: dict[str, Any], allow_missing: bool = False) -> tuple[dict[str, Any], list[str]]:
        """Replaces tensors. Returns the old ones, and the names of those that were missing.

        Errors: RuntimeError for missing tensors unless `allow_missing`; nothing is replaced then.
        """
        before: dict[str, Any] = {}
        try:
            for name, value in named_tensors.items():
                before[name] = self.swap_tensor(name, value, allow_missing=True)
            missing = [name for name, value in before.items() if value is _MISSING]
            if missing and not allow_missing:
                raise RuntimeError(f"Missing key(s): {', '.join(map(repr, missing))}.")
        except BaseException:
            for name, value in before.items():
                self.swap_tensor(name, value, allow_missing=True)
            raise
        return before, missing

    def check_keys(self, keys: Iterable[str]) -> tuple[list[str], list[str]]:
        """Returns the names of the module's parameters and buffers that are not in `keys`, and the other way round."""
        wanted, own = set(keys), {name for name, _ in self.named_tensors(remove_duplicate=False)}
        return sorted(own - wanted), sorted(wanted - own)

    def named_parameters(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yields the parameters with their names."""
        yield from self.module.named_parameters(remove_duplicate=remove_duplicate)

    def named_buffers(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yields the buffers with their names."""
        yield from self.module.named_buffers(remove_duplicate=remove_duplicate)

    def named_tensors(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Tensor]]:
        """Yields the parameters and the buffers with their names."""
        yield from self.named_parameters(remove_duplicate)
        yield from self.named_buffers(remove_duplicate)

    def named_modules(self, remove_duplicate: bool = True) -> Iterator[tuple[str, Module]]:
        """Yields the submodules with their names."""
        yield from self.module.named_modules(remove_duplicate=remove_duplicate)
