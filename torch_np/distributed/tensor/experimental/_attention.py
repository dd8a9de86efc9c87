"""torch_np.distributed.tensor.experimental._attention: attention over several processes, by PyTorch's names. It is not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "distributed tensors are not implemented; each process has tensors of its own",
    functions="context_parallel context_parallel_unshard set_rotate_method")
