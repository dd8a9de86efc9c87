"""torch_np.distributed.algorithms.model_averaging.averagers: averages of networks, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "networks are not averaged between steps; use torch_np.distributed.all_reduce",
    classes="ModelAverager PeriodicModelAverager")
