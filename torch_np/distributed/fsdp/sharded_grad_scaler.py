"""torch_np.distributed.fsdp.sharded_grad_scaler: the scaling of losses of sharded modules, by PyTorch's name."""
from torch_np._absent import absent_names

absent_names(globals(), "modules are not sharded; use torch_np.amp.GradScaler", classes="ShardedGradScaler")
