"""torch_np.optim: optimisers and learning-rate schedules.

In all optimisers but LBFGS, Adafactor and Muon, one fused native operator updates all parameters of
a group.
"""
from typing import TYPE_CHECKING as _TYPE_CHECKING

from torch_np._deferred import deferred as _deferred
from torch_np.optim import lr_scheduler as lr_scheduler, optimizer as optimizer
from torch_np.optim._swap import swap_in_optimizer_params_and_state as swap_in_optimizer_params_and_state
from torch_np.optim.adadelta import Adadelta as Adadelta
from torch_np.optim.adafactor import Adafactor as Adafactor
from torch_np.optim.adagrad import Adagrad as Adagrad
from torch_np.optim.adam import Adam as Adam, AdamW as AdamW
from torch_np.optim.adamax import Adamax as Adamax
from torch_np.optim.asgd import ASGD as ASGD
from torch_np.optim.lbfgs import LBFGS as LBFGS
from torch_np.optim.muon import Muon as Muon
from torch_np.optim.nadam import NAdam as NAdam
from torch_np.optim.optimizer import Optimizer as Optimizer
from torch_np.optim.radam import RAdam as RAdam
from torch_np.optim.rmsprop import RMSprop as RMSprop
from torch_np.optim.rprop import Rprop as Rprop
from torch_np.optim.sgd import SGD as SGD
from torch_np.optim.sparse_adam import SparseAdam as SparseAdam

if _TYPE_CHECKING:
    from torch_np.optim import functional as functional, swa_utils as swa_utils
else:
    _functional, functional, swa_utils = (_deferred(f"torch_np.optim.{_name}") for _name in ("_functional", "functional", "swa_utils"))
