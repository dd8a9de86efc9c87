"""`torch_np.report()`: what a program's calls cost, which of them NumPy computed, and which arrays
crossed to other libraries. The numbers are the profiler's (torch_np.profiler), summed up by name
and by line of the program.
"""
from torch_np._report._report import Report

__all__ = ["Report"]
