"""Loss scaling for mixed precision."""
from __future__ import annotations

import math
import warnings
from collections.abc import Iterable
from typing import Any

from torch_np._C import Tensor, _is_sparse, _torch, float16, float32
from torch_np._torch.autocasting import is_absent_gpu

__all__ = ["GradScaler"]


class _Steps:
    """State of one optimiser since the last update."""

    def __init__(self) -> None:
        self.found_inf: bool | None = None  # None if unscale_() has not run yet
        self.stepped = False


class GradScaler:
    """Scales losses, so that small gradients do not underflow to zero in float16.

    `step` divides the gradients by the scale before the optimiser's step, and skips the step if a
    gradient is infinite or NaN. `update` then reduces the scale. It increases the scale after
    `growth_interval` updates without such gradients.

        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()

    Args:
      device: Device type; for "cuda" without a GPU the scaler is disabled with a warning.
      init_scale: Initial scale.
      growth_factor: Factor by which the scale grows; above 1.
      backoff_factor: Factor by which the scale shrinks; below 1.
      growth_interval: Number of updates without infinite gradients before the scale grows.
      enabled: If False, `step` calls the optimiser, and the other methods do nothing.

    Errors: AssertionError unless `growth_factor` is above 1 and `backoff_factor` below 1.
    Source: Micikevicius et al., ICLR 2018, arXiv 1710.03740.
    """

    def __init__(self, device: str = "cuda", init_scale: float = 65536.0, growth_factor: float = 2.0, backoff_factor: float = 0.5,
                 growth_interval: int = 2000, enabled: bool = True) -> None:
        if enabled and is_absent_gpu(str(device)):
            warnings.warn("GradScaler is enabled, but CUDA is not available. Disabling.", stacklevel=2)
            enabled = False
        if enabled and not growth_factor > 1.0:
            raise AssertionError("The growth factor must be > 1.0.")
        if enabled and not backoff_factor < 1.0:
            raise AssertionError("The backoff factor must be < 1.0.")
        self._enabled, self._device = enabled, device
        self._value, self._used = float(init_scale), False
        self._init_growth_tracker = 0
        self._growth_factor, self._backoff_factor, self._growth_interval = growth_factor, backoff_factor, growth_interval
        self._growth_tracker = 0
        self._steps: dict[int, _Steps] = {}

    @property
    def _scale(self) -> Tensor | None:
        """The scale as a tensor, by PyTorch's name; None before the first loss is scaled."""
        return _torch.full((), self._value, dtype=float32) if self._used else None

    def _of(self, optimizer: Any) -> _Steps:
        return self._steps.setdefault(id(optimizer), _Steps())

    def scale(self, outputs: Any) -> Any:
        """Returns `outputs` multiplied by the scale.

        Args:
          outputs: A Tensor, or a list or tuple of them.

        Shapes: as `outputs`.
        Errors: ValueError if `outputs` is anything else.
        """
        if not self._enabled:
            return outputs
        self._used = True
        if isinstance(outputs, Tensor):
            return outputs * self._value
        if isinstance(outputs, Iterable):
            scaled = map(self.scale, outputs)
            return type(outputs)(scaled) if isinstance(outputs, (list, tuple)) else scaled
        raise ValueError("outputs must be a Tensor or an iterable of Tensors")

    def unscale_(self, optimizer: Any) -> None:
        """Divides the gradients of the optimiser's parameters by the scale. Programs call it to
        clip gradients before the step.

        Args:
          optimizer: Optimiser whose gradients are divided.

        Errors: RuntimeError if `unscale_` was called already since the last update; ValueError for
        gradients in float16.
        """
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
        found = [(~(g._values() if _is_sparse(g) else g).isfinite()).any() for g in grads]
        for g in grads:
            g.detach().mul_(1.0 / self._value)
        steps.found_inf = any(found)

    def step(self, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        """Divides the gradients by the scale, unless `unscale_` has done so, and calls the
        optimiser's step. Returns its result; returns None without a step if a gradient is infinite
        or NaN.

        Args:
          optimizer: Optimiser whose step is called.
          args: Arguments of the step.
          kwargs: Keyword arguments of the step.

        Errors: RuntimeError for a second step before an update, and for a closure; AssertionError
        without gradients, or without an earlier call of `scale`.
        """
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
        """Updates the scale for the next steps, by the gradients since the last update.

        Args:
          new_scale: The new scale; None computes it.

        Errors: AssertionError without an earlier step or scaled loss, and for a tensor that has
        several elements or requires a gradient.
        """
        if not self._enabled:
            return
        self._check_used("update")
        if new_scale is not None:
            if isinstance(new_scale, Tensor) and (new_scale.numel() != 1 or new_scale.requires_grad):
                raise AssertionError("new_scale should be a float or a 1-element torch_np.FloatTensor with requires_grad=False.")
            self._value = float(new_scale)
        else:
            found = [steps.found_inf for steps in self._steps.values() if steps.found_inf is not None]
            if not found:
                raise AssertionError("No inf checks were recorded prior to update.")
            if any(found):
                self._value *= self._backoff_factor
                self._growth_tracker = 0
            elif self._growth_tracker + 1 == self._growth_interval:
                # The scale is a float32 in PyTorch; it stays finite.
                if math.isfinite(larger := self._value * self._growth_factor) and larger < 2.0 ** 128:
                    self._value = larger
                self._growth_tracker = 0
            else:
                self._growth_tracker += 1
        self._steps.clear()

    def _check_used(self, name):
        if not self._used:
            raise AssertionError(f"Attempted {name} but _scale is None.  This may indicate your script did not use scaler.scale(loss or "
                                 "outputs) earlier in the iteration.")

    def get_scale(self) -> float:
        """Returns the scale; 1 if the scaler is disabled."""
        return self._value if self._enabled else 1.0

    def get_growth_factor(self) -> float:
        """Returns the factor by which the scale grows."""
        return self._growth_factor

    def set_growth_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale grows.

        Args:
          new_factor: The factor.
        """
        self._growth_factor = new_factor

    def get_backoff_factor(self) -> float:
        """Returns the factor by which the scale shrinks."""
        return self._backoff_factor

    def set_backoff_factor(self, new_factor: float) -> None:
        """Sets the factor by which the scale shrinks.

        Args:
          new_factor: The factor.
        """
        self._backoff_factor = new_factor

    def get_growth_interval(self) -> int:
        """Returns the number of updates before the scale grows."""
        return self._growth_interval

    def set_growth_interval(self, new_interval: int) -> None:
        """Sets the number of updates before the scale grows.

        Args:
          new_interval: Number of updates.
        """
        self._growth_interval = new_interval

    def is_enabled(self) -> bool:
        """Whether the scaler is enabled."""
        return self._enabled

    def state_dict(self) -> dict[str, Any]:
        """Returns the scale, its factors and counters as a dict; an empty one if the scaler is
        disabled.
        """
        if not self._enabled:
            return {}
        return {"scale": self.get_scale(), "growth_factor": self._growth_factor, "backoff_factor": self._backoff_factor,
                "growth_interval": self._growth_interval, "_growth_tracker": self._growth_tracker}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Restores the state of a scaler.

        Args:
          state_dict: The result of `state_dict`.

        Errors: RuntimeError if `state_dict` is empty.
        """
        if not self._enabled:
            return
        if not state_dict:
            raise RuntimeError("The source state dict is empty, possibly because it was saved from a disabled instance of GradScaler.")
        self._value, self._growth_tracker = float(state_dict["scale"]), state_dict["_growth_tracker"]
        self._init_growth_tracker = self._growth_tracker
        self._growth_factor, self._backoff_factor = state_dict["growth_factor"], state_dict["backoff_factor"]
        self._growth_interval = state_dict["growth_interval"]
