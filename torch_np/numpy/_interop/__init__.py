"""How this package and NumPy work together: NumPy's modules under our names, its functions for what the engine does not hold, its protocols."""
