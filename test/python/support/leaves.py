"""Arrays that receive gradients."""
import torch_np.numpy as np


def leaf(values, dtype=None):
    """`values` as a leaf of a graph. Without `dtype`, it is float64, or complex128 for complex
    numbers."""
    if dtype is None:
        dtype = np.complex128 if np.array(values).dtype.kind == "c" else np.float64
    return np.array(values, dtype=dtype, _requires_grad=True)
