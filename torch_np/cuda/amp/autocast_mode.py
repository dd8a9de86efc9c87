"""torch_np.cuda.amp.autocast_mode: autocasting by PyTorch's older names."""
from torch_np.cuda.amp import autocast as autocast, custom_bwd as custom_bwd, custom_fwd as custom_fwd

__all__ = ["autocast", "custom_bwd", "custom_fwd"]
