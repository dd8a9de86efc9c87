"""torch_np.distributed.launcher.api: starts of processes from a program, by PyTorch's names. They are not implemented."""
from torch_np._absent import absent_names

absent_names(
    globals(), "processes are started by `python -m torch_np.distributed.run`",
    functions="launch_agent",
    classes="LaunchConfig elastic_launch")
