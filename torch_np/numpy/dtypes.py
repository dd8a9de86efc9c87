"""numpy.dtypes: the classes of NumPy's dtypes, which this package uses too."""
from numpy.dtypes import *  # noqa: F401,F403
from numpy.dtypes import __all__ as __all__
