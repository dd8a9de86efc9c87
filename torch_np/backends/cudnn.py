"""torch_np.backends.cudnn: the settings that programs make for NVIDIA's library of networks. Kept, and without effect: nothing is computed
by it here."""

enabled = False
benchmark = False
deterministic = True
allow_tf32 = False


def is_available() -> bool:
    """False: convolutions on GPUs are computed by kernels of this project."""
    return False


def version() -> None:
    """None: it is not used."""
