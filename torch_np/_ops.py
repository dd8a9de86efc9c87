"""torch_np._ops: the classes of the objects in torch_np.ops."""
from typing import Any as _Any, NoReturn as _NoReturn

from torch_np._registry import Namespace as _OpNamespace
from torch_np._transforms.overloads import OpOverload as OpOverload, OpOverloadPacket as OpOverloadPacket
from torch_np.library._aten import Functions as Functions

__all__ = ["HigherOrderOperator", "OpOverload", "OpOverloadPacket", "_OpNamespace"]


class HigherOrderOperator:
    """An operator on functions. It can be declared, with functions for transformations; a call raises NotImplementedError.

    Args:
      name: Its name.
      cacheable: Ignored.
    """

    def __init__(self, name: str, *, cacheable: bool = False) -> None:
        self._name = name

    def __call__(self, *args: _Any, **kwargs: _Any) -> _NoReturn:
        """Raises NotImplementedError.

        Args:
          args: Ignored.
          kwargs: Ignored.
        """
        raise NotImplementedError(f"{self._name}(): operators on functions are not implemented; call the function")

    def name(self) -> str:
        """Its name."""
        return self._name

    def py_impl(self, key: _Any) -> _Any:
        """A decorator for the function of a transformation, which is not called.

        Args:
          key: The transformation.
        """
        return lambda function: function
