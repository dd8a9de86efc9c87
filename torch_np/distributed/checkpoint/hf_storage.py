"""torch_np.distributed.checkpoint.hf_storage: files of several processes in the safetensors format, by
PyTorch's names.
"""
from torch_np._absent import absent_names

absent_names(globals(), "files that several processes write together are not implemented; use torch_np.safetensors in one process",
             classes="HuggingFaceStorageReader HuggingFaceStorageWriter")
