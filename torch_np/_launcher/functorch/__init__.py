"""`functorch`, the package beside PyTorch that torch.func replaces."""
from torch_np import __version__ as __version__
from torch_np._functorch.deprecated import *  # noqa: F403
from torch_np._functorch.make_functional import (
    FunctionalModule as FunctionalModule, FunctionalModuleWithBuffers as FunctionalModuleWithBuffers,
)
from torch_np.fx.experimental.proxy_tensor import make_fx as make_fx  # type: ignore[attr-defined]
