"""torch_np.backends.mps: Apple's GPUs, of which there is none."""


def is_available() -> bool:
    """False."""
    return False


def is_built() -> bool:
    """False."""
    return False
