"""torch_np.utils.data.datapipes: the base classes of PyTorch's data pipes, datasets whose methods
are other datasets.

PyTorch deprecates them. The pipes that it brings (`map`, `shuffle`, `batch`, ...) are not here.
"""
from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from torch_np._absent import absent_class, absent_function
from torch_np.utils.data.dataset import Dataset, IterableDataset

_Pipe = TypeVar("_Pipe", bound=type)
_MODULE = "torch_np.utils.data"


class _Functional:
    """Methods that `functional_datapipe` registers."""

    functions: dict[str, Callable[..., Any]] = {}

    def __getattr__(self, name: str) -> Any:
        made = type(self).functions.get(name)
        if made is None:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}': if it is a data pipe of PyTorch, write a class "
                                 "with @functional_datapipe")
        return functools.partial(made, self)

    @classmethod
    def register_function(cls, function_name: str, function: Callable[..., Any]) -> None:
        """Makes `function` a method.

        Args:
          function_name: Name of the method.
          function: Function of the pipe and the method's arguments.
        """
        cls.functions[function_name] = function

    @classmethod
    def register_datapipe_as_function(cls, function_name: str, cls_to_register: type, enable_df_api_tracing: bool = False) -> None:
        """Makes a method of a class of pipes, whose first argument is the pipe.

        Args:
          function_name: Name of the method.
          cls_to_register: The class.
          enable_df_api_tracing: Only False.

        Errors: ValueError for a name that is registered; NotImplementedError for
        `enable_df_api_tracing`.
        """
        if enable_df_api_tracing:
            raise NotImplementedError("register_datapipe_as_function(): data frames are not traced; enable_df_api_tracing must be False")
        if function_name in cls.functions:
            raise ValueError(f"Unable to add DataPipe function name {function_name} as it is already taken")
        cls.functions[function_name] = cls_to_register


class IterDataPipe(_Functional, IterableDataset[Any]):
    """Base class of pipes that are read sequentially; subclasses define `__iter__`."""

    functions: dict[str, Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return type(self).__qualname__


class DFIterDataPipe(IterDataPipe):
    """Base class of pipes of data frames."""


class MapDataPipe(_Functional, Dataset[Any]):
    """Base class of pipes with indexed samples; subclasses define `__getitem__`."""

    functions: dict[str, Callable[..., Any]] = {}

    def __repr__(self) -> str:
        return type(self).__qualname__


class functional_datapipe:  # noqa: N801  (PyTorch's name)
    """Decorator that makes a class of data pipes a method of all pipes: `pipe.name(...)` is
    `cls(pipe, ...)`.

    Args:
      name: Name of the method.
      enable_df_api_tracing: Only False.

    Errors, when it decorates: TypeError for another class; ValueError for a name that is
    registered; NotImplementedError for `enable_df_api_tracing`.
    """

    def __init__(self, name: str, enable_df_api_tracing: bool = False) -> None:
        self.name, self.enable_df_api_tracing = name, enable_df_api_tracing

    def __call__(self, cls: _Pipe) -> _Pipe:
        base: type[_Functional]
        for base in (IterDataPipe, MapDataPipe):
            if isinstance(cls, type) and issubclass(cls, base):
                base.register_datapipe_as_function(self.name, cls, self.enable_df_api_tracing)
                return cls
        raise TypeError("`functional_datapipe` can only decorate IterDataPipe or MapDataPipe")


class DataChunk(list[Any]):
    """A list of samples that a pipe gives at once.

    Args:
      items: The samples.
    """

    def __init__(self, items: Any) -> None:
        self.items = list(items)
        super().__init__(self.items)

    def as_str(self, indent: str = "") -> str:
        """Returns the samples as text.

        Args:
          indent: Text before it.
        """
        return f"{indent}[{', '.join(map(str, self))}]"

    def raw_iterator(self) -> Iterator[Any]:
        """Iterates over the samples."""
        yield from self.items


class _NoEffect:
    def __enter__(self) -> None:
        pass

    def __exit__(self, *exception: object) -> None:
        pass


class runtime_validation_disabled(_NoEffect):  # noqa: N801
    """A context in which pipes do not check the types of their samples: here they never do."""


class guaranteed_datapipes_determinism(_NoEffect):  # noqa: N801
    """A context in which pipes that are marked as random must not be used: here none can be marked.
    """


_REASON = "data pipes do not check types; write an IterableDataset that checks its samples"
argument_validation = absent_function("argument_validation", _REASON, _MODULE)
runtime_validation = absent_function("runtime_validation", _REASON, _MODULE)
non_deterministic: Any = absent_class("non_deterministic", "data pipes cannot be marked as random; give your dataset a seed", _MODULE)
