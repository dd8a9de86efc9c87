"""Methods that Generator and RandomState share: the distributions with equal signatures, and
shuffles along an axis.
"""
from __future__ import annotations

import functools
import math
import operator
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index

from torch_np import _C
from torch_np._C import Tensor, _numpy_random, _plain_draw, ndarray
from torch_np.numpy import _arguments, _native as nx
from torch_np.numpy import _differentiation
from torch_np.numpy._default_dtype import default_dtype
from torch_np.numpy._dtypes import as_numpy_dtype, finfo_of, kind_of
from torch_np.numpy._fromnumeric import ndim

if TYPE_CHECKING:
    from torch_np._typing import ArrayLike, DeviceLike, Ints, NumPyDTypeLike


_ARRAYS = (ndarray, Tensor)
_FLOAT64 = _numpy.dtype(_numpy.float64)
_NUMBERS = frozenset((float, int))


def _in_default_dtype(name, drawn):
    """Rounds draws in double precision to the default dtype. Draws of `random` stay below 1."""
    if kind_of(drawn) != "f":
        return drawn
    rounded = drawn.astype(default_dtype())
    return nx.minimum(rounded, 1 - float(finfo_of(rounded).epsneg)) if name == "random" else rounded


def shape_of(size: Any) -> tuple[int, ...]:
    """Converts `size` to a shape: None, a number (or a 0-d array), or a sequence of numbers."""
    return () if size is None else _arguments.shape_of(size)


def check_out(out: Any, dtype: NumPyDTypeLike, size: Ints | None, rows_only: bool = False) -> None:
    """Checks `out` of a method that fills an array, as NumPy does. With `rows_only` it must be
    row-major.
    """
    if not _C._is_ndarray(out):
        raise TypeError(f"out must be an array of torch_np.numpy, not {type(out).__name__}")
    flags = out.flags
    if not (flags.c_contiguous or flags.f_contiguous and not rows_only) or not flags.behaved:
        raise ValueError("Supplied output array must be contiguous, writable, aligned, and in machine byte-order.")
    if out.dtype != as_numpy_dtype(dtype):
        raise TypeError("Supplied output array has the wrong type. Expected {0}, got {1}".format(as_numpy_dtype(dtype), out.dtype))
    if size is not None and tuple(out.shape) != shape_of(size):
        raise ValueError("size must match out.shape when used together")


def closed_integers(low: Any, high: Any, endpoint: bool, dtype: NumPyDTypeLike, size: Any, generator: Any,
                    device: DeviceLike | None = None) -> ndarray:
    """Draws integers from `low` to `high` after NumPy's checks of the bounds. If `high` is None,
    the range is from 0 to `low`.
    """
    if device is None and (_C._is_array(low) or _C._is_array(high)):
        device = next((v.device for v in (low, high) if _C._is_array(v) and str(v.device) != "cpu"), None)
    dtype = as_numpy_dtype(dtype)
    if not dtype.isnative:
        raise ValueError("Providing a dtype with a non-native byteorder is not supported.")
    if kind_of(dtype) not in "iub":
        raise TypeError(f"Unsupported dtype {dtype!r} for integers")
    if high is None:
        low, high, only_high = 0, low, True
    else:
        only_high = False
    if _empty(size):
        return nx.empty(size, dtype, device=device)
    info = _range_of(dtype)
    low, high = _end(low, 0, info, "low", dtype), _end(high, 0 if endpoint else 1, info, "high", dtype)
    # NumPy names the bound that the caller gave.
    crossed = ("high < 0" if endpoint else "high <= 0") if only_high else "low > high" if endpoint else "low >= high"
    if low is None or high is None or isinstance(low, int) and isinstance(high, int) and low > high:
        raise ValueError(crossed)
    try:
        drawn = _numpy_random._integers(low, high, size, dtype=dtype, device=device, generator=generator)
    except ValueError as error:
        if "low >= high" in str(error):
            raise ValueError(crossed) from None
        raise
    return drawn if size is None else nx.asarray(drawn)


@functools.cache
def _range_of(dtype):
    """Returns the smallest and the largest number of an integer dtype."""
    return (0, 1) if kind_of(dtype) == "b" else (_numpy.iinfo(dtype).min, _numpy.iinfo(dtype).max)


def place(device: DeviceLike | None) -> str:
    """Returns the device as a string; None is the default device."""
    return str(_C._get_default_device() if device is None else device)


def _empty(size):
    return size is not None and 0 in shape_of(size)


def _end(value, excluded, bounds, name, dtype):
    """Converts a bound to an inclusive one: an int, or an array of `dtype`. None means below all
    numbers of the dtype.
    """
    if not hasattr(value, "__len__") and getattr(value, "ndim", 0) == 0:
        value = int(value) - excluded
        if name == "high" and value == bounds[0] - 1:
            return None
        if not bounds[0] <= value <= bounds[1]:
            raise ValueError(f"{name} is out of bounds for {dtype.name}")
        return value
    shape, flat = _flattened(value)
    if any(isinstance(v, float) and v != int(v) for v in flat):
        raise TypeError(f"Cannot cast array data from dtype('float64') to dtype('{dtype.name}') according to the rule 'safe'")
    values = [int(v) - excluded for v in flat]
    for v in values:
        if name == "high" and v == bounds[0] - 1:
            return None
        if not bounds[0] <= v <= bounds[1]:
            raise ValueError(f"{name} is out of bounds for {dtype.name}")
    return nx.array(values, dtype=dtype, _device="cpu").reshape(shape)


def _flattened(value):
    """Returns the shape and the elements of an array-like as Python numbers, which may exceed all
    dtypes.
    """
    if _C._is_array(value):
        return tuple(value.shape), nx.ravel(nx.asarray(value)).tolist()
    array = _numpy.array(value, dtype=object)
    return array.shape, [v.item() if hasattr(v, "item") else v for v in array.ravel().tolist()]


def shuffle(x: Any, axis: int, generator: Any) -> None:
    """Permutes `x` in place along `axis`."""
    if type(x) is ndarray and axis == 0 and x.ndim and x.flags.writeable:
        order = _numpy_random._permutation(len(x), device=x.device, generator=generator)
        if len(x) > 1:
            x[...] = x[order]
        return
    if _C._is_array(x):
        if isinstance(x, Tensor):
            x = nx.asarray(x)
        if not x.flags.writeable:
            raise ValueError("array is read-only")
        if not x.ndim:
            raise TypeError("object of type 'numpy.ndarray' of no dimensions has no len()")
        if not -x.ndim <= axis < x.ndim:
            raise _numpy.exceptions.AxisError(axis, x.ndim)
        n = x.shape[axis]
        order = _numpy_random._permutation(n, device=x.device, generator=generator)
        if n > 1:
            x[...] = nx.take(x, order, axis=axis) if type(x) is ndarray else x[(slice(None),) * (axis % x.ndim) + (order,)]
        return
    if axis != 0:
        raise NotImplementedError("Axis argument is only supported on ndarray objects")
    if not isinstance(x, (Sequence, _numpy.ndarray)):
        warnings.warn(f"you are shuffling a '{type(x).__name__}' object which is not a subclass of 'Sequence'; `shuffle` is not "
                      "guaranteed to behave correctly. E.g., non-numpy array/tensor objects with view semantics may contain "
                      "duplicates after shuffling.", UserWarning, stacklevel=3)
    order = _numpy_random._permutation(len(x), device="cpu", generator=generator).tolist()
    if isinstance(x, _numpy.ndarray):
        x[:] = x[_numpy.array(order, dtype=int)]
        return
    for i, value in enumerate([x[i] for i in order]):
        x[i] = value


def _no_axis(axis):
    raise _numpy.exceptions.AxisError(axis, 0)


def permutation(x: ArrayLike, axis: int, generator: Any, legacy: bool, device: DeviceLike | None) -> ndarray:
    """Returns a copy of `x` permuted along `axis`; for an integer its permuted range."""
    if isinstance(x, (int, _numpy.integer)) or (_C._is_array(x) and x.ndim == 0 and kind_of(nx.asarray(x)) in "iu"):
        return _numpy_random._permutation(max(operator.index(x), 0), device=device, generator=generator)
    array = nx.asarray(x, device=device)
    if array.ndim < 1:
        if legacy:
            raise IndexError("x must be an integer or at least 1-dimensional")
        _no_axis(axis)
    axis = normalize_axis_index(axis, array.ndim)
    n = array.shape[axis]
    return nx.take(array, _numpy_random._permutation(n, device=array.device, generator=generator), axis=axis)


def doubles(of: Any) -> Any:
    """Returns a function that draws float64 numbers of [0, 1) on the CPU, of a given shape, with a
    Generator or a RandomState.
    """
    def draw(size: Any) -> Any:
        drawn = _plain_draw(of._generator, "random", size)
        return of._draw("random", size=size, dtype=_FLOAT64, _device="cpu") if drawn is None else drawn
    return draw


def beside(index: ndarray, device: DeviceLike | None) -> ndarray:
    """Returns indices from the CPU on a device; None is the default device."""
    where = place(device)
    return index if where == "cpu" else index.to_device(where)


_TOLERANCE = float(_numpy.finfo(_numpy.float64).eps) ** 0.5


def weighted_indices(p: ArrayLike, pop_size: int, size: Ints | None, replace: bool, random: Any) -> ndarray:
    """Draws indices with probabilities `p`, by inverting the cumulative sum. It is computed on the
    CPU, as its rounding determines the indices.
    """
    p = nx.asarray(native(p), device="cpu")
    tolerance = _TOLERANCE if p.dtype == _FLOAT64 else 1e-8 if kind_of(p) != "f" else max(1e-8, float(finfo_of(p).eps) ** 0.5)
    p = p.astype(_FLOAT64, copy=False)
    if p.ndim != 1:
        raise ValueError("p must be 1-dimensional")
    if p.size != pop_size:
        raise ValueError("a and p must have same size")
    total = float(p.sum())
    if total != total:
        raise ValueError("Probabilities contain NaN")
    if p.size and float(p.min()) < 0:
        raise ValueError("Probabilities are not non-negative")
    if abs(total - 1.0) > tolerance:
        raise ValueError("Probabilities do not sum to 1. See Notes section of docstring for more information.")
    shape = shape_of(size)
    count = math.prod(shape)
    if replace:
        cdf = nx.cumsum(p)
        cdf = cdf / float(cdf[-1])
        found = nx.searchsorted(cdf, random(size), side="right")
        return found if type(found) is ndarray else nx.asarray(found, device="cpu")
    if int((p > 0).sum()) < count:
        raise ValueError("Fewer non-zero entries in p than size")
    indices: list[Any] = []
    p = nx.array(p, copy=True)
    while len(indices) < count:
        x = random((count - len(indices),))
        if indices:
            p[nx.array(indices, _device="cpu")] = 0
        cdf = nx.cumsum(p)
        cdf = cdf / float(cdf[-1])
        drawn = nx.searchsorted(cdf, x, side="right").tolist()
        indices.extend(dict.fromkeys(drawn))  # duplicates keep their first position
    index = nx.array(indices[:count], dtype=_numpy.int64, _device="cpu")
    return index.reshape(shape)


def chosen(index: Any, size: Any) -> Any:
    """Returns indices as `choice` does: a single one without `size` as a Python int, unless it is
    on a GPU.
    """
    return int(index) if size is None and str(getattr(index, "device", "cpu")) == "cpu" else index


def python_number(drawn: _numpy.generic) -> Any:
    """Converts a single draw to a Python number, as NumPy does. float() takes a tenth of item()'s
    time.
    """
    return float(drawn) if isinstance(drawn, float) else drawn.item()


def native(value: Any) -> Any:
    """Converts a parameter in another byte order to an array of this package; others are returned
    unchanged.
    """
    swapped = isinstance(value, _numpy.ndarray) and not value.dtype.isnative
    return nx.array(value, dtype=value.dtype.newbyteorder("=")) if swapped else value


def _check_constant(name, *parameters):
    if _differentiation.compute_requires_grad(*parameters):
        raise NotImplementedError(f"{name}(): the derivative with respect to the parameters of a distribution is not implemented. "
                                  "Give them as numbers, or detach them")


_PLAIN = frozenset((ndarray, float, int, _numpy.float64, _numpy.int64, list, tuple))
_COUNTS = {"binomial": 1, "hypergeometric": 3}  # number of leading parameters that are integers


def _numbers(name, parameters):
    """Converts parameters that are 0-d arrays of subclasses to numbers, if all parameters are 0-d.
    A subclass may define its own conversion.
    """
    if any(ndim(p) for p in parameters):
        return parameters
    counts = _COUNTS.get(name, 0)
    return tuple((int if i < counts else float)(p) if _C._is_ndarray(p) and type(p) is not ndarray else p for i, p in enumerate(parameters))


class Distributions:
    """The distributions whose signature is the same in Generator and RandomState. `_generator` is
    the _C.Generator to draw from.

    Methods that return an array have the argument `_device`. The numbers do not depend on it. Those
    of a Philox generator are drawn on the GPU, for distributions that have a kernel there.
    """

    _generator: _C.Generator

    _poisson_lam_max = 9.223372006484771e+18

    def _draw(self, name, *parameters, size=None, dtype=None, _device=None):
        if dtype is None and _device is None and (plain := _plain_draw(self._generator, name, size, *parameters)) is not None:
            return plain
        if not _NUMBERS.issuperset(map(type, parameters)):
            _check_constant(name, *parameters)
            if not _PLAIN.issuperset(map(type, parameters)):
                parameters = _numbers(name, parameters)
        def draw(parameters):
            return _numpy_random._draw(name, parameters, size, dtype=dtype, device=_device, generator=self._generator)
        try:
            drawn = draw(parameters)
        except _C.NotHeldError:
            drawn = draw(tuple(map(native, parameters)))
        if isinstance(drawn, _numpy.generic):
            if size is None:
                return python_number(drawn)
            drawn = nx.asarray(drawn)  # a number becomes an array of shape ()
        return drawn if dtype is not None or default_dtype() is _FLOAT64 else _in_default_dtype(name, drawn)

    def beta(self, a: ArrayLike, b: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the beta distribution on [0, 1].

        Args:
          a: First shape parameter, positive.
          b: Second shape parameter, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `a` and `b` are positive, and for a `size` that does not match the
        parameters.
        """
        return self._draw("beta", a, b, size=size, _device=_device)

    def exponential(self, scale: ArrayLike = 1.0, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the exponential distribution.

        Args:
          scale: Mean of the distribution.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `scale`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("exponential", scale, size=size, _device=_device)

    def chisquare(self, df: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the chi-square distribution.

        Args:
          df: Degrees of freedom, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `df` is positive, and for a `size` that does not match the
        parameters.
        """
        return self._draw("chisquare", df, size=size, _device=_device)

    def f(self, dfnum: ArrayLike, dfden: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from Fisher's F distribution.

        Args:
          dfnum: Degrees of freedom of the numerator, positive.
          dfden: Degrees of freedom of the denominator, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `dfnum` and `dfden` are positive, and for a `size` that does not
        match the parameters.
        """
        return self._draw("f", dfnum, dfden, size=size, _device=_device)

    def gamma(self, shape: ArrayLike, scale: ArrayLike = 1.0, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the gamma distribution.

        Args:
          shape: Shape parameter.
          scale: Scale parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `shape` or `scale`, and for a `size` that does not match
        the parameters.
        """
        return self._draw("gamma", shape, scale, size=size, _device=_device)

    def geometric(self, p: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the geometric distribution: the number of trials until the first success.

        Args:
          p: Probability of success, in (0, 1].
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError unless `p` is in (0, 1], and for a `size` that does not match the
        parameters.
        """
        return self._draw("geometric", p, size=size, _device=_device)

    def gumbel(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Ints | None = None, *,
               _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Gumbel distribution.

        Args:
          loc: Mode of the distribution.
          scale: Scale parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `scale`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("gumbel", loc, scale, size=size, _device=_device)

    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: Ints | None = None, *,
                       _device: DeviceLike | None = None) -> ndarray:
        """Draws from the hypergeometric distribution: the number of good items in a sample without
        replacement.

        Args:
          ngood: Number of good items.
          nbad: Number of bad items.
          nsample: Size of the sample.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError for negative numbers, for an `nsample` above `ngood` + `nbad`, and for a
        `size` that does not match the parameters.
        """
        return self._draw("hypergeometric", ngood, nbad, nsample, size=size, _device=_device)

    def laplace(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Ints | None = None, *,
                _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Laplace distribution.

        Args:
          loc: Mean of the distribution.
          scale: Scale parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `scale`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("laplace", loc, scale, size=size, _device=_device)

    def logistic(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Ints | None = None, *,
                 _device: DeviceLike | None = None) -> ndarray:
        """Draws from the logistic distribution.

        Args:
          loc: Mean of the distribution.
          scale: Scale parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `scale`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("logistic", loc, scale, size=size, _device=_device)

    def lognormal(self, mean: ArrayLike = 0.0, sigma: ArrayLike = 1.0, size: Ints | None = None, *,
                  _device: DeviceLike | None = None) -> ndarray:
        """Draws from the log-normal distribution: numbers whose logarithm is normal.

        Args:
          mean: Mean of the logarithm.
          sigma: Standard deviation of the logarithm.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `sigma`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("lognormal", mean, sigma, size=size, _device=_device)

    def logseries(self, p: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the logarithmic series distribution.

        Args:
          p: Shape parameter, in [0, 1).
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError unless `p` is in [0, 1), and for a `size` that does not match the
        parameters.
        """
        return self._draw("logseries", p, size=size, _device=_device)

    def negative_binomial(self, n: ArrayLike, p: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the negative binomial distribution: the number of failures before `n`
        successes.

        Args:
          n: Number of successes, positive.
          p: Probability of success, in (0, 1].
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError unless `n` is positive and `p` is in (0, 1], and for a `size` that does
        not match the parameters.
        """
        return self._draw("negative_binomial", n, p, size=size, _device=_device)

    def noncentral_chisquare(self, df: ArrayLike, nonc: ArrayLike, size: Ints | None = None, *,
                             _device: DeviceLike | None = None) -> ndarray:
        """Draws from the noncentral chi-square distribution.

        Args:
          df: Degrees of freedom, positive.
          nonc: Non-centrality.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `df` is positive and `nonc` at least 0, and for a `size` that does
        not match the parameters.
        """
        return self._draw("noncentral_chisquare", df, nonc, size=size, _device=_device)

    def noncentral_f(self, dfnum: ArrayLike, dfden: ArrayLike, nonc: ArrayLike, size: Ints | None = None, *,
                     _device: DeviceLike | None = None) -> ndarray:
        """Draws from the noncentral F distribution.

        Args:
          dfnum: Degrees of freedom of the numerator, positive.
          dfden: Degrees of freedom of the denominator, positive.
          nonc: Non-centrality.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `dfnum` and `dfden` are positive and `nonc` at least 0, and for a
        `size` that does not match the parameters.
        """
        return self._draw("noncentral_f", dfnum, dfden, nonc, size=size, _device=_device)

    def normal(self, loc: ArrayLike = 0.0, scale: ArrayLike = 1.0, size: Ints | None = None, *,
               _device: DeviceLike | None = None) -> ndarray:
        """Draws from the normal distribution.

        Args:
          loc: Mean of the distribution.
          scale: Standard deviation.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `scale`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("normal", loc, scale, size=size, _device=_device)

    def pareto(self, a: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Pareto II (Lomax) distribution.

        Args:
          a: Shape parameter, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `a` is positive, and for a `size` that does not match the
        parameters.
        """
        return self._draw("pareto", a, size=size, _device=_device)

    def poisson(self, lam: ArrayLike = 1.0, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Poisson distribution.

        Args:
          lam: Mean of the distribution, from 0 to 9.2e18.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError unless `lam` is from 0 to 9.2e18, and for a `size` that does not match
        the parameters.
        """
        return self._draw("poisson", lam, size=size, _device=_device)

    def power(self, a: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the power distribution on [0, 1], whose density is a x^(a-1).

        Args:
          a: Shape parameter, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `a` is positive, and for a `size` that does not match the
        parameters.
        """
        return self._draw("power", a, size=size, _device=_device)

    def rayleigh(self, scale: ArrayLike = 1.0, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Rayleigh distribution.

        Args:
          scale: Scale parameter, the mode.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `scale`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("rayleigh", scale, size=size, _device=_device)

    def standard_cauchy(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the standard Cauchy distribution.

        Args:
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        """
        return self._draw("standard_cauchy", size=size, _device=_device)

    def standard_t(self, df: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from Student's t distribution.

        Args:
          df: Degrees of freedom, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `df` is positive, and for a `size` that does not match the
        parameters.
        """
        return self._draw("standard_t", df, size=size, _device=_device)

    def triangular(self, left: ArrayLike, mode: ArrayLike, right: ArrayLike, size: Ints | None = None, *,
                   _device: DeviceLike | None = None) -> ndarray:
        """Draws from the triangular distribution.

        Args:
          left: Lower bound.
          mode: Position of the peak.
          right: Upper bound.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `left` <= `mode` <= `right` and `left` < `right`, and for a `size`
        that does not match the parameters.
        """
        return self._draw("triangular", left, mode, right, size=size, _device=_device)

    def uniform(self, low: ArrayLike = 0.0, high: ArrayLike = 1.0, size: Ints | None = None, *,
                _device: DeviceLike | None = None) -> ndarray:
        """Draws from the uniform distribution on [low, high).

        Args:
          low: Lower bound.
          high: Upper bound, excluded.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: OverflowError if `high` - `low` is not finite; ValueError if `high` - `low` is
        negative (except for a RandomState), and for a `size` that does not match the parameters.
        """
        return self._draw("uniform", low, high, size=size, _device=_device)

    def vonmises(self, mu: ArrayLike, kappa: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws angles from the von Mises distribution, in [-pi, pi].

        Args:
          mu: Mode of the distribution.
          kappa: Concentration.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `kappa`, and for a `size` that does not match the
        parameters.
        """
        return self._draw("vonmises", mu, kappa, size=size, _device=_device)

    def wald(self, mean: ArrayLike, scale: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Wald (inverse Gaussian) distribution.

        Args:
          mean: Mean of the distribution, positive.
          scale: Scale parameter, positive.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError unless `mean` and `scale` are positive, and for a `size` that does not
        match the parameters.
        """
        return self._draw("wald", mean, scale, size=size, _device=_device)

    def weibull(self, a: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Weibull distribution.

        Args:
          a: Shape parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `a`, and for a `size` that does not match the parameters.
        """
        return self._draw("weibull", a, size=size, _device=_device)

    def zipf(self, a: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the Zipf distribution.

        Args:
          a: Exponent, above 1.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError unless `a` is above 1, and for a `size` that does not match the
        parameters.
        """
        return self._draw("zipf", a, size=size, _device=_device)

    def binomial(self, n: ArrayLike, p: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the binomial distribution: the number of successes in `n` trials.

        Args:
          n: Number of trials.
          p: Probability of success.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Dtypes: int64.
        Errors: ValueError unless `n` is at least 0 and `p` is in [0, 1], and for a `size` that does
        not match the parameters.
        """
        return self._draw("binomial", n, p, size=size, _device=_device)

    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the multinomial distribution: the number of times that each category occurs in
        `n` draws.

        Args:
          n: Number of draws.
          pvals: Probability of each category.
          size: Shape of the result without its last axis; None is the shape to which the parameters
            broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `n` (...), `pvals` (..., k), the result (..., k); the leading axes broadcast to
        `size`.
        Dtypes: int64.
        Errors: ValueError for negative `n`, and for probabilities outside of [0, 1] or with a sum
        above 1.
        """
        return _numpy_random._multinomial(native(n), native(pvals), size, device=_device, generator=self._generator)

    def dirichlet(self, alpha: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws vectors from the Dirichlet distribution, whose elements are in [0, 1] and sum to 1.

        Args:
          alpha: Concentration of each element.
          size: Shape of the result without its last axis; None is ().
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `alpha` (k,), the result (*size, k).
        Errors: ValueError unless `alpha` has one axis, for a negative `alpha` (for a RandomState
        also 0) and NaN.
        """
        _check_constant("dirichlet", alpha)
        alpha = nx.asarray(alpha, dtype=_numpy.float64)
        if alpha.ndim != 1:
            raise ValueError("object too deep for desired array" if alpha.ndim > 1 else "alpha must be 1-dimensional")
        if bool((alpha < 0).any()) or (self._generator.legacy and bool((alpha <= 0).any())):
            raise ValueError("alpha <= 0" if self._generator.legacy else "alpha < 0")
        if bool((alpha != alpha).any()):
            raise ValueError("alpha contains NaNs")
        return _numpy_random._dirichlet(alpha, size, device=_device, generator=self._generator)
