"""Names of PyTorch that this library does not implement. They can be imported, and raise
NotImplementedError when they are used.
"""
from __future__ import annotations

from typing import Any, NoReturn


def absent_function(name: str, reason: str, module: str) -> Any:
    """Returns a function that raises NotImplementedError whenever it is called.

    Args:
      name: Its name.
      reason: The rest of the message: a sentence that says what is missing, and what to use
        instead.
      module: The module that users import it from.
    """
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError(f"{name}(): {reason}")
    function.__name__ = function.__qualname__ = name
    function.__module__ = module
    function.__doc__ = f"Raises NotImplementedError: {reason}."
    setattr(function, "_is_absent", True)
    return function


class AbsentClass:
    """The type, for type checkers, of the classes that `absent_class` makes."""

    def __new__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        raise NotImplementedError("the class is not implemented")


def absent_class(name: str, reason: str, module: str, *bases: type) -> Any:
    """Returns a class that cannot be instantiated: that raises NotImplementedError. It may be the
    second argument of isinstance, and a base class.

    Args:
      name: Its name.
      reason: The rest of the message: a sentence that says what is missing, and what to use
        instead.
      module: The module that users import it from.
      bases: Its base classes.
    """
    def __new__(cls: type, *args: Any, **kwargs: Any) -> NoReturn:  # noqa: N807
        raise NotImplementedError(f"{name}(): {reason}")
    return type(name, bases, {
        "__new__": __new__, "__module__": module, "__doc__": f"Raises NotImplementedError: {reason}.", "_is_absent": True})


def absent_names(namespace: dict[str, Any], reason: str, functions: str = "", classes: str = "") -> list[str]:
    """Adds functions and classes that refuse to a module; returns their names.

    Args:
      namespace: globals() of the module.
      reason: The rest of the messages: a sentence that says what is missing, and what to use instead.
      functions: Names of functions, separated by blanks.
      classes: Names of classes, separated by blanks.
    """
    module = namespace["__name__"]
    namespace.update((name, absent_function(name, reason, module)) for name in functions.split())
    namespace.update((name, absent_class(name, reason, module)) for name in classes.split())
    return functions.split() + classes.split()
