"""torch_np.utils._triton: whether kernels in Triton can run."""


def has_triton_package() -> bool:
    """Whether the package triton is used: never. Its kernels need PyTorch's compiler."""
    return False


def has_triton(*, include_cpu: bool = False) -> bool:
    """Whether the package triton and a GPU are used: never. Its kernels need PyTorch's compiler.

    Args:
      include_cpu: Ignored.
    """
    return False
