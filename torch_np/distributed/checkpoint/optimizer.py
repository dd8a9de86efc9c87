"""torch_np.distributed.checkpoint.optimizer: sharded states of optimizers, by PyTorch's name. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "sharded files are not implemented; call torch_np.save in one process, and torch_np.load in all",
    functions="load_sharded_optimizer_state_dict")
