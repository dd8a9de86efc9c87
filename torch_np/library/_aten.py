"""`torch_np.ops.aten`: functions of torch_np under the names of PyTorch's operators."""
from __future__ import annotations

from typing import Any

from torch_np import _C

_OVERLOADS = frozenset((
    "Dimname", "Int", "Scalar", "Scalar_Scalar", "Scalar_Tensor", "ScalarSelf", "ScalarOther", "Tensor", "Tensor_Scalar", "Tensor_Tensor",
    "Tensor_mode", "Scalar_mode", "default", "dim", "dim_IntList", "dim_max", "dim_min", "int", "names_dim", "other", "self", "source",
    "start", "start_step", "step", "using_ints", "vec", "dtype", "dims", "ScalarList", "correction", "unary_out"))


class Overload:
    """A function of torch_np as one of PyTorch's operators. Arguments are those of the function;
    all overloads of a name are the same function.
    """

    def __init__(self, space: str, name: str, overload: str, function: Any) -> None:
        self._opname, self._overloadname, self._function = name, overload, function
        self._qualified_op_name = f"{space}::{name}"
        self._space = space
        self.__name__ = name if overload == "default" else f"{name}.{overload}"
        self.__doc__ = function.__doc__

    def name(self) -> str:
        """Returns the operator's name, 'aten::add.Tensor'."""
        return f"{self._space}::{self.__name__}"

    def overloads(self) -> list[str]:
        """Returns the overload that calls use."""
        return [self._overloadname]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name not in _OVERLOADS:
            raise AttributeError(f"the operator {self._qualified_op_name} has no overload '{name}'")
        made = self.__dict__[name] = Overload(self._space, self._opname, name, self._function)
        return made

    def __repr__(self) -> str:
        return f"<operator {self.name()}>"


class Functions:
    """A namespace of operators that are functions of torch_np."""

    def __init__(self, name: str) -> None:
        self.__name__ = f"torch_np.ops.{name}"
        self._space = name

    def __getattr__(self, name: str) -> Any:
        import torch_np
        from torch_np.nn import functional

        if not name.startswith("__"):
            for place in (torch_np, functional, torch_np.special, torch_np.linalg):
                function = vars(place).get(name)
                if isinstance(function, _C.Function) or callable(function) and not isinstance(function, type) and place is not functional:
                    made = self.__dict__[name] = Overload(self._space, name, "default", function)
                    return made
            method = getattr(_C.Tensor, name, None)
            if callable(method):
                made = self.__dict__[name] = Overload(self._space, name, "default", method)
                return made
        raise AttributeError(f"{self.__name__} has no operator '{name}'")

    def __repr__(self) -> str:
        return f"<operators {self.__name__}>"
