"""torch_np.nn: what networks are made of. So far its functions."""
from torch_np.nn import functional as functional
