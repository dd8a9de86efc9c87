"""The distribution `torch` that `importlib.metadata` finds under the launcher."""
from __future__ import annotations

import re
from importlib import metadata
from pathlib import Path
from typing import Any

from torch_np._launcher import _version


def is_torch(name: str) -> bool:
    """Whether a project's name is `torch`, however it is written."""
    return re.sub(r"[-_.]+", "-", name).lower() == "torch"


class Torch(metadata.Distribution):
    """A distribution that has a name and a version, and no files."""

    def read_text(self, filename: str) -> str | None:
        """Returns the text of a file of metadata; None for a file that does not exist."""
        if filename == "METADATA":
            return f"Metadata-Version: 2.1\nName: torch\nVersion: {_version.text()}\nSummary: torch_np, in place of PyTorch\n"
        return {"top_level.txt": "torch\n", "INSTALLER": "torch_np\n"}.get(filename)

    def locate_file(self, path: Any) -> Any:
        """Returns the path of a file below this package."""
        return Path(__file__).parents[2] / path
