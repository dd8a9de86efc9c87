"""Containers: lists and dictionaries of modules and parameters."""
from __future__ import annotations

import operator
import warnings
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Self

from torch_np._C import Tensor
from torch_np._torch.dtype_names import LEGACY
from torch_np.nn.modules.module import Module
from torch_np.nn.parameter import Parameter
# Names that layers of packages import from here.
from itertools import chain as chain, islice as islice
from torch_np.nn.modules.module import _addindent as _addindent

__all__ = ["Container", "ModuleDict", "ModuleList", "ParameterDict", "ParameterList", "Sequential"]


def _index(i: Any, length: int) -> int:
    i = operator.index(i)
    if not -length <= i < length:
        raise IndexError(f"index {i} is out of range")
    return i % length


class _Listed(Module):
    """Base class of Sequential and ModuleList, which name their modules '0', '1', ..., or by the
    keys of an OrderedDict.
    """

    def _renumber(self, modules: Iterable[Module]) -> None:
        self._modules.clear()
        self._modules.update((str(i), m) for i, m in enumerate(modules))

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[Module]:
        return iter(self._modules.values())

    def _name(self, i: Any) -> str:
        return list(self._modules)[_index(i, len(self))]

    def __setitem__(self, i: int, module: Module) -> None:
        setattr(self, self._name(i), module)

    def __dir__(self) -> list[str]:
        return [n for n in super().__dir__() if not n.isdigit()]

    def append(self, module: Module) -> Self:
        """Adds a module at the end."""
        self.add_module(str(len(self)), module)
        return self

    def insert(self, index: int, module: Module) -> Any:
        """Inserts a module before index `index`."""
        if not isinstance(module, Module):
            raise AssertionError(f"module should be of type: {Module}")
        if not -len(self) <= index <= len(self):
            raise IndexError(f"Index out of range: {index}")
        modules = list(self)
        modules.insert(index, module)
        self._renumber(modules)
        return self

    def extend(self, modules: Iterable[Module]) -> Self:
        """Adds modules at the end.

        Args:
          modules: iterable of modules

        Errors: TypeError if `modules` is not iterable.
        """
        if not isinstance(modules, Iterable):
            raise TypeError(f"{type(self).__name__}.extend should be called with an iterable, but got {type(modules).__name__}")
        for module in list(modules):
            self.append(module)
        return self

    def pop(self, key: Any) -> Module:
        """Removes the module at an index and returns it."""
        module = self[key]  # type: ignore[index]
        del self[key]
        return module

    def __delitem__(self, i: Any) -> None:
        for name in list(self._modules)[i] if isinstance(i, slice) else [self._name(i)]:
            del self._modules[name]
        self._renumber(list(self))


class Sequential(_Listed):
    """Calls modules one after the other, each with the output of the one before.

    Args:
      args: modules, or an OrderedDict of modules by name
    """

    def __init__(self, *args: Any) -> None:
        super().__init__()
        if len(args) == 1 and isinstance(args[0], OrderedDict):
            for name, module in args[0].items():
                self.add_module(name, module)
        else:
            for i, module in enumerate(args):
                self.add_module(str(i), module)

    def forward(self, input: Any) -> Any:
        """The last module's output.

        Shapes: those of the modules.
        """
        for module in self._modules.values():
            input = module(input)
        return input

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return type(self)(OrderedDict(list(self._modules.items())[i]))
        return self._modules[self._name(i)]

    def __delitem__(self, i: Any) -> None:
        for name in list(self._modules)[i] if isinstance(i, slice) else [self._name(i)]:
            delattr(self, name)
        self._renumber(list(self))

    def __add__(self, other: Any) -> Sequential:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return Sequential(*self, *other)

    def __iadd__(self, other: Any) -> Self:
        if not isinstance(other, Sequential):
            raise ValueError(f"add operator supports only objects of Sequential class, but {type(other)} is given.")
        return self.extend(other)

    def __mul__(self, other: int) -> Sequential:
        return Sequential(*(list(self) * _times(other)))

    __rmul__ = __mul__

    def __imul__(self, other: int) -> Self:
        modules = list(self)
        for _ in range(_times(other) - 1):
            self.extend(modules)
        return self


def _times(n: Any) -> int:
    if not isinstance(n, int):
        raise TypeError(f"unsupported operand type(s) for *: {Sequential} and {type(n)}")
    if n <= 0:
        raise ValueError(f"Non-positive multiplication factor {n} for {Sequential}")
    return n


class ModuleList(_Listed):
    """A list of modules, which are registered as submodules.

    Args:
      modules: iterable of modules
    """

    def __init__(self, modules: Iterable[Module] | None = None) -> None:
        super().__init__()
        if modules is not None:
            self += modules

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return type(self)(list(self)[i])
        return self._modules[self._name(i)]

    def __iadd__(self, modules: Iterable[Module]) -> Self:
        return self.extend(modules)

    def __add__(self, other: Iterable[Module]) -> ModuleList:
        return ModuleList([*self, *other])

    def insert(self, index: int, module: Module) -> None:
        """Inserts a module before index `index`."""
        modules: list[Any] = list(self)
        modules.insert(index, module)
        self._renumber(modules)

    def __repr__(self) -> str:
        """The text, with equal neighbours on one line: `(0-2): 3 x Linear(...)`."""
        runs: list[list[Any]] = []
        for i, module in enumerate(self):
            text = repr(module)
            if runs and runs[-1][2] == text:
                runs[-1][1] = i
            else:
                runs.append([i, i, text])
        if not runs:
            return f"{self._get_name()}()"
        lines = [f"({a}): {text}" if a == b else f"({a}-{b}): {b - a + 1} x {text}" for a, b, text in runs]
        return f"{self._get_name()}(\n  " + "\n  ".join(line.replace("\n", "\n  ") for line in lines) + "\n)"


def _pairs(given: Any, kind: type) -> list[tuple[Any, Any]]:
    """The key-value pairs of an argument of update(): a mapping or an iterable of pairs.

    Errors: TypeError or ValueError if the argument is neither.
    """
    name = kind.__name__
    if not isinstance(given, Iterable):
        raise TypeError(f"{name}.update should be called with an iterable of key/value pairs, but got {type(given).__name__}")
    if isinstance(given, (Mapping, kind)):
        return list(given.items())  # type: ignore[attr-defined]
    pairs = []
    for j, element in enumerate(given):
        if not isinstance(element, Iterable):
            raise TypeError(f"{name} update sequence element #{j} should be Iterable; is {type(element).__name__}")
        pair: list[Any] = list(element)
        if len(pair) != 2:
            raise ValueError(f"{name} update sequence element #{j} has length {len(pair)}; 2 is required")
        pairs.append((pair[0], pair[1]))
    return pairs


class ModuleDict(Module):
    """A dictionary of modules, which are registered as submodules.

    Args:
      modules: mapping or iterable of pairs

    Errors: TypeError if `modules` is neither.
    """

    def __init__(self, modules: Any = None) -> None:
        super().__init__()
        if modules is not None:
            self.update(modules)

    def __getitem__(self, key: str) -> Any:
        return self._modules[key]

    def __setitem__(self, key: str, module: Module) -> None:
        self.add_module(key, module)

    def __delitem__(self, key: str) -> None:
        del self._modules[key]

    def __len__(self) -> int:
        return len(self._modules)

    def __iter__(self) -> Iterator[str]:
        return iter(self._modules)

    def __contains__(self, key: str) -> bool:
        return key in self._modules

    def clear(self) -> None:
        """Removes all modules."""
        self._modules.clear()

    def pop(self, key: str) -> Module:
        """Removes the module of that name and returns it."""
        return self._modules.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._modules.keys()

    def items(self) -> Any:
        """Pairs of names and modules."""
        return self._modules.items()

    def values(self) -> Any:
        """The modules."""
        return self._modules.values()

    def update(self, modules: Any) -> None:
        """Adds the modules of a mapping, or of an iterable of pairs of a name and a module."""
        for key, module in _pairs(modules, ModuleDict):
            self[key] = module


def _as_parameter(value: Any) -> Any:
    """A Parameter for a Tensor; other values unchanged."""
    return Parameter(value) if isinstance(value, Tensor) and not isinstance(value, Parameter) else value


def _describe(value: Any, dtype: str | None = None) -> str:
    if isinstance(value, Tensor):
        kind = "Parameter" if isinstance(value, Parameter) else "Tensor"
        where = "" if value.device.type == "cpu" else f" ({value.device})"
        return f"{kind} containing: [{dtype or 'torch.' + str(value.dtype).rpartition('.')[2]} of size {'x'.join(map(str, value.shape))}{where}]"
    return f"Object of type: {type(value).__name__}"


def _legacy_name(value: Any) -> str | None:
    """The dtype's name in the text of ParameterDict, such as 'torch.FloatTensor', where
    ParameterList has torch.float32.
    """
    return f"torch.{LEGACY.get(value.dtype, '')}Tensor" if isinstance(value, Tensor) else None


class ParameterList(Module):
    """A list of parameters; Tensors become Parameters, other objects stay unchanged.

    Args:
      values: iterable of parameters
    """

    def __init__(self, values: Iterable[Any] | None = None) -> None:
        super().__init__()
        self._size = 0
        if values is not None:
            self += values

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return type(self)([self[k] for k in range(*i.indices(len(self)))])
        return getattr(self, str(_index(i, len(self))))

    def __setitem__(self, i: int, value: Any) -> None:
        setattr(self, str(_index(i, len(self))), _as_parameter(value))

    def __iter__(self) -> Iterator[Any]:
        return iter(self[i] for i in range(len(self)))

    def __iadd__(self, values: Iterable[Any]) -> Self:
        return self.extend(values)

    def append(self, value: Any) -> Self:
        """Adds a parameter at the end."""
        self._size += 1
        self[self._size - 1] = value
        return self

    def extend(self, values: Iterable[Any]) -> Self:
        """Adds parameters at the end.

        Args:
          values: iterable of parameters

        Errors: TypeError for a Tensor or a non-iterable.
        """
        if not isinstance(values, Iterable) or isinstance(values, Tensor):
            raise TypeError(f"ParameterList.extend should be called with an iterable, but got {type(values).__name__}")
        for value in list(values):
            self.append(value)
        return self

    def extra_repr(self) -> str:
        """One line for each parameter."""
        return "\n".join(f"  ({i}): {_describe(p)}" for i, p in enumerate(self))

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        raise RuntimeError("ParameterList should not be called.")


class ParameterDict(Module):
    """A dictionary of parameters; Tensors become Parameters, other objects stay unchanged.

    Args:
      parameters: mapping or iterable of pairs
    """

    def __init__(self, parameters: Any = None) -> None:
        super().__init__()
        self._keys: dict[str, None] = {}
        if parameters is not None:
            self.update(parameters)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)  # raises AttributeError, as PyTorch does

    def __setitem__(self, key: str, value: Any) -> None:
        if not isinstance(key, str):
            raise TypeError(f"Index given to ParameterDict cannot be used as a key as it is not a string (type is '{type(key).__name__}').")
        self._keys[key] = None
        setattr(self, key, _as_parameter(value))

    def __delitem__(self, key: str) -> None:
        del self._keys[key]
        delattr(self, key)

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return iter(self._keys)

    def __reversed__(self) -> Iterator[str]:
        return reversed(list(self._keys))

    def __contains__(self, key: str) -> bool:
        return key in self._keys

    def copy(self) -> ParameterDict:
        """A new dictionary with the same parameters."""
        return ParameterDict(OrderedDict((k, self[k]) for k in self))

    def clear(self) -> None:
        """Removes all parameters."""
        for key in list(self):
            del self[key]

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The parameter of that name, set to `default` if there was none."""
        if key not in self:
            self[key] = default
        return self[key]

    def get(self, key: str, default: Any = None) -> Any:
        """The parameter of that name, or `default`."""
        return self[key] if key in self else default

    def fromkeys(self, keys: Iterable[str], default: Any = None) -> ParameterDict:
        """A new dictionary with these names, all with the value `default`."""
        return ParameterDict((k, default) for k in keys)

    def pop(self, key: str) -> Any:
        """Removes the parameter of that name and returns it."""
        value = self[key]
        del self[key]
        return value

    def popitem(self) -> tuple[str, Any]:
        """Removes the last parameter and returns its name and value."""
        key = next(reversed(self))
        return key, self.pop(key)

    def keys(self) -> Any:
        """The names."""
        return self._keys.keys()

    def items(self) -> Any:
        """Pairs of names and parameters."""
        return [(k, self[k]) for k in self]

    def values(self) -> Any:
        """The parameters."""
        return [self[k] for k in self]

    def update(self, parameters: Any) -> None:
        """Adds the parameters of a mapping, or of an iterable of pairs of a name and a parameter.
        """
        for key, value in _pairs(parameters, ParameterDict):
            self[key] = value

    def __or__(self, other: ParameterDict) -> ParameterDict:
        made = self.copy()
        made.update(other)
        return made

    def __ror__(self, other: ParameterDict) -> ParameterDict:
        made = other.copy()
        made.update(self)
        return made

    def __ior__(self, other: ParameterDict) -> Self:
        self.update(other)
        return self

    def extra_repr(self) -> str:
        """One line for each parameter."""
        return "\n".join(f"  ({k}): {_describe(p, _legacy_name(p))}" for k, p in self.items())

    def __call__(self, input: Any) -> Any:
        raise RuntimeError("ParameterDict should not be called.")


class Container(Module):
    """PyTorch's older base class of modules with submodules. It warns; use Module.

    Args:
      kwargs: submodules by name
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__()
        warnings.warn("`nn.Container` is deprecated. All of its functionality is now implemented in `nn.Module`. Subclass that instead.",
                      FutureWarning, stacklevel=2)
        for name, module in kwargs.items():
            self.add_module(name, module)
