"""Ufuncs with a signature: matmul and its kin, with the axes that NumPy lets their callers choose.

`matmul(x1, x2)` is one native call. Only what else NumPy's interface has (axes, axis, keepdims, dtype, casting, order) is
sorted out here.
"""
import inspect

import numpy as _numpy

from torch_np.numpy import _native as nx

_NO = _numpy._NoValue


class _GeneralizedUfunc:
    """A native operator of two operands, called as NumPy's ufunc of the same name."""

    def __init__(self, name, native, inputs, output):
        self._native, self._inputs, self._output = native, inputs, output
        self.__name__ = self.__qualname__ = name
        self.__module__ = "torch_np.numpy"
        self.__doc__ = native.__doc__
        theirs = getattr(_numpy, name)
        self.signature, self.nin, self.nout, self.nargs, self.identity = theirs.signature, 2, 1, 3, None
        self.types, self.ntypes = theirs.types, theirs.ntypes
        self.__signature__ = inspect.signature(theirs)

    def __repr__(self):
        return f"<ufunc '{self.__name__}'>"

    def __reduce__(self):
        return self.__name__

    def __call__(self, *args, **kwargs):
        if len(args) == 2 and not kwargs:
            return self._native(*args)
        return self._general(*args, **kwargs)

    def _general(self, x1, x2, /, out=None, *, axes=_NO, axis=_NO, keepdims=False, casting="same_kind", order="K",
                 dtype=None, subok=True, signature=None):
        if casting not in ("no", "equiv", "safe", "same_kind", "unsafe"):
            raise ValueError(f"casting must be one of 'no', 'equiv', 'safe', 'same_kind', or 'unsafe' (got '{casting}')")
        if isinstance(out, tuple):
            if len(out) != 1:
                raise ValueError("The 'out' tuple must have exactly one entry per ufunc output")
            out, = out
        if out is not None and not isinstance(out, nx.ndarray):
            raise TypeError("return arrays must be of ArrayType")
        if signature is not None and dtype is None and isinstance(signature, (str, tuple)):
            dtype = signature.rpartition("->")[2] if isinstance(signature, str) else signature[-1]
        x = [nx.asarray(x1), nx.asarray(x2)]
        if dtype is not None:
            dtype = _numpy.dtype(dtype)
            for a in x:
                if not _numpy.can_cast(a.dtype, dtype, casting):
                    raise _numpy._core._exceptions._UFuncInputCastingError(getattr(_numpy, self.__name__), casting, a.dtype, dtype, 0)
            x = [a.astype(dtype, copy=False) for a in x]
        core_out = len(self._output)
        if axis is not _NO:
            if axes is not _NO:
                raise TypeError("cannot specify both 'axis' and 'axes'")
            if any(len(core) != 1 for core in self._inputs):
                raise TypeError(f"{self.__name__}: axis can only be used with a single shared core dimension, not with the "
                                f"2 distinct ones implied by signature {self.signature}.")
            axes = [(axis,)] * 2 + ([()] if not keepdims else [(axis,)])
        if axes is not _NO:
            if not isinstance(axes, list):
                raise TypeError("axes should be a list.")
            axes = [(entry,) if hasattr(entry, "__index__") else tuple(entry) for entry in axes]
            if len(axes) == 2 and core_out == 0:
                axes.append(())
            if len(axes) != 3:
                raise ValueError("axes should be a list with an entry for all 3 inputs and outputs; entries for outputs can "
                                 "only be omitted if none of them has core axes.")
            for i in range(2):
                core = self._inputs[i]
                if len(axes[i]) != len(core) and not (self.__name__ == "matmul" and x[i].ndim == 1 and len(axes[i]) == 1):
                    raise ValueError(f"axes item {i} should be a tuple with {len(core)} elements")
                x[i] = nx.moveaxis(x[i], axes[i], tuple(range(-len(axes[i]), 0)))
        if keepdims and not all(len(core) == 1 for core in self._inputs):
            raise TypeError(f"{self.__name__} does not support keepdims: its signature {self.signature} requires multiple outputs "
                            "or core dimensions")
        result = self._native(*x)
        if keepdims:
            result = nx.expand_dims(result, -1 if axes is _NO or not axes[2] else axes[2])
        elif axes is not _NO and axes[2]:
            result = nx.moveaxis(result, tuple(range(-len(axes[2]), 0)), axes[2])
        if out is None:
            return nx.asarray(result, order=order) if order in ("F", "f") else result
        if tuple(out.shape) != tuple(result.shape):
            shape = tuple(_numpy.broadcast_shapes(tuple(out.shape), tuple(result.shape)))
            if shape != tuple(out.shape):
                raise ValueError(f"{self.__name__}: output parameter of shape {tuple(out.shape)} does not fit the result of "
                                 f"shape {tuple(result.shape)}")
        if not _numpy.can_cast(result.dtype, out.dtype, casting):
            raise _numpy._core._exceptions._UFuncOutputCastingError(getattr(_numpy, self.__name__), casting, result.dtype, out.dtype, 0)
        nx.copyto(out, result, casting=casting)
        return out

    def reduce(self, *args, **kwargs):
        """Not for ufuncs with a signature."""
        raise RuntimeError("Reduction not defined on ufunc with signature")

    def accumulate(self, *args, **kwargs):
        """Not for ufuncs with a signature."""
        raise RuntimeError("Accumulation not defined on ufunc with signature")

    def reduceat(self, *args, **kwargs):
        """Not for ufuncs with a signature."""
        raise RuntimeError("Reduceat not defined on ufunc with signature")

    def outer(self, *args, **kwargs):
        """Not for ufuncs with a signature."""
        raise TypeError("method outer is not allowed in ufunc with non-trivial signature")

    def at(self, *args, **kwargs):
        """Not for ufuncs with a signature."""
        raise TypeError("Only single output, non-signature ufuncs support at")


matmul = _GeneralizedUfunc("matmul", nx.matmul, ("nk", "km"), "nm")
vecdot = _GeneralizedUfunc("vecdot", nx.vecdot, ("n", "n"), "")
matvec = _GeneralizedUfunc("matvec", nx.matvec, ("mn", "n"), "m")
vecmat = _GeneralizedUfunc("vecmat", nx.vecmat, ("n", "nm"), "m")
