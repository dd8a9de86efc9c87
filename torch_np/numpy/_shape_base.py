"""Arrays with a minimum number of axes, and block matrices: counterpart of
numpy._core.shape_base."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, overload

from torch_np import _C
from torch_np.numpy import _declare, _native as nx

if TYPE_CHECKING:
    from torch_np._C import ndarray
    from torch_np._typing import ArrayLike

__all__ = ["atleast_1d", "atleast_2d", "atleast_3d", "block"]


@_declare.base_class
@_declare.takes_nested_arrays
def block(arrays: Any) -> ndarray:
    """Assembles an array from nested lists of blocks. The innermost lists are joined along the last
    axis, the next along the one before, and so on.

    Args:
      arrays: Nested lists of arrays.

    Shapes: blocks that are joined agree in all other axes; the result has as many axes as the depth
    of the lists, or as the block with the most.
    Errors: ValueError if depths or shapes do not match, TypeError for tuples.
    """
    empty: list[str] = []

    def depth(x, path):
        if isinstance(x, tuple):
            raise TypeError(f"{path} is a tuple. Only lists can be used to arrange blocks, and np.block does not "
                            "allow implicit conversion from tuple to ndarray.")
        if isinstance(x, list):
            if not x:
                empty.append(path)
                return 1
            depths = {depth(v, f"{path}[{i}]") for i, v in enumerate(x)}
            if len(depths) > 1:
                raise ValueError(f"List depths are mismatched. Elements of {path} have depths {sorted(depths)}")
            return depths.pop() + 1
        return 0

    def deepest(x):
        return max(map(deepest, x)) if isinstance(x, list) else nx.asarray(x).ndim

    levels = depth(arrays, "arrays")
    if empty:
        raise ValueError(f"List at {empty[0]} cannot be empty")
    n = max(levels, deepest(arrays))

    def join(x, level):
        if isinstance(x, list):
            return nx.concatenate([join(v, level + 1) for v in x], axis=-(levels - level))
        x = nx.asarray(x)
        return x.reshape((1,) * (n - x.ndim) + x.shape)

    result = join(arrays, 0)
    return result.copy() if levels == 0 else result


class _AtLeast(Protocol):
    @overload
    def __call__(self, array: ArrayLike, /) -> ndarray: ...
    @overload
    def __call__(self, *arys: ArrayLike) -> tuple[ndarray, ...]: ...


def _at_least(n: int) -> _AtLeast:
    expand = getattr(_C._torch, f"atleast_{n}d")

    def at_least(x):
        array = nx.asanyarray(x)
        return array if type(array) is _C.ndarray and array.ndim >= n else expand(array._torch())._np_compat()

    def atleast(*arys: ArrayLike) -> Any:
        return at_least(arys[0]) if len(arys) == 1 else tuple(map(at_least, arys))
    atleast.__name__ = atleast.__qualname__ = f"atleast_{n}d"
    added = ("() as (1,)", "() as (1, 1), (n,) as (1, n)", "() as (1, 1, 1), (n,) as (1, n, 1), (n, m) as (n, m, 1)")[n - 1]
    atleast.__doc__ = (f"The arguments as arrays of at least {n} dimensions; a tuple if there are several. "
                       f"Shapes: {added}; others as they are.")
    return atleast


atleast_1d, atleast_2d, atleast_3d = map(_at_least, (1, 2, 3))
