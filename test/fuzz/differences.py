"""Intended differences from NumPy: each with a sentence and the place that documents it."""
from __future__ import annotations

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy

from fuzz.cases import Case
from fuzz.comparing import Difference, as_numpy, close

# Functions that are not compared: a pattern of their names, and the reason.
NOT_COMPARED = [
    (r"np\.(save|savez|savez_compressed|savetxt|load|loadtxt|genfromtxt|fromfile|memmap)$|tofile$|\.dump$", "files: test_io of NumPy's suite reads and writes them"),
    (r"np\.(set|get)(_printoptions|err|errcall|bufsize)$|np\.(printoptions|errstate|geterrobj)$", "state of the process"),
    (r"\.__(reduce|reduce_ex|setstate|array|array_wrap|array_ufunc|array_function|array_namespace|dlpack|buffer|format|deepcopy)\w*__$", "protocols: test_interchange.py"),
    (r"\.dumps$|byte_bounds|__getstate__|\.__array_(interface|struct)__", "addresses, and pickles of classes of other names"),
    (r"get_state|set_state|bit_generator|\.spawn$|seed$", "state of random generators: NumPy's suite"),
    (r"np\.(who|source|lookfor|deprecate\w*|safe_eval|show_\w+|get_include|byte_bounds)$", "tools for people"),
    (r"np\.(random\.)?(SeedSequence|RandomState|Generator|default_rng)", "classes: their methods are compared"),
    (r"\.(__repr__|__str__)$|np\.array_?(repr|str|2string)$|format_float", "text: 0-d arrays print as arrays (docs/design.md, 0-d results)"),
    (r"np\.(frompyfunc|vectorize|nditer|nested_iters|ndenumerate|ndindex)", "objects that call back: test_vectorize.py"),
]
_NOT_COMPARED = [(re.compile(pattern), reason) for pattern, reason in NOT_COMPARED]


def not_compared(subject: str) -> str | None:
    return next((reason for pattern, reason in _NOT_COMPARED if pattern.search(subject)), None)


# overwrite_input, by keyword or by position.
OVERWRITING = r"overwrite_input=True|(quantile|percentile|median)\(.*, True"
# Calls that NumPy refuses and torch_np accepts: a pattern of NumPy's error, and the reason.
LENIENT = [
    (r"Cannot construct a dtype from an array|Cannot interpret", "an array may stand for its dtype"),
    (r"positional-only arguments passed as keyword|takes exactly 1 argument \(0 given\)|takes? (no keyword|\d+ positional)|unexpected keyword", "arguments may be given by name"),
    (r"only 'C' or 'F' order is permitted", "order='A' and 'K' of a new array are 'C'"),
    (r"must be numpy.ndarray|has no attribute|dispatcher for __array_function__|must be of ArrayType|too small depth|not enough values to unpack"
     r"|has no len|object is not (iterable|subscriptable)|on a scalar|is not array.like|only length-1 arrays|must be an array"
     r"|len\(\) of unsized|non-empty take from an empty|array is \d-dimensional|cannot be interpreted as an integer|does not match result of ndarray|not support item assignment|cannot reshape array of size 0|is forbidden|does not support keepdims|NoneType' object|not 'complex'|is ambiguous|'NoneType'"
     r"|iteration over a 0-d array|only 0-dimensional arrays can be converted|unhashable|missing \d required positional|index -?\d is out of bounds for axis 0 with size 0|not inexact",
     "numbers and lists where NumPy requires arrays, numbers where it requires tuples"),
    (r"choose: invalid shape for output array|operand was set up as a reduction along axis|setting an array element with a sequence|wrong number of dimensions|right datatype, number of dimensions|output array has wrong dimensions|not broadcastable to correct shape"
     r"|must match the desired (output|shape)|maximum number of dimension|non-broadcastable output operand.*\[remapped to|non-broadcastable operand with shape|and requested shape|boolean array indexing assignment requires a 0 or 1-dimensional|Output operand 0 has a mismatch in its core dimension \d, .*different from 1\)",
     "one element is as good as a number, and out= is assigned to as `x[...] = ` does"),
    (r"axis 0 is out of bounds for array of dimension 0|AxisError: axis -1 is out", "reductions over axis 0 of one number"),
    (r"Cannot cast|cannot cast|according to the rule|with casting rule|No loop matching|did not contain a loop|not supported for the input types"
     r"|boolean (subtract|negative)|must be inexact", "casting= is checked for arrays and the loop's dtype, more loosely where NumPy computes in steps"),
    (r"indices must be integral", "an empty list of indices"),
    (r"Unable to avoid copy while creating an array", "copy=False of numbers and lists, which are not arrays yet"),
    (r"Python integer -?\d+ out of bounds|cannot convert float (infinity|NaN) to integer", "Python floats are cast to integers as arrays are"),
    (r"ndmax must be|must be <= ndmax|object too deep for desired array|converted to a scalar index", "limits and sizes that make no difference"),
    (r"operands could not be broadcast together with shapes \(\d+(,\d+)+\) \(0,\)", "polynomials of several dimensions"),
    (r"TypeError: an integer is required", "bools are integers to item()"),
    (r"Maximum allowed size exceeded", "ranges from an unsigned array to a negative number, which have nothing in them"),
    (r"array type float16 is unsupported in linalg", "polyfit computes 16-bit floats in float32"),
    (r"partition array is read-only", "overwrite_input=True allows to overwrite, and does not ask for it"),
    (r"non-broadcastable output operand with shape \(\) doesn't match", "0-d results are values, which `op=` does not write into: docs/design.md"),
    (r"Unable to allocate", "memory for intermediate values, of which NumPy needs more"),
    (r"weights should have the same shape", "weights that are empty, as the data is"),
    (r"did not converge", "the LAPACKs differ in what they do with NaN and infinity"),
]
# Calls that NumPy accepts and torch_np refuses: a pattern of our error, and the reason.
STRICTER = [
    (r"no dtype of objects|torch_np has no|not supported by torch_np|nonsense dtype|data type .* not understood", "dtypes that torch_np has not: README.md, 'not there'"),
    (r"out has wrong shape", "NumPy's transforms hand out= to steps of other shapes; running sums take any empty out="),
    (r"Cannot cast.* output from", "NumPy casts results of reductions to out= without asking"),
    (r"for -: .* and 'NoneType'", "mean=None of nothing"),
    (r"non-broadcastable output operand with shape \(\)", "0-d results are arrays, and `op=` writes into them: docs/design.md"),
    (r"does not fit the result|but the result has shape|out is read-only", "out= of another shape, or read-only, that NumPy does not check"),
    (r"setting an array element with a sequence", "objects that cannot be converted to numbers"),
    (r"Python integer -1 out of bounds", "a negative Python number as an unsigned array"),
    (r"could not broadcast input array from shape \(0, \d+\)", "out= of another shape, where the result is empty"),
    (r"'size' must be int|'axis' must be int", "numbers in arrays and tuples"),
    (r"only int indices permitted|argument 'copy' must be bool", "bools for indices, copy=None of astype"),
    (r"AxisError: (mean|var|std)\(\): axis (0|-1) is out of bounds for array of dimension 0", "NumPy's mean, var and std take an axis of a number with where= alone"),
    (r"cannot convert float (NaN|infinity) to integer", "NaN cannot be converted to an integer; NumPy writes an arbitrary value"),
    (r"put_along_axis\(\): (shape mismatch: value array|input operand has more dimensions than allowed: input) of shape \((\d+, )*0[,)]", "empty values with more axes than the array"),
    (r"take\(\): index -?\d+ is out of bounds", "NumPy does not check the indices if the result is empty"),
    (r"fill\(\): only 0-dimensional arrays can be converted", "NumPy takes the truth of an array of one element for a bool"),
    (r"same number of dimensions", "polynomials of two dimensions"),
    (r"as_strided\(\)", "NumPy's as_strided reads beyond the memory"),
    (r"subscript is not within the valid range", "NumPy's einsum_path counts negative subscripts from the end of the alphabet"),
    (r"did not converge", "the LAPACK libraries treat NaN and infinity differently"),
    (r"output array is read-only", "ufunc.at of a read-only array: NumPy writes into a temporary copy"),
    (r"Too many bins for data range", "histogramdd of numbers whose neighbours are further apart than the bins: NumPy's bins have no width"),
    (r"list don't have the same length", "NumPy does not check the weights if there are no elements"),
    (r"ufunc 'bitwise_count' not supported for the input types", "bitwise_count counts bits of integers: with casting='unsafe' NumPy casts floats to int8"),
    (r"could not find a matching type for ldexp", "ldexp cannot reduce: its second operand is an integer"),
    (r"could not broadcast input array from shape \(\d+,( \d+)*\) into shape \(\)", "polynomials of several dimensions"),
    (r"must be real number, not complex|float\(\) argument must be .*, not 'complex'", "complex numbers have no order, hence no histograms: NumPy compares the real parts"),
]


# Known defects that are not repaired yet: kinds, a pattern of the statement, and the defect.
# Ideally empty.
KNOWN: list[tuple[str, str, str]] = []


@dataclass(frozen=True)
class Explained:
    reason: str
    documented: str
    applies: Callable[[Case, str, Difference, dict], bool]


def _unsupported_dtype(case, statement, difference, names) -> bool:
    """NumPy's result, or an intermediate value, has a dtype that torch_np lacks."""
    values = [difference.theirs, *(v for k, v in names.items() if k != "np")]
    return any(getattr(getattr(v, "dtype", None), "kind", "f") in "OSUVMm" or getattr(v, "dtype", None) in (numpy.dtype("g"), numpy.dtype("G")) for v in values)


def _matches(kinds: str, pattern: str):
    compiled = re.compile(pattern)
    return lambda case, statement, d, names: d.kind in kinds.split() and compiled.search(statement) is not None


def _deprecated(case, statement, difference, names) -> bool:
    """NumPy announces by a warning that it will refuse this call."""
    if difference.kind != "refused":
        return False
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            exec(statement, dict(names))  # noqa: S102  (our own text)
        except Exception:  # noqa: BLE001
            return False
    return any(issubclass(w.category, (DeprecationWarning, FutureWarning)) for w in caught)


_REDUCTIONS = re.compile(r"\.(a?min|a?max|sum|prod|mean|reduce|nan(min|max|sum|prod))\(")
_DIVIDED_REDUCTIONS = re.compile(r"\.(nan)?(mean|var|std)\(.*(out=|'[iu]\d', )")
# computed in steps, some of which out= and NaN change
_INTEGER_DEVIATIONS = re.compile(r"\.(nan)?(mean|var|std)\(.*dtype='[iu]\d'")
_REAL_OUT = re.compile(r"\.(divide|true_divide|multiply|power)\.reduce\(.*out=")  # of complex numbers
_INTEGER_LOOPS = re.compile(r"\.(bitwise_\w+|gcd|lcm)\.reduce\(")


def _partial_results_in_out(case, statement, difference, names) -> bool:
    """Floats reduced into an integer out=; or integers reduced into an out= that holds no -1, or no
    value with all bits of an unsigned integer set."""
    if difference.kind == "value" and _INTEGER_DEVIATIONS.search(statement) and (
            "nan" in statement and "out=" in statement or re.search(r"\bnan\b", str(case)) is not None):
        return True
    if difference.kind == "value" and _INTEGER_LOOPS.search(statement):
        return getattr(getattr(difference.theirs, "dtype", None), "kind", "") in "fcu"
    if difference.kind == "value" and _DIVIDED_REDUCTIONS.search(statement):
        return getattr(getattr(difference.theirs, "dtype", None), "kind", "") in "biu"
    if difference.kind == "value" and _REAL_OUT.search(statement):
        return any(getattr(getattr(v, "dtype", None), "kind", "") == "c" for v in names.values())
    return (difference.kind == "value" and getattr(getattr(difference.theirs, "dtype", None), "kind", "") in "biu"
            and _REDUCTIONS.search(statement) is not None
            and (re.search(r"dtype=|initial=", statement) is not None
                 or any(getattr(getattr(v, "dtype", None), "kind", "") in "fc" for v in names.values())))


_ORDERED = re.compile(r"\w+ = (np\.(copy|array|as\w*array|\w+_like|ravel|reshape|astype)|[a-w]\.(copy|astype|ravel|reshape|transpose))\(")


def _undocumented_layout(case, statement, difference, names) -> bool:
    """NumPy documents the layout of results of functions with order=, and of views."""
    return difference.kind == "layout" and _ORDERED.match(statement) is None


def _quotient_of_infinity(case, statement, d, names):
    if d.kind != "value" or not re.search(r"floor_?div|//", statement):
        return False
    ours, theirs = as_numpy(d.ours), as_numpy(d.theirs)
    same = (ours == theirs) | (numpy.isnan(ours) & numpy.isnan(theirs))
    return bool((same | (numpy.isinf(ours) & numpy.isnan(theirs)) | ((ours == 0) & (theirs == -1))).all())


def _infinite_complex(case, statement, difference, names) -> bool:
    return difference.kind == "value" and any(
        isinstance(v, (numpy.ndarray, numpy.generic, complex)) and numpy.asarray(v).dtype.kind == "c" and not numpy.isfinite(v).all() for v in names.values())


def _searching_the_unsorted(case, statement, difference, names) -> bool:
    return difference.kind == "value" and re.search(r"searchsorted|digitize|interp|histogram", statement) is not None


def _short_floats(case, statement, difference, names) -> bool:
    """A loop of short floats with a wider out=: torch_np computes 16-bit integers in float32, and
    8-bit integers and bools in NumPy's float16."""
    dtypes = {str(getattr(v, "dtype", "")) for v in names.values()}
    coarse = 4e-3 if dtypes & {"bool", "uint8", "int8", "float16"} or re.search(r"\((True|False)|'f2'", statement) else (
        1e-5 if dtypes & {"float32", "complex64", "int16", "uint16"} or re.search("'(f4|c8)'", statement) else None)
    if difference.kind != "value" or coarse is None:
        return False
    try:
        t, o = (numpy.asarray(x, complex) for x in (difference.theirs, difference.ours))
    except (TypeError, ValueError):
        return False
    if t.shape == o.shape and coarse > 1e-3:  # values that are too large for float16
        o = numpy.where(numpy.isinf(t.real) & (numpy.abs(o) > 65504), t, o)
    return t.shape == o.shape and numpy.allclose(t, o, rtol=coarse, atol=coarse, equal_nan=True)


def _infinity_without_weight(case, statement, difference, names) -> bool:
    """NumPy computes 0 * infinity here. Our result is NumPy's result with 1000 for infinity: the
    element that has all the weight."""
    if difference.kind != "value" or re.search(r"(quantile|percentile)\(", statement) is None:
        return False
    finite = {k: numpy.nan_to_num(v, nan=numpy.nan, posinf=1e3, neginf=-1e3) if isinstance(v, (numpy.ndarray, numpy.generic)) and v.dtype.kind == "f" else v
              for k, v in names.items()} | {"inf": 1e3}
    try:
        exec(statement, finite)  # noqa: S102  (our own text)
        theirs, ours, wanted = (numpy.asarray(as_numpy(x), float) for x in (difference.theirs, difference.ours, finite[statement.partition(" = ")[0]]))
    except Exception:  # noqa: BLE001
        return False
    differ = numpy.isnan(theirs) & ~numpy.isnan(ours)
    return bool(differ.any()) and numpy.allclose(ours[differ], wanted[differ]) and close(theirs[~differ], ours[~differ], 1e3)


def _cast_of_what_does_not_fit(case, statement, difference, names) -> bool:
    """NaN, an infinity or too large a float, cast to an integer. C leaves the result undefined, and
    NumPy's own loops differ."""
    if difference.kind != "value" or not isinstance(difference.theirs, (numpy.ndarray, numpy.generic)):
        return False
    theirs, ours = numpy.asarray(difference.theirs), numpy.asarray(as_numpy(difference.ours))
    if theirs.dtype.kind not in "iu" or theirs.shape != ours.shape:
        return False
    floats = [v for k, v in names.items() if isinstance(v, (numpy.ndarray, numpy.generic, float, complex)) and numpy.asarray(v).dtype.kind in "fc"]
    not_finite = re.search(r"\b(nan|inf)\b", str(case)) is not None or any(not numpy.isfinite(v).all() for v in floats)
    differ = theirs != ours
    info = numpy.iinfo(theirs.dtype)
    usual = [0, info.min, info.max, 2**31 % (int(info.max) + 1), 2**63 % (int(info.max) + 1)]
    computed = re.search(r"\b(nan)?(mean|var|std)\(", statement) is not None  # with such an integer, in several steps
    if re.search(r"(sum|prod|accumulate|reduce|reduceat)\(", statement) is not None and "dtype=" in statement:
        return not_finite  # such an integer, and sums that contain it
    return not_finite and all(int(x) in usual for x in theirs[differ].ravel()) and (computed or all(int(x) in usual for x in ours[differ].ravel()))


def _not_unique(case, statement, difference, names) -> bool:
    """assume_unique=True with elements that are not unique, or with several axes, which NumPy does
    not ravel before its search."""
    found = re.search(r"(in1d|isin|setdiff1d|setxor1d|intersect1d)\((?:\w+=)?(\w+), (?:\w+=)?(\w+), (?:assume_unique=)?True", statement)
    operands = [numpy.asarray(names.get(name, 0)) for name in found.groups()[1:]] if found else []
    return any(x.ndim > 1 or numpy.unique(x).size < x.size for x in operands)


def _same_eigenvalues(case, statement, difference, names) -> bool:
    """The eigenvalues in another order; or real ones where the other side has complex ones with
    imaginary parts at rounding level, because eigenvalues coincide."""
    if difference.kind not in ("value", "dtype") or re.search(r"linalg\.(eigvals|eig)\(|roots\(", statement) is None:
        return False
    pair = [x[0] if isinstance(x, tuple) else x for x in (difference.theirs, difference.ours)]
    t, o = (numpy.asarray(as_numpy(x)) for x in pair)
    coarse = 1e-2 if t.dtype.char in "fF" else 1e-5
    size = max(1.0, float(abs(t).max())) if t.size else 1.0
    left = list(o.ravel())
    for x in t.ravel():
        nearest = min(left, key=lambda y: abs(x - y), default=None)
        if nearest is None or not abs(x - nearest) <= coarse * size:
            return False
        left.remove(nearest)
    return not left


def _running_float16(case, statement, difference, names) -> bool:
    """NumPy rounds each step of a running product or sum to float16; torch_np's steps are in
    float32. An intermediate value that is too large for float16 makes NumPy's later elements
    infinite or NaN."""
    theirs = difference.theirs
    return (difference.kind == "value" and getattr(theirs, "dtype", None) == numpy.float16 and not numpy.isfinite(theirs).all()
            and re.search(r"cum(ulative_)?(prod|sum)\(|\.accumulate\(", statement) is not None)


def _zero_times_overflow(case, statement, difference, names) -> bool:
    """A product of a zero and of numbers whose own product overflows: 0 or NaN, depending on the
    order."""
    if difference.kind != "value" or re.search(r"prod\(|multiply\.reduce", statement) is None:
        return False
    t, o = (numpy.asarray(as_numpy(x)) for x in (difference.theirs, difference.ours))
    if t.shape != o.shape or t.dtype.kind not in "fc":
        return False
    differ = ~((t == o) | (numpy.isnan(t) & numpy.isnan(o)))
    return bool((numpy.isnan(t) ^ numpy.isnan(o))[differ].all()) and any(isinstance(v, numpy.ndarray) and (v == 0).any() for v in names.values())


def _transform_of_infinity(case, statement, difference, names) -> bool:
    """Elements differ only where ours are not finite, and every line that is finite in NumPy's
    result is correct."""
    if difference.kind != "value" or re.search(r"fft\.\w+\(", statement) is None:
        return False
    t, o = (numpy.asarray(as_numpy(x)) for x in (difference.theirs, difference.ours))
    if t.shape != o.shape or not t.ndim or numpy.isfinite(t).all():
        return False
    with numpy.errstate(all="ignore"):
        same = (t == o) | ~numpy.isfinite(o) | (numpy.abs(t - o) <= 1e-3 * numpy.abs(t).max(initial=1, where=numpy.isfinite(t)))
    return bool(same.all()) and not (numpy.isfinite(t).all(axis=-1) & ~numpy.isfinite(o).all(axis=-1)).any()


EXPLAINED = [
    Explained("conversion of floats beyond the range of integers", "C11, 6.3.1.4: undefined", _cast_of_what_does_not_fit),
    Explained("assume_unique of elements that are not unique", "numpy.setdiff1d, assume_unique: 'If True, the input arrays are both assumed to be unique'", _not_unique),
    Explained("order of eigenvalues, and whether equal ones are real", "numpy.linalg.eigvals: 'not necessarily ordered'", _same_eigenvalues),
    Explained("running products of float16 in float32", "the docstring of cumsum: 16-bit floats accumulate in float32", _running_float16),
    Explained("copies onto itself", "NumPy does not check mask and flags if source and destination are the same", _matches("refused", r"copyto\((dst=)?(\w+), (src=)?\2\b")),
    Explained("NumPy's matmul drops a core dimension that out= lacks", "numpy.matmul, out: 'It must have a shape that matches the signature'",
              lambda case, statement, d, names: d.kind == "refused" and re.search(r"matmul\((\w+, \w+, |.*out=)", statement) is not None
              and "mismatch in its core dimension" in str(d.ours)),
    Explained("an operand that is out= and broadcast, too", "NumPy's generalized ufuncs read what they wrote",
              _matches("value", r"(vecdot|matvec|vecmat)\((?=\w+, \w+).*\b(\w+)\b.*(, |out=)\2\b")),
    Explained("transforms of nothing", "NumPy's read memory as they find it", lambda case, statement, d, names:
              d.kind == "value" and re.search(r"fft\.\w+\(", statement) is not None and not numpy.any(as_numpy(d.ours))
              and any(isinstance(v, numpy.ndarray) and v.size == 0 for v in names.values())),
    Explained("transforms of nothing into out=", "NumPy gives another array back", lambda case, statement, d, names:
              d.kind in ("dtype", "value") and re.search(r"fft\.\w+\(.*out=", statement) is not None
              and any(isinstance(v, numpy.ndarray) and (v.size == 0 or v.ndim == 0) for v in names.values())),
    Explained("zero times a value that overflows", "numpy.ufunc.reduce leaves the order of operations open", _zero_times_overflow),
    Explained("transforms of infinite numbers", "which sums are infinite and which NaN depends on the order of additions", _transform_of_infinity),
    Explained("running sums with an initial element, into out= of another shape", "numpy.cumulative_sum, out: 'must have the same shape'",
              lambda case, statement, d, names: d.kind == "refused" and "out=" in statement and "include_initial=True" in statement
              and "could not broadcast input array" in str(d.ours)),
    Explained("NumPy does not check the weights if there are no elements", "numpy.histogramdd, weights: '(N,) array_like'", lambda case, statement, d, names:
              d.kind == "refused" and re.search(r"histogram\w*\(.*weights=", statement) is not None and "array is 0-dimensional" in str(d.ours)),
    Explained("initial= of extrema is one number of the dtype that is computed in", "torch_np.amax: an out= of another dtype takes no part in promotion",
              _matches("value", r"(a?max|a?min)\((.*out=.*initial=|.*initial=.*out=|[^,]+, [^,]+, [a-w]\d?\b.*initial=)")),
    Explained("polynomials of several dimensions", "numpy.polydiv: 'input polynomials', which are 1-d", lambda case, statement, d, names:
              d.kind in ("shape", "value", "accepted") and re.search(r"poly(div|mul|add|sub|der|int)\(", statement) is not None
              and any(isinstance(v, numpy.ndarray) and v.ndim > 1 for v in names.values())),
    Explained("ranges to a complex64 number", "NumPy drops its imaginary part, with a warning; not that of a complex128 number",
              lambda case, statement, d, names: d.kind in ("shape", "value") and "arange(" in statement
              and any(getattr(v, "dtype", None) == numpy.complex64 for v in names.values())),
    Explained("ranges from an unsigned array", "NumPy takes its first number for a signed one: numpy.arange(numpy.uint64(2**64 - 1), 10) begins at -1",
              lambda case, statement, d, names: d.kind in ("shape", "value", "accepted") and "arange(" in statement
              and any(getattr(getattr(v, "dtype", None), "kind", "") == "u" for v in names.values())),
    Explained("a SystemError of NumPy", "'returned NULL without setting an exception': a defect of its own", lambda case, statement, d, names:
              d.kind in ("exception class", "accepted") and isinstance(d.theirs, SystemError)),
    Explained("NumPy's place reads what it wrote", "numpy.place, vals: 'values to put into `arr`'", _matches("value", r"place\((arr=)?(\w+), (mask=)?\w+, (vals=)?\2\)")),
    Explained("dot with the number 0", "BLAS writes zeros, also for 0 * infinity", lambda case, statement, d, names:
              d.kind == "value" and re.search(r"(\.?dot|inner)\(", statement) is not None and not numpy.any(d.theirs) and numpy.isnan(as_numpy(d.ours)).any()),
    Explained("extrema of a NaN that is no array, with initial=", "numpy.nanmax skips NaN by the class of its argument",
              _matches("value", r"nan(max|min)\((nan|\[.*)\b.*initial=")),
    Explained("raises NotImplementedError", "README.md: 'not there'", lambda case, statement, d, names: isinstance(d.ours, NotImplementedError)),
    Explained("dtype that torch_np has not", "README.md: 'not there'", _unsupported_dtype),
    Explained("uninitialised memory", "numpy.empty; numpy.ufunc, where: 'will remain uninitialized'",
              lambda case, statement, d, names: d.kind == "value" and re.search(r"\bempty(_like)?\(|'empty'|where=(?!True)", str(case)) is not None),
    Explained("deprecated in NumPy", "its warning", _deprecated),
    Explained("layout that NumPy does not document", "NumPy's user guide, 'no particular memory order can be assumed'", _undocumented_layout),
    Explained("vectors that are unique up to phases", "numpy.linalg.svd, eigh: Notes", _matches("value", r"(eigh|eig|svd|qr|lstsq|svd|polyfit|multivariate_normal)\(")),
    Explained("order that NumPy leaves open", "numpy.partition: 'undefined order'; numpy.sort, kind: not stable", _matches("value", r"(arg)?partition\(|argsort\(")),
    Explained("small integers in float16", "NumPy computes floats of 8-bit integers in float16, also for a wider out=", _short_floats),
    Explained("NumPy's vector loops of arctan2 and power misread what they write", "the definition of ufunc.reduce: a fold from the left",
              _matches("value", r"(atan2|arctan2|pow|power|float_power)\.(reduce|accumulate|reduceat)\(")),
    Explained("floor division of and by infinities", "the Python array API standard, floor_divide: special cases", _quotient_of_infinity),
    Explained("a call that raises may have written", "ours looks first", lambda case, statement, d, names: d.after_errors),
    Explained("infinite complex numbers", "C99, annex G: which part is NaN depends on the formula", _infinite_complex),
    Explained("searches in unsorted arrays", "numpy.searchsorted: 'must be sorted'", _searching_the_unsorted),
    Explained("order of unique values", "numpy.unique_values: not sorted; numpy.unique, sorted=False", _matches("value", r"unique_values\(|sorted=False")),
    Explained("order of several NaNs among unique values", "numpy.unique, equal_nan=False; its sort is not stable", lambda case, statement, d, names:
              d.kind == "value" and re.search(r"unique_(inverse|all)\(|unique\(.*equal_nan=False", statement) is not None
              and re.search(r"\bnan\b", str(case)) is not None),
    Explained("ufunc.at of small integers", "NumPy computes them in float16, and rounds each step to the integer", _matches("value", r"\.at\(")),
    Explained("out= that is larger than the result", "assigned to as `x[...] = ` does; NumPy writes a part", _matches("value", r"(quantile|percentile|median)\(.*out=|median\([^,]+, (\([^)]*\)|[^,]+), [a-w]\d?\b|(quantile|percentile)\([^,]+, (\[[^]]*\]|[^,]+), (\([^)]*\)|[^,]+), [a-w]\d?\b")),
    Explained("complex histograms", "NumPy takes the real part, with a ComplexWarning", _matches("dtype value", r"histogram\w*\(")),
    Explained("products with Python numbers", "a number takes the dtype of the array, as in ufuncs", _matches("dtype", r"(dot|inner|outer|kron|vdot|ldexp)\(")),
    Explained("NumPy pads no bits with memory as it finds it", "numpy.unpackbits, count: 'add zero padding to the output'", lambda case, statement, d, names:
              d.kind == "value" and re.search(r"unpackbits\(.*, ", statement) is not None and not numpy.any(as_numpy(d.ours))),
    Explained("overwrite_input leaves anything", "numpy.quantile: 'the contents are undefined'", _matches("value", OVERWRITING)),
    Explained("whether a matrix is singular", "depends on rounding in the last pivot", _matches("accepted refused", r"linalg\.\w*(inv|solve)\(|matrix_power")),
    Explained("LAPACK libraries treat NaN and infinity differently", "numpy.linalg.cholesky: of Hermitian positive-definite matrices", lambda case, statement, d, names:
              (d.kind in ("accepted", "refused") and re.search(r"(cholesky|svd)\(", statement) or d.kind == "value" and re.search(r"(solve|inv|matrix_power)\(", statement))
              and re.search(r"\b(nan|inf)\b", str(case)) is not None),
    Explained("meshgrid of nothing", "a list in NumPy, where it is a tuple otherwise", _matches("structure", r"meshgrid\(")),
    Explained("matrix_power(a, 1) is a copy", "numpy.linalg.matrix_power does not say", _matches("sharing writeable", r"matrix_power\(")),
    Explained("broadcast arrays are read-only", "numpy.broadcast_arrays: writing warns and will be refused", _matches("writeable", r"(broadcast_arrays|meshgrid)\(")),
    Explained("condition of singular matrices, and multiple roots", "rounding, enlarged without limit", _matches("value", r"(cond|roots|pinv|inv|matrix_rank|det)\(")),
    Explained("as_strided without strides", "NumPy takes the array for a dense one", _matches("value shape", r"as_strided\(")),
    Explained("quantiles at an element beside an infinity", "numpy.quantile: 'the same as the median if q=0.5'",
              _infinity_without_weight),
    Explained("quantiles of nothing", "NumPy fails in the middle", _matches("shape accepted", r"(quantile|percentile)\(")),
    Explained("NumPy keeps partial results of a reduction in out=, cast to its dtype", "numpy.ufunc.reduce, out: 'a location into which the result is stored'",
              _partial_results_in_out),
    Explained("NumPy takes several positional arguments of choose for the choices", "numpy.ndarray.choose: a.choose(choices, out=None, mode='raise')",
              _matches("accepted refused value shape dtype", r"^(result|v\d) = [a-w]\d?\.choose\(\[[^\]]*\], (?!\w+=)")),
    Explained("NumPy's put_along_axis without an axis writes into a copy", "numpy.put_along_axis, axis: 'the destination array is treated as if it had been flattened'",
              _matches("value accepted", r"put_along_axis\(.*, (axis=)?None\)$")),
    Explained("resize of a 0-d shape", "torch_np keeps the array", _matches("shape", r"resize\(\(\)")),
    Explained("NumPy's choose leaves an out= that is not contiguous as it was", "numpy.choose, out: 'the result will be inserted into this array'",
              _matches("value", r"choose\(.*out=.*mode='(wrap|clip)'")),
    Explained("resize to a negative size", "NumPy checks the product only: a.resize(0, -1) has the shape (0, -1)",
              lambda case, statement, d, names: d.kind == "refused" and "resize(" in statement and "negative dimensions" in str(d.ours)),
    Explained("out= of transforms over no axes", "NumPy does not write it", _matches("value", r"fft\.\w+\(.*out=")),
]


def explanation(case: Case, statement: str, difference: Difference, names: dict) -> str | None:
    if (known := next((f"known defect: {reason}" for kinds, pattern, reason in KNOWN
                       if difference.kind in kinds.split() and re.search(pattern, statement)), None)) is not None:
        return known
    if difference.kind == "accepted":
        text = f"{type(difference.theirs).__name__}: {difference.theirs}"
        reason = next((f"more lenient: {reason}" for pattern, reason in LENIENT if re.search(pattern, text)), None)
        if reason is not None:
            return reason
    if difference.kind == "refused":
        text = f"{type(difference.ours).__name__}: {difference.ours}"
        reason = next((f"stricter: {reason}" for pattern, reason in STRICTER if re.search(pattern, text)), None)
        if reason is not None:
            return reason
    return next((e.reason for e in EXPLAINED if e.applies(case, statement, difference, names)), None)


# For gradients: a pattern of the case's text, an arrow and the finding; the kind of finding, and
# the reason.
GRADIENTS: list[tuple[str, str, str]] = [
    (r"where=(?!True)|empty", "value gradient, not a number, second derivative", "uninitialised memory"),
    (OVERWRITING, "value gradient, not a number, second derivative", "numpy.median: 'the contents are undefined'"),
    (r"from_dlpack", "gradient no second derivative", "DLPack has no graphs: an imported array is a leaf, as in PyTorch"),
    (r"\] [-+*/]?= |\.(zero_|copy_)\(", "not a number", "0 times NaN, where the overwritten elements were NaN: docs/autograd.md"),
    (r"(\w+) -= \1\b|operator\.sub\((\w+), \2\)|(\w+)\.sub_\(\3\)", "not a number",
     "0 times infinity: x - x is exactly 0, where roots, powers and logarithms have infinite derivatives"),
    (r"np\.unique_values\(|np\.unique\(.*sorted=False", "value", "order of unique values: numpy.unique_values, 'not sorted'"),
    (r"linalg\.eigvals\(|roots\(", "value", "order of eigenvalues: numpy.linalg.eigvals, 'not necessarily ordered'"),
    (r"(arg)?partition\(", "value", "order that NumPy leaves open: numpy.partition, 'undefined order'"),
    (r"(np\.resize\(.*, \(4, 4\)\)|broadcast_to\().*(det|cond|pinv)\(", "value gradient, not a number, second derivative", "condition of singular matrices"),
    (r"broadcast_to\(.*corrcoef\(", "value gradient, not a number", "correlations of equal elements: rounding divided by rounding"),
    (r"linalg\.qr\(.* -> LinAlgError: Singular matrix", "backward raises, second backward raises", "the derivative of qr needs columns that are independent"),
    (r"(linalg\.\w*(inv|solve)|matrix_power)\(.* -> LinAlgError: .*Singular matrix", "refused", "whether a matrix is singular depends on rounding"),
    (r"\.view\(v\d\).* -> TypeError: view\(\)", "refused", "recorded 0-d results are arrays, not dtypes: docs/design.md, 'Values'"),
    (r"np\.interp\([^;]*period=", "value gradient", "places that the period makes equal come in no certain order: numpy.interp, xp"),
    (r"\.conj(ugate)?\(\).* [-+*/]= ", "value", "0-d results are values, where NumPy's conjugate of a real array is the array: docs/design.md, 'Values'"),
    (r"copyto\((dst=)?(\w+), (src=)?\2\b", "refused", "copies onto itself: NumPy does not check the mask"),
    (r"matmul\((\w+, \w+, |.*out=).* -> .*mismatch in its core dimension", "refused", "NumPy's matmul drops a core dimension that out= lacks"),
    (r"(vecdot|matvec|vecmat)\((?=\w+, \w+)[^;]*\b(\w+)\b[^;]*(, |out=)\2\b", "value", "NumPy's generalized ufuncs read what they wrote"),
    (r"\.(arc|a)tan2\.(reduce|accumulate|reduceat)\(|pow(er)?\.(reduce|accumulate|reduceat)\(", "value",
     "NumPy's vector loops of arctan2 and power misread what they write"),
    (r"\b(operator|np|torch_np)\.(float_)?pow(er)?\(|\.pow_\(|\*\*=", "not a number", "powers of negative numbers have no derivative by the exponent: docs/autograd.md"),
    (r"place\((arr=)?(\w+), (mask=)?\w+, (vals=)?\2\)", "value", "NumPy's place reads what it wrote"),
    (r"trim_zeros\(", "gradient", "trimming next to an element that is 0 changes the shape"),
    (r"histogram\w*\(.*weights=.* -> .*array is 0-dimensional", "refused", "NumPy does not check the weights if there are no elements"),
    (r"floor_?div|//", "value gradient", "floor division of and by infinities: the Python array API standard, floor_divide"),
    (r"linalg\.(eigh|eig|svd|qr)\(", "value gradient, not a number, second derivative", "vectors that are unique up to phases: docs/autograd.md"),
]


def gradient_explanation(text: str, kind: str, detail: str) -> str | None:
    if kind == "refused":  # as for calls without gradients
        reason = next((f"stricter: {reason}" for pattern, reason in STRICTER if re.search(pattern, detail)), None)
        if reason is not None:
            return reason
    return next((reason for pattern, kinds, reason in GRADIENTS if kind in kinds and re.search(pattern, f"{text} -> {detail}")), None)


# Operators whose name has another meaning in PyTorch, and that meaning.
MEANS_SOMETHING_ELSE = {
    "var": "PyTorch divides by n - 1 unless told otherwise (torch.var, correction=1)",
    "std": "as var",
}


def means_something_else(name: str) -> bool:
    return name in MEANS_SOMETHING_ELSE


# For the Tensor face: a pattern of the call, an arrow and the error of one of the faces; the kinds
# of difference, and the reason.
TENSOR = [
    (r"dim=\(\)", "shape value accepted refused", "no axes are all axes (torch.sum and others: dim=() reduces all; NumPy: none)"),
    (r"torch_np\.mean\(", "refused", "torch.mean takes floating and complex dtypes only"),
    (r"torch_np\.imag\(", "refused", "torch.imag takes complex dtypes only"),
    (r"torch_np\.tri[lu]\(", "refused", "torch.tril, triu: 'input must have at least two dimensions'"),
    (r"torch_np\.(sub|neg)\(", "refused", "torch.sub: 'Subtraction with a bool tensor is not supported'"),
    (r"torch_np\.(sign|sgn)\(", "accepted", "torch.sign and torch.sgn of bools are bools"),
    (r"ZeroDivisionError", "refused", "integers divided by zero raise (torch.floor_divide, remainder, fmod); NumPy warns"),
    (r"torch_np\.(logaddexp|silu)\(.*complex", "accepted", "torch.logaddexp takes complex numbers"),
    (r"torch_np\.(maximum|minimum|fmax|fmin)\(.* -> TypeError: .*not implemented for complex", "refused", "PyTorch does not order complex numbers"),
    (r"torch_np\.(floor|ceil|trunc|fix|round|abs|absolute|frac)\(.* -> NotImplementedError: .*not implemented for bool", "refused", "torch.floor, ceil, trunc, round, abs take no bools"),
    (r"torch_np\.pow\(", "accepted", "powers of integers to negative elements of a tensor are truncated"),
    (r"empty", "value", "uninitialised memory"),
    (r"torch_np\.pow\(", "refused", "negative integer exponents are refused before they are cast to an unsigned dtype"),
    (r"linalg\.solve\(", "shape accepted", "torch.linalg.solve takes a stack of vectors where the shapes allow"),
    (r"transpose\(|cumprod\(|cumsum\(", "accepted shape", "a 0-d tensor accepts dim=0 and dim=-1 (torch.Tensor.dim)"),
    (r"(left|right)_shift", "refused", "PyTorch has no shifts of bools"),
    (r"torch_np\.v?dot\(.* -> RuntimeError: .*1D tensors expected", "refused", "torch.dot and torch.vdot take vectors only"),
    (r"torch_np\.outer\(.* -> RuntimeError: .*must have 1 dimensions", "refused", "torch.outer takes vectors only"),
    (r"torch_np\.fft\..* -> NotImplementedError: .*must not be of float16", "refused", "PyTorch has no transforms of 16-bit floats on the CPU"),
    (r"torch_np\.take\(.* -> RuntimeError: .*expected index of int64", "refused", "torch.take: 'Expected a long tensor for index'"),
    (r"torch_np\.linalg\..* -> NotImplementedError: .*(float16 is unsupported in linalg|of floats (or|and) complex numbers|with a bool tensor|Expected a floating point or complex tensor)", "refused", "torch.linalg takes float32, float64 and complex numbers only"),
]


def tensor_explanation(case: Case, kind: str, error: Exception | None = None) -> str | None:
    text = f"{case.call} -> {type(error).__name__}: {error}"
    return next((reason for pattern, kinds, reason in TENSOR if kind in kinds and re.search(pattern, text)), None)
