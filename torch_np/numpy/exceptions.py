"""NumPy's own exception classes, so that `except np.exceptions.AxisError` catches the same errors."""
from numpy.exceptions import (  # noqa: F401
    AxisError, ComplexWarning, DTypePromotionError, ModuleDeprecationWarning, RankWarning, TooHardError,
    VisibleDeprecationWarning,
)
