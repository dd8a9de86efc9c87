"""The classes of torch_np.nn."""
from torch_np.nn.modules.container import *  # noqa: F401,F403
from torch_np.nn.modules.module import Module as Module
