"""torch_np.distributed.algorithms.ddp_comm_hooks: how processes exchange gradients, by PyTorch's names. Other ways than the mean are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "hooks of the communication of gradients are not implemented; DistributedDataParallel averages gradients",
    functions="register_ddp_comm_hook",
    classes="DDPCommHookType")
