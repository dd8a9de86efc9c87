"""The launcher: programs written for PyTorch run on torch_np unmodified, since `import torch` finds
this package.

`python -m torch_np program.py` (_command.py) and `%load_ext torch_np` in notebooks call
`install()`. A process that such a program starts installs at its first `import torch`
(children/sitecustomize.py).
"""
from __future__ import annotations

import sys

import torch_np
from torch_np import _public_names
from torch_np._launcher import _children, _finder, _pickles, _renaming, _version


def install(*, torch: bool = True, numpy: bool = False) -> None:
    """`torch_np.install()`. See there."""
    if numpy:
        raise NotImplementedError("torch_np.install(): numpy=True is not implemented; write `import torch_np.numpy as np` in the program instead")
    if not torch:
        return
    present = sys.modules.get("torch")
    if present is not None and present is not torch_np:
        raise RuntimeError(f"torch_np.install(): PyTorch is already imported ({getattr(present, '__file__', 'without a file')}), and the two cannot "
                           "be used in one program; call install() before the first `import torch`")
    if _public_names.public != _public_names.TORCH:
        _finder.put_first()
        _renaming.rename_loaded()
        _version.show_pytorchs()
        _pickles.register()
        _public_names.public = _public_names.TORCH
        setattr(torch_np, "torch", torch_np)  # PyTorch's module holds its own name
    _children.prepare(torch=torch)
