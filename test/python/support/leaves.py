"""Arrays that gradients flow to."""
import torch_np.numpy as np


def leaf(values, dtype=None):
    """`values` as a leaf of a graph; without `dtype` in float64 or, of complex numbers, complex128."""
    if dtype is None:
        dtype = np.complex128 if np.array(values).dtype.kind == "c" else np.float64
    return np.array(values, dtype=dtype, _requires_grad=True)
