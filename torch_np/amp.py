"""torch_np.amp: the names by which programs ask for mixed precision. Here they can be switched off, which is what such programs do on a CPU;
switched on they raise."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from torch_np._C import Tensor
    from torch_np._typing import DTypeLike

__all__ = ["GradScaler", "autocast"]

_MISSING = "mixed precision is not implemented: convert the model with .to(torch_np.bfloat16), or pass enabled=False"


class autocast:
    """A context, or a decorator, in which nothing is cast. Errors: NotImplementedError if it is `enabled`."""

    def __init__(self, device_type: str, dtype: DTypeLike | None = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if enabled:
            raise NotImplementedError(f"autocast(): {_MISSING}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


class GradScaler:
    """A scaler of losses that leaves them as they are. Errors: NotImplementedError if it is `enabled`."""

    def __init__(self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        if enabled:
            raise NotImplementedError(f"GradScaler(): {_MISSING}")

    def scale(self, outputs: Any) -> Any:
        """`outputs`."""
        return outputs

    def unscale_(self, optimizer: Any) -> None:
        """Nothing: gradients were not scaled."""

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimiser."""
        return optimizer.step(*args, **kwargs)

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Nothing."""

    def get_scale(self) -> float:
        """1."""
        return 1.0

    def is_enabled(self) -> bool:
        """False."""
        return False

    def state_dict(self) -> dict[str, Any]:
        """Nothing has to be kept."""
        return {}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Nothing is read."""
