"""torch_np.cuda.amp.common: whether there is a GPU at all."""
from torch_np.cuda.amp import amp_definitely_not_available as amp_definitely_not_available

__all__ = ["amp_definitely_not_available"]
