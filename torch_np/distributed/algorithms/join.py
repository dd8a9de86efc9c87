"""torch_np.distributed.algorithms.join: algorithms for unequal inputs, by name."""
from torch_np.distributed.algorithms import Join as Join, Joinable as Joinable, JoinHook as JoinHook
