"""torch_np.backends.mps: Apple GPUs, which are not supported."""


def is_available() -> bool:
    """Whether an Apple GPU can be used: always False."""
    return False


def is_built() -> bool:
    """Whether torch_np was built with support for Apple GPUs: always False."""
    return False
