"""numpy.exceptions: NumPy's own exception classes, so that `except np.exceptions.AxisError` catches
the same errors.
"""
from numpy.exceptions import (
    AxisError, ComplexWarning, DTypePromotionError, ModuleDeprecationWarning, RankWarning, TooHardError,
    VisibleDeprecationWarning,
)

__all__ = ["AxisError", "ComplexWarning", "DTypePromotionError", "ModuleDeprecationWarning", "RankWarning", "TooHardError",
           "VisibleDeprecationWarning"]
