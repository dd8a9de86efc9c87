"""torch_np.distributed.optim: the names of PyTorch's distributed optimizers, which are not
implemented.
"""
from __future__ import annotations

from typing import Any

from torch_np._absent import absent_class, absent_function

_REASON = "states of optimizers are not divided; use torch_np.nn.parallel.DistributedDataParallel with any optimizer of torch_np.optim"
DistributedOptimizer: Any = absent_class("DistributedOptimizer", _REASON, __name__)
PostLocalSGDOptimizer: Any = absent_class("PostLocalSGDOptimizer", _REASON, __name__)
ZeroRedundancyOptimizer: Any = absent_class("ZeroRedundancyOptimizer", _REASON, __name__)
as_functional_optim = absent_function("as_functional_optim", "optimizers have no functional form; use torch_np.optim", __name__)
