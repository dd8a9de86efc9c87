"""torch_np.jit.annotations: names for annotations of functions that a script compiler would read."""
from __future__ import annotations

from typing import Any, Dict as Dict, List as List, Optional as Optional, Tuple as Tuple, Union as Union  # noqa: UP035  (packages import them)

from torch_np._jit_internal import (
    BroadcastingList1 as BroadcastingList1, BroadcastingList2 as BroadcastingList2, BroadcastingList3 as BroadcastingList3,
)

__all__ = ["BroadcastingList1", "BroadcastingList2", "BroadcastingList3", "Module", "get_type_line"]


class Module:
    """A namespace of a function's names: attributes are the members.

    Args:
      name: Its name, for messages.
      members: The members by name.
    """

    def __init__(self, name: str, members: dict[str, Any]) -> None:
        self.name, self.members = name, members

    def __getattr__(self, name: str) -> Any:
        try:
            return self.members[name]
        except KeyError:
            raise RuntimeError(f"Module {self.name} has no member called {name}") from None


def get_type_line(source: str) -> str | None:
    """Returns the comment `# type: ...` of a function's source; None if it has none.

    Args:
      source: The source.
    """
    for line in source.split("\n"):
        _, found, text = line.partition("# type:")
        if found and not text.strip().startswith("ignore"):
            return "# type:" + text.rstrip()
    return None
