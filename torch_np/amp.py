"""torch_np.amp: scaled losses, and the names by which programs ask for mixed precision. Operators are not cast: `autocast` can be switched
off, which is what such programs do on a CPU, and for a GPU that is not there it is, with a warning; switched on it raises."""
from __future__ import annotations

import functools
import math
import warnings
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from torch_np._C import Tensor, float16

if TYPE_CHECKING:
    from typing import Self

    from torch_np._typing import DTypeLike

__all__ = ["GradScaler", "autocast", "custom_bwd", "custom_fwd", "is_autocast_available"]

_MISSING = "mixed precision is not implemented: convert the model with .to(torch_np.bfloat16), or pass enabled=False"


def _is_absent_gpu(device_type):
    import torch_np

    return device_type == "cuda" and not torch_np.cuda.is_available()


def is_autocast_available(device_type: str) -> bool:
    """Whether operators are cast on devices of that type: on none."""
    return False


class autocast:
    """A context, or a decorator, in which nothing is cast. Errors: NotImplementedError if it is `enabled`, unless for a GPU that is not there,
    which is a warning."""

    def __init__(self, device_type: str, dtype: DTypeLike | None = None, enabled: bool = True, cache_enabled: bool | None = None) -> None:
        if enabled and _is_absent_gpu(device_type):
            warnings.warn("User provided device_type of 'cuda', but CUDA is not available. Disabling", stacklevel=2)
        elif enabled:
            raise NotImplementedError(f"autocast(): {_MISSING}")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        return function


def custom_fwd(fwd: Callable[..., Any] | None = None, *, device_type: str, cast_inputs: DTypeLike | None = None) -> Callable[..., Any]:
    """A decorator for `forward` of an autograd.Function. Outside of `autocast`, which is everywhere, `cast_inputs` casts nothing."""
    if fwd is None:
        return functools.partial(custom_fwd, device_type=device_type, cast_inputs=cast_inputs)
    function = fwd

    @functools.wraps(function)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        args[0]._dtype, args[0]._fwd_used_autocast = None, False
        return function(*args, **kwargs)

    return decorated


def custom_bwd(bwd: Callable[..., Any] | None = None, *, device_type: str) -> Callable[..., Any]:
    """A decorator for `backward` of an autograd.Function whose `forward` has custom_fwd: it runs as that did."""
    if bwd is None:
        return functools.partial(custom_bwd, device_type=device_type)
    return bwd


class _Steps:
    """What a scaler knows of an optimiser since the last update."""

    def __init__(self) -> None:
        self.found_inf: bool | None = None  # None: gradients are scaled
        self.stepped = False


class GradScaler:
    """Multiplies losses, so that small gradients are no zeros in float16, and divides the gradients before an optimiser's step, which it leaves
    out where some are infinite or NaN. The factor becomes smaller then, and larger after `growth_interval` updates without.

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    `device`: for "cuda" where there is no GPU it is not `enabled`, with a warning. Not `enabled`, it does nothing but the steps.
    Errors: AssertionError unless `growth_factor` is above 1 and `backoff_factor` below.
    Source: Micikevicius et al., ICLR 2018, arXiv 1710.03740.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        if enabled and _is_absent_gpu(str(device).partition(":")[0]):
            warnings.warn("GradScaler is enabled, but CUDA is not available. Disabling.", stacklevel=2)
            enabled = False
        if enabled and not growth_factor > 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and not backoff_factor < 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled, self._device = enabled, device
        self._scale, self._used = float(init_scale), False
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        self._growth_tracker = 0
        self._steps: dict[int, _Steps] = {}

    def _of(self, optimizer: Any) -> _Steps:
        return self._steps.setdefault(id(optimizer), _Steps())

    def scale(self, outputs: Any) -> Any:
        """`outputs`, a Tensor or a list or tuple of such, multiplied by the factor.

        Shapes: as `outputs`.
        Errors: ValueError for what is neither.
        """
        if not self._enabled:
            return outputs
        self._used = True
        if isinstance(outputs, Tensor):
            return outputs * self._scale
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimiser's parameters by the factor; for programs that clip them before the step. Errors: RuntimeError
        if that has been done since the last update; ValueError for gradients in float16."""
        if not self._enabled:
            return
        self._check_used("unscale_")
        steps = self._of(optimizer)
        if steps.stepped:
            raise RuntimeError("unscale_() is being called after step().")
        if steps.found_inf is not None:
            raise RuntimeError("unscale_() has already been called on this optimizer since the last update().")
        self._unscale(optimizer, steps)

    def _unscale(self, optimizer, steps):
        grads = [p.grad for group in optimizer.param_groups for p in group["params"] if p.grad is not None]
        if not grads:
            return
        if any(g.dtype == float16 for g in grads):
            raise ValueError("Attempting to unscale FP16 gradients.")
        found = [(~g.isfinite()).any() for g in grads]
        for g in grads:
            g.detach().mul_(1.0 / self._scale)
        steps.found_inf = any(found)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """A step of the optimiser with gradients that are divided by the factor, and its result; None without a step if a gradient is infinite
        or NaN. Errors: RuntimeError for a second step before an update, and for a closure;
        AssertionError without gradients, or a scaled loss before."""
        if not self._enabled:
            return optimizer.step(*args, **kwargs)
        if "closure" in kwargs:
            raise RuntimeError("Closure use is not currently supported if GradScaler is enabled.")
        self._check_used("step")
        steps = self._of(optimizer)
        if steps.stepped:
            raise RuntimeError("step() has already been called since the last update().")
        if steps.found_inf is None:
            self._unscale(optimizer, steps)
        if steps.found_inf is None:
            raise AssertionError("No inf checks were recorded for this optimizer.")
        result = None if steps.found_inf else optimizer.step(*args, **kwargs)
        steps.stepped = True
        return result

    def update(self, new_scale: float | Tensor | None = None) -> None:
        """Sets the factor for the next steps: to `new_scale`, or by what was found in the gradients since the last update.

        Errors: AssertionError without a step or scaled loss before, and for a tensor of several elements or with a gradient.
        """
        if not self._enabled:
            return
        self._check_used("update")
        if new_scale is not None:
            if isinstance(new_scale, Tensor) and (new_scale.numel() != 1 or new_scale.requires_grad):
                raise AssertionError("new_scale should be a float or a 1-element torch_np.FloatTensor with requires_grad=False.")
            self._scale = float(new_scale)
        else:
            found = [steps.found_inf for steps in self._steps.values() if steps.found_inf is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                self._scale *= self._backoff_factor
                self._growth_tracker = 0
            elif self._growth_tracker + 1 == self._growth_interval:
                # The factor is a float32, in PyTorch, and stays finite.
                if math.isfinite(larger := self._scale * self._growth_factor) and larger < 2.0 ** 128:
                    self._scale = larger
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
        self._steps.clear()

    def _check_used(self, name):
        if not self._used:
            raise AssertionError(f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                                 "outputs) earlier in the iteration.")

    def get_scale(self) -> float:
        """The factor; 1 if it is not enabled."""
        return self._scale if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """By how much the factor grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets by how much the factor grows."""
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """By how much the factor shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets by how much the factor shrinks."""
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """After how many updates the factor grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets after how many updates the factor grows."""
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether it does anything."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """The factor and what it changes by; nothing if it is not enabled."""
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._growth_tracker}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Takes on what state_dict gave. Errors: RuntimeError if that is nothing."""
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._scale, self._growth_tracker = float(state_dict["scale"]), state_dict["_growth_tracker"]
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
