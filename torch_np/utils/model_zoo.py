"""torch_np.utils.model_zoo: PyTorch's former name of a function of torch_np.hub."""
from __future__ import annotations

from typing import Any


def __getattr__(name: str) -> Any:
    if name != "tqdm":
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    from torch_np import hub

    return hub.tqdm


def load_url(*args: Any, **kwargs: Any) -> Any:
    """Calls `torch_np.hub.load_state_dict_from_url` with the same arguments."""
    from torch_np.hub import load_state_dict_from_url

    return load_state_dict_from_url(*args, **kwargs)
