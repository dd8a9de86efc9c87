"""Bit generators: Python classes over the engine's, with NumPy's `state` dictionaries.

Seeding, jumping and advancing are arithmetic on a few integers, which NumPy's classes implement. A
NumPy object computes the state, which is then copied into the engine's generator. Nothing is drawn
from NumPy's object.
"""
from __future__ import annotations

import math
import sys
from typing import Any, Self

import numpy as _numpy
from numpy.random.bit_generator import ISeedSequence

from torch_np import _C
from torch_np.numpy import _native as nx
from torch_np.numpy._arguments import shape_of

_ONES64 = (1 << 64) - 1


def _list(words):
    return words.tolist() if hasattr(words, "tolist") else list(words)


def _array(words, dtype):
    return nx.array(words, dtype=dtype)


def _to_numpy(state):
    """Converts a state dictionary to the form that NumPy's classes accept."""
    if isinstance(state, dict):
        return {name: _to_numpy(value) for name, value in state.items()}
    return _plain(state)


def _pcg_words(state):
    inner = state["state"]
    return [inner["state"] >> 64, inner["state"] & _ONES64, inner["inc"] >> 64, inner["inc"] & _ONES64,
            int(state["has_uint32"]), int(state["uinteger"])]


def _pcg_state(name, w):
    return {"bit_generator": name, "state": {"state": w[0] << 64 | w[1], "inc": w[2] << 64 | w[3]},
            "has_uint32": w[4], "uinteger": w[5]}


class CountsNumPys(type):
    """Metaclass: instances of NumPy's class of the same name count as instances, such as unpickled
    ones and those that libraries make.
    """

    def __instancecheck__(cls, instance: Any) -> bool:
        if type.__instancecheck__(cls, instance):
            return True
        numpys = getattr(_numpy.random, cls.__name__, None) if cls.__module__.startswith("torch_np.numpy.") else None
        return numpys is not None and isinstance(instance, numpys)


class _Seeds(ISeedSequence):
    """Adapter of a seed sequence whose words are an array of this package, for NumPy's seeding."""

    def __init__(self, of: Any) -> None:
        self.of = of

    def generate_state(self, n_words: int, dtype: Any = _numpy.uint32) -> Any:
        """Returns the words of the sequence."""
        return _numpy.asarray(self.of.generate_state(n_words, dtype))


class BitGenerator(metaclass=CountsNumPys):
    """Base class of sources of random bits. Construct one of its subclasses.

    Args:
      seed: Integer, array of integers or SeedSequence; None takes the system's entropy.

    Errors: NotImplementedError for this class itself.
    """

    _generator: _C.Generator
    _seed_seq: Any
    _to_words: Any  # converts a state in NumPy's form to words
    _to_dict: Any  # converts words to a state in NumPy's form
    _seeder: Any = None  # NumPy's class of the same name

    def __init__(self, seed: Any = None) -> None:
        if self._seeder is None:
            raise NotImplementedError("BitGenerator is a base class and cannot be instantized")
        if seed is None or type(seed) is int:
            seed = _numpy.random.SeedSequence(seed)
        if type(seed) is _numpy.random.SeedSequence:
            self._from_sequence(seed)
        else:
            self._from(self._seeder(_plain(seed)))

    def _from(self, seeded):
        if getattr(self, "_generator", None) is None:
            self._generator = _C.Generator(type(seeded).__name__, legacy=False)
        self._seed_seq = getattr(seeded, "_seed_seq", None)
        if isinstance(self._seed_seq, _Seeds):
            self._seed_seq = self._seed_seq.of
        self.state = seeded.state

    def _from_sequence(self, sequence):
        if getattr(self, "_generator", None) is None:
            self._generator = _C.Generator(self._seeder.__name__, legacy=False)
        self._seed_seq = sequence
        self._generator.set_pool(sequence.pool)

    def _seeded(self):
        """Returns NumPy's object with the same state, to compute a jump."""
        twin = self._seeder(0 if self._seed_seq is None else _plain(self._seed_seq))
        twin.state = _to_numpy(self.state)
        return twin

    @property
    def seed_seq(self) -> Any:
        """The SeedSequence of the initial state. Errors: TypeError if there is none."""
        if self._seed_seq is None:
            raise TypeError("seed_seq is not available for a generator that was seeded in another way")
        return self._seed_seq

    def spawn(self, n_children: int) -> list[Self]:
        """Returns new, independent bit generators of the same class.

        Args:
          n_children: Number of bit generators.

        Errors: TypeError for a seed sequence that does not spawn.
        """
        if not hasattr(self.seed_seq, "spawn"):
            raise TypeError("The underlying SeedSequence does not implement spawning.")
        return [type(self)(seed) for seed in self.seed_seq.spawn(n_children)]

    @property
    def state(self) -> dict[str, Any]:
        """The state as a dictionary in NumPy's form. It can be set."""
        return self._to_dict(self._generator.get_words())

    @state.setter
    def state(self, value: dict[str, Any]) -> None:
        if not isinstance(value, dict):
            raise TypeError("state must be a dict")
        if value.get("bit_generator") != type(self).__name__ and value.get("bit_generator") != self._seeder.__name__:
            raise ValueError(f"state must be for a {self._seeder.__name__} RNG")
        try:
            words = self._to_words(value)
            words = words if isinstance(words, _numpy.ndarray) else [int(w) for w in words]
        except (KeyError, IndexError) as error:
            raise ValueError(f"state is incomplete: {error}") from error
        self._generator.set_words(words)

    def random_raw(self, size: Any = None, output: bool = True) -> Any:
        """Returns the next words of the stream, as uint64.

        Args:
          size: Shape of the result; None is a single number.
          output: Whether to return the words; otherwise they are skipped.

        Shapes: `size`.
        Errors: OverflowError for more words than an array can have elements.
        """
        if size is None:
            value = self._generator.next_raw()
            return value if output else None
        shape = shape_of(size)
        count = math.prod(shape)
        if count > sys.maxsize:
            raise OverflowError(f"random_raw(): 'size' is {count}, and the largest is {sys.maxsize}")
        if not output:
            for _ in range(count):
                self._generator.next_raw()
            return None
        # raises MemoryError before the first draw if there are too many
        words = nx.empty(count, dtype=_numpy.uint64)
        for start in range(0, count, 4096):
            piece = [self._generator.next_raw() for _ in range(min(4096, count - start))]
            words[start:start + len(piece)] = nx.array(piece, dtype=_numpy.uint64)
        return words.reshape(shape)

    def _benchmark(self, cnt, method="uint64"):
        """Draws `cnt` numbers and discards them."""
        if method == "uint64":
            self.random_raw(cnt, output=False)
        elif method == "double":
            _C._numpy_random._draw("random", (), cnt, generator=self._generator)
        else:
            raise ValueError("method must be uint64 or double")

    def __getstate__(self) -> tuple[Any, ...]:
        return self.state, self._seed_seq

    def __setstate__(self, state: Any) -> None:
        self._generator = _C.Generator(self._seeder.__name__, legacy=False)
        self.state, self._seed_seq = state

    def __reduce__(self) -> tuple[Any, ...]:
        return _new_bit_generator, (type(self),), self.__getstate__()


def _new_bit_generator(cls):
    return cls.__new__(cls)


class _Jumping(BitGenerator):
    def jumped(self, jumps: int = 1) -> Self:
        """Returns a new bit generator, as if `jumps` times a very large number of draws had been
        made.

        Args:
          jumps: Number of jumps.
        """
        new = type(self).__new__(type(self))
        new._from(self._seeded().jumped(jumps))
        return new


class _Advancing(_Jumping):
    def advance(self, delta: int) -> Self:
        """Advances the state as if `delta` draws had been made. Returns the bit generator.

        Args:
          delta: Number of draws.
        """
        twin = self._seeded()
        twin.advance(delta)
        self.state = twin.state
        return self


class _Pcg(_Advancing):
    _to_words = staticmethod(_pcg_words)


class PCG64(_Pcg):
    """O'Neill's permuted congruential generator XSL-RR 128/64. Source: O'Neill, HMC-CS-2014-0905.

    Args:
      seed: Integer, array of integers or SeedSequence; None takes the system's entropy.
    """
    _seeder = _numpy.random.PCG64

    def _to_dict(self, words):
        return _pcg_state("PCG64", words)


class PCG64DXSM(_Pcg):
    """PCG64 with the output function DXSM.

    Args:
      seed: Integer, array of integers or SeedSequence; None takes the system's entropy.
    """
    _seeder = _numpy.random.PCG64DXSM

    def _to_dict(self, words):
        return _pcg_state("PCG64DXSM", words)


class SFC64(BitGenerator):
    """Doty-Humphrey's small fast chaotic generator. Source: Doty-Humphrey, PractRand.

    Args:
      seed: Integer, array of integers or SeedSequence; None takes the system's entropy.
    """
    _seeder = _numpy.random.SFC64

    def _to_words(self, state):
        return [*_list(state["state"]["state"]), state["has_uint32"], state["uinteger"]]

    def _to_dict(self, w):
        return {"bit_generator": "SFC64", "state": {"state": _array(w[:4], _numpy.uint64)},
                "has_uint32": w[4], "uinteger": w[5]}


class Philox(_Advancing):
    """Salmon's counter-based generator Philox4x64-10. Source: Salmon et al., SC 2011.

    Args:
      seed: Integer, array of integers or SeedSequence; None takes the system's entropy.
      counter: Initial counter.
      key: Key, in place of `seed`.
    """
    _seeder = _numpy.random.Philox

    def __init__(self, seed: Any = None, counter: Any = None, key: Any = None) -> None:
        if counter is None and key is None:
            super().__init__(seed)
        else:
            self._from(self._seeder(_plain(seed), _plain(counter), _plain(key)))

    def _to_words(self, state):
        return [*_list(state["state"]["counter"]), *_list(state["state"]["key"]), *_list(state["buffer"]), state["buffer_pos"],
                state["has_uint32"], state["uinteger"]]

    def _to_dict(self, w):
        return {"bit_generator": "Philox", "state": {"counter": _array(w[:4], _numpy.uint64), "key": _array(w[4:6], _numpy.uint64)},
                "buffer": _array(w[6:10], _numpy.uint64),
                "buffer_pos": w[10], "has_uint32": w[11], "uinteger": w[12]}


class MT19937(_Jumping):
    """Matsumoto and Nishimura's Mersenne Twister. Source: Matsumoto and Nishimura, ACM Trans.
    Model. Comput. Simul. 8 (1998) 3.

    Args:
      seed: Integer, array of integers or SeedSequence; None takes the system's entropy.
    """
    _seeder = _numpy.random.MT19937

    def _to_words(self, state):
        key = _plain(state["state"]["key"])
        if isinstance(key, _numpy.ndarray) and key.shape == (624,) and key.dtype.kind in "iu":
            words = _numpy.empty(625, _numpy.uint64)
            words[:624], words[624] = key, state["state"]["pos"]
            return words
        return [*_list(key), state["state"]["pos"]]

    def _to_dict(self, w):
        return {"bit_generator": "MT19937", "state": {"key": _array(w[:624], _numpy.uint32), "pos": w[624]}}

    @BitGenerator.state.setter  # type: ignore[attr-defined]
    def state(self, value: Any) -> None:
        if isinstance(value, tuple):
            if value[0] != "MT19937" or len(value) not in (3, 5):
                raise ValueError("state is not a legacy MT19937 state")
            value = {"bit_generator": "MT19937", "state": {"key": value[1], "pos": value[2]}}
        if isinstance(value, dict) and len(value.get("state", {}).get("key", ())) != 624 and value.get("bit_generator") == "MT19937":
            raise ValueError("state must be a tuple of 624 longs")
        BitGenerator.state.fset(self, value)  # type: ignore[attr-defined]

    def _legacy_seeding(self, seed):
        """Seeds as numpy.random.seed does, with an integer or a sequence of integers."""
        if type(seed) is int and 0 <= seed < 2**32:
            if getattr(self, "_generator", None) is None:
                self._generator = _C.Generator("MT19937", legacy=False)
            self._seed_seq = None
            self._generator.manual_seed(seed)
            return
        if seed is None:
            self._from_sequence(_numpy.random.SeedSequence())
            self._seed_seq = None
            return
        twin = self._seeder(0)
        twin._legacy_seeding(_plain(seed))
        self._from(twin)


def _plain(seed):
    """Converts arrays of this package in a seed to NumPy's."""
    if seed is None or type(seed) is int:
        return seed
    if _C._is_array(seed):
        seed = _numpy.asarray(seed)
        return seed if seed.ndim else seed[()]
    if isinstance(seed, _numpy.ndarray):  # NumPy's seeding would recurse forever into a matrix, whose rows are matrices
        return _numpy.asarray(seed)
    if isinstance(seed, (list, tuple)):
        return type(seed)(_plain(s) for s in seed)
    if isinstance(seed, ISeedSequence) and not isinstance(seed, (_numpy.random.SeedSequence, _Seeds)):
        return _Seeds(seed)
    return seed


def generator_of(bit_generator: Any, legacy: bool) -> _C.Generator:
    """Returns a _C.Generator that draws from `bit_generator`, one of this package or of NumPy."""
    if isinstance(bit_generator, type):
        raise ValueError("Invalid bit generator. The bit generator must be instantized.")
    own = getattr(bit_generator, "_generator", None)
    if isinstance(own, _C.Generator):
        return _C.Generator(own, legacy=legacy)
    capsule = getattr(bit_generator, "capsule", None)
    if capsule is None:
        raise ValueError("Bit generator must be an instance of a BitGenerator" if legacy else
                         f"{bit_generator!r} is not a BitGenerator")
    return _C.Generator(capsule, legacy=legacy)


def bit_generator_named(of: Any) -> Any:
    """Returns a bit generator of the class named `of`, as old pickles contain; other objects are
    returned unchanged.
    """
    if not isinstance(of, str):
        return of
    for found in (MT19937, PCG64, PCG64DXSM, Philox, SFC64):
        if found.__name__ == of:
            return found()
    raise ValueError(f"{of} is not a known BitGenerator module.")
