"""torch_np.cuda: the GPU. This build has no CUDA library yet, so nothing is available; all else works without one."""


def is_available():
    """Whether arrays can be put on a GPU."""
    return False


def device_count():
    """The number of GPUs that can be used."""
    return 0
