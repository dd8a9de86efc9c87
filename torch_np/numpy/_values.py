"""Tests of array values in compositions."""
from torch_np.numpy import _native as nx


def is_found(condition):
    """Whether any element of an array of bools is true. Without data (device 'meta') it is False,
    so that checks of values pass.
    """
    return condition.device != "meta" and bool(nx.any(condition))
