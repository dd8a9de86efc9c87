"""torch_np.backends.cudnn: settings of cuDNN that programs may assign. They have no effect, as
cuDNN is not used.
"""

enabled = False
benchmark = False
deterministic = True
allow_tf32 = False


def is_available() -> bool:
    """False: convolutions on GPUs use kernels of torch_np, not cuDNN."""
    return False


def version() -> None:
    """None, as cuDNN is not used."""
