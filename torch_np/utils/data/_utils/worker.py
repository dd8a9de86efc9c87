"""torch_np.utils.data._utils.worker: the description of a worker process."""
from torch_np.utils.data._worker import WorkerInfo as WorkerInfo, get_worker_info as get_worker_info
