"""`functorch.einops`: patterns of dimensions."""
from torch_np.func import rearrange as rearrange

__all__ = ["rearrange"]
