"""numpy.random.Generator and default_rng."""
from __future__ import annotations

import builtins
import math
import operator
from typing import TYPE_CHECKING, Any, Self

import numpy as _numpy

from torch_np import _C
from torch_np._C import _numpy_random, _plain_draw, _plain_integers, ndarray
from torch_np.numpy import _native as nx, linalg
from torch_np.numpy._dtypes import as_numpy_dtype, kind_of
from torch_np.numpy.random import _draws
from torch_np.numpy.random._bit_generator import PCG64, BitGenerator, CountsNumPys, bit_generator_named, generator_of
from torch_np.numpy._numeric import allclose

if TYPE_CHECKING:
    from torch_np._typing import ArrayLike, DeviceLike, Ints, NumPyDTypeLike

_SINGLE = (_numpy.dtype(_numpy.float32), _numpy.dtype(_numpy.float64))


class Generator(_draws.Distributions, metaclass=CountsNumPys):
    """Draws numbers from many distributions.

    Args:
      bit_generator: Source of random bits.

    Errors: ValueError if the argument is not a bit generator.
    """

    def __init__(self, bit_generator: BitGenerator | _numpy.random.BitGenerator) -> None:
        self._bit_generator = bit_generator
        self._generator = generator_of(bit_generator, legacy=False)

    @property
    def bit_generator(self) -> Any:
        """The bit generator that provides the random bits."""
        return self._bit_generator

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"

    def __reduce__(self) -> tuple[Any, ...]:
        of = (self._bit_generator,) if type(self) is Generator else (type(self), self._bit_generator)
        return _new_generator, of, None

    def spawn(self, n_children: int) -> list[Self]:
        """Returns new, independent generators of the same kind.

        Args:
          n_children: Number of generators.
        """
        return [type(self)(bits) for bits in self._bit_generator.spawn(n_children)]

    def _draw_float(self, name, *parameters, size, dtype, out, called, _device):
        if dtype is not None:
            dtype = as_numpy_dtype(dtype)
            if dtype not in _SINGLE:
                raise TypeError(f"Unsupported dtype {dtype!r} for {called}")
        if out is not None:
            dtype = _SINGLE[1] if dtype is None else dtype
            _draws.check_out(out, dtype, size, rows_only=bool(parameters))
            size, _device = tuple(out.shape), out.device
        drawn = self._draw(name, *parameters, size=size, dtype=dtype, _device=_device)
        if out is None:
            return drawn
        if out.flags.c_contiguous:
            out[...] = drawn
        else:  # NumPy fills the memory in its own order, whatever the order of the axes
            out.T[...] = drawn.reshape(tuple(reversed(size)))
        return out

    def random(self, size: Ints | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None, *,
               _device: DeviceLike | None = None) -> ndarray:
        """Draws from the uniform distribution on [0, 1).

        Args:
          size: Shape of the result; None is a single number.
          dtype: float64 or float32; None is the default dtype.
          out: Array that receives the result.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or as `out`.
        Dtypes: float64 or float32.
        Errors: TypeError if `dtype` is not one of these or differs from that of `out`; ValueError
        if the shape of `out` is not `size`, or `out` is not contiguous.
        """
        if dtype is None and out is None and _device is None and (drawn := _plain_draw(self._generator, "random", size)) is not None:
            return drawn
        return self._draw_float("random", size=size, dtype=dtype, out=out, called="random", _device=_device)

    def standard_normal(self, size: Ints | None = None, dtype: NumPyDTypeLike | None = None, out: ndarray | None = None, *,
                        _device: DeviceLike | None = None) -> ndarray:
        """Draws from the standard normal distribution.

        Args:
          size: Shape of the result; None is a single number.
          dtype: float64 or float32; None is the default dtype.
          out: Array that receives the result.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or as `out`.
        Dtypes: float64 or float32.
        Errors: TypeError if `dtype` is not one of these or differs from that of `out`; ValueError
        if the shape of `out` is not `size`, or `out` is not contiguous.
        """
        if dtype is None and out is None and _device is None and (drawn := _plain_draw(self._generator, "standard_normal", size)) is not None:
            return drawn
        return self._draw_float("standard_normal", size=size, dtype=dtype, out=out, called="standard_normal", _device=_device)

    def standard_exponential(self, size: Ints | None = None, dtype: NumPyDTypeLike | None = None, method: str = "zig",
                             out: ndarray | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the exponential distribution with mean 1.

        Args:
          size: Shape of the result; None is a single number.
          dtype: float64 or float32; None is the default dtype.
          method: 'zig' for the ziggurat algorithm, or 'inv' for the inverse of the distribution
            function.
          out: Array that receives the result.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or as `out`.
        Dtypes: float64 or float32.
        Errors: TypeError if `dtype` is not one of these or differs from that of `out`; ValueError
        if the shape of `out` is not `size`, or `out` is not contiguous.
        """
        name = "standard_exponential" if method == "zig" else "standard_exponential_inv"
        return self._draw_float(name, size=size, dtype=dtype, out=out, called="standard_exponential", _device=_device)

    def standard_gamma(self, shape: ArrayLike, size: Ints | None = None, dtype: NumPyDTypeLike | None = None,
                       out: ndarray | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the gamma distribution with scale 1.

        Args:
          shape: Shape parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          dtype: float64 or float32; None is the default dtype.
          out: Array that receives the result.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or as `out` or `shape`.
        Dtypes: float64 or float32.
        Errors: TypeError if `dtype` is not one of these or differs from that of `out`; ValueError
        if the shape of `out` is not `size`, or `out` is not contiguous, and for a negative `shape`.
        """
        return self._draw_float("standard_gamma", shape, size=size, dtype=dtype, out=out, called="standard_gamma", _device=_device)

    def integers(self, low: ArrayLike, high: ArrayLike | None = None, size: Ints | None = None, dtype: NumPyDTypeLike = _numpy.int64,
                 endpoint: bool = False, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws integers from a uniform distribution, from `low` to `high`, or from 0 to `low`
        without `high`.

        Args:
          low: Lower bound, or the upper bound without `high`.
          high: Upper bound.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          dtype: Integer dtype or bool.
          endpoint: Whether the upper bound is included.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for an empty range, or bounds that exceed `dtype`; TypeError for a
        `dtype` that is neither integer nor bool.
        """
        if dtype is _numpy.int64 and _device is None and (plain := _plain_integers(self._generator, low, high, endpoint, size)) is not None:
            return plain
        drawn = _draws.closed_integers(low, high, endpoint, dtype, size, self._generator, _device)
        return dtype(drawn) if size is None and dtype in (bool, int) and drawn.ndim == 0 else drawn  # type: ignore[operator]

    def bytes(self, length: int) -> builtins.bytes:
        """Returns random bytes.

        Args:
          length: Number of bytes.
        """
        words = self.integers(0, 4294967296, size=((length - 1) // 4 + 1), dtype=_numpy.uint32, _device="cpu")
        return words.tobytes()[:length]

    def choice(self, a: ArrayLike, size: Ints | None = None, replace: bool = True, p: ArrayLike | None = None, axis: int = 0,
               shuffle: bool = True, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws a sample of the elements of an array, or of the integers below a number.

        Args:
          a: Array, or an integer.
          size: Shape of the result; None is a single number.
          replace: Whether an element can be drawn several times.
          p: Probability of each element; None is uniform.
          axis: Axis along which to draw.
          shuffle: Whether a sample without replacement is in random order.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size` in place of `axis` of `a`; `p` (n,) for the n elements along `axis`.
        Errors: ValueError for a sample larger than `a` without `replace`, an empty or 0-d `a`, and
        a `p` that differs from `a` in length, has negative numbers, or does not sum to 1.
        """
        array = None
        if isinstance(a, (int, _numpy.integer)) or (_C._is_array(a) and a.ndim == 0):
            pop_size = operator.index(a)
            if pop_size <= 0 and not _draws._empty(size):
                raise ValueError("a must be a positive integer unless no samples are taken")
        else:
            array = nx.asarray(a, device=_device)
            _device = array.device
            if array.ndim == 0:
                raise ValueError("a must be a sequence or an integer, not " + str(type(a)))
            pop_size = array.shape[axis]
            if pop_size == 0 and not _draws._empty(size):
                raise ValueError("a cannot be empty unless no samples are taken")
        shape = _draws.shape_of(size)
        count = math.prod(shape)
        if p is not None:
            if not replace and count > pop_size:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            index = _draws.beside(_draws.weighted_indices(p, pop_size, size, replace, _draws.doubles(self)), _device)
        elif replace:
            index = self.integers(0, pop_size, size=size, _device=_device) if pop_size > 0 else nx.empty(shape, _numpy.int64, device=_device)
        else:
            if count > pop_size:
                raise ValueError("Cannot take a larger sample than population when replace is False")
            index = _numpy_random._choice(pop_size, count, bool(shuffle), device=_device, generator=self._generator).reshape(shape)
        return _draws.chosen(index, size) if array is None else nx.take(array, index, axis=axis)

    def permutation(self, x: ArrayLike, axis: int = 0, *, _device: DeviceLike | None = None) -> ndarray:
        """Returns a copy of an array permuted along an axis, or the permuted range of an integer.

        Args:
          x: Array, or an integer.
          axis: Axis of the permutation.
          _device: Device of the result; None is the device of `x`, or the default device.

        Shapes: as `x`, or (x,) for an integer.
        Errors: AxisError for an axis that does not exist.
        """
        return _draws.permutation(x, axis, self._generator, legacy=False, device=_device)

    def shuffle(self, x: ArrayLike, axis: int = 0) -> None:
        """Permutes an array along an axis, in place.

        Args:
          x: Array or mutable sequence.
          axis: Axis of the permutation.

        Shapes: any but 0-d.
        Errors: ValueError for a read-only array, TypeError for one without axes, AxisError for an
        axis that does not exist.
        """
        _draws.shuffle(x, axis, self._generator)

    def permuted(self, x: ArrayLike, *, axis: int | None = None, out: ndarray | None = None) -> ndarray:
        """Permutes each 1-d slice along an axis independently.

        Args:
          x: Array.
          axis: Axis of the slices; None permutes all elements.
          out: Array that receives the result.

        Shapes: as `x`.
        Errors: ValueError if the shapes of `out` and `x` differ, TypeError if `out` is not an array
        or `x` cannot be cast to its dtype.
        """
        x = nx.asarray(x)
        if out is not None and not _C._is_ndarray(out):
            raise TypeError(f"out must be an array of torch_np.numpy, not {type(out).__name__}")
        if out is not None and out.shape != x.shape:
            raise ValueError("out must have the same shape as x")
        if out is not None and x.dtype != out.dtype and not _numpy.can_cast(x.dtype, out.dtype, "same_kind"):
            raise TypeError(f"Cannot cast array data from {x.dtype!r} to {out.dtype!r} according to the rule 'same_kind'")
        if axis is None:
            flat = nx.ravel(x)
            result = nx.take(flat, _numpy_random._permutation(flat.size, device=x.device, generator=self._generator)).reshape(x.shape)
        else:
            is_last = axis in (-1, x.ndim - 1)
            lines = x if is_last else nx.moveaxis(x, axis, -1)
            n = lines.shape[-1]
            flat = lines.reshape(-1, n) if x.size else lines.reshape(0, n)
            orders = _numpy_random._permutation(n, flat.shape[0], device=x.device, generator=self._generator)
            result = nx.take_along_axis(flat, orders, 1).reshape(lines.shape)
            result = result if is_last else nx.moveaxis(result, -1, axis)
        if out is None:
            return result
        out[...] = result
        return out

    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike, size: Ints | None = None, check_valid: str = "warn",
                            tol: float = 1e-8, *, method: str = "svd", _device: DeviceLike | None = None) -> ndarray:
        """Draws vectors from the multivariate normal distribution.

        Args:
          mean: Mean of the distribution.
          cov: Covariance matrix, symmetric and positive semidefinite.
          size: Shape of the result without its last axis; None is ().
          check_valid: Handling of an invalid `cov`: 'warn', 'raise' or 'ignore'.
          tol: Tolerance of the check of `cov`.
          method: Factorisation of `cov`: 'svd', 'eigh' or 'cholesky'.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `mean` (k,), `cov` (k, k), the result (*size, k).
        Errors: ValueError if `mean` or `cov` does not have such a shape, for an unknown `method` or
        `check_valid`, and with 'raise' a `cov` that is not positive semidefinite; TypeError for
        complex numbers.
        """
        if method not in ("eigh", "svd", "cholesky"):
            raise ValueError("method must be one of {'eigh', 'svd', 'cholesky'}")
        return _multivariate_normal(self, mean, cov, size, check_valid, tol, method, _device)

    def multivariate_hypergeometric(self, colors: ArrayLike, nsample: int, size: Ints | None = None, method: str = "marginals", *,
                                    _device: DeviceLike | None = None) -> ndarray:
        """Draws from the multivariate hypergeometric distribution: the number of items of each
        colour in a sample without replacement.

        Args:
          colors: Number of items of each colour.
          nsample: Size of the sample.
          size: Shape of the result without its last axis; None is ().
          method: Algorithm: 'marginals' or 'count'.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `colors` (k,), the result (*size, k).
        Dtypes: int64.
        Errors: ValueError for negative numbers, an `nsample` above the number of items, sums that
        are too large for the method, and an unknown `method`.
        """
        if method not in ("count", "marginals"):
            raise ValueError('method must be "count" or "marginals".')
        counts = nx.asarray(_draws.native(colors))
        if counts.ndim != 1 or counts.size and kind_of(counts) not in "iu":
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers not exceeding "
                             f"{_numpy.iinfo(_numpy.int64).max}.")
        numbers = counts.tolist()
        if any(c < 0 for c in numbers):
            raise ValueError("colors must be a one-dimensional sequence of nonnegative integers not exceeding "
                             f"{_numpy.iinfo(_numpy.int64).max}.")
        nsample = operator.index(nsample)
        if nsample < 0:
            raise ValueError("nsample must be nonnegative.")
        total = sum(numbers)
        if total > _numpy.iinfo(_numpy.int64).max:
            raise ValueError("sum(colors) must not exceed the maximum value of a 64 bit signed integer")
        if method == "marginals" and total >= 1000000000:
            raise ValueError('When method is "marginals", sum(colors) must be less than 1000000000.')
        if method == "count" and total > _numpy.iinfo(_numpy.int64).max // 8:
            raise ValueError("When method is 'count', sum(colors) must not exceed "
                             f"{_numpy.iinfo(_numpy.int64).max // 8}")
        if nsample > total:
            raise ValueError("nsample > sum(colors)")
        return _numpy_random._multivariate_hypergeometric(counts.astype(_numpy.int64), nsample, size, method == "count",
                                                          device=_device, generator=self._generator)


def _multivariate_normal(source, mean, cov, size, check_valid, tol, method, device):
    if check_valid not in ("warn", "raise", "ignore"):
        raise ValueError("check_valid must equal 'warn', 'raise', or 'ignore'")
    mean, cov = (nx.asarray(_draws.native(v), device=device) for v in (mean, cov))
    if "c" in (kind_of(mean), kind_of(cov)):
        raise TypeError("mean and cov must not be complex")
    shape = _draws.shape_of(size)
    if mean.ndim != 1:
        raise ValueError("mean must be 1 dimensional")
    if cov.ndim != 2 or cov.shape[0] != cov.shape[1]:
        raise ValueError("cov must be 2 dimensional and square")
    if mean.shape[0] != cov.shape[0]:
        raise ValueError("mean and cov must have same length")
    cov = cov.astype(_numpy.float64)
    x = source.standard_normal((*shape, mean.shape[0]), _device=mean.device).reshape(-1, mean.shape[0])
    if method == "svd":
        u, s, vh = linalg.svd(cov)
    elif method == "eigh":
        s, u = linalg.eigh(cov)
    else:
        factor = linalg.cholesky(cov)
    if check_valid != "ignore" and method != "cholesky":
        if method == "svd":
            fits = bool(allclose((vh.T * s) @ vh, cov, rtol=tol, atol=tol))
        else:
            fits = not bool((s < -tol).any())
        if not fits and check_valid == "warn":
            import warnings
            warnings.warn("covariance is not symmetric positive-semidefinite.", RuntimeWarning, stacklevel=3)
        elif not fits:
            raise ValueError("covariance is not symmetric positive-semidefinite.")
    if source._generator.legacy:
        x = x @ (nx.sqrt(s)[:, None] * vh)
    elif method == "cholesky":
        x = x @ factor.T
    else:
        x = x @ (u * nx.sqrt(nx.abs(s))).T
    return (mean + x).reshape((*shape, mean.shape[0]))


def _new_generator(cls, bits=None):
    if bits is None:
        cls, bits = Generator, cls
    return cls(bit_generator_named(bits))


def default_rng(seed: Any = None) -> Generator:
    """Returns a Generator over PCG64, or over a given bit generator.

    Args:
      seed: Seed of PCG64; or a Generator, which is returned, or a bit generator, which is used.
    """
    if seed is None or type(seed) is int:
        return Generator(PCG64(seed))
    if isinstance(seed, Generator) and not isinstance(seed, _numpy.random.Generator):
        return seed
    if isinstance(seed, (BitGenerator, _numpy.random.BitGenerator)):
        return Generator(seed)
    if isinstance(seed, _numpy.random.Generator):
        return Generator(seed.bit_generator)
    if isinstance(getattr(seed, "_bit_generator", None), (BitGenerator, _numpy.random.BitGenerator)):
        return Generator(seed._bit_generator)  # here `seed` is a RandomState
    return Generator(PCG64(seed))
