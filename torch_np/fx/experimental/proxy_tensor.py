"""torch_np.fx.experimental.proxy_tensor: PyTorch's recorder of operators, by name."""
from __future__ import annotations

from torch_np._absent import absent_names

absent_names(globals(), "graphs of operators are not recorded; use torch_np.fx.symbolic_trace or torch_np.compile", functions="make_fx",
             classes="ProxyTorchDispatchMode")


def get_proxy_mode() -> None:
    """Returns None: no recorder of operators is active."""
