"""Learning-rate schedules: a scheduler's `step()`, called after each epoch or batch, sets the
learning rates of an optimiser's groups.
"""
from torch_np.optim.lr_scheduler._combined import ChainedScheduler, SequentialLR
from torch_np.optim.lr_scheduler._cosine import CosineAnnealingLR, CosineAnnealingWarmRestarts
from torch_np.optim.lr_scheduler._cycles import CyclicLR, OneCycleLR
from torch_np.optim.lr_scheduler._factors import ConstantLR, ExponentialLR, LinearLR, MultiStepLR, PolynomialLR, StepLR
from torch_np.optim.lr_scheduler._functions import LambdaLR, MultiplicativeLR
from torch_np.optim.lr_scheduler._plateau import ReduceLROnPlateau
from torch_np.optim.lr_scheduler._scheduler import EPOCH_DEPRECATION_WARNING as EPOCH_DEPRECATION_WARNING
from torch_np.optim.lr_scheduler._scheduler import LRScheduler

__all__ = ["LRScheduler", "LambdaLR", "MultiplicativeLR", "StepLR", "MultiStepLR", "ConstantLR", "LinearLR", "ExponentialLR",
           "SequentialLR", "CosineAnnealingLR", "ChainedScheduler", "ReduceLROnPlateau", "CyclicLR", "CosineAnnealingWarmRestarts",
           "OneCycleLR", "PolynomialLR"]

_LRScheduler = LRScheduler  # PyTorch's older name

# Pickles name this module, which programs import from, instead of the private files.
for _name in __all__:
    globals()[_name].__module__ = __name__
