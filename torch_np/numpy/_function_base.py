"""Calculus and sequences: differences, gradients, interpolation, convolution, and functions of functions."""
import numpy as _numpy
from numpy.lib.array_utils import normalize_axis_index, normalize_axis_tuple

from torch_np import _C
from torch_np.numpy import _native as nx


def diff(a, n=1, axis=-1, prepend=None, append=None):
    """The n-th difference along `axis`; the axis gets shorter by n. Bools differ by not_equal.

    Errors: ValueError for negative n or a 0-d `a`.
    """
    if n == 0:
        return a
    if n < 0:
        raise ValueError(f"order must be non-negative but got {n!r}")
    a = nx.asarray(a)
    if a.ndim == 0:
        raise ValueError("diff requires input that is at least one dimensional")
    axis = normalize_axis_index(axis, a.ndim)
    parts = [a]
    for extra, at in ((prepend, 0), (append, 2)):
        if extra is not None:
            extra = nx.asarray(extra)
            if extra.ndim == 0:
                extra = nx.broadcast_to(extra, a.shape[:axis] + (1,) + a.shape[axis + 1:])
            parts.insert(0 if at == 0 else len(parts), extra)
    if len(parts) > 1:
        a = nx.concatenate(parts, axis)
    head = (slice(None),) * axis
    op = nx.not_equal if a.dtype.kind == "b" else nx.subtract
    for _ in range(n):
        a = op(a[head + (slice(1, None),)], a[head + (slice(None, -1),)])
    return a


def gradient(f, *varargs, axis=None, edge_order=1):
    """The gradient of samples by second-order central differences, one-sided of `edge_order` at the ends.

    `varargs`: spacing: one number for all axes, one per axis, or coordinate arrays. Returns an array for one axis, a
    tuple otherwise. Errors: ValueError for too few points, TypeError for a wrong number of spacings.
    Source: Fornberg, Mathematics of Computation 51 (1988) 699-706.
    """
    f = nx.asarray(f)
    n = f.ndim
    axes = tuple(range(n)) if axis is None else normalize_axis_tuple(axis, n)
    if len(varargs) == 0:
        spacing = [1.0] * len(axes)
    elif len(varargs) == 1 and nx.asarray(varargs[0]).ndim == 0:
        spacing = [varargs[0]] * len(axes)
    elif len(varargs) == len(axes):
        spacing = list(varargs)
        for i, h in enumerate(spacing):
            h = nx.asarray(h)
            if h.ndim == 0:
                continue
            if h.ndim != 1:
                raise ValueError("distances must be either scalars or 1d")
            if len(h) != f.shape[axes[i]]:
                raise ValueError("when 1d, distances must match the length of the corresponding dimension")
            h = diff(h.astype(float) if h.dtype.kind in "iu" else h)
            spacing[i] = h[0] if h.size and bool((h == h[0]).all()) else h
    else:
        raise TypeError("invalid number of arguments")
    if edge_order > 2:
        raise ValueError("'edge_order' greater than 2 not supported")
    if f.dtype.kind not in "fc":
        f = f.astype(_numpy.float64)
    out = [_gradient_along(f, h, d, edge_order) for h, d in zip(spacing, axes)]
    return out[0] if len(out) == 1 else tuple(out)


def _gradient_along(f, h, d, edge_order):
    if f.shape[d] < edge_order + 1:
        raise ValueError("Shape of array too small to calculate a numerical gradient, at least (edge_order + 1) elements are required.")

    def at(*s):
        return f[(slice(None),) * d + (slice(*s),)]
    uniform = getattr(h, "ndim", 0) == 0
    if uniform:
        inner = (at(2, None) - at(None, -2)) / (2.0 * h)
        h0 = h1 = hm1 = hm2 = h
    else:
        shape = [1] * f.ndim
        shape[d] = -1
        a, b = h[:-1].reshape(shape), h[1:].reshape(shape)
        inner = -b / (a * (a + b)) * at(None, -2) + (b - a) / (a * b) * at(1, -1) + a / (b * (a + b)) * at(2, None)
        h0, hm1 = h[0], h[-1]
        h1, hm2 = (h[1], h[-2]) if edge_order == 2 else (None, None)
    if edge_order == 1:
        first, last = (at(1, 2) - at(0, 1)) / h0, (at(-1, None) - at(-2, -1)) / hm1
    else:
        def three(p, q):
            return -(2 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q))
        a, b, c = three(h0, h1)
        first = a * at(0, 1) + b * at(1, 2) + c * at(2, 3)
        a, b, c = three(-hm1, -hm2)
        last = a * at(-1, None) + b * at(-2, -1) + c * at(-3, -2)
    return nx.concatenate((first, inner, last), axis=d)


def trapezoid(y, x=None, dx=1.0, axis=-1):
    """The integral of `y` along `axis` by the trapezoidal rule, over points `x` or with spacing `dx`."""
    y = nx.asarray(y)
    if x is None:
        d = dx
    else:
        d = diff(nx.asarray(x), axis=axis if nx.asarray(x).ndim > 1 else -1)
        if d.ndim == 1:
            shape = [1] * y.ndim
            shape[axis] = d.shape[0]
            d = d.reshape(shape)
    head = (slice(None),) * normalize_axis_index(axis, y.ndim)
    return (d * (y[head + (slice(1, None),)] + y[head + (slice(None, -1),)]) / 2.0).sum(axis)


def interp(x, xp, fp, left=None, right=None, period=None):
    """Piecewise linear interpolation of the points (xp, fp) at `x`; `left`, `right`: values outside.

    Errors: ValueError for empty `xp`, or `xp` and `fp` of different lengths.
    """
    x, xp, fp = nx.asarray(x), nx.asarray(xp), nx.asarray(fp)
    x, xp = x.astype(float), xp.astype(float)
    fp = fp.astype(complex if fp.dtype.kind == "c" else float)
    if xp.ndim != 1 or fp.ndim != 1:
        raise ValueError("Data points must be 1-D sequences")
    if xp.size == 0:
        raise ValueError("array of sample points is empty")
    if xp.size != fp.size:
        raise ValueError("fp and xp are not of the same length.")
    if period is not None:
        if period == 0:
            raise ValueError("period must be a non-zero value")
        period = abs(period)
        left = right = None
        x, xp = x % period, xp % period
        order = xp.argsort(kind="stable")
        xp, fp = xp[order], fp[order]
        xp = nx.concatenate((xp[-1:] - period, xp, xp[:1] + period))
        fp = nx.concatenate((fp[-1:], fp, fp[:1]))
    left = nx.asarray(fp[0] if left is None else left, dtype=fp.dtype)
    right = nx.asarray(fp[-1] if right is None else right, dtype=fp.dtype)
    if fp.dtype.kind != "c":
        return _interp_real(x, xp, fp, left, right)
    # part by part: an infinite part must not make the other one NaN
    out = nx.empty(x.shape, dtype=complex)
    out.real = _interp_real(x, xp, fp.real, left.real, right.real)
    out.imag = _interp_real(x, xp, fp.imag, left.imag, right.imag)
    return out


def _interp_real(x, xp, fp, left, right):
    if xp.size == 1:
        value = fp[0]
    else:
        j = (nx.searchsorted(xp, x, side="right") - 1).clip(0, xp.size - 2)
        x0, y0, x1, y1 = xp[j], fp[j], xp[j + 1], fp[j + 1]
        slope = (y1 - y0) / (x1 - x0)
        value = slope * (x - x0) + y0
        # infinities: try from the right end, then let a constant be one
        value = nx.where(nx.isnan(value), slope * (x - x1) + y1, value)
        value = nx.where(nx.isnan(value) & (y0 == y1), y0, value)
        # at a point itself the slope, which may be infinite, must not count
        value = nx.where(x == x0, y0, nx.where(x == x1, y1, value))
    out = nx.where(x < xp[0], left, nx.where(x > xp[-1], right, value))
    return nx.where(nx.isnan(x), x, out)


def _conv_mode(mode):
    modes = {"valid": 0, "same": 1, "full": 2, "v": 0, "s": 1, "f": 2}
    if isinstance(mode, str) and mode in modes:
        return modes[mode]
    if mode in (0, 1, 2):
        return mode
    raise ValueError(f"mode must be one of 'valid', 'same', or 'full' (got {mode!r})" if isinstance(mode, str)
                     else f"integer mode must be 0, 1 or 2 (got {mode!r})")


def _slide(long, kernel, mode):
    """Sums of products of `kernel` with the windows of `long`, which is not shorter than it."""
    m = kernel.size
    left = right = 0
    if _conv_mode(mode) == 2:
        left = right = m - 1
    elif _conv_mode(mode) == 1:
        left, right = m // 2, m - m // 2 - 1
    dtype = _numpy.result_type(long.dtype, kernel.dtype)
    padded = nx.concatenate((nx.zeros(left, dtype), long.astype(dtype), nx.zeros(right, dtype)))
    windows = nx.lib.stride_tricks.sliding_window_view(padded, m)
    return windows @ kernel.astype(dtype)


def correlate(a, v, mode="valid"):
    """Cross-correlation of two 1-d sequences: sum_n a[n + k] * conj(v[n]). Errors: ValueError for empty input."""
    a, v = nx.asarray(a), nx.asarray(v)
    a, v = a.reshape(-1) if a.ndim == 0 else a, v.reshape(-1) if v.ndim == 0 else v
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    if a.size == 0 or v.size == 0:
        raise ValueError(f"{'first' if a.size == 0 else 'second'} array argument cannot be empty")
    if a.size >= v.size:
        return _slide(a, v.conj(), mode)
    if _conv_mode(mode) == 1:       # 'same' is centred on the longer sequence, mirrored with it
        full = nx.flip(_slide(v.conj(), a, 2))
        start = (full.size - v.size + 1) // 2
        return full[start:start + v.size]
    return nx.flip(_slide(v.conj(), a, mode))


def convolve(a, v, mode="full"):
    """Discrete convolution of two 1-d sequences. `mode`: 'full', 'same' or 'valid'. Errors: ValueError for empty input."""
    a, v = nx.array(a, copy=None, ndmin=1), nx.array(v, copy=None, ndmin=1)
    if a.size == 0:
        raise ValueError("a cannot be empty")
    if v.size == 0:
        raise ValueError("v cannot be empty")
    if v.size > a.size:
        a, v = v, a
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError("object too deep for desired array")
    return _slide(a, nx.flip(v), mode)


def unwrap(p, discont=None, axis=-1, *, period=2 * _numpy.pi):
    """`p` with multiples of `period` added along `axis`, so that neighbours differ by at most `discont`."""
    p = nx.asarray(p)
    step = diff(p, axis=axis)
    discont = period / 2 if discont is None else discont
    dtype = _numpy.result_type(step.dtype, period)
    whole = dtype.kind in "iu"
    high, rest = divmod(period, 2) if whole else (period / 2, 0)
    low = -high
    wrapped = nx.mod(step - low, period) + low
    if rest == 0:
        wrapped = nx.where((wrapped == low) & (step > 0), high, wrapped)
    correction = nx.where(abs(step) < discont, 0, wrapped - step)
    head = (slice(None),) * normalize_axis_index(axis, p.ndim)
    up = p.astype(dtype)
    return nx.concatenate((up[head + (slice(None, 1),)], (p[head + (slice(1, None),)] + nx.cumsum(correction, axis=axis)).astype(dtype)),
                          axis=axis)


def nan_to_num(x, copy=True, nan=0.0, posinf=None, neginf=None):
    """`x` with NaN and infinities replaced: by `nan`, and by `posinf` / `neginf` or the largest finite numbers."""
    x = nx.array(x, copy=True if copy else None)
    if x.dtype.kind not in "fc":
        return x
    parts = (x.real, x.imag) if x.dtype.kind == "c" else (x,)
    info = _numpy.finfo(parts[0].dtype)
    for part in parts:
        bad, high, low = nx.isnan(part), nx.isposinf(part), nx.isneginf(part)
        copyto = nx.copyto
        copyto(part, nan, where=bad)
        copyto(part, info.max if posinf is None else posinf, where=high)
        copyto(part, info.min if neginf is None else neginf, where=low)
    return x


def select(condlist, choicelist, default=0):
    """For each element the choice whose condition is the first to hold, else `default`.

    Errors: ValueError for lists of different or zero length, TypeError for conditions that are not bool.
    """
    if len(condlist) != len(choicelist):
        raise ValueError("list of cases must be same length as list of conditions")
    if len(condlist) == 0:
        raise ValueError("select with an empty condition list is not possible")
    choices = [c if isinstance(c, (int, float, complex)) else nx.asarray(c) for c in choicelist]
    default = default if isinstance(default, (int, float, complex)) else nx.asarray(default)
    dtype = nx.result_type(*choices, default)
    conditions = [nx.asarray(c) for c in condlist]
    for i, c in enumerate(conditions):
        if c.dtype.kind != "b":
            raise TypeError(f"invalid entry {i} in condlist: should be boolean ndarray")
    out = nx.asarray(default).astype(dtype)
    for c, choice in zip(reversed(conditions), reversed(choices)):
        out = nx.where(c, nx.asarray(choice).astype(dtype), out)
    return out


def piecewise(x, condlist, funclist, *args, **kw):
    """A function defined by cases: where `condlist[i]` holds, `funclist[i]` (a function or a number) of `x`.

    Errors: ValueError if there are neither as many functions as conditions nor one more.
    """
    x = nx.asarray(x)
    if nx.isscalar(condlist) or (not isinstance(condlist[0], (list, _C.ndarray, _numpy.ndarray)) and x.ndim != 0):
        condlist = [condlist]
    conditions = [nx.asarray(c, dtype=bool) for c in condlist]
    n = len(conditions)
    if n == len(funclist) - 1:
        other = conditions[0]
        for c in conditions[1:]:
            other = other | c
        conditions.append(~other)
    elif n != len(funclist):
        raise ValueError(f"with {n} condition(s), either {n} or {n + 1} functions are expected")
    out = nx.zeros_like(x)
    for c, f in zip(conditions, funclist):
        if not callable(f):
            out[c] = f
        else:
            values = x[c]
            if values.size > 0:
                out[c] = f(values, *args, **kw)
    return out


def angle(z, deg=False):
    """The angle of complex numbers, in (-pi, pi] or, with `deg`, in degrees."""
    z = nx.asarray(z)
    a = nx.arctan2(z.imag, z.real) if z.dtype.kind == "c" else nx.arctan2(nx.zeros_like(z), z)
    return a * (180 / _numpy.pi) if deg else a


def real_if_close(a, tol=100):
    """The real part of `a` if all imaginary parts are within `tol` (times epsilon if above 1) of zero, else `a`."""
    a = nx.asarray(a)
    if a.dtype.kind != "c":
        return a
    if tol > 1:
        tol = _numpy.finfo(a.dtype).eps * tol
    return a.real if bool(nx.all(abs(a.imag) < tol)) else a


def sinc(x):
    """sin(pi x) / (pi x), and 1 at 0."""
    x = nx.asarray(x)
    y = _numpy.pi * nx.where(x == 0, 1.0e-20, x)
    return nx.sin(y) / y


def place(arr, mask, vals):
    """Writes `vals`, repeated as needed, to the places of `arr` where `mask` is true."""
    if not isinstance(arr, _C.ndarray):
        raise TypeError(f"argument 1 must be torch_np.numpy.ndarray, not {type(arr).__name__}")
    mask, vals = nx.asarray(mask, dtype=bool), nx.asarray(vals, dtype=arr.dtype).ravel()
    if mask.size != arr.size:
        raise ValueError("place: mask and data must be the same size")
    count = int(mask.sum())
    if count and vals.size == 0:
        raise ValueError("Cannot insert from an empty array!")
    if count:
        arr[mask.reshape(arr.shape)] = nx.resize(vals, count)


def putmask(a, mask, values):
    """`a.flat[n] = values[n % len(values)]` for each n where `mask.flat[n]` is true."""
    if not isinstance(a, _C.ndarray):
        raise TypeError(f"argument 1 must be torch_np.numpy.ndarray, not {type(a).__name__}")
    mask, values = nx.asarray(mask, dtype=bool), nx.asarray(values).ravel()
    if mask.size != a.size:
        raise ValueError("putmask: mask and data must be the same size")
    if not _numpy.can_cast(values.dtype, a.dtype, "same_kind"):
        raise TypeError(f"Cannot cast array data from {values.dtype!r} to {a.dtype!r} according to the rule 'safe'")
    if values.size and a.size:
        mask = mask.reshape(a.shape)
        a[mask] = nx.resize(values, a.shape)[mask]


class vectorize:
    """`pyfunc` over broadcast arguments, element by element. For convenience: it runs a Python loop.

    `otypes`: dtypes of the results; without them the first call decides. `excluded`: arguments handed on as they are.
    """

    def __init__(self, pyfunc=None, otypes=None, doc=None, excluded=None, cache=False, signature=None):
        if signature is not None:
            raise NotImplementedError("vectorize(): signature= is not supported")
        self.pyfunc, self.excluded, self.signature, self.cache = pyfunc, set(excluded or ()), signature, cache
        self.otypes = None if otypes is None else [_numpy.dtype(t) for t in otypes]
        self.__doc__ = doc if doc is not None else getattr(pyfunc, "__doc__", None)
        self.__name__ = getattr(pyfunc, "__name__", "vectorize")

    def __call__(self, *args, **kwargs):
        if self.pyfunc is None:
            self.__init__(args[0], self.otypes, None, self.excluded, self.cache)
            return self
        names = [k for k in kwargs if k not in self.excluded]
        places = [i for i in range(len(args)) if i not in self.excluded]
        arrays = nx.broadcast_arrays(*(args[i] for i in places), *(kwargs[k] for k in names))
        if not arrays:
            return self.pyfunc(*args, **kwargs)
        shape = arrays[0].shape
        rows, args = zip(*(a.ravel().tolist() for a in arrays)), list(args)
        results = []
        for row in rows:
            for i, v in zip(places, row):
                args[i] = v
            kwargs.update(zip(names, row[len(places):]))
            results.append(self.pyfunc(*args, **kwargs))
        if not results and self.otypes is None:
            raise ValueError("cannot call `vectorize` on size 0 inputs unless `otypes` is set")
        many = bool(results) and isinstance(results[0], tuple)
        columns = list(zip(*results)) if many else [results]
        types = self.otypes or [None] * len(columns)
        out = tuple(nx.asarray(list(c), dtype=t).reshape(shape) for c, t in zip(columns, types))
        return out if many else out[0]


def fromfunction(function, shape, *, dtype=float, like=None, **kwargs):
    """`function` of the coordinates of an array of that shape."""
    return function(*nx.indices(shape, dtype=dtype), **kwargs)


def asarray_chkfinite(a, dtype=None, order=None):
    """`a` as an array. Errors: ValueError if it has NaN or infinity."""
    a = nx.asarray(a, dtype=dtype, order=order)
    if a.dtype.kind in "fc" and not bool(nx.isfinite(a).all()):
        raise ValueError("array must not contain infs or NaNs")
    return a


def iterable(y):
    """Whether `y` can be iterated over."""
    try:
        iter(y)
    except TypeError:
        return False
    return True


def sort_complex(a):
    """`a` sorted, as a complex array."""
    b = nx.sort(nx.asarray(a))
    return b if b.dtype.kind == "c" else b.astype(_numpy.complex64 if b.dtype.char in "bhBHef" else _numpy.complex128)


def bartlett(M):
    """The Bartlett (triangular) window of M points."""
    return _window(M, lambda n, m: nx.where(n <= 0, 1 + n / (m - 1), 1 - n / (m - 1)))


def blackman(M):
    """The Blackman window of M points."""
    return _window(M, lambda n, m: 0.42 + 0.5 * nx.cos(_numpy.pi * n / (m - 1)) + 0.08 * nx.cos(2.0 * _numpy.pi * n / (m - 1)))


def hanning(M):
    """The Hann window of M points."""
    return _window(M, lambda n, m: 0.5 + 0.5 * nx.cos(_numpy.pi * n / (m - 1)))


def hamming(M):
    """The Hamming window of M points."""
    return _window(M, lambda n, m: 0.54 + 0.46 * nx.cos(_numpy.pi * n / (m - 1)))


def _window(M, formula):
    if isinstance(M, complex):
        raise TypeError("the number of points must be real")
    if M < 1:
        return nx.empty(0)
    if M == 1:
        return nx.ones(1)
    return formula(nx.arange(1.0 - M, M, 2), float(M))



def i0(x):
    """The modified Bessel function of the first kind, order 0, of real `x`.

    Source: its power series sum (x/2)^(2k) / k!^2 up to |x| = 15, and Abramowitz and Stegun 9.7.1 above.
    Errors: TypeError for complex `x`.
    """
    x = nx.asanyarray(x)
    if x.dtype.kind == "c":
        raise TypeError("i0 not supported for complex values")
    x = abs(x if x.dtype.kind == "f" else x.astype(float))
    quarter = nx.minimum(x, 15.0) ** 2 / 4
    term = series = nx.ones_like(x)
    for k in range(1, 60):
        term = term * quarter / (k * k)
        series = series + term
    large = nx.maximum(x, 15.0)
    term = tail = nx.ones_like(x)
    for k in range(1, 25):
        term = term * ((2 * k - 1) ** 2 / (8 * k)) / large
        tail = tail + term
    return nx.where(x <= 15, series, nx.exp(large) / nx.sqrt(2 * _numpy.pi * large) * tail)


def kaiser(M, beta):
    """The Kaiser window of M points with shape parameter `beta`."""
    if M == 1:
        return nx.ones(1)
    n = nx.arange(0.0, M)
    half = (float(M) - 1) / 2.0
    return i0(beta * nx.sqrt(1 - ((n - half) / half) ** 2.0)) / i0(nx.asarray(float(beta)))


def _cumulative(function, name, start):
    def cumulative(x, /, *, axis=None, dtype=None, out=None, include_initial=False):
        x = nx.asanyarray(x)
        if x.ndim > 1 and axis is None:
            raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
        axis = 0 if axis is None else axis
        x = x.reshape(1) if x.ndim == 0 else x
        if not include_initial:
            return function(x, axis=axis, dtype=dtype, out=out)
        result = function(x, axis=axis, dtype=dtype)
        shape = list(x.shape)
        shape[axis] = 1
        result = nx.concatenate((nx.full(shape, start, dtype=result.dtype), result), axis=axis)
        if out is None:
            return result
        out[...] = result
        return out
    cumulative.__name__ = cumulative.__qualname__ = name
    cumulative.__doc__ = f"Running {'sum' if start == 0 else 'product'} along `axis`, with {start} in front if `include_initial`."
    return cumulative


cumulative_sum = _cumulative(lambda *a, **k: nx.cumsum(*a, **k), "cumulative_sum", 0)
cumulative_prod = _cumulative(lambda *a, **k: nx.cumprod(*a, **k), "cumulative_prod", 1)


def choose(a, choices, out=None, mode="raise"):
    """An array of elements of `choices`, each chosen by the index in `a`.

    Shapes: `a` and all choices broadcast. Errors: ValueError for an index out of bounds (mode 'raise') or too many choices.
    """
    arrays = nx.broadcast_arrays(nx.asarray(a), *choices)
    index, options = arrays[0], arrays[1:]
    if index.dtype.kind not in "iub":
        raise TypeError(f"Cannot cast array data from {index.dtype!r} to dtype('int64') according to the rule 'safe'")
    n = len(options)
    index = index.astype(_numpy.intp)
    if mode == "raise":
        if bool(((index < 0) | (index >= n)).any()):
            raise ValueError("invalid entry in choice array")
    elif mode == "wrap":
        index = index % n
    elif mode == "clip":
        index = index.clip(0, n - 1)
    else:
        raise ValueError(f"clipmode must be one of 'clip', 'raise', or 'wrap' (got {mode!r})")
    stacked = nx.stack(options)
    result = nx.take_along_axis(stacked, index[None], axis=0)[0]
    if out is not None:
        nx.copyto(out, result, casting="unsafe")
        return out
    return result
