"""Plausible arguments, drawn by parameter name, so that random calls get past argument checks."""
from __future__ import annotations

import re

from fuzz.arrays import ArrayDraw
from fuzz.surface import EMPTY, Parameter

# Parameter names and their values: source texts to choose from, or the name of a method of Draw.
AXIS = ["0", "-1", "1", "None", "0", "-1", "2", "-2", "(0, 1)", "(0,)", "()", "5"]
BOOLEANS = ["True", "False"]
COUNTS = ["1", "2", "3", "0", "4", "5", "-1"]
NUMBERS = ["1", "2.5", "-1.0", "0.5", "0", "3", "100.0"]
SHAPES = ["6", "(6,)", "(2, 3)", "(3, 2)", "(-1,)", "(2, -1)", "-1", "()", "(1, 6)", "(2, 0)", "0", "(3, 4)", "(2, 2, 3)", "12"]
PLAUSIBLE: dict[str, list[str] | str] = {
    "axis": AXIS, "dim": AXIS, "axes": ["(0, 1)", "(1, 0)", "None", "1", "2", "([1], [0])", "(0, 2, 1)", "[0]", "0"], "axisa": AXIS, "axisb": AXIS,
    "axisc": AXIS, "axis1": ["0", "1", "-1", "2"], "axis2": ["1", "0", "-1", "2"], "dim0": ["0", "1", "-1"], "dim1": ["0", "1", "-1"],
    "dims": ["(3, 4)", "(0, 1)", "(1, 0)", "0", "(2, 3, 4)"], "source": ["0", "1", "-1", "(0, 1)"], "destination": ["0", "1", "-1", "(1, 0)"],
    "start": ["0", "1", "2", "-1"], "stop": ["5", "1.5", "0", "-3", "10"], "step": ["1", "2", "0.5", "-1"], "base": ["10.0", "2"],
    "dtype": "dtype_text", "otypes": ["'d'", "None"], "out": "out", "where": "mask", "condition": "mask", "condlist": "masks", "mask": "mask",
    "keepdims": BOOLEANS, "keepdim": BOOLEANS, "copy": ["True", "False", "None"], "subok": BOOLEANS, "endpoint": BOOLEANS, "retstep": BOOLEANS,
    "return_index": BOOLEANS, "return_inverse": BOOLEANS, "return_counts": BOOLEANS, "return_indices": BOOLEANS, "sorted": BOOLEANS,
    "equal_nan": BOOLEANS, "assume_unique": BOOLEANS, "invert": BOOLEANS, "increasing": BOOLEANS, "density": BOOLEANS, "rowvar": BOOLEANS,
    "bias": BOOLEANS, "full": BOOLEANS, "cov": BOOLEANS, "returned": BOOLEANS, "hermitian": BOOLEANS, "full_matrices": BOOLEANS,
    "compute_uv": BOOLEANS, "upper": BOOLEANS, "replace": BOOLEANS, "shuffle": BOOLEANS, "sparse": BOOLEANS, "wrap": BOOLEANS, "right": BOOLEANS,
    "overwrite_input": BOOLEANS, "offset": ["0", "1", "-1", "2"], "k": ["0", "1", "-1", "2", "-3"], "initial": NUMBERS, "ddof": ["0", "1", "2", "0.5"],
    "correction": ["0", "1"], "order": ["'C'", "'F'", "'A'", "'K'", "None"], "kind": ["None", "'quicksort'", "'stable'", "'heapsort'", "'mergesort'"],
    "stable": ["True", "None"], "side": ["'left'", "'right'"], "method": ["'linear'", "'lower'", "'higher'", "'nearest'", "'midpoint'",
        "'hazen'", "'weibull'", "'median_unbiased'", "'inverted_cdf'", "'closest_observation'", "'interpolated_inverted_cdf'"],
    "mode": ["'raise'", "'wrap'", "'clip'"], "casting": ["'same_kind'", "'unsafe'", "'safe'", "'no'", "'equiv'"], "shape": SHAPES, "newshape": SHAPES,
    "new_shape": SHAPES, "size": ["None", "3", "(2, 3)", "()", "0", "(2, 0)", "-1"], "repeats": ["2", "0", "[1, 2]", "[1, 0, 2]", "[2]"],
    "reps": ["2", "(2, 1)", "(1, 2, 2)", "0", "()"], "n": COUNTS, "N": COUNTS, "M": COUNTS, "num": COUNTS + ["7"], "m": COUNTS, "p": ["0.3", "0.5", "[0.2, 0.8]"],
    "decimals": ["0", "1", "2", "-1"], "shift": ["1", "-2", "(1, 2)", "7"], "indices": "indices", "index": "indices", "ind": "indices", "obj": "indices",
    "indices_or_sections": ["2", "3", "[1]", "[1, 2]", "[0, 5]", "0"], "multi_index": ["([0, 1], [1, 2])", "([0], [3])", "(0, 1)"],
    "kth": ["0", "1", "-1", "[0, 2]"], "q": ["50", "0.25", "[0.1, 0.5]", "[25, 75]", "1.0", "0", "100"], "ord": ["None", "1", "2", "-1", "-2", "inf", "-inf",
        "0", "3", "'fro'", "'nuc'"], "norm": ["None", "'ortho'", "'forward'", "'backward'"], "s": ["None", "(2, 3)", "(4,)", "(3, 3)"],
    "bins": ["3", "10", "[0, 1, 3]", "'auto'", "'sturges'", "[0.0, 2.0, 1.0]"], "range": ["None", "(0, 5)", "(0.0, 1.5)"], "UPLO": ["'L'", "'U'"],
    "rcond": ["None", "1e-10", "0.1"], "rtol": ["None", "1e-5", "0.1"], "atol": ["1e-8", "0.5"], "tol": ["None", "0.1"], "deg": ["1", "2", "0"],
    "like": ["None"], "ndmin": ["0", "2", "3"], "minlength": ["0", "5"], "nan": NUMBERS, "posinf": ["None", "7.0"], "neginf": ["None", "-7.0"],
    "fill_value": NUMBERS, "discont": ["None", "4.0"], "period": ["6.0", "4"], "dx": ["1.0", "0.5"], "a_min": NUMBERS + ["None"], "a_max": NUMBERS + ["None"],
    "min": NUMBERS + ["None"], "max": NUMBERS + ["None"], "lower": NUMBERS, "varargs": ["1", "2.0"], "edge_order": ["1", "2"], "window_shape": ["2", "(2, 2)", "3"],
    "pad_width": ["1", "(1, 2)", "((1, 0), (0, 2))", "0", "3"], "constant_values": ["0", "1.5", "(1, 2)"], "end_values": ["0", "2.5"], "stat_length": ["None", "2"],
    "reflect_type": ["'even'", "'odd'"], "subscripts": ["'ij,jk->ik'", "'ii'", "'i,i'", "'ij->ji'", "'i->'", "'...i,...i'", "'ij,ij->i'"],
    "optimize": ["False", "True", "'greedy'", "'optimal'"], "trim": ["'fb'", "'f'", "'b'"], "func": ["abs"], "pyfunc": ["abs"], "requirements": ["None", "'C'", "'F'", "['W']"],
    "object": "array_like", "ndim": ["2", "3"], "kappa": ["1.5"], "device": ["None", "'cpu'"], "seed": ["3", "None", "[1, 2]"], "key": "key",
    "axis_": AXIS, "prepend": ["1", "0.5"], "append": ["1", "2"], "to_end": ["None", "[7]"], "to_begin": ["None", "[8, 9]"], "left": ["None", "-5.0"],
    "sorter": ["None"], "signature": ["None"], "refcheck": ["False"], "rowvar_": BOOLEANS, "string": ["'1 2 3'"], "sep": ["' '"], "buffer": ["bytes(range(48))"],
    "count": ["-1", "2"], "bitorder": ["'big'", "'little'"], "beta": ["1.5", "8.6", "0"], "xi": "array", "diagonal": ["0", "1", "-1"],
}
# Exceptions for single functions: (function pattern, parameter) and its values.
PARTICULAR: list[tuple[str, str, list[str] | str]] = [
    (r"convolve|correlate", "mode", ["'full'", "'same'", "'valid'"]),
    (r"\.pad$", "mode", ["'constant'", "'edge'", "'reflect'", "'symmetric'", "'wrap'", "'linear_ramp'", "'maximum'", "'mean'", "'median'", "'minimum'", "'empty'"]),
    (r"\.qr$", "mode", ["'reduced'", "'complete'", "'r'"]),
    (r"nanquantile|\.quantile", "q", ["0.25", "[0.1, 0.5]", "0", "1", "0.9", "[[0.3], [0.7]]"]),
    (r"percentile", "q", ["25", "[10, 50]", "0", "100", "66.6"]),
    (r"in1d|isin", "kind", ["None", "'sort'", "'table'"]),
    (r"random", "shape", ["1.5", "2.0", "[0.5, 2.0]"]), (r"random", "scale", ["1.0", "2.5", "[1.0, 2.0]"]), (r"random", "loc", ["0.0", "-1.5"]),
    (r"random", "low", ["0", "-3", "1.5"]), (r"random", "high", ["5", "10", "None"]), (r"random", "lam", ["1.0", "7.5", "30.0", "[1.0, 50.0]"]),
    (r"random", "n", ["5", "20", "100"]), (r"random", "p", ["0.3", "0.5", "0.9"]), (r"random", "a", ["1.5", "5", "[1, 2, 3]", "0.7"]),
    (r"random", "b", ["2.0", "0.6"]), (r"random", "(df|dfnum|dfden)", ["2.0", "5.5"]), (r"random", "nonc", ["0.5", "2.0"]), (r"random", "alpha", ["[1.0, 2.0]"]),
    (r"random", "mean", ["1.5", "[0.0, 1.0]"]), (r"random", "cov", ["[[2.0, 0.5], [0.5, 1.0]]"]), (r"random", "sigma", ["1.0", "0.5"]),
    (r"random", "mu", ["0.5"]), (r"random", "left", ["0.0"]), (r"random", "(mode|right)", ["1.0", "2.0"]), (r"random", "pvals", ["[0.2, 0.3, 0.5]"]),
    (r"random", "(ngood|nbad|nsample)", ["4", "9"]), (r"random", "colors", ["[3, 4, 5]"]), (r"random", "length", ["5"]), (r"random", "x", ["5", "[1, 2, 3, 4]"]),
    (r"random", "dtype", ["'f4'", "'f8'", "'i4'", "'u1'", "'i8'"]), (r"random", "method", ["'zig'", "'inv'", "'svd'", "'count'", "'marginals'"]),
    (r"(linspace|logspace|geomspace)$", "start", ["1", "0.5", "[1.0, 2.0]"]), (r"(linspace|logspace|geomspace)$", "stop", ["5", "2.5", "[7.0, 8.0]"]),
    (r"linalg\.(?!norm|vector|cross|outer|tensordot|vecdot|multi_dot|diagonal|trace|matmul)", "(a|x|A|M|m)", "matrix"), (r"(det|inv|eig|cholesky|slogdet|matrix_power)", "a", "matrix"),
    (r"solve", "a", "matrix"), (r"(solve|lstsq)", "b", "matrix_or_vector"), (r"matrix_power|multi_dot", "n", COUNTS), (r"multi_dot", "arrays", "chain"),
    (r"searchsorted|digitize|interp", "(a|bins|xp)", "increasing"), (r"interp$", "fp", "increasing"), (r"bincount", "x", "nonnegative"),
    (r"(choose|choice)", "choices", "arrays"), (r"select$", "choicelist", "arrays"), (r"(unravel_index|ravel_multi_index)", "(shape|dims)", ["(3, 4)", "12"]),
    (r"(stack|concat|concatenate|block|vstack|hstack|dstack|column_stack|cat|lexsort|broadcast_tensors|meshgrid)$", "(tup|arrays|arys|seq|tensors|keys|xi)", "arrays"),
    (r"(eye|identity|tri)$", "(N|M|n)", ["3", "4", "0", "None"]), (r"(hanning|hamming|blackman|bartlett|kaiser)", "M", ["5", "8", "1", "0"]),
    (r"(tril|triu)_indices", "(n|m)", ["3", "4"]), (r"poly", "(p|p1|p2|a1|a2|u|v|c_or_r|seq_of_zeros)", "vector"), (r"roots", "p", "vector"),
    (r"(left|right)_shift|ldexp", "x2", "shifts"), (r"fft", "n", ["None", "4", "3", "7"]), (r"\.at$", "indices", ["0", "[0, 0]", "[1, -1]", "slice(None)", "(0, 1)"]),
    (r"reduceat", "indices", ["[0]", "[0, 1]", "[1, 0]", "[0, 2, 1]"]), (r"take_along_axis|put_along_axis|gather|scatter", "(indices|index)", "index_array"),
    (r"\.clip$", "(min|max|a_min|a_max)", "bound"), (r"unwrap", "period", ["6.0"]), (r"(packbits|unpackbits)", "a", "bytes_array"), (r"flip|rot90|roll$", "(axis|axes)", ["0", "1", "(0, 1)", "None"]),
    (r"expand_dims|unsqueeze|squeeze", "axis", ["0", "-1", "(0, 1)", "1"]), (r"broadcast_to", "shape", ["(2, 3)", "(4, 2, 3)", "(3,)", "(3, 3)"]),
    (r"\.(full|ones|zeros|empty)$", "shape", ["3", "(2, 3)", "()", "(0, 2)"]), (r"(tensor)?split|array_split", "indices_or_sections", ["2", "3", "[1]", "[1, 2]"]),
    (r"view$", "dtype", ["'u1'", "'i4'", "'i8'", "'f4'"]), (r"vander", "x", "vector"), (r"(trapezoid|gradient|convolve|correlate)", "(a|v|x)", "vector"),
]
# Parameters for NumPy's internal use, which may give uninitialized memory or arbitrary results.
PRIVATE = {("np.einsum_path", "einsum_call"), ("setflags", "uic")}
_COMPILED = [(re.compile(function), re.compile(parameter), values) for function, parameter, values in PARTICULAR]
_CHOICES: dict[tuple[str, str], list[str] | str | None] = {}


def plausible(function: str, parameter: str) -> list[str] | str | None:
    """Source texts, the name of a method of Draw, or None if the name is unknown."""
    key = (function, parameter)
    if key not in _CHOICES:
        _CHOICES[key] = next((values for f, p, values in _COMPILED if p.fullmatch(parameter) and f.search(function)), PLAUSIBLE.get(parameter))
    return _CHOICES[key]


class Draw(ArrayDraw):
    """Draws the arguments of one call. `setup` collects the statements that make its arrays."""

    def argument(self, function: str, parameter: Parameter) -> str:
        choices = plausible(function, parameter.name)
        if isinstance(choices, list):
            return self.random.choice(choices)
        if choices is not None:
            return getattr(self, choices)()
        if isinstance(parameter.default, bool):
            return self.random.choice(BOOLEANS)
        if isinstance(parameter.default, (int, float)):
            return self.random.choice([repr(parameter.default), *COUNTS])
        if parameter.default is None or isinstance(parameter.default, str) or parameter.default is EMPTY:
            return self.array()
        return "None"

    def arguments(self, function: str, parameters: tuple[Parameter, ...], optional: float = 0.25) -> list[tuple[str | None, str]]:
        """(keyword or None, source) for all required parameters and some of the others."""
        drawn: list[tuple[str | None, str]] = []
        by_position = True
        for p in parameters:
            # None has no signature
            if p.kind == "VAR_KEYWORD" or p.name == "signature" or (function, p.name) in PRIVATE:
                continue
            if p.kind == "VAR_POSITIONAL":
                if by_position:
                    drawn += [(None, self.argument(function, p)) for _ in range(self.random.choice([1, 1, 2, 3]))]
                by_position = False
                continue
            if not p.required and self.random.random() > optional:
                by_position = False
                continue
            source = self.argument(function, p)
            if p.kind == "KEYWORD_ONLY" or not by_position:
                if p.kind != "POSITIONAL_ONLY":
                    drawn.append((p.name, source))
                by_position = False
            else:
                by_keyword = p.kind == "POSITIONAL_OR_KEYWORD" and self.random.random() < 0.05
                drawn.append((p.name if by_keyword else None, source))
                by_position = not by_keyword
        return drawn
