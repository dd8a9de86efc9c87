"""PyTorch's names of the parts of torch_np.utils.data."""
from torch_np._utils import ExceptionWrapper as ExceptionWrapper
from torch_np.utils.data._utils import collate as collate, pin_memory as pin_memory, worker as worker

MP_STATUS_CHECK_INTERVAL = 5.0  # seconds between PyTorch's looks at its workers
python_exit_status = False
