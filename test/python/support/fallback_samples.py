"""Arrays that the engine cannot hold, and calls of every public function with them.
test_fallback.py runs them."""
import copy
import datetime
import decimal
import fractions
import inspect
import types
import warnings

import numpy

import torch_np.numpy as np

ARRAYS = {
    "object": lambda: numpy.array([3, 1, 2], dtype=object),
    "object 2-d": lambda: numpy.array([[3, 1], [2, 5]], dtype=object),
    "mixed objects": lambda: numpy.array([None, "a", 1.5], dtype=object),
    "decimals": lambda: numpy.array([decimal.Decimal("1.5"), decimal.Decimal("0.25"), fractions.Fraction(1, 3)], dtype=object),
    "str": lambda: numpy.array(["b", "a", "c"]),
    "bytes": lambda: numpy.array([b"1", b"2", b"1"]),
    "datetime64": lambda: numpy.array(["2024-03-01", "2023-01-01", "NaT"], dtype="M8[D]"),
    "timedelta64": lambda: numpy.array([3, 1, 2], dtype="m8[h]"),
    "dates": lambda: numpy.array([datetime.date(2024, 3, 1), datetime.date(2023, 1, 1), datetime.date(2025, 1, 1)], dtype=object),
    "structured": lambda: numpy.array([(1, 2.5), (3, 0.5), (1, 1.5)], dtype=[("a", "i4"), ("b", "f8")]),
    "longdouble": lambda: numpy.array([0.5, 0.25, 0.75], dtype=numpy.longdouble),
    "clongdouble": lambda: numpy.array([0.5 + 1j, 0.25, 0.75j], dtype=numpy.clongdouble),
    ">f8": lambda: numpy.array([0.5, 0.25, 0.75], dtype=">f8"),
    ">f8 2-d": lambda: numpy.array([[0.5, 0.25], [0.75, 1.5]], dtype=">f8"),
    ">i4": lambda: numpy.array([2, 0, 1], dtype=">i4"),
    "object 0-d": lambda: numpy.array(None, dtype=object),
    "no objects": lambda: numpy.array([], dtype=object),
}

# Functions whose result does not depend on array arguments, or that change the process or files.
NOT_CALLED = {
    "the process": """seterr seterrcall setbufsize set_printoptions printoptions errstate test show_config show_runtime info get_include""",
    "files": """fromfile load loadtxt genfromtxt save savetxt savez savez_compressed DataSource open_memmap memmap tofile""",
    "memory that is not initialised, or addresses": "empty empty_like frombuffer",
    "text comes first": "einsum_path",
    "matrices of numbers alone": "asmatrix",
    "objects of their own": """vectorize nditer nested_iters ndindex ndenumerate broadcast poly1d errstate ndarray dtype matrix recarray
        record memmap chararray busdaycalendar flatiter ufunc iinfo finfo""",
}
NOT_CALLED = {name for names in NOT_CALLED.values() for name in names.split()}

# Both libraries refuse other arguments than the arrays here, with different errors.
REFUSED_OTHERWISE = {"common_type", "histogramdd", "linalg.eigh", "linalg.eigvalsh"}
# Parameters that are not arrays. Both libraries refuse arguments there that are not numbers, each
# with its own error.
NUMBERS = set("""M N M_n n k axis axes s shape new_shape indices_or_sections kth reps start shift dtype ord p norm to casting UPLO beta d
    deg device obj repeats window_size num base width sep precision decimals ndim copy order subok like offset source num_rows arr_or_dims
    typechars typeset from_ subscripts""".split())


def functions():
    """Name (with its package) -> function of NumPy, for all functions that both libraries have."""
    found = {}
    for package in ("", "linalg", "fft", "emath"):
        theirs, ours = (getattr(m, package) if package else m for m in (numpy, np))
        for name in dir(theirs):
            function = getattr(theirs, name)
            is_function = isinstance(function, (types.FunctionType, types.BuiltinFunctionType, numpy.ufunc)) or \
                type(function).__name__ == "_ArrayFunctionDispatcher"
            if is_function and not name.startswith("_") and name not in NOT_CALLED and hasattr(ours, name):
                found[f"{package}.{name}" if package else name] = function
    return found


def arguments(make):
    """Tuples of arguments with the array of `make()`: alone, with another one, and beside arrays
    that the engine holds."""
    held = numpy.arange(1.0, 4.0)
    return [(make(),), (make(), make()), (make(), held), (held, make()), (make(), 2)]


def arrays_alone(path, args):
    """Whether no fallback array is passed for a parameter that takes no arrays."""
    try:
        names = list(inspect.signature(find(numpy, path)).parameters)
    except ValueError:
        return True
    return not any(name in NUMBERS and isinstance(a, numpy.ndarray) for name, a in zip(names, args, strict=False))


def find(namespace, path):
    for name in path.split("."):
        namespace = getattr(namespace, name)
    return namespace


def outcome(function, *args, **kwargs):
    """The result of a call, and its arguments afterwards; or the class of its exception."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = function(*args, **kwargs)
            return result if not isinstance(result, types.GeneratorType) else list(result), args
        except Exception as error:
            return type(error)


def as_numpys(value):
    """The result expected from ours: arrays that the engine can hold are ours, others are NumPy's."""
    if isinstance(value, (list, tuple)) and not hasattr(value, "_fields"):
        return type(value)(as_numpys(v) for v in value)
    if isinstance(value, tuple):
        return tuple(as_numpys(v) for v in value)
    if np._C._is_array(value):
        return numpy.asarray(value)
    if type(value) is numpy.ndarray:
        assert np._C._held(value) is value, f"an array of {value.dtype} that the engine holds stayed NumPy's"
    return value


def same(a, b):
    """Whether two results are equal: types, dtypes, values."""
    if isinstance(a, (list, tuple)) and isinstance(b, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, (numpy.ndarray, numpy.generic)) or isinstance(b, (numpy.ndarray, numpy.generic)):
        a, b = numpy.asanyarray(a), numpy.asanyarray(b)
        if a.dtype != b.dtype or a.shape != b.shape:
            return False
        if a.dtype.kind == "O" or a.dtype.names:
            return all(map(same, a.ravel().tolist(), b.ravel().tolist()))
        return bool(numpy.array_equal(a, b, equal_nan=a.dtype.kind in "fcmM"))
    if a is b or (a != a and b != b):
        return True
    return bool(type(a) is type(b) and (a == b or repr(a) == repr(b)))


def compare(path, args):
    """A sentence about the difference between ours and NumPy's for these NumPy arrays; None if
    there is none."""
    theirs = outcome(find(numpy, path), *copy.deepcopy(args))
    mine = outcome(find(np, path), *(np._C._held(a) if isinstance(a, numpy.ndarray) else a for a in copy.deepcopy(args)))
    if isinstance(theirs, type) or isinstance(mine, type):
        both = isinstance(theirs, type) and isinstance(mine, type)
        if both and (issubclass(mine, theirs) or issubclass(theirs, mine) or path in REFUSED_OTHERWISE):
            return None
        return f"{path}: {theirs} of NumPy, {mine} of ours"
    try:
        equal = same(theirs[0], as_numpys(mine[0])) and same(theirs[1], as_numpys(mine[1]))
    except AssertionError as error:
        return f"{path}: {error}"
    return None if equal else f"{path}: {theirs[0]!r} of NumPy, {mine[0]!r} of ours"
