"""Calls of every public function of torch_np.numpy with arguments that gradients may flow to.
test_gradients_reach.py runs them.

CALLS: name -> (function, argument, ...), or a list of such tuples. The arguments are nested lists
of floats or complex numbers. They are converted to arrays that require grad, and `function` is
called with them. NO_ARGUMENT: functions without such an argument, by reason.
"""

import io

import torch_np.numpy as np

S = 0.7  # a number
V, W = [0.3, -1.2, 2.1, 0.8], [1.1, 0.4, -0.6, 1.7]
P = [0.3, 1.2, 2.1, 0.8]  # positive
UP = [0.1, 0.5, 1.3, 2.0]  # ascending
M, N = [[0.3, -1.2, 2.1], [0.8, 0.55, -0.4]], [[1.3, 0.2, -1.1], [0.6, 1.5, 0.9]]
Q = [[2.0, 0.3], [0.4, 1.5]]  # square, and not symmetric
R = [[2.0, 0.3, 0.1], [0.4, 1.5, -0.2], [0.7, -0.6, 1.2]]
SYM = [[2.0, 0.3], [0.3, 1.5]]
T3 = [[[0.3, -1.2], [0.8, 0.5]], [[1.3, 0.2], [0.6, 1.5]]]
Z = [0.3 + 1.1j, -1.2 + 0.4j, 2.1 - 0.7j]
ZM = [[2.0 + 1j, 0.3], [0.4 - 0.5j, 1.5j]]
MASK = np.array([True, False, True, True])


def written(write):
    """A copy of the first argument after `write(copy, ...)`."""

    def call(x, *rest):
        y = x * 1
        write(y, *rest)
        return y

    return call


def _symmetric(function):
    """Symmetrises the argument: factorisations of symmetric matrices read one triangle, and finite
    differences move one element of it."""
    return lambda a: function((a + np.swapaxes(a, -1, -2)) / 2)


CALLS = {
    # --- elements
    "angle": [(np.angle, Z), (lambda x: np.angle(x, deg=True), V)],
    "around": (np.around, V),
    "round": (np.round, V),
    "clip": [(lambda x, a, b: np.clip(x, a, b), V, -0.5, 1.0)],
    "fix": (np.fix, V),
    "i0": (np.i0, V),
    "imag": (np.imag, Z),
    "real": (np.real, Z),
    "real_if_close": [(np.real_if_close, V), (np.real_if_close, [1 + 0j, 2 + 0j])],
    "sinc": (np.sinc, V),
    "nan_to_num": [(np.nan_to_num, V), (np.nan_to_num, Z), (lambda x, v: np.nan_to_num(np.where(MASK, x, np.nan), nan=v), V, S)],
    "unwrap": [(lambda x: np.unwrap(x * 4), V), (lambda x, p: np.unwrap(x * 4, period=p), V, 5.0)],
    "copy": (np.copy, V),
    "astype": [(lambda x: np.astype(x, np.complex128), V), (lambda x: np.astype(x, np.float64), V)],
    "isclose": (np.isclose, V, W),
    "iscomplex": (np.iscomplex, Z),
    "isreal": (np.isreal, Z),
    "isneginf": (np.isneginf, V),
    "isposinf": (np.isposinf, V),
    "allclose": (np.allclose, V, W),
    "array_equal": (np.array_equal, V, W),
    "array_equiv": (np.array_equiv, V, W),
    "iscomplexobj": (np.iscomplexobj, V),
    "isrealobj": (np.isrealobj, V),
    "isfortran": (np.isfortran, M),
    "isscalar": (np.isscalar, S),
    "iterable": (np.iterable, V),
    "ndim": (np.ndim, V),
    "shape": (np.shape, V),
    "size": (np.size, V),
    "where": [(lambda x, y: np.where(MASK, x, y), V, W), (np.where, V)],
    "select": (lambda x, y, d: np.select([MASK, ~MASK], [x, y], d), V, W, S),
    "piecewise": (lambda x: np.piecewise(x, [MASK], [lambda v: v * v, 3.0]), V),
    "choose": (lambda x, y: np.choose([0, 1, 1, 0], [x, y]), V, W),
    "interp": [
        (np.interp, [0.2, 0.9], UP, V),
        (lambda x, a, b: np.interp(x, UP, V, left=a, right=b), [-5.0, 0.3, 9.0], S, 2.0),
        (lambda x, f: np.interp(x, UP, f, period=2.5), [0.2, 0.9, 3.1], V),
    ],
    # --- creation
    "array": [(np.array, V), (lambda x: np.array([x[0], 2.0, x[1] * x[2]]), V), (lambda x: np.array([[x, x * 2]]), V)],
    "asarray": (lambda x: np.asarray([x[0], x[1]]), V),
    "asanyarray": (lambda x: np.asanyarray([x, x * x]), V),
    "ascontiguousarray": (lambda x: np.ascontiguousarray(x.T), M),
    "asfortranarray": (np.asfortranarray, M),
    "asarray_chkfinite": (np.asarray_chkfinite, V),
    "require": (lambda x: np.require(x.T, requirements="C"), M),
    "arange": (lambda a, s: np.arange(a, 2.9, s), 0.3, 0.45),
    "linspace": [(lambda a, b: np.linspace(a, b, 5), 0.3, 2.0), (lambda a, b: np.linspace(a, b, 4, retstep=True), V, W)],
    "logspace": [(lambda a, b: np.logspace(a, b, 3), 0.3, 0.9), (lambda a, b, c: np.logspace(a, b, 3, base=c), 0.3, 0.9, 2.5)],
    "geomspace": (lambda a, b: np.geomspace(a, b, 4), 0.3, 0.9),
    "full": (lambda v: np.full((2, 3), v), S),
    "full_like": (lambda x, v: np.full_like(x, v), M, S),
    "fromfunction": (lambda x: np.fromfunction(lambda i: x[i.astype(int)] * i, (4,)), V),
    "fromiter": (lambda x: np.fromiter((v * v for v in x), float), V),
    "kaiser": (lambda b: np.kaiser(5, b), 2.5),
    "meshgrid": (np.meshgrid, V, [1.0, 2.0]),
    "ix_": (lambda x: np.ix_(x), V),
    "vander": (np.vander, V),
    "diag": [(np.diag, V), (np.diag, R)],
    "diagflat": (np.diagflat, V),
    "tril": (np.tril, R),
    "triu": (np.triu, R),
    "asmatrix": (lambda x: np.asmatrix(x), M),
    "block": (lambda x, y: np.block([[x, y], [y, x]]), Q, SYM),
    "bmat": (lambda x, y: np.bmat([[x, y], [y, x]]), Q, SYM),
    "from_dlpack": (np.from_dlpack, V),
    "frombuffer": (lambda x: np.frombuffer(x), V),
    "zeros_like": (np.zeros_like, V),
    "ones_like": (np.ones_like, V),
    "empty_like": (np.empty_like, V),
    # --- joining, shape, indexing
    "append": (np.append, V, W),
    "concatenate": (lambda x, y: np.concatenate([x, y]), V, W),
    "concat": (lambda x, y: np.concat([x, y]), V, W),
    "stack": (lambda x, y: np.stack([x, y]), V, W),
    "vstack": (lambda x, y: np.vstack([x, y]), V, W),
    "row_stack": (lambda x, y: np.row_stack([x, y]), V, W),
    "hstack": (lambda x, y: np.hstack([x, y]), V, W),
    "dstack": (lambda x, y: np.dstack([x, y]), V, W),
    "column_stack": (lambda x, y: np.column_stack([x, y]), V, W),
    "split": (lambda x: np.split(x, 2), V),
    "array_split": (lambda x: np.array_split(x, 3), V),
    "hsplit": (lambda x: np.hsplit(x, 2), V),
    "vsplit": (lambda x: np.vsplit(x, 2), M),
    "dsplit": (lambda x: np.dsplit(x, 2), T3),
    "unstack": (np.unstack, M),
    "atleast_1d": (np.atleast_1d, S),
    "atleast_2d": (np.atleast_2d, V),
    "atleast_3d": (np.atleast_3d, V),
    "broadcast_arrays": (np.broadcast_arrays, V, [[1.0], [2.0]]),
    "broadcast_to": (lambda x: np.broadcast_to(x, (2, 4)), V),
    "expand_dims": (lambda x: np.expand_dims(x, 0), V),
    "squeeze": (np.squeeze, [V]),
    "ravel": (np.ravel, M),
    "reshape": (lambda x: np.reshape(x, (3, 2)), M),
    "resize": (lambda x: np.resize(x, (3, 3)), M),
    "transpose": (np.transpose, M),
    "permute_dims": (np.permute_dims, M),
    "matrix_transpose": (np.matrix_transpose, M),
    "moveaxis": (lambda x: np.moveaxis(x, 0, 1), M),
    "rollaxis": (lambda x: np.rollaxis(x, 1), M),
    "swapaxes": (lambda x: np.swapaxes(x, 0, 1), M),
    "flip": (np.flip, M),
    "fliplr": (np.fliplr, M),
    "flipud": (np.flipud, M),
    "roll": (lambda x: np.roll(x, 2), M),
    "rot90": (np.rot90, M),
    "tile": (lambda x: np.tile(x, 2), M),
    "repeat": (lambda x: np.repeat(x, 2), M),
    "pad": [
        (lambda x, v: np.pad(x, 1, constant_values=v), M, S),
        (lambda x, v: np.pad(x, 1, "linear_ramp", end_values=v), M, S),
        *[
            (lambda x, mode=mode: np.pad(x, 1, mode), M)
            for mode in ("edge", "maximum", "mean", "median", "minimum", "reflect", "symmetric", "wrap")
        ],
    ],
    "delete": (lambda x: np.delete(x, 1), V),
    "insert": (lambda x, v: np.insert(x, 1, v), V, S),
    "trim_zeros": (lambda x: np.trim_zeros(np.pad(x, 1)), V),
    "take": (lambda x: np.take(x, [0, 2, 2]), V),
    "take_along_axis": (lambda x: np.take_along_axis(x, np.array([[0], [2]]), 1), M),
    "compress": (lambda x: np.compress(MASK, x), V),
    "extract": (lambda x: np.extract(MASK, x), V),
    "diagonal": (np.diagonal, R),
    "argwhere": (np.argwhere, V),
    "nonzero": (np.nonzero, V),
    "flatnonzero": (np.flatnonzero, V),
    "searchsorted": (np.searchsorted, UP, V),
    "digitize": (lambda x, b: np.digitize(x, b), V, UP),
    "copyto": (written(lambda y, v: np.copyto(y, v)), V, W),
    "put": (written(lambda y, v: np.put(y, [0, 2], v)), V, [1.0, 2.0]),
    "put_along_axis": (written(lambda y, v: np.put_along_axis(y, np.array([[0], [2]]), v, 1)), M, S),
    "place": (written(lambda y, v: np.place(y, MASK, v)), V, [1.0, 2.0]),
    "putmask": (written(lambda y, v: np.putmask(y, MASK, v)), V, W),
    "fill_diagonal": (written(lambda y, v: np.fill_diagonal(y, v)), R, S),
    "apply_along_axis": (lambda x: np.apply_along_axis(lambda v: v * v.sum(), 1, x), M),
    "apply_over_axes": (lambda x: np.apply_over_axes(np.sum, x, [0]), M),
    # --- reductions
    "sum": [(np.sum, M), (lambda x, i: np.sum(x, 1, initial=i), M, S)],
    "prod": [(np.prod, M), (lambda x, i: np.prod(x, 1, initial=i), M, S)],
    "max": [(np.max, M), (lambda x, i: np.max(x, 1, initial=i), M, 9.0)],
    "min": (lambda x, i: np.min(x, 1, initial=i), M, -9.0),
    "amax": (np.amax, M),
    "amin": (np.amin, M),
    "ptp": (np.ptp, M),
    "mean": (np.mean, M),
    "average": (lambda x, w: np.average(x, weights=w, returned=True), V, P),
    "std": [(np.std, M), (lambda x, m: np.std(x, mean=m), V, [0.5])],
    "var": [(np.var, M), (lambda x, m: np.var(x, mean=m), V, [0.5])],
    "median": (np.median, V),
    "all": (np.all, V),
    "any": (np.any, V),
    "argmax": (np.argmax, V),
    "argmin": (np.argmin, V),
    "count_nonzero": (np.count_nonzero, V),
    "percentile": (np.percentile, V, 30.0),
    "quantile": [(np.quantile, V, 0.3), (lambda x, w: np.quantile(x, 0.3, method="inverted_cdf", weights=w), V, P)],
    "cumsum": (np.cumsum, V),
    "cumprod": (np.cumprod, V),
    "cumulative_sum": (lambda x: np.cumulative_sum(x, include_initial=True), V),
    "cumulative_prod": (lambda x: np.cumulative_prod(x, include_initial=True), V),
    "nansum": (lambda x, i: np.nansum(x, initial=i), V, S),
    "nanprod": (np.nanprod, V),
    "nanmax": (np.nanmax, V),
    "nanmin": (np.nanmin, V),
    "nanmean": (np.nanmean, V),
    "nanstd": (np.nanstd, V),
    "nanvar": [(np.nanvar, V), (lambda x, d: np.nanvar(x, ddof=d), V, 0.5)],
    "nanmedian": (np.nanmedian, V),
    "nanpercentile": (np.nanpercentile, V, 30.0),
    "nanquantile": (np.nanquantile, V, 0.3),
    "nancumsum": (np.nancumsum, V),
    "nancumprod": (np.nancumprod, V),
    "nanargmax": (np.nanargmax, V),
    "nanargmin": (np.nanargmin, V),
    "trace": (np.trace, R),
    "cov": [(np.cov, M, N), (lambda x, w: np.cov(x, aweights=w), M, [1.0, 2.0, 0.5])],
    "corrcoef": (np.corrcoef, M),
    "bincount": (lambda w: np.bincount([0, 1, 1, 2], w), V),
    "histogram": [(lambda x: np.histogram(x, 3), V), (lambda x, w: np.histogram(x, 3, weights=w, density=True), V, P)],
    "histogram2d": (lambda x, y: np.histogram2d(x, y, 2), V, W),
    "histogramdd": (lambda x, w: np.histogramdd([x, x * x], 2, density=True, weights=w), V, P),
    "histogram_bin_edges": [(np.histogram_bin_edges, V), (lambda x: np.histogram_bin_edges(x, "scott"), V)],
    # --- sorting and sets
    "sort": (np.sort, V),
    "argsort": (np.argsort, V),
    "sort_complex": (np.sort_complex, V),
    "partition": (lambda x: np.partition(x, 2), V),
    "argpartition": (lambda x: np.argpartition(x, 2), V),
    "lexsort": (lambda x: np.lexsort((x,)), V),
    "unique": (np.unique, V),
    "unique_values": (np.unique_values, V),
    "unique_all": (np.unique_all, V),
    "unique_counts": (np.unique_counts, V),
    "unique_inverse": (np.unique_inverse, V),
    "union1d": (np.union1d, V, W),
    "intersect1d": (lambda x: np.intersect1d(x, x), V),
    "setdiff1d": (np.setdiff1d, V, W),
    "setxor1d": (np.setxor1d, V, W),
    "isin": (np.isin, V, W),
    # --- products and calculus
    "dot": (np.dot, V, W),
    "inner": (np.inner, V, W),
    "outer": (np.outer, V, W),
    "kron": (np.kron, V, W),
    "cross": (np.cross, V[:3], W[:3]),
    "vdot": (np.vdot, Z, Z),
    "tensordot": (lambda x, y: np.tensordot(x, y, 1), Q, SYM),
    "einsum": (lambda x, y: np.einsum("i,i->", x, y), V, W),
    "convolve": (np.convolve, V, W),
    "correlate": (np.correlate, V, W),
    "diff": [(np.diff, V), (lambda x, a: np.diff(x, prepend=a), V, S)],
    "ediff1d": (lambda x, a: np.ediff1d(x, to_begin=a), V, [0.5]),
    "gradient": [(np.gradient, V), (lambda x, h: np.gradient(x, h), V, 0.5), (lambda x, h: np.gradient(x, h), V, UP)],
    "trapezoid": [(np.trapezoid, V), (lambda y, x: np.trapezoid(y, x), V, UP), (lambda y, d: np.trapezoid(y, dx=d), V, 0.5)],
    # --- polynomials
    "poly": [(np.poly, V), (np.poly, Q)],
    "polyadd": (np.polyadd, V, W),
    "polysub": (np.polysub, V, W),
    "polymul": (np.polymul, V, W),
    "polydiv": (np.polydiv, V, [1.5, 0.5]),
    "polyder": (np.polyder, V),
    "polyint": (lambda p, k: np.polyint(p, k=k), V, 0.5),
    "polyval": (np.polyval, V, W),
    "polyfit": [(lambda x, y: np.polyfit(x, y, 1), UP, V), (lambda x, y, w: np.polyfit(x, y, 1, w=w, cov=True), UP, V, P)],
    "roots": (np.roots, [1.0, -3.0, 1.1]),
    "poly1d": (lambda c, x: np.poly1d(c)(x), V, W),
    # --- functions with callbacks
    "vectorize": (lambda x: np.vectorize(lambda v: v * v)(x), V),
    "ndenumerate": (lambda x: [v for _, v in np.ndenumerate(x)], V),
    "broadcast": (lambda x, y: [a * b for a, b in np.broadcast(x, y)], V, W),
    "flatiter": (lambda x: x.flat[1:3], M),
    # --- text
    "array2string": (np.array2string, V),
    "array_repr": (np.array_repr, V),
    "array_str": (np.array_str, V),
    "format_float_positional": (np.format_float_positional, S),
    "format_float_scientific": (np.format_float_scientific, S),
    "save": (lambda x: np.save(io.BytesIO(), x), V),
    "savez": (lambda x: np.savez(io.BytesIO(), x), V),
    "savez_compressed": (lambda x: np.savez_compressed(io.BytesIO(), x), V),
    "savetxt": (lambda x: np.savetxt(io.BytesIO(), x), V),
    "may_share_memory": (np.may_share_memory, V, W),
    "shares_memory": (np.shares_memory, V, W),
    "min_scalar_type": (np.min_scalar_type, V),
    "result_type": (np.result_type, V),
    "common_type": (np.common_type, V),
    "can_cast": (lambda x: np.can_cast(x.dtype, "f4"), V),
    "einsum_path": (lambda x, y: np.einsum_path("i,i->", x, y), V, W),
    # --- linalg
    "linalg.cholesky": (_symmetric(np.linalg.cholesky), SYM),
    "linalg.cond": [(np.linalg.cond, Q), (lambda a: np.linalg.cond(a, 1), Q)],
    "linalg.cross": (np.linalg.cross, V[:3], W[:3]),
    "linalg.det": (np.linalg.det, Q),
    "linalg.diagonal": (np.linalg.diagonal, R),
    "linalg.eig": (lambda a: np.linalg.eig(a)[0], Q),
    "linalg.eigh": (_symmetric(lambda a: np.linalg.eigh(a)[0]), SYM),
    "linalg.eigvals": (np.linalg.eigvals, Q),
    "linalg.eigvalsh": (_symmetric(np.linalg.eigvalsh), SYM),
    "linalg.inv": (np.linalg.inv, Q),
    "linalg.lstsq": (lambda a, b: list(np.linalg.lstsq(a, b)), [list(row) for row in zip(*N)], V[:3]),
    "linalg.matmul": (np.linalg.matmul, Q, SYM),
    "linalg.matrix_norm": [(np.linalg.matrix_norm, M), (lambda a: np.linalg.matrix_norm(a, ord=2), M)],
    "linalg.matrix_power": (lambda a: np.linalg.matrix_power(a, -2), Q),
    "linalg.matrix_rank": (np.linalg.matrix_rank, Q),
    "linalg.matrix_transpose": (np.linalg.matrix_transpose, M),
    "linalg.multi_dot": (lambda a, b, c: np.linalg.multi_dot([a, b, c]), Q, SYM, M),
    "linalg.norm": [
        (np.linalg.norm, V),
        (lambda a: np.linalg.norm(a, "nuc"), M),
        (lambda a: np.linalg.norm(a, 1), M),
        (lambda a: np.linalg.norm(a, 3), V),
    ],
    "linalg.outer": (np.linalg.outer, V, W),
    "linalg.pinv": (np.linalg.pinv, M),
    "linalg.qr": [(lambda a: list(np.linalg.qr(a)), Q), (lambda a: list(np.linalg.qr(a)), M), (lambda a: np.linalg.qr(a, "r"), Q)],
    "linalg.slogdet": (lambda a: list(np.linalg.slogdet(a)), Q),
    "linalg.solve": (np.linalg.solve, Q, [1.0, 2.0]),
    "linalg.svd": [(lambda a: np.linalg.svd(a)[1], M), (lambda a: np.linalg.svd(a, compute_uv=False), M)],
    "linalg.svdvals": (np.linalg.svdvals, M),
    "linalg.tensordot": (lambda x, y: np.linalg.tensordot(x, y, axes=1), Q, SYM),
    "linalg.tensorinv": (lambda a: np.linalg.tensorinv(a, ind=1), Q),
    "linalg.tensorsolve": (np.linalg.tensorsolve, Q, [1.0, 2.0]),
    "linalg.trace": (np.linalg.trace, R),
    "linalg.vecdot": (np.linalg.vecdot, V, W),
    "linalg.vector_norm": [(np.linalg.vector_norm, V), (lambda x: np.linalg.vector_norm(x, ord=3), V)],
    # --- fft
    **{f"fft.{name}": (getattr(np.fft, name), V) for name in ("fft", "ifft", "rfft", "ihfft", "fftshift", "ifftshift")},
    **{f"fft.{name}": (getattr(np.fft, name), Z) for name in ("hfft", "irfft")},
    **{f"fft.{name}": (getattr(np.fft, name), M) for name in ("fft2", "ifft2", "fftn", "ifftn", "rfft2", "rfftn")},
    **{f"fft.{name}": (getattr(np.fft, name), ZM) for name in ("irfft2", "irfftn")},
    "fft.fftfreq": (lambda d: np.fft.fftfreq(4, d), 0.5),
    "fft.rfftfreq": (lambda d: np.fft.rfftfreq(4, d), 0.5),
    # --- emath: real and complex results of the same functions
    **{f"emath.{name}": (getattr(np.emath, name), V) for name in ("sqrt", "log", "log2", "log10", "arccos", "arcsin", "arctanh")},
    "emath.logn": (np.emath.logn, 2.5, V),
    "emath.power": (np.emath.power, V, 1.5),
    # --- lib
    "lib.stride_tricks.as_strided": (lambda x: np.lib.stride_tricks.as_strided(x, (2, 2), (8, 16)), V),
    "lib.stride_tricks.sliding_window_view": (lambda x: np.lib.stride_tricks.sliding_window_view(x, 2), V),
    "lib.array_utils.byte_bounds": (np.lib.array_utils.byte_bounds, V),
}

# Methods and properties of ndarray.
_SAME = """all any argmax argmin argsort astype choose clip compress conj conjugate copy cumprod cumsum diagonal dot flatten item max
mean min nonzero prod ravel repeat reshape round searchsorted squeeze std sum swapaxes take trace transpose var view argpartition"""
_ARGUMENTS = {
    "astype": (np.float64,),
    "choose": None,
    "compress": None,
    "dot": None,
    "repeat": (2,),
    "reshape": ((-1,),),
    "searchsorted": None,
    "swapaxes": (0, 1),
    "take": ([1, 2],),
    "clip": (-0.5, 1.0),
    "argpartition": (1,),
    "item": (0,),
    "diagonal": None,
    "trace": None,
}
for _name in _SAME.split():
    _rest = _ARGUMENTS.get(_name, ())
    if _rest is not None and _name != "item":
        CALLS[f"ndarray.{_name}"] = (lambda x, name=_name, rest=_rest: getattr(x, name)(*rest), M)
CALLS |= {
    "ndarray.choose": (lambda x, y: np.array([0, 1]).choose([x, y]), V[:2], W[:2]),
    "ndarray.compress": (lambda x: x.compress(MASK), V),
    "ndarray.dot": (lambda x, y: x.dot(y), V, W),
    "ndarray.searchsorted": (lambda x, v: x.searchsorted(v), UP, V),
    "ndarray.diagonal": (lambda x: x.diagonal(), R),
    "ndarray.trace": (lambda x: x.trace(), R),
    "ndarray.T": (lambda x: x.T, M),
    "ndarray.mT": (lambda x: x.mT, M),
    "ndarray.real": (lambda x: x.real, Z),
    "ndarray.imag": (lambda x: x.imag, Z),
    "ndarray.flat": (lambda x: x.flat[:], M),
    "ndarray.data": (lambda x: memoryview(x.data), V),
    "ndarray.byteswap": (lambda x: x.byteswap(), V),
    "ndarray.fill": (written(lambda y, v: y.fill(v)), V, S),
    "ndarray.put": (written(lambda y, v: y.put([1], v)), V, [1.5]),
    "ndarray.sort": (written(lambda y: y.sort()), V),
    "ndarray.partition": (written(lambda y: y.partition(2)), V),
    "ndarray.resize": (written(lambda y: y.resize((2, 2))), V),
    "ndarray.tobytes": (lambda x: x.tobytes(), V),
    "ndarray.tofile": (lambda x: x.tofile("/dev/null"), V),
    "ndarray.dumps": (lambda x: x.dumps(), V),
    "ndarray.dump": (lambda x: x.dump(io.BytesIO()), V),
    "ndarray.to_device": (lambda x: x.to_device("cpu"), V),
    "ndarray.base": (lambda x: (x * 1)[1:].base, V),
    "ndarray.as_integer_ratio": (lambda x: x.as_integer_ratio(), S),
    "ndarray.is_integer": (lambda x: x.is_integer(), S),
    "ndarray.bit_count": (lambda x: np.array(3).bit_count(), S),
    "ndarray.flags": (lambda x: x.flags, V),
    "ndarray.item": (lambda x: x.item(1), V),
    "ndarray.tolist": (lambda x: x.tolist(), V),
}

# ufuncs and their methods: the arguments lie in the `domain` of their operator, or in (0.2, 0.9).
UFUNC_VALUES = {"arccosh": (1.2, 3.0), "acosh": (1.2, 3.0)}
UFUNC_CALLS = {
    "ldexp": (lambda x: np.ldexp(x, [1, 2, 3]), V[:3]),
    "power": (np.power, P, W),
    "pow": (np.pow, P, W),
    "float_power": (np.float_power, P, W),
    "matmul": (np.matmul, Q, SYM),
    "vecdot": (np.vecdot, V, W),
    "matvec": (np.matvec, Q, V[:2]),
    "vecmat": (np.vecmat, V[:2], Q),
    "arctan2": (np.arctan2, V, W),
    "atan2": (np.atan2, V, W),
}

# Functions without an argument that a gradient can flow to, by reason.
NO_ARGUMENT = {
    "takes shapes, counts or indices": """
        base_repr binary_repr broadcast_shapes bartlett blackman hamming hanning diag_indices diag_indices_from empty eye identity
        indices mask_indices ndindex ones ravel_multi_index tri tril_indices tril_indices_from triu_indices triu_indices_from
        unravel_index zeros ndarray.shape ndarray.size ndarray.strides ndarray.ndim
        ndarray.itemsize ndarray.nbytes ndarray.dtype ndarray.device ndarray.setflags""",
    "takes integers": "packbits unpackbits",
    "takes dtypes or names": "isdtype issubdtype mintypecode promote_types typename",
    "reads files or text": "fromfile fromstring genfromtxt load loadtxt NpzFile",
    "is NumPy's, of text, dates and records, or of the installation": """
        busday_count busday_offset datetime_as_string datetime_data fromregex get_include info is_busday isnat show_config show_runtime test""",
    "takes a function": "frompyfunc",
    "refuses arrays with gradients (test_modules.py)": "nditer nested_iters ndarray.ctypes ndarray.getfield ndarray.setfield",
    "is about printing and errors": """
        get_printoptions getbufsize geterr geterrcall printoptions set_printoptions setbufsize seterr seterrcall""",
}
NO_ARGUMENT = {name: reason for reason, names in NO_ARGUMENT.items() for name in names.split()}

# Random numbers: floats among the parameters require grad.
RANDOM = {
    "normal": (0.5, 1.0, 3),
    "uniform": (0.5, 1.0, 3),
    "beta": (1.5, 2.0, 3),
    "gamma": (1.5, 2.0, 3),
    "exponential": (1.5, 3),
    "chisquare": (1.5, 3),
    "f": (4.0, 5.0, 3),
    "gumbel": (0.5, 1.0, 3),
    "laplace": (0.5, 1.0, 3),
    "logistic": (0.5, 1.0, 3),
    "lognormal": (0.5, 1.0, 3),
    "noncentral_chisquare": (1.5, 2.0, 3),
    "noncentral_f": (4.0, 5.0, 1.0, 3),
    "pareto": (1.5, 3),
    "power": (1.5, 3),
    "rayleigh": (1.5, 3),
    "standard_gamma": (1.5, 3),
    "standard_t": (1.5, 3),
    "triangular": (0.5, 1.0, 2.0, 3),
    "vonmises": (0.5, 1.0, 3),
    "wald": (0.5, 1.0, 3),
    "weibull": (1.5, 3),
    "binomial": (5, 0.5, 3),
    "geometric": (0.5, 3),
    "hypergeometric": (5, 5, 3, 3),
    "logseries": (0.5, 3),
    "negative_binomial": (1.5, 0.5, 3),
    "poisson": (1.5, 3),
    "zipf": (1.5, 3),
    "choice": (V, 2),
    "permutation": (V,),
    "permuted": (V,),
    "shuffle": (V,),
    "dirichlet": ([1.5, 2.0], 3),
    "multinomial": (5, [0.3, 0.7]),
    "multivariate_normal": ([0.5, 1.0], SYM),
}
RANDOM_WITHOUT_PARAMETERS = set(
    """bit_generator bytes integers multivariate_hypergeometric random randint random_integers random_sample ranf sample rand randn
    seed get_state set_state get_bit_generator set_bit_generator default_rng standard_normal standard_exponential standard_cauchy
    spawn""".split()
)
