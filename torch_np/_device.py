"""The device of new arrays. Where arrays are and go is said by their methods."""
from torch_np import _C


def get_default_device():
    """Where new arrays are made unless something else says where; the CPU at first."""
    return _C._cuda.get_default_device()


def set_default_device(device):
    """Makes new arrays on `device` unless something else says where; None: on the CPU again. For the whole process.

    Errors: RuntimeError where there is no such device."""
    _C._cuda.set_default_device(device)
