"""Interoperation with NumPy: NumPy's modules under this package's names, the fallback to NumPy for
dtypes that the engine does not hold, and NumPy's protocols."""
