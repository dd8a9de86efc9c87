"""PyTorch's names of the parts of torch_np.utils.data."""
from torch_np.utils.data._utils import collate as collate, pin_memory as pin_memory, worker as worker
