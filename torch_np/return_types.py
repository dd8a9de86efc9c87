"""Named tuples that functions with several results return: torch_np.return_types.sort(values,
indices), ...
"""
from torch_np._C._return_types import *  # noqa: F401,F403
from torch_np._torch.histogramdd import HistogramddResult as histogramdd  # noqa: F401
