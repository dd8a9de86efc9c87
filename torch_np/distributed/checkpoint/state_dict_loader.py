"""torch_np.distributed.checkpoint.state_dict_loader: reading of sharded files, by PyTorch's names. It is not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "sharded files are not implemented; call torch_np.save in one process, and torch_np.load in all",
    functions="_load_state_dict load load_state_dict")
