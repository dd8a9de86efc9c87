"""The launcher: programs written for PyTorch and NumPy run on torch_np unmodified, since `import
torch` finds this package, and `import numpy` finds torch_np.numpy.

`python -m torch_np program.py` (_command.py) and `%load_ext torch_np` in notebooks call
`install()`. A process that such a program starts installs at its first `import torch` or `import
numpy` (children/sitecustomize.py).
"""
from __future__ import annotations

import sys
from collections.abc import Sequence

import torch_np
from torch_np import _public_names
from torch_np._launcher import _children, _compiled_for_pytorch, _finder, _pickles, _renaming, _version


def install(*, torch: bool = True, numpy: bool = False, numpy_for: Sequence[str] = (), no_numpy_for: Sequence[str] = ()) -> None:
    """`torch_np.install()`. See there."""
    if torch:
        _stand_for_torch()
    if numpy:
        from torch_np._launcher import _numpy

        _numpy.take_place(numpy_for, no_numpy_for)
    if torch or numpy:
        _children.prepare()


def _stand_for_torch() -> None:
    present = sys.modules.get("torch")
    if present is not None and present is not torch_np:
        raise RuntimeError(f"torch_np.install(): PyTorch is already imported ({getattr(present, '__file__', 'without a file')}), and the two cannot "
                           "be used in one program; call install() before the first `import torch`")
    if _public_names.public != _public_names.TORCH:
        _finder.put_first()
        _compiled_for_pytorch.answer_loaders()
        _renaming.rename_loaded()
        _version.show_pytorchs()
        _pickles.register()
        _public_names.public = _public_names.TORCH
        setattr(torch_np, "torch", torch_np)  # PyTorch's module holds its own name
