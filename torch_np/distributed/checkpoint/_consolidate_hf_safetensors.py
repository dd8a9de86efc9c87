"""torch_np.distributed.checkpoint._consolidate_hf_safetensors: joins sharded files, by PyTorch's name. It is not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "sharded files are not implemented; call torch_np.save in one process, and torch_np.load in all",
    functions="consolidate_safetensors_files consolidate_safetensors_files_on_every_rank")
