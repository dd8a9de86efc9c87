"""torch_np.distributed.elastic.multiprocessing: errors of processes of a job."""
from torch_np.distributed.elastic.multiprocessing import errors as errors
