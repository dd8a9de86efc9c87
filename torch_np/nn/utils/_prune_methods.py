"""Methods of pruning: forward pre-hooks that multiply a parameter by a mask of zeros and ones."""
from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator
from typing import Any

from torch_np import _C
from torch_np._C import Tensor

_t = _C._torch


def _validate_pruning_amount_init(amount: Any) -> None:
    """Raises TypeError unless `amount` is a number; ValueError unless it is a count, or a fraction from 0 to 1."""
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    if (isinstance(amount, numbers.Integral) and amount < 0) or (not isinstance(amount, numbers.Integral) and not 0 <= float(amount) <= 1):
        raise ValueError(f"amount={amount} should either be a float in the range [0, 1] or a non-negative integer")


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    """Raises ValueError for a count above `tensor_size`."""
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(f"amount={amount} should be smaller than the number of parameters to prune={tensor_size}")


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    """The number of `tensor_size` units that `amount`, a count or a fraction, is."""
    _validate_pruning_amount(amount, tensor_size)
    return int(amount) if isinstance(amount, numbers.Integral) else round(amount * tensor_size)


class BasePruningMethod:
    """Base class of pruning methods. A subclass defines `compute_mask` and the class attribute
    `PRUNING_TYPE`: 'unstructured', 'structured' or 'global'.
    """

    PRUNING_TYPE: str
    _tensor_name: str

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of a tensor; subclasses define it.

        Args:
          t: the tensor, or the importance of its elements
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        Errors: NotImplementedError if a subclass does not define it.
        """
        raise NotImplementedError(f"{type(self).__name__}.compute_mask(): subclasses define it")

    def apply_mask(self, module: Any) -> Tensor:
        """The parameter of the module times its mask.

        Args:
          module: the module

        Shapes: as the parameter.
        """
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(cls, module: Any, name: str, *args: Any, importance_scores: Tensor | None = None, **kwargs: Any) -> Any:
        """Prunes a parameter: renames it to `name`_orig, registers the mask as buffer `name`_mask,
        and computes the product before each call. Returns the method.

        Args:
          module: the module
          name: name of the parameter
          args: arguments of the constructor
          importance_scores: importance of the elements; None is the parameter itself
          kwargs: keywords of the constructor

        Shapes: `importance_scores` as the parameter.
        Errors: ValueError for scores of another shape.
        """
        before = [(number, hook) for number, hook in module._forward_pre_hooks.items()
                  if isinstance(hook, BasePruningMethod) and hook._tensor_name == name]
        method: Any = cls(*args, **kwargs)
        method._tensor_name = name
        if before:
            number, old = before[0]
            container = old if isinstance(old, PruningContainer) else PruningContainer(old)
            container.add_pruning_method(method)
            del module._forward_pre_hooks[number]
            method = container
        original = getattr(module, name)
        if importance_scores is None:
            importance_scores = original
        elif importance_scores.shape != original.shape:
            raise ValueError(f"importance_scores should have the same shape as parameter {name} of {module}")
        if not before:
            parameter = module._parameters[name]
            del module._parameters[name]
            module.register_parameter(name + "_orig", parameter)
            default_mask = _t.ones_like(original.detach())
        else:
            default_mask = getattr(module, name + "_mask").detach().clone()
        try:
            mask = method.compute_mask(importance_scores.detach(), default_mask)
        except Exception:
            if not before:
                parameter = module._parameters.pop(name + "_orig")
                module.register_parameter(name, parameter)
            raise
        module.register_buffer(name + "_mask", mask)
        setattr(module, name, method.apply_mask(module))
        module.register_forward_pre_hook(method)
        return method

    def prune(self, t: Tensor, default_mask: Tensor | None = None, importance_scores: Tensor | None = None) -> Tensor:
        """The tensor times the mask that the method computes.

        Args:
          t: the tensor
          default_mask: the mask of earlier pruning; None is ones
          importance_scores: importance of the elements; None is the tensor itself

        Shapes: any; all have the same.
        Errors: ValueError for scores of another shape.
        """
        if importance_scores is None:
            importance_scores = t
        elif importance_scores.shape != t.shape:
            raise ValueError("importance_scores should have the same shape as tensor t")
        return t * self.compute_mask(importance_scores, _t.ones_like(t) if default_mask is None else default_mask)

    def remove(self, module: Any) -> None:
        """Makes the pruning of a module's parameter permanent; its hook must be removed by the
        caller.

        Args:
          module: the module
        """
        name = self._tensor_name
        original = module._parameters[name + "_orig"]
        original.data = self.apply_mask(module).detach()
        del module._parameters[name + "_orig"]
        del module._buffers[name + "_mask"]
        if name in module.__dict__:
            delattr(module, name)
        setattr(module, name, original)


class PruningContainer(BasePruningMethod):
    """Several pruning methods of one parameter, one after another.

    Args:
      args: pruning methods, or one iterable of them

    Errors: TypeError for other objects; ValueError for methods of another parameter.
    """

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        methods = args if len(args) != 1 or not isinstance(args[0], Iterable) else tuple(args[0])
        if methods:
            self._tensor_name = methods[0]._tensor_name
        for method in methods:
            self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Adds a method.

        Args:
          method: the method, of the same parameter

        Errors: TypeError for another object; ValueError for a method of another parameter.
        """
        if not isinstance(method, BasePruningMethod) and method is not None:
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError("Can only add pruning methods acting on the parameter named "
                             f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'")
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._pruning_methods)

    def __getitem__(self, i: Any) -> Any:
        return self._pruning_methods[i]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the last method, computed from what the earlier ones left, times the earlier
        mask.

        Args:
          t: the importance of the elements
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        Errors: ValueError for an unknown PRUNING_TYPE of the method.
        """
        method, mask = self._pruning_methods[-1], default_mask.to(dtype=t.dtype)
        if method.PRUNING_TYPE == "unstructured":
            left: Any = mask == 1
        elif method.PRUNING_TYPE == "structured":
            axis = method.dim if method.dim >= 0 else t.dim() + method.dim
            kept = mask.sum([d for d in range(t.dim()) if d != axis]) != 0
            left = [slice(None)] * t.dim()
            left[axis] = kept
            left = tuple(left)
        elif method.PRUNING_TYPE == "global":
            left = (slice(None),) * t.dim()
        else:
            raise ValueError(f"Unrecognized PRUNING_TYPE {method.PRUNING_TYPE}")
        result = mask.clone()
        result[left] = method.compute_mask(t[left], mask[left]).to(mask.dtype)
        return result


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask and the original parameter."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The earlier mask.

        Args:
          t: the importance of the elements
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        """
        return default_mask


class RandomUnstructured(BasePruningMethod):
    """Prunes random elements.

    Args:
      amount: number of elements, or their fraction

    Errors: TypeError or ValueError for another `amount`.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The earlier mask, with zeros at random elements.

        Args:
          t: the importance of the elements, whose shape counts
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        Errors: ValueError for more elements than there are.
        """
        count, mask = _compute_nparams_toprune(self.amount, t.numel()), default_mask.clone()
        if count:
            chosen = _t.topk(_t.rand_like(t).view(-1), k=count)[1]
            mask.view(-1)[chosen] = 0
        return mask


class L1Unstructured(BasePruningMethod):
    """Prunes the elements of the smallest absolute values.

    Args:
      amount: number of elements, or their fraction

    Errors: TypeError or ValueError for another `amount`.
    """

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: Any) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The earlier mask, with zeros at the smallest elements.

        Args:
          t: the importance of the elements
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        Errors: ValueError for more elements than there are.
        """
        count, mask = _compute_nparams_toprune(self.amount, t.numel()), default_mask.clone()
        if count:
            mask.view(-1)[_t.topk(t.abs().view(-1), k=count, largest=False)[1]] = 0
        return mask


class _Structured(BasePruningMethod):
    """Base class of methods that prune whole channels."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: Any, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.dim = amount, dim

    def _kept_channels(self, t: Tensor, count: int) -> Tensor:
        raise NotImplementedError

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The earlier mask, with zeros in the pruned channels.

        Args:
          t: the importance of the elements
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        Errors: IndexError for a `dim` out of range; ValueError for fewer than two dimensions, and
        for more channels than there are.
        """
        if t.dim() <= 1:
            raise ValueError("Structured pruning can only be applied to multidimensional tensors. Found tensor of shape "
                             f"{tuple(t.shape)} with {t.dim()} dims")
        if not -t.dim() <= self.dim < t.dim():
            raise IndexError(f"Invalid index {self.dim} for tensor of size {t.shape}")
        count = _compute_nparams_toprune(self.amount, t.shape[self.dim])
        if not count:
            return default_mask
        shape = [1] * t.dim()
        shape[self.dim] = -1
        return default_mask * self._kept_channels(t, count).view(shape).to(default_mask.dtype)


class RandomStructured(_Structured):
    """Prunes random channels.

    Args:
      amount: number of channels, or their fraction
      dim: axis of channels

    Errors: TypeError or ValueError for another `amount`.
    """

    def _kept_channels(self, t: Tensor, count: int) -> Tensor:
        random = _t.rand(t.shape[self.dim])
        return (random > _t.kthvalue(random, k=count)[0]).to(t.device)


class LnStructured(_Structured):
    """Prunes the channels of the smallest norms.

    Args:
      amount: number of channels, or their fraction
      n: order of the norm
      dim: axis of channels

    Errors: TypeError or ValueError for another `amount`.
    """

    def __init__(self, amount: Any, n: Any, dim: int = -1) -> None:
        super().__init__(amount, dim)
        self.n = n

    def _kept_channels(self, t: Tensor, count: int) -> Tensor:
        axis = self.dim % t.dim()
        others = [d for d in range(t.dim()) if d != axis]
        norms = _t.norm(t, p=self.n, dim=others)
        kept = _t.zeros(t.shape[axis], dtype=t.dtype, device=t.device)
        kept[_t.topk(norms, k=t.shape[axis] - count, largest=True)[1]] = 1
        return kept


class CustomFromMask(BasePruningMethod):
    """Prunes by a given mask.

    Args:
      mask: zeros for pruned elements, else ones

    Shapes: as the parameter.
    """

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The earlier mask times the given one.

        Args:
          t: the importance of the elements
          default_mask: the mask of earlier pruning

        Shapes: three times the same.
        Errors: ValueError for masks of different shapes.
        """
        if default_mask.shape != self.mask.shape:
            raise ValueError(f"the mask has shape {tuple(self.mask.shape)}, and the parameter {tuple(default_mask.shape)}")
        return default_mask * self.mask.to(dtype=default_mask.dtype)
