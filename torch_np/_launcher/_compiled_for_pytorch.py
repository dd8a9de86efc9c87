"""Packages that do not allow for a missing extension: `import torchaudio` loads its compiled
operators, and fails if their library cannot be loaded. Under the launcher it runs without them.
"""
from __future__ import annotations

import functools
import warnings
from typing import Any

from torch_np._launcher import _linked_libraries, _wrapping

# Functions that load the library of a name, and return whether there is one.
_LOADERS = {"torchaudio._extension.utils": ("_load_lib",)}


def _answering(function: Any) -> Any:
    @functools.wraps(function)
    def call(library: str) -> bool:
        try:
            return function(library)
        except OSError as error:
            if not _linked_libraries.names_pytorchs(str(error)):
                raise
            package = function.__module__.partition(".")[0]
            warnings.warn(f"{package} runs without its operators in C++: {library} is linked with PyTorch's libraries, which torch_np, which stands "
                          "for PyTorch here, does not have; functions that need these operators raise an error", RuntimeWarning, stacklevel=2)
            return False

    return call


def answer_loaders() -> None:
    """Wraps the loaders of packages that are imported later."""
    _wrapping.wrap_when_imported((_LOADERS, _answering))
