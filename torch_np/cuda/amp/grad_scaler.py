"""torch_np.cuda.amp.grad_scaler: scaling of losses by PyTorch's older names."""
from torch_np.amp.grad_scaler import OptState as OptState
from torch_np.cuda.amp import GradScaler as GradScaler

__all__ = ["GradScaler", "OptState"]
