"""The CUDA library of torch_np, which `import torch_np` finds here. There is nothing to call: ask `torch_np.cuda.is_available()`."""
from pathlib import Path as _Path

__version__ = "0.1.0"   # of torch-np, which it goes with


def library_folder() -> str:
    """The folder that libtorch_np_cuda.so is in."""
    return str(_Path(__file__).resolve().parent)
