"""torch_np.distributed.checkpoint.format_utils: conversions of sharded files, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "sharded files are not implemented; call torch_np.save in one process, and torch_np.load in all",
    functions="_load_state_dict dcp_to_torch_save torch_save_to_dcp",
    classes="BroadcastingTorchSaveReader DynamicMetaLoadPlanner _EmptyStateDictLoadPlanner")
