"""torch_np.nn: modules, the building blocks of neural networks, and their functional forms."""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from torch_np._deferred import deferred as _deferred
from torch_np.nn import modules as modules, parameter as parameter
from torch_np.nn._factory_kwargs import factory_kwargs as factory_kwargs
from torch_np.nn.modules import *  # noqa: F401,F403
from torch_np.nn.modules.module import Module as Module
from torch_np.nn.parallel import DataParallel as DataParallel
from torch_np.nn.parameter import (
    Buffer as Buffer, Parameter as Parameter, UninitializedBuffer as UninitializedBuffer, UninitializedParameter as UninitializedParameter,
)

if _TYPE_CHECKING:
    from torch_np.nn import attention as attention, functional as functional, grad as grad, init as init, parallel as parallel, utils as utils
else:
    attention, functional, grad, init, parallel, utils = (
        _deferred(f"torch_np.nn.{_name}") for _name in ("attention", "functional", "grad", "init", "parallel", "utils"))
