"""The CUDA library of torch_np, which `import torch_np` finds here. Do not call this package; see
`torch_np.cuda.is_available()`."""
from pathlib import Path as _Path

__version__ = "0.1.0"  # the version of torch-np that it belongs to


def library_folder() -> str:
    """The folder that contains libtorch_np_cuda.so."""
    return str(_Path(__file__).resolve().parent)
