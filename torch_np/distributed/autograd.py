"""torch_np.distributed.autograd: backward passes through several processes' graphs, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

__all__ = ["is_available", *absent_names(
    globals(), "graphs do not cross processes; use torch_np.distributed.nn, whose collectives have gradients",
    functions="backward get_gradients", classes="DistAutogradContext context")]


def is_available() -> bool:
    """Returns False: graphs do not cross processes."""
    return False
