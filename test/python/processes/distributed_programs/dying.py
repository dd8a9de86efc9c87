"""The last process dies in the way given on the command line, while the others wait for it."""
import os
import signal
import sys

import torch_np as torch
from torch_np import distributed as dist

dist.init_process_group()
dist.barrier()
if dist.get_rank() == dist.get_world_size() - 1:
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "exits":
        sys.exit(3)
    if sys.argv[1] == "vanishes":
        os._exit(4)
    raise ValueError("a mistake of the program's")
dist.all_reduce(torch.ones(3))
print("unreachable")
