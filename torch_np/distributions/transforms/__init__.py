"""Transforms: functions, most of them invertible, with the logarithms of their Jacobian
determinants.
"""
from torch_np.distributions.transforms._axes import IndependentTransform, ReshapeTransform
from torch_np.distributions.transforms._compose import ComposeTransform, identity_transform
from torch_np.distributions.transforms._cumulative import CumulativeDistributionTransform
from torch_np.distributions.transforms._elementwise import (
    AbsTransform, AffineTransform, ExpTransform, PowerTransform, SigmoidTransform, SoftplusTransform, TanhTransform,
    _clipped_sigmoid as _clipped_sigmoid,
)
from torch_np.distributions.transforms._matrices import CorrCholeskyTransform, LowerCholeskyTransform, PositiveDefiniteTransform
from torch_np.distributions.transforms._parts import CatTransform, StackTransform
from torch_np.distributions.transforms._simplex import SoftmaxTransform, StickBreakingTransform
from torch_np.distributions.transforms._transform import Transform as Transform, _InverseTransform as _InverseTransform

__all__ = ["AbsTransform", "AffineTransform", "CatTransform", "ComposeTransform", "CorrCholeskyTransform", "CumulativeDistributionTransform",
           "ExpTransform", "IndependentTransform", "LowerCholeskyTransform", "PositiveDefiniteTransform", "PowerTransform", "ReshapeTransform",
           "SigmoidTransform", "SoftmaxTransform", "SoftplusTransform", "StackTransform", "StickBreakingTransform", "TanhTransform", "Transform",
           "identity_transform"]

# Pickles and reprs name this module, which programs import from, instead of the private files.
for _value in tuple(globals().values()):
    if isinstance(_value, type) and _value.__module__.startswith(__name__ + "."):
        _value.__module__ = __name__
