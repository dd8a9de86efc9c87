"""The transforms under their names before torch.func."""
from torch_np._functorch.make_functional import combine_state_for_ensemble, make_functional, make_functional_with_buffers
from torch_np.func import functionalize  # type: ignore[attr-defined]
from torch_np.func import grad, grad_and_value, hessian, jacfwd, jacrev, jvp, vjp, vmap

__all__ = [
    "combine_state_for_ensemble", "functionalize", "grad", "grad_and_value", "hessian", "jacfwd", "jacrev", "jvp", "make_functional",
    "make_functional_with_buffers", "vjp", "vmap",
]
