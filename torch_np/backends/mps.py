"""torch_np.backends.mps: Apple GPUs, which are not supported."""


def is_available() -> bool:
    """Whether an Apple GPU can be used: always False."""
    return False


def is_built() -> bool:
    """Whether torch_np was built with support for Apple GPUs: always False."""
    return False


def is_macos_or_newer(major: int, minor: int) -> bool:
    """Returns False: macOS is not supported.

    Args:
      major: Version.
      minor: Version.
    """
    return False


def is_macos13_or_newer(minor: int = 0) -> bool:
    """Returns False: macOS is not supported.

    Args:
      minor: Version.
    """
    return False


def get_name() -> str:
    """Raises RuntimeError: there is no Apple GPU."""
    raise RuntimeError("backends.mps.get_name(): Apple GPUs are not supported")


def get_core_count() -> int:
    """Raises RuntimeError: there is no Apple GPU."""
    raise RuntimeError("backends.mps.get_core_count(): Apple GPUs are not supported")
