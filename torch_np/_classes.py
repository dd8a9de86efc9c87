"""torch_np.classes: the classes in C++ that libraries register with PyTorch's script compiler, which does not exist here."""
from __future__ import annotations

import os
from types import ModuleType
from typing import Any, NoReturn


class _ClassNamespace(ModuleType):
    """The classes of a library: none."""

    def __init__(self, name: str) -> None:
        super().__init__(f"torch.classes{name}")
        self.name = name

    def __getattr__(self, attr: str) -> NoReturn:
        if attr.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {attr!r}")
        raise RuntimeError(f"Tried to instantiate class '{self.name}.{attr}', but it does not exist! Ensure that it is registered via torch::class_")


class _Classes(ModuleType):
    """Namespaces of classes by name."""

    __file__ = "_classes.py"

    def __init__(self) -> None:
        super().__init__("torch.classes")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(f"module 'torch.classes' has no attribute {name!r}")
        namespace = _ClassNamespace(name)
        setattr(self, name, namespace)
        return namespace

    @property
    def loaded_libraries(self) -> set[str]:
        """Paths of the libraries that are loaded."""
        from torch_np.library._load import list_libraries

        return {library.path for library in list_libraries()}

    def load_library(self, path: str | os.PathLike[str]) -> None:
        """Loads a library of operators (torch_np.library.load).

        Args:
          path: Its path.

        Errors: those of `torch_np.library.load`.
        """
        from torch_np.library import load

        load(path)


classes = _Classes()
