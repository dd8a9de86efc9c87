"""AdamW, which is defined with Adam."""
from torch_np.optim._functions import functions
from torch_np.optim.adam import AdamW as AdamW

__all__ = ["AdamW"]
__getattr__ = functions(__name__, "adamw")
