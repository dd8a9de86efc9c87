"""Types in the signatures of trees."""
from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

Context = Any
PyTree = Any
DumpableContext = Any
FlattenFunc = FlattenFn = Callable[[Any], tuple[list[Any], Any]]
UnflattenFunc = UnflattenFn = Callable[[Iterable[Any], Any], Any]
FlattenWithKeysFunc = Callable[[Any], tuple[list[tuple[Any, Any]], Any]]
ToDumpableContextFn = Callable[[Any], Any]
FromDumpableContextFn = Callable[[Any], Any]
