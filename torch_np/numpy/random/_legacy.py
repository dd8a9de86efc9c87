"""numpy.random.RandomState: the legacy generator, whose streams never change."""
from __future__ import annotations

import builtins
import math
import operator
import os
import warnings
from typing import TYPE_CHECKING, Any

import numpy as _numpy

from torch_np import _C
from torch_np._C import _numpy_random, _plain_draw, _plain_integers, ndarray
from torch_np.numpy import _native as nx
from torch_np.numpy._dtypes import as_numpy_dtype, kind_of
from torch_np.numpy.random import _draws
from torch_np.numpy.random._bit_generator import MT19937, BitGenerator, CountsNumPys, bit_generator_named, generator_of
from torch_np.numpy.random._generator import _multivariate_normal

if TYPE_CHECKING:
    from torch_np._typing import ArrayLike, DeviceLike, Ints


class RandomState(_draws.Distributions, metaclass=CountsNumPys):
    """The legacy generator over MT19937, or over another bit generator.

    Args:
      seed: Integer below 2**32, or a sequence of them; None takes the system's entropy. A bit
        generator is used directly.
    """

    def __init__(self, seed: Any = None) -> None:
        if isinstance(seed, BitGenerator) or hasattr(seed, "capsule") or isinstance(seed, type) and issubclass(seed, BitGenerator):
            self._adopt(seed)
            return
        bits = MT19937.__new__(MT19937)
        bits._legacy_seeding(seed)
        self._adopt(bits)

    def _adopt(self, bits):
        if not (isinstance(bits, (BitGenerator, type)) or hasattr(bits, "capsule")):
            raise ValueError("Bit generator must be an instance of a BitGenerator")
        # The initial generator of the module is the engine's own, whose state NumPy shares.
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
        """Restarts the stream from a seed.

        Args:
          seed: Integer below 2**32, or a sequence of them; None takes the system's entropy.

        Errors: ValueError for numbers out of range, TypeError if the bit generator is not MT19937.
        """
        bits = self._bit_generator
        if isinstance(bits, MT19937):
            bits._legacy_seeding(seed)
        elif self is _global_state:  # set_bit_generator() has replaced its bit generator
            bits.state = type(bits)(seed).state
        else:
            raise TypeError("can only re-seed a MT19937 BitGenerator")
        self._generator.gauss = None

    def get_state(self, legacy: bool = True) -> Any:
        """Returns the state.

        Args:
          legacy: Whether to return a tuple, which is possible for MT19937 only; otherwise a dict.
        """
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
        """Sets the state.

        Args:
          state: A result of `get_state`.

        Errors: ValueError if `state` is incomplete or comes from another bit generator, TypeError
        unless `state` is a dict or tuple.
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
        Errors: ValueError for negative numbers, and unless `nsample` is from 1 to `ngood` + `nbad`.
        """
        if bool(nx.any(nx.less(nsample, 1))):
            raise ValueError("nsample < 1 or nsample is NaN")
        return super().hypergeometric(ngood, nbad, nsample, size, _device=_device)

    def multinomial(self, n: ArrayLike, pvals: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the multinomial distribution: the number of times that each category occurs in
        `n` draws.

        Args:
          n: Number of draws.
          pvals: Probability of each category.
          size: Shape of the result without its last axis; None is the shape of `n`.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `n` (...), `pvals` (k,), the result `size`, or the shape of `n`, followed by k.
        Dtypes: int64.
        Errors: ValueError for negative `n`, probabilities outside of [0, 1] or with a sum above 1,
        and a `pvals` with more than one axis; TypeError for a 0-d `pvals`.
        """
        pvals = nx.asarray(_draws.native(pvals))
        dimensions = pvals.ndim
        if dimensions == 0:
            raise TypeError("pvals must be a 1-d sequence")
        if dimensions > 1:
            raise ValueError(f"pvals must be a 1-d sequence, not of {dimensions} dimensions")
        return super().multinomial(n, pvals, size, _device=_device)

    def random_sample(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the uniform distribution on [0, 1).

        Args:
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        """
        if _device is None and (drawn := _plain_draw(self._generator, "random", size)) is not None:
            return drawn
        return self._draw("random", size=size, _device=_device)

    def random(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the uniform distribution on [0, 1).

        Args:
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        """
        if _device is None and (drawn := _plain_draw(self._generator, "random", size)) is not None:
            return drawn
        return self._draw("random", size=size, _device=_device)

    def rand(self, *args: Any, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the uniform distribution on [0, 1).

        Args:
          args: Shape of the result. Without arguments the result is a single number.
          _device: Device of the result; None is the default device.

        Shapes: `args`.
        """
        if _device is None and (drawn := _plain_draw(self._generator, "random", args or None)) is not None:
            return drawn
        return self._draw("random", size=args or None, _device=_device)

    def randn(self, *args: Any, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the standard normal distribution.

        Args:
          args: Shape of the result. Without arguments the result is a single number.
          _device: Device of the result; None is the default device.

        Shapes: `args`.
        """
        if _device is None and (drawn := _plain_draw(self._generator, "standard_normal", args or None)) is not None:
            return drawn
        return self._draw("standard_normal", size=args or None, _device=_device)

    def standard_normal(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the standard normal distribution.

        Args:
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        """
        if _device is None and (drawn := _plain_draw(self._generator, "standard_normal", size)) is not None:
            return drawn
        return self._draw("standard_normal", size=size, _device=_device)

    def standard_exponential(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the exponential distribution with mean 1.

        Args:
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        """
        if _device is None and (drawn := _plain_draw(self._generator, "standard_exponential", size)) is not None:
            return drawn
        return self._draw("standard_exponential", size=size, _device=_device)

    def standard_gamma(self, shape: ArrayLike, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws from the gamma distribution with scale 1.

        Args:
          shape: Shape parameter.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for a negative `shape`.
        """
        return self._draw("standard_gamma", shape, size=size, _device=_device)

    def randint(self, low: Any, high: ArrayLike | None = None, size: Ints | None = None, dtype: Any = int, *,
                _device: DeviceLike | None = None) -> Any:
        """Draws integers from a uniform distribution, from `low` up to, but not including, `high`,
        or from 0 to `low` without `high`.

        Args:
          low: Lower bound, or the upper bound without `high`.
          high: Upper bound, excluded.
          size: Shape of the result; None is the shape to which the parameters broadcast.
          dtype: Integer dtype or bool.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`, or the shape to which the parameters broadcast.
        Errors: ValueError for an empty range, or bounds that exceed `dtype`; TypeError for a
        `dtype` that is neither integer nor bool.
        """
        if dtype is int and _device is None and (drawn := _plain_integers(self._generator, low, high, False, size)) is not None:
            return int(drawn) if size is None else drawn
        if dtype is not int and kind_of(as_numpy_dtype(dtype)) not in "iub":
            raise TypeError(f"Unsupported dtype {as_numpy_dtype(dtype)!r} for randint")
        if high is None and not hasattr(low, "__len__") and getattr(low, "ndim", 0) == 0 and int(low) <= 0 and not _draws._empty(size):
            raise ValueError("high <= 0")
        of = _C._get_default_dtype(True, True) if dtype is int else dtype
        drawn = _draws.closed_integers(low, high, False, of, size, self._generator, _device)
        return dtype(drawn) if size is None and dtype in (bool, int) and drawn.ndim == 0 else drawn

    def random_integers(self, low: Any, high: Any = None, size: Ints | None = None, *,
                        _device: DeviceLike | None = None) -> Any:
        """Draws integers from a uniform distribution, from `low` to `high`, both included. It is
        deprecated: use `randint`.

        Args:
          low: Lower bound. Without `high`, this is the upper bound, and the lower bound is 1.
          high: Upper bound.
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        """
        if high is None:
            low, high = 1, low
        warnings.warn(f"This function is deprecated. Please call randint({low}, {high} + 1) instead", DeprecationWarning,
                      stacklevel=2)
        return self.randint(low, int(high) + 1, size=size, dtype="l", _device=_device)

    def tomaxint(self, size: Ints | None = None, *, _device: DeviceLike | None = None) -> ndarray:
        """Draws integers from 0 to the largest int64.

        Args:
          size: Shape of the result; None is a single number.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `size`.
        Dtypes: int64.
        """
        words = _draws.closed_integers(0, 2**64 - 1, True, _numpy.uint64, size, self._generator, _device)
        return nx.right_shift(words, 1).astype(_numpy.int64)

    def bytes(self, length: int) -> builtins.bytes:
        """Returns random bytes.

        Args:
          length: Number of bytes.
        """
        words = self.randint(0, 4294967296, size=((length - 1) // 4 + 1), dtype=_numpy.uint32, _device="cpu")
        return words.tobytes()[:length]

    def choice(self, a: ArrayLike, size: Ints | None = None, replace: bool = True, p: ArrayLike | None = None, *,
               _device: DeviceLike | None = None) -> ndarray:
        """Draws a sample of the elements of a 1-d array, or of the integers below a number.

        Args:
          a: Array, or an integer.
          size: Shape of the result; None is a single number.
          replace: Whether an element can be drawn several times.
          p: Probability of each element; None is uniform.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `a` (n,), `p` (n,), the result `size`.
        Errors: ValueError for a sample larger than `a` without `replace`, an `a` that is empty or
        not 1-d, and a `p` that differs from `a` in length, has negative numbers, or does not sum to
        1.
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
            index = _draws.beside(_draws.weighted_indices(p, pop_size, size, replace, _draws.doubles(self)), _device)
        elif replace:
            index = self.randint(0, pop_size, size=size, _device=_device) if pop_size > 0 else nx.empty(shape, _numpy.int64, device=_device)
        else:
            index = _numpy_random._permutation(pop_size, device=_device, generator=self._generator)[:count].reshape(shape)
        return _draws.chosen(index, size) if array is None else array[index]

    def permutation(self, x: ArrayLike, *, _device: DeviceLike | None = None) -> ndarray:
        """Returns a copy of an array permuted along its first axis, or the permuted range of an
        integer.

        Args:
          x: Array, or an integer.
          _device: Device of the result; None is the device of `x`, or the default device.

        Shapes: as `x`, or (x,) for an integer.
        Errors: IndexError for a 0-d array that is not an integer.
        """
        return _draws.permutation(x, 0, self._generator, legacy=True, device=_device)

    def shuffle(self, x: ArrayLike) -> None:
        """Permutes an array along its first axis, in place.

        Args:
          x: Array or mutable sequence.

        Shapes: any but 0-d.
        Errors: ValueError for a read-only array, TypeError for one without axes.
        """
        _draws.shuffle(x, 0, self._generator)

    def multivariate_normal(self, mean: ArrayLike, cov: ArrayLike, size: Ints | None = None, check_valid: str = "warn", tol: float = 1e-8,
                            *, _device: DeviceLike | None = None) -> ndarray:
        """Draws vectors from the multivariate normal distribution.

        Args:
          mean: Mean of the distribution.
          cov: Covariance matrix, symmetric and positive semidefinite.
          size: Shape of the result without its last axis; None is ().
          check_valid: Handling of an invalid `cov`: 'warn', 'raise' or 'ignore'.
          tol: Tolerance of the check of `cov`.
          _device: Device of the result; None is the GPU of a parameter, or the default device.

        Shapes: `mean` (k,), `cov` (k, k), the result (*size, k).
        Errors: ValueError if `mean` or `cov` does not have such a shape, for an unknown
        `check_valid`, and with 'raise' a `cov` that is not positive semidefinite; TypeError for
        complex numbers.
        """
        return _multivariate_normal(self, mean, cov, size, check_valid, tol, "svd", _device)


def _new_random_state(bits):
    return RandomState(bit_generator_named(bits))


def _make_global():
    """Creates the state behind numpy.random's functions, and the engine's default generator.

    The generator is NumPy's own, in NumPy's memory. Libraries that draw from `numpy.random` (SciPy,
    scikit-learn) and this package thus share one stream, and either may seed it. If the program has
    replaced NumPy's MT19937 before the import, the engine warns and uses a separate generator.
    """
    state = RandomState.__new__(RandomState)
    bits = MT19937.__new__(MT19937)
    numpys = _numpy.random.mtrand._rand
    shared = _C._numpys_generator(numpys, _numpy.random.RandomState(20))
    if shared is None:
        warnings.warn("torch_np: numpy.random no longer draws from MT19937, so torch_np.numpy.random does not share its stream: "
                      "import torch_np before numpy.random.set_bit_generator()", RuntimeWarning, stacklevel=2)
    else:
        _C._set_default_generator(shared)
        # A fork while another thread draws would leave the child with a lock that is never
        # released.
        renew = getattr(numpys._bit_generator.lock, "_at_fork_reinit", None)
        if renew is not None and hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=renew)
    bits._generator, bits._seed_seq = _C._default_generator(), None
    state._bit_generator, state._generator = bits, bits._generator
    return state


_first_generator: _C.Generator | None = None
_global_state: RandomState = _make_global()
_first_generator = _global_state._generator
