"""torch_np._functorch.apis: transforms of torch_np.func under an older name."""
from torch_np.func import grad as grad, grad_and_value as grad_and_value, vmap as vmap

__all__ = ["grad", "grad_and_value", "vmap"]
