"""torch_np.utils.flop_counter: counts the multiplications and additions of products, convolutions
and attention.
"""
from __future__ import annotations

import math
import warnings
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from typing import Any

from torch_np import _C

__all__ = ["FlopCounterMode", "register_flop_formula"]

_formulas: dict[Any, Callable[..., int]] = {}


def register_flop_formula(targets: Any, get_raw: bool = False) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """Returns a decorator that makes a function the count of a function of torch_np.

    Args:
      targets: Function of torch_np, or a list of them.
      get_raw: Whether the formula gets the arguments and `out_val` as they are, instead of the
        shapes of tensors and `out_shape`.
    """
    def register(formula: Callable[..., int]) -> Callable[..., int]:
        def of_shapes(*args: Any, out_val: Any = None, **kwargs: Any) -> int:
            shapes = [_shape(a) for a in args], {k: _shape(v) for k, v in kwargs.items()}
            return formula(*shapes[0], out_shape=_shape(out_val), **shapes[1])
        for target in targets if isinstance(targets, (list, tuple)) else [targets]:
            _formulas[getattr(target, "_function", target)] = formula if get_raw else of_shapes
        return formula
    return register


def _shape(value: Any) -> Any:
    return value.shape if isinstance(value, _C.Tensor) else value


def _matmul(a: Any, b: Any, *rest: Any, out_val: Any = None, **kwargs: Any) -> int:
    return 2 * out_val.numel() * a.shape[-1]


def _product_added(x: Any, a: Any, b: Any, *rest: Any, out_val: Any = None, **kwargs: Any) -> int:
    return 2 * out_val.numel() * a.shape[-1] * (a.shape[0] if out_val.dim() < a.dim() else 1)


def _linear(x: Any, weight: Any, *rest: Any, out_val: Any = None, **kwargs: Any) -> int:
    return 2 * out_val.numel() * weight.shape[-1]


def _convolution(x: Any, weight: Any, *rest: Any, out_val: Any = None, **kwargs: Any) -> int:
    return 2 * out_val.numel() * math.prod(weight.shape[1:])


def _transposed_convolution(x: Any, weight: Any, *rest: Any, out_val: Any = None, **kwargs: Any) -> int:
    return 2 * x.numel() * math.prod(weight.shape[1:])


def _attention(query: Any, key: Any, value: Any, *rest: Any, out_val: Any = None, **kwargs: Any) -> int:
    return 2 * out_val.numel() // value.shape[-1] * key.shape[-2] * (query.shape[-1] + value.shape[-1])


def _known() -> dict[Any, Callable[..., int]]:
    import torch_np
    from torch_np.nn import functional

    found: dict[Any, Callable[..., int]] = {}
    for names, formula in ((("mm", "bmm", "matmul", "mv", "dot", "__matmul__"), _matmul), (("addmm", "baddbmm", "addbmm", "addmv"), _product_added),
                           (("linear",), _linear), (("conv1d", "conv2d", "conv3d"), _convolution),
                           (("conv_transpose1d", "conv_transpose2d", "conv_transpose3d"), _transposed_convolution),
                           (("scaled_dot_product_attention",), _attention)):
        for name in names:
            for place in (torch_np, functional, _C.Tensor, _C._torch_nn_functional):
                function = vars(place).get(name)
                if function is not None:
                    found[function] = formula
    return found


class FlopCounterMode:
    """A context that counts the floating-point operations of calls in it: a product of (m, k) and
    (k, n) has 2 m k n.

    Counts are by function, and by module for the calls within it. Operations of backward passes are
    not counted, as the engine computes gradients; `Tensor.backward` warns.

    Args:
      mods: Has no effect: all modules are counted.
      depth: Depth of the modules in the table.
      display: Whether the table is printed at the end.
      custom_mapping: Further formulas by function, as of `register_flop_formula` with `get_raw`.
      skip_unsupported: Has no effect: functions without a formula count as 0.
    """

    def __init__(self, mods: Any = None, depth: int = 2, display: bool = True, custom_mapping: dict[Any, Any] | None = None,
                 skip_unsupported: bool = False) -> None:
        self.depth, self.display = depth, display
        self.flop_counts: dict[str, dict[Any, int]] = defaultdict(lambda: defaultdict(int))
        self._custom = {getattr(k, "_function", k): f for k, f in (custom_mapping or {}).items()}
        self._path: list[str] = []
        self._mode: Any = None
        self._handles: list[Any] = []

    def _count(self, function: Any, args: Any, kwargs: Any, result: Any) -> None:
        formula = self._formulas.get(function)
        if formula is not None and isinstance(result, _C.Tensor):
            count = int(formula(*args, **kwargs, out_val=result))
            name = getattr(function, "__name__", str(function)).strip("_")
            for where in ["Global", *(".".join(self._path[:i + 1]) for i in range(len(self._path)))]:
                self.flop_counts[where][name] += count

    def __enter__(self) -> FlopCounterMode:
        from torch_np.nn.modules.module import register_module_forward_hook, register_module_forward_pre_hook
        from torch_np.overrides import TorchFunctionMode

        counter = self
        self._formulas = {**_known(), **_formulas, **self._custom}
        self.flop_counts.clear()

        class Mode(TorchFunctionMode):
            def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
                result = func(*args, **(kwargs or {}))
                if getattr(func, "__name__", "") == "backward":
                    warnings.warn("FlopCounterMode: the operations of backward passes are not counted", stacklevel=2)
                counter._count(func, args, kwargs or {}, result)
                return result

        def enter(module: Any, inputs: Any) -> None:
            counter._path.append(_name_in(counter, module))
            counter._modules.append(module)

        def leave(module: Any, inputs: Any, result: Any) -> None:
            if counter._modules and counter._modules[-1] is module:
                counter._modules.pop()
                counter._path.pop()

        self._modules: list[Any] = []
        self._handles = [register_module_forward_pre_hook(enter), register_module_forward_hook(leave)]
        self._mode = Mode()
        self._mode.__enter__()
        return self

    def __exit__(self, *exception: object) -> None:
        self._mode.__exit__(*exception)
        for handle in self._handles:
            handle.remove()
        self._path.clear()
        if self.display:
            print(self.get_table(self.depth))

    def get_total_flops(self) -> int:
        """Returns the number of operations."""
        return sum(self.flop_counts["Global"].values())

    def get_flop_counts(self) -> dict[str, dict[Any, int]]:
        """Returns the numbers of operations by module and function; 'Global' is everything."""
        return {where: dict(counts) for where, counts in self.flop_counts.items()}

    def get_unsupported_ops(self) -> Counter[str]:
        """Returns the calls without a formula: they are not kept, so there are none."""
        return Counter()

    def get_table(self, depth: int | None = None) -> str:
        """Returns the counts as text.

        Args:
          depth: Depth of the modules; None is that of the counter.
        """
        depth = self.depth if depth is None else depth
        lines = ["Module                                   FLOP    % Total"]
        total = max(self.get_total_flops(), 1)
        for where, name, count in self._rows(depth):
            lines.append(f"{where + (' - ' + name if name else ''):34} {count:10,d} {100 * count / total:9.2f}%")
        return "\n".join(lines)

    def _rows(self, depth: int) -> Iterator[tuple[str, str, int]]:
        for where in sorted(self.flop_counts, key=lambda w: (w != "Global", w)):
            if where == "Global" or where.count(".") < depth:
                yield where, "", sum(self.flop_counts[where].values())
                for name, count in self.flop_counts[where].items():
                    yield where, name, count


def _name_in(counter: FlopCounterMode, module: Any) -> str:
    """The name of a module within the one that calls it, or of its class."""
    if counter._modules:
        for name, child in counter._modules[-1].named_modules():
            if child is module and name:
                return str(name)
    return type(module).__name__
