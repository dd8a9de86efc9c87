"""`functorch`, the package beside PyTorch that torch.func replaces."""
from torch_np import __version__ as __version__
from torch_np._functorch.make_functional import (
    FunctionalModule as FunctionalModule, FunctionalModuleWithBuffers as FunctionalModuleWithBuffers,
    combine_state_for_ensemble as combine_state_for_ensemble, make_functional as make_functional,
    make_functional_with_buffers as make_functional_with_buffers,
)
from torch_np.func import functionalize as functionalize  # type: ignore[attr-defined]
from torch_np.func import (
    grad as grad, grad_and_value as grad_and_value, hessian as hessian, jacfwd as jacfwd, jacrev as jacrev, jvp as jvp, vjp as vjp, vmap as vmap,
)
from torch_np.fx.experimental.proxy_tensor import make_fx as make_fx  # type: ignore[attr-defined]
