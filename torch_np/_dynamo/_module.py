"""OptimizedModule: a compiled module."""
from __future__ import annotations

import copy
from typing import Any

from torch_np.nn import Module

_OWN = frozenset(("_orig_mod", "_compiled", "_modules", "_compiled_with"))


class OptimizedModule(Module):
    """A module whose calls run compiled. Its attributes are those of the module that it wraps, which is
    its submodule `_orig_mod`; `state_dict` has that prefix.

    Args:
      mod: The module.
      compiled: Its compiled call.
      given: The options of torch_np.compile.
    """

    def __init__(self, mod: Module, compiled: Any, given: dict[str, Any] | None = None) -> None:
        super().__init__()
        self._modules["_orig_mod"] = mod
        object.__setattr__(self, "_compiled", compiled)
        object.__setattr__(self, "_compiled_with", given or {})
        self.__dict__.pop("training", None)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._forward_hooks or self._forward_pre_hooks or self._backward_hooks or self._backward_pre_hooks:
            return super().__call__(*args, **kwargs)
        return self._compiled(*args, **kwargs)

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Calls the module, compiled.

        Args:
          args: Arguments.
          kwargs: Keyword arguments.
        """
        return self._compiled(*args, **kwargs)

    @property
    def training(self) -> bool:
        """Whether the module is in training mode."""
        return self._modules["_orig_mod"].training

    @training.setter
    def training(self, mode: bool) -> None:
        self._modules["_orig_mod"].training = mode

    @property
    def __wrapped__(self) -> Module:
        return self._modules["_orig_mod"]

    def lower(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the records of a call; see torch_np.compiler.Lowered.

        Args:
          args: Arguments.
          kwargs: Keyword arguments.
        """
        return self._compiled.lower(*args, **kwargs)

    def statistics(self) -> dict[str, Any]:
        """Returns the counters of the compiled calls."""
        return self._compiled.statistics()

    def __getattr__(self, name: str) -> Any:
        if name in ("_orig_mod", "_modules"):
            return self.__dict__["_modules"]["_orig_mod"]
        return getattr(self.__dict__["_modules"]["_orig_mod"], name)

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _OWN or name in self.__dict__ or "_orig_mod" not in self.__dict__.get("_modules", ()) or name == "training":
            super().__setattr__(name, value)
        else:
            setattr(self._modules["_orig_mod"], name, value)

    def __delattr__(self, name: str) -> None:
        if name in self.__dict__:
            super().__delattr__(name)
        else:
            delattr(self._modules["_orig_mod"], name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._modules["_orig_mod"])})

    def __reduce__(self) -> Any:
        return _compiled_again, (self._modules["_orig_mod"], self._compiled_with)

    def __deepcopy__(self, memo: dict[int, Any]) -> OptimizedModule:
        return _compiled_again(copy.deepcopy(self._modules["_orig_mod"], memo), self._compiled_with)


def _compiled_again(module: Any, given: dict[str, Any]) -> OptimizedModule:
    from torch_np import compiler
    return compiler.compile(module, **given)
