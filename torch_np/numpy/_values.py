"""Tests of array values in compositions."""
from torch_np import _C
from torch_np.numpy import _native as nx


def is_found(condition):
    """Whether any element of an array of bools is true. Without data (device 'meta', or within a
    transformation) it is False, so that checks of values pass.
    """
    return condition.device != "meta" and not _C._is_wrapped(condition) and bool(nx.any(condition))
