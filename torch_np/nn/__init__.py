"""torch_np.nn: modules, the building blocks of neural networks, and their functional forms."""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from torch_np._deferred import deferred as _deferred
from torch_np.nn.modules import *  # noqa: F401,F403
from torch_np.nn.modules.module import Module as Module
from torch_np.nn.parameter import Buffer as Buffer, Parameter as Parameter

if _TYPE_CHECKING:
    from torch_np.nn import functional as functional, init as init, parallel as parallel, utils as utils
else:
    functional, init, parallel, utils = (_deferred(f"torch_np.nn.{_name}") for _name in ("functional", "init", "parallel", "utils"))
