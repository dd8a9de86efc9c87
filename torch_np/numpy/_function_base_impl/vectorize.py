"""vectorize: applies a Python function to broadcast arguments, element by element or, with a
signature, slice by slice.
"""
from __future__ import annotations

import itertools
import re
from collections.abc import Iterable
from typing import Any

import numpy as _numpy

from torch_np import _C
from torch_np.numpy import _declare, _differentiation, _native as nx
from torch_np.numpy._dtypes import as_numpy_dtype
from torch_np.numpy._stride_tricks_impl import broadcast_arrays

__all__ = ["vectorize"]

_NO_CALL = "cannot call `vectorize` on size 0 inputs unless `otypes` is set"


class vectorize:
    """Applies a Python function to each element of broadcast arguments. It is a convenience: it
    runs a Python loop.

    Args:
      pyfunc: The function; without it the object is a decorator.
      otypes: Dtypes of the results; None uses the dtypes that the first call returns.
      doc: Docstring of the object; None is the docstring of the function.
      excluded: Positions and names of arguments that are not vectorized.
      cache: Whether to keep the result of the first call, whose dtypes the results get, instead of
        calling `pyfunc` again. It is always kept: `pyfunc` is called once for each element.
      signature: Core axes of arguments and results, such as '(m,n),(n)->(m)': each call receives
        slices along them. The axes before are broadcast.

    Shapes: the arguments broadcast to the shape of the results; with `signature` their axes before
    the core axes do.
    Errors: ValueError without elements and `otypes`, for an invalid signature or sizes that
    contradict it; TypeError if the number of arguments differs from the signature.
    """

    def __init__(self, pyfunc: Any = None, otypes: Any = None, doc: str | None = None, excluded: Iterable[int | str] | None = None,
                 cache: bool = False, signature: str | None = None) -> None:
        if pyfunc is not None and not callable(pyfunc) and pyfunc is not _numpy._NoValue:
            raise TypeError("When used as a decorator, only accepts keyword arguments.")
        self.pyfunc: Any = None if pyfunc is _numpy._NoValue else pyfunc
        self.excluded, self.signature, self.cache, self._doc = set(excluded or ()), signature, cache, doc
        self.otypes: Any = None if otypes is None else [_dtype(t) for t in otypes]
        self._core: Any = None if signature is None else _parse_signature(signature)
        self._describe()

    def _describe(self):
        self.__doc__ = self._doc if self._doc is not None else getattr(self.pyfunc, "__doc__", None)
        self.__name__ = getattr(self.pyfunc, "__name__", "vectorize")

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if args and not kwargs and not self.excluded and self._core is None and self.pyfunc is not None:
            return self._by_elements(self.pyfunc, args)
        if self.pyfunc is None:  # used as @vectorize(otypes=...)
            self.pyfunc, = args
            self._describe()
            return self
        names = [k for k in kwargs if k not in self.excluded]
        places = [i for i in range(len(args)) if i not in self.excluded]
        fixed = list(args)

        def call(*values):
            for i, value in zip(places, values):
                fixed[i] = value
            kwargs.update(zip(names, values[len(places):]))
            return self.pyfunc(*fixed, **kwargs)

        varied = [args[i] for i in places] + [kwargs[k] for k in names]
        if self._core is not None:
            return self._by_slices(call, varied)
        plain = not names and len(places) == len(args)
        return self._by_elements(self.pyfunc if plain and not kwargs else call, varied) if varied else call()

    def _by_elements(self, call, args):
        arrays = broadcast_arrays(*args) if len(args) > 1 else (nx.asarray(args[0]),)
        shape = arrays[0].shape
        # Python numbers, or 0-d arrays if gradients are recorded.
        columns: Iterable[Any] = [list(a.ravel()) if _differentiation.compute_requires_grad(a) else a.ravel().tolist() for a in arrays]
        # the first call determines the dtype, and receives NumPy scalars, not Python numbers
        if self.otypes is None and arrays[0].size:
            for column, a in zip(columns, arrays):
                column[0] = _C._flat_element(a, 0) if _C._is_ndarray(a) else a.ravel()[0]
        results = list(map(call, *columns))
        if not results and self.otypes is None:
            raise ValueError(_NO_CALL)
        many = isinstance(results[0], tuple) if results else len(self.otypes) > 1
        if not many:
            column = _column(results, self.otypes[0] if self.otypes else nx.asarray(results[0]).dtype)
            return _declare.in_class_of(column if len(shape) == 1 else column.reshape(shape), *args)
        columns = list(zip(*results)) or [()] * len(self.otypes)
        types = self.otypes or [nx.asarray(c[0]).dtype for c in columns]
        return tuple([_declare.in_class_of(_column(c, t).reshape(shape), *args) for c, t in zip(columns, types)])

    def _by_slices(self, call, args):
        taken, given = self._core
        if len(args) != len(taken):
            raise TypeError(f"wrong number of positional arguments: expected {len(taken)!r}, got {len(args)!r}")
        args = [nx.asanyarray(a) for a in args]
        sizes: dict[str, int] = {}
        for a, names in zip(args, taken):
            _read_sizes(sizes, a, names)
        loop = _numpy.broadcast_shapes(*(a.shape[:a.ndim - len(names)] for a, names in zip(args, taken)))
        args = [_declare.in_class_of(nx.broadcast_to(a, loop + tuple(sizes[n] for n in names)), a) for a, names in zip(args, taken)]
        outputs = None
        for index in itertools.product(*map(range, loop)):
            results = call(*(a[index] for a in args))
            count = len(results) if isinstance(results, tuple) else 1
            if count != len(given):
                raise ValueError(f"wrong number of outputs from pyfunc: expected {len(given)!r}, got {count!r}")
            results = results if isinstance(results, tuple) and len(given) > 1 else (results,)
            if outputs is None:
                for r, names in zip(results, given):
                    _read_sizes(sizes, nx.asarray(r), names)
                outputs = self._outputs(loop, sizes, [nx.asarray(r).dtype for r in results])
                outputs = tuple(_declare.in_class_of(output, r) for output, r in zip(outputs, results))
            for output, r in zip(outputs, results):
                output[index] = r
        if outputs is None:
            if self.otypes is None:
                raise ValueError(_NO_CALL)
            if any(n not in sizes for names in given for n in names):
                raise ValueError("cannot call `vectorize` with a signature including new output dimensions on size 0 inputs")
            outputs = self._outputs(loop, sizes, self.otypes)
        return outputs if len(given) > 1 else outputs[0]

    def _outputs(self, loop, sizes, dtypes):
        return tuple(nx.empty(loop + tuple(sizes[n] for n in names), dtype=t) for names, t in zip(self._core[1], self.otypes or dtypes))


def _dtype(code):
    try:
        return as_numpy_dtype(code)
    except TypeError:
        raise ValueError(f"Invalid otype specified: {code}") from None


def _column(values, dtype):
    """Casts `values` to `dtype` as astype does, since the first one determined the dtype. Objects,
    including arrays, are kept.
    """
    if isinstance(dtype, _numpy.dtype) and dtype.hasobject:
        objects = _numpy.empty(len(values), dtype)
        for i, value in enumerate(values):
            objects[i] = value
        return objects
    return nx.asarray(values if type(values) is list else list(values)).astype(dtype, copy=False) if values else nx.empty(0, dtype=dtype)


def _parse_signature(text):
    """Parses a signature: '(m,n),(n)->(m)' becomes ([('m', 'n'), ('n',)], [('m',)])."""
    bare = re.sub(r"\s+", "", text)
    one = r"\((?:\w+(?:,\w+)*)?\)"
    if not re.fullmatch(rf"(?:{one}(?:,{one})*)?->{one}(?:,{one})*", bare):
        raise ValueError(f"not a valid gufunc signature: {text}")
    return tuple([tuple(re.findall(r"\w+", group)) for group in re.findall(one, side)] for side in bare.split("->"))


def _read_sizes(sizes, array, names):
    """Adds the sizes of the last axes of `array`, called `names`, to the dict `sizes`."""
    if array.ndim < len(names):
        raise ValueError(f"{array.ndim}-dimensional argument does not have enough dimensions for all core dimensions {names!r}")
    for name, size in zip(names, array.shape[array.ndim - len(names):]):
        if sizes.setdefault(name, size) != size:
            raise ValueError(f"inconsistent size for core dimension {name!r}: {size!r} vs {sizes[name]!r}")
