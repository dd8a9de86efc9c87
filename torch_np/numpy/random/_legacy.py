"""numpy.random.RandomState: the legacy generator, whose streams never change."""
from __future__ import annotations

import builtins
import functools
import math
import operator
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import _draw_number, _numpy_random, ndarray
from torch_np.numpy import _native as nx
from torch_np.numpy._dtypes import as_numpy_dtype, kind_of
from torch_np.numpy.random import _draws
from torch_np.numpy.random._bit_generator import MT19937, BitGenerator, CountsNumPys, bit_generator_named, generator_of
from torch_np.numpy.random._generator import _multivariate_normal
from torch_np.numpy._fromnumeric import ndim

if TYPE_CHECKING:
    from torch_np._typing import ArrayLike, DeviceLike, Ints


_INT64 = _numpy.dtype(_numpy.int64)


class RandomState(_draws.Distributions, metaclass=CountsNumPys):
    """The legacy generator over MT19937, or over another bit generator."""

    def __init__(self, seed: Any = None) -> None:
        if isinstance(seed, BitGenerator) or hasattr(seed, "capsule") or isinstance(seed, type) and issubclass(seed, BitGenerator):
            self._adopt(seed)
            return
        bits = MT19937(0)
        bits._legacy_seeding(seed)
        self._adopt(bits)

    def _adopt(self, bits):
        if not (isinstance(bits, (BitGenerator, type)) or hasattr(bits, "capsule")):
            raise ValueError("Bit generator must be an instance of a BitGenerator")
        # What the module drew from at first is the engine's own, which NumPy draws from, too.
        first = _first_generator is not None and getattr(bits, "_generator", None) is _first_generator
        self._bit_generator, self._generator = bits, bits._generator if first else generator_of(bits, legacy=True)

    def __repr__(self) -> str:
        return f"{self} at 0x{id(self):X}"

    def __str__(self) -> str:
        return f"{type(self).__name__}({type(self._bit_generator).__name__})"

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_random_state, (self._bit_generator,), self.get_state(legacy=False)

    def __getstate__(self) -> Any:
        return self.get_state(legacy=False)

    def __setstate__(self, state: Any) -> None:
        self.set_state(state)

    def seed(self, seed: Any = None) -> None:
        """Starts the stream anew from `seed`: an integer below 2**32, or a sequence of them.

        Errors: ValueError for numbers out of range, TypeError for another bit generator than MT19937.
        """
        bits = self._bit_generator
        if isinstance(bits, MT19937):
            bits._legacy_seeding(seed)
        elif self is _global_state:  # which set_bit_generator() changed
            bits.state = type(bits)(seed).state
        else:
            raise TypeError("can only re-seed a MT19937 BitGenerator")
        self._generator.gauss = None

    def get_state(self, legacy: bool = True) -> Any:
        """The state as a tuple, or as a dictionary."""
        state = self._bit_generator.state
        if legacy and not isinstance(self._bit_generator, MT19937):
            warnings.warn("get_state and legacy can only be used with the MT19937 BitGenerator. To silence this "
                          "warning, set `legacy` to False.", RuntimeWarning, stacklevel=2)
            legacy = False
        gauss = self._generator.gauss
        state["has_gauss"], state["gauss"] = int(gauss is not None), gauss or 0.0
        if legacy:
            return (state["bit_generator"], state["state"]["key"], state["state"]["pos"], state["has_gauss"], state["gauss"])
        return state

    def set_state(self, state: Any) -> None:
        """Takes on a state that get_state gave.

        Errors: ValueError for a state of another bit generator or without its parts, TypeError for other than a dict or tuple.
        """
        if isinstance(state, dict):
            if "bit_generator" not in state or "state" not in state:
                raise ValueError("state dictionary is not valid.")
            st = state
        else:
            if not isinstance(state, (tuple, list)):
                raise TypeError("state must be a dict or a tuple.")
            if state[0] != "MT19937":
                raise ValueError("set_state can only be used with legacy MT19937 state instances.")
            st = {"bit_generator": state[0], "state": {"key": state[1], "pos": state[2]}}
            if len(state) > 3:
                st["has_gauss"], st["gauss"] = state[3], state[4]
        self._bit_generator.state = st
        self._generator.gauss = st["gauss"] if st.get("has_gauss", 0) else None

    def hypergeometric(self, ngood: ArrayLike, nbad: ArrayLike, nsample: ArrayLike, size: Ints | None = None, *,
                       _device: DeviceLike | None = None) -> ndarray:
        """How many of `nsample` items drawn without replacement are good.

        Shapes: `size`, or that which the parameters broadcast to.
        Dtypes: int64.
        Errors: ValueError for negative numbers, and unless `nsample` is from 1 to `ngood` + `nbad`.
        """
        if bool(nx.any(nx.less(nsample, 1))):
            raise ValueError("nsample < 1 or nsample is NaN")
        return super().hypergeometric(ngood, nbad, nsample, size, _device=_device)

    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """How often each category came in `n` draws with probabilities `pvals`.

        Shapes: `n` (...), `pvals` (k,), the result `size`, or as `n`, followed by k.
        Dtypes: int64.
        Errors: ValueError for negative `n`, probabilities outside of [0, 1] or of a sum above 1, and more axes of `pvals`; TypeError for
        none.
        """
        dimensions = ndim(pvals)
        if dimensions == 0:
            raise TypeError("pvals must be a 1-d sequence")
        if dimensions > 1:
            raise ValueError(f"pvals must be a 1-d sequence, not of {dimensions} dimensions")
        return super().multinomial(n, pvals, size, _device=_device)

    def random_sample(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Numbers of the uniform distribution on [0, 1). Shapes: `size`."""
        if size is None and _device is None and (number := _draw_number(self._generator, "random")) is not None:
            return number
        return self._draw("random", size=size, _device=_device)

    def random(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """An alias of `random_sample`. Shapes: `size`."""
        if size is None and _device is None and (number := _draw_number(self._generator, "random")) is not None:
            return number
        return self._draw("random", size=size, _device=_device)

    def rand(self, *args: Any, _device: DeviceLike | None = None) -> ndarray:
        """Numbers of the uniform distribution on [0, 1), of shape `args`. Shapes: `args`."""
        if not args and _device is None and (number := _draw_number(self._generator, "random")) is not None:
            return number
        return self._draw("random", size=args or None, _device=_device)

    def randn(self, *args: Any, _device: DeviceLike | None = None) -> ndarray:
        """Numbers of the standard normal distribution, of shape `args`. Shapes: `args`."""
        if not args and _device is None and (number := _draw_number(self._generator, "standard_normal")) is not None:
            return number
        return self._draw("standard_normal", size=args or None, _device=_device)

    def standard_normal(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Numbers of the standard normal distribution. Shapes: `size`."""
        if size is None and _device is None and (number := _draw_number(self._generator, "standard_normal")) is not None:
            return number
        return self._draw("standard_normal", size=size, _device=_device)

    def standard_exponential(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Numbers of the exponential distribution of mean 1. Shapes: `size`."""
        if size is None and _device is None and (number := _draw_number(self._generator, "standard_exponential")) is not None:
            return number
        return self._draw("standard_exponential", size=size, _device=_device)

    def standard_gamma(self, shape: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Numbers of the gamma distribution of scale 1. Shapes: `size`, or as `shape`. Errors: ValueError for a negative `shape`."""
        return self._draw("standard_gamma", shape, size=size, _device=_device)

    def randint(self, low: Any, high: ArrayLike | None = None, size: Ints | None = None, dtype: Any = int, *,
                _device: DeviceLike | None = None) -> Any:
        """Integers from `low` up to, not including, `high` (or from 0 to `low`).

        Shapes: `size`, or that which `low` and `high` broadcast to.
        Errors: ValueError where there is no such integer, or none of `dtype`; TypeError for a `dtype` that is not of bools or integers.
        """
        if size is None and dtype is int and _device is None and type(low) is int and (high is None or type(high) is int):
            first, last = (0, low) if high is None else (low, high)
            if -2**63 <= first < last <= 2**63 and str(_C._get_default_device()) == "cpu":
                return int(_numpy_random._integers(first, last - 1, None, dtype=_INT64, generator=self._generator))
        if dtype is not int and kind_of(as_numpy_dtype(dtype)) not in "iub":
            raise TypeError(f"Unsupported dtype {as_numpy_dtype(dtype)!r} for randint")
        if high is None and not hasattr(low, "__len__") and getattr(low, "ndim", 0) == 0 and int(low) <= 0 and not _draws._empty(size):
            raise ValueError("high <= 0")
        of = _C._get_default_dtype(True, True) if dtype is int else dtype
        drawn = _draws.closed_integers(low, high, False, of, size, self._generator, _device)
        return dtype(drawn) if size is None and dtype in (bool, int) and drawn.ndim == 0 else drawn

    def random_integers(self, low: Any, high: Any = None, size: Ints | None = None, *,
                        _device: DeviceLike | None = None) -> Any:
        """Deprecated: integers from `low` to `high`, both included. Shapes: `size`."""
        if high is None:
            low, high = 1, low
        warnings.warn(f"This function is deprecated. Please call randint({low}, {high} + 1) instead", DeprecationWarning,
                      stacklevel=2)
        return self.randint(low, int(high) + 1, size=size, dtype="l", _device=_device)

    def tomaxint(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Integers from 0 to the largest int64. Shapes: `size`. Dtypes: int64."""
        words = _draws.closed_integers(0, 2**64 - 1, True, _numpy.uint64, size, self._generator, _device)
        return nx.right_shift(words, 1).astype(_numpy.int64)

    def bytes(self, length: int) -> builtins.bytes:
        """Random bytes."""
        words = self.randint(0, 4294967296, size=((length - 1) // 4 + 1), dtype=_numpy.uint32, _device="cpu")
        return words.tobytes()[:length]

    def choice(self, a: ArrayLike, size: Ints | None = None, replace: bool = True, p: ArrayLike | None = None, *,
               _device: DeviceLike | None = None) -> ndarray:
        """A random sample of `a`, or of the integers below it.

        Shapes: `a` (n,), `p` (n,), the result `size`.
        Errors: ValueError for a sample larger than `a` without `replace`, an empty `a` or one of other axes, and a `p` of other length,
        with negative numbers, or of a sum other than 1.
        """
        array = None
        if isinstance(a, (int, _numpy.integer)) or (_C._is_array(a) and a.ndim == 0):
            pop_size = operator.index(a)
            if pop_size <= 0 and not _draws._empty(size):
                raise ValueError("a must be greater than 0 unless no samples are taken")
        else:
            array = nx.asarray(a, device=_device)
            _device = array.device
            if array.ndim != 1:
                raise ValueError("a must be 1-dimensional")
            pop_size = array.shape[0]
            if pop_size == 0 and not _draws._empty(size):
                raise ValueError("'a' cannot be empty unless no samples are taken")
        shape = _draws.shape_of(size)
        count = math.prod(shape)
        if any(int(n) < 0 for n in shape):
            raise ValueError("negative dimensions are not allowed")
        if not replace and count > pop_size:
            raise ValueError("Cannot take a larger sample than population when 'replace=False'")
        if p is not None:
            index = _draws.weighted_indices(p, pop_size, size, replace, functools.partial(self._draw, "random", dtype=_numpy.float64)).to_device(_draws.place(_device))
        elif replace:
            index = self.randint(0, pop_size, size=size, _device=_device) if pop_size > 0 else nx.empty(shape, _numpy.int64, device=_device)
        else:
            index = _numpy_random._permutation(pop_size, device=_device, generator=self._generator)[:count].reshape(shape)
        return _draws.chosen(index, size) if array is None else array[index]

    def permutation(self, x: ArrayLike, *, _device: DeviceLike | None = None) -> ndarray:
        """A permuted copy of `x` along its first axis; of an integer, its range permuted.

        Shapes: as `x`, or (x,) of an integer.
        Errors: IndexError for other 0-d arrays.
        """
        return _draws.permutation(x, 0, self._generator, legacy=True, device=_device)

    def shuffle(self, x: ArrayLike) -> None:
        """Permutes `x` in place along its first axis.

        Shapes: any but 0-d.
        Errors: ValueError for a read-only array, TypeError for one without axes.
        """
        _draws.shuffle(x, 0, self._generator)

    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike, size: Ints | None = None, check_valid: str = "warn", tol: float = 1e-8,
                            *, _device: DeviceLike | None = None) -> ndarray:
        """Vectors of the normal distribution with covariance `cov`.

        Shapes: `mean` (k,), `cov` (k, k), the result `size` followed by k.
        Errors: as `Generator.multivariate_normal`.
        """
        return _multivariate_normal(self, mean, cov, size, check_valid, tol, "svd", _device)


def _new_random_state(bits):
    return RandomState(bit_generator_named(bits))


def _make_global():
    """The state behind numpy.random's functions, and the engine's default generator.

    It is NumPy's own, in NumPy's memory: what draws from `numpy.random` (SciPy, scikit-learn) and what draws here draw from one
    stream, and either may seed it. Where that memory does not look as it should, the engine's generator stays apart.
    """
    state = RandomState.__new__(RandomState)
    bits = MT19937.__new__(MT19937)
    numpys = _numpy.random.mtrand._rand
    shared = _C._numpys_generator(numpys, _numpy.random.RandomState(20))
    if shared is not None:
        _C._set_default_generator(shared)
        # Whoever forks while another thread draws leaves the child a lock that nobody gives back.
        renew = getattr(numpys._bit_generator.lock, "_at_fork_reinit", None)
        if renew is not None and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=renew)
    bits._generator, bits._seed_seq = _C._default_generator(), None
    state._bit_generator, state._generator = bits, bits._generator
    return state


_first_generator: _C.Generator | None = None
_global_state: RandomState = _make_global()
_first_generator = _global_state._generator
