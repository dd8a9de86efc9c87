"""The version that programs under the launcher see: that of the PyTorch whose interface this is,
with torch_np's own as its local part, as in `2.15.0+torch_np.0.1.0`.
"""
from __future__ import annotations

import torch_np
from torch_np import torch_version, version

PYTORCH = "2.15.0"
TORCH_NP = torch_np.__version__


def text() -> str:
    """Returns the version of `torch` under the launcher."""
    return f"{PYTORCH}+torch_np.{TORCH_NP}"


def show_pytorchs() -> None:
    """Sets `torch.__version__` and `torch.version.__version__`."""
    setattr(torch_np, "__version__", torch_version.TorchVersion(text()))
    setattr(version, "__version__", text())
