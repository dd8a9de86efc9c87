"""torch_np._dynamo.utils: questions to PyTorch's recorder."""
from __future__ import annotations


def is_compile_supported(device_type: str) -> bool:
    """Whether torch_np.compile records functions of tensors on a type of device: 'cpu' and 'cuda'."""
    return device_type in ("cpu", "cuda")
