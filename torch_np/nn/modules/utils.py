"""Helpers for the arguments of layers, and for states."""
from __future__ import annotations

from typing import Any

from torch_np.nn._tuples import (
    _list_with_default as _list_with_default, _ntuple as _ntuple, _pair as _pair, _quadruple as _quadruple,
    _reverse_repeat_tuple as _reverse_repeat_tuple, _single as _single, _triple as _triple, ntuple as ntuple,
)

__all__ = ["consume_prefix_in_state_dict_if_present"]


def consume_prefix_in_state_dict_if_present(state_dict: dict[str, Any], prefix: str) -> None:
    """Removes a prefix from the names of a state, in place.

    Args:
      state_dict: the state
      prefix: the prefix, such as "module."
    """
    for key in list(state_dict):
        if key.startswith(prefix):
            state_dict[key[len(prefix):]] = state_dict.pop(key)
    metadata = getattr(state_dict, "_metadata", None)
    for key in list(metadata or ()):
        assert metadata is not None
        if key and (key == prefix.replace(".", "") or key.startswith(prefix)):
            metadata[key[len(prefix):]] = metadata.pop(key)
