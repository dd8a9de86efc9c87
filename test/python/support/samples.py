"""Sample calls for the operators that operator_cases.py cannot call from their schema alone.

One entry per operator (`name` or `name.overload` of native_functions.yaml): a function of `make`
that returns cases. The `call` of a Case takes the differentiable arrays, in the type under test,
and runs the operator. Hidden operators are called through the public ones that use them.

`make(*shape, low=, high=)` draws a float64 or complex128 leaf; see operator_cases.Maker.

A subject with many operators has its own file, samples_<subject>.py: a dictionary SAMPLES, and, if
needed, the sets REAL_ONLY (operators whose hand-written kernels accept no complex numbers, though
their entry cannot declare it) and WITHOUT_COMPLEX (operators that accept them, but whose samples
correctly leave them out).
"""

from __future__ import annotations

import importlib
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, field

import torch_np


@dataclass
class Case:
    inputs: list
    call: Callable
    kinds: str = "real complex"     # of the inputs' dtypes
    second: bool = True             # whether the second derivative is checked
    id: str = field(default="")


def integers(make, values):
    return make.constant(values, "int64")


def bools(make, values):
    return make.constant(values, "bool")


def assigned(target, key, value):
    target[key] = value
    return target


def layer_normed(make, x, shape, weight, bias):
    result = torch_np.nn.functional.layer_norm(*[make.torch(a) if a is not None and not isinstance(a, tuple) else a
                                                 for a in (x, shape, weight, bias)])
    return result if make.face == "Tensor" else result._np_compat()


def regular(make, a):
    """`a` moved away from singular matrices."""
    return a + make.np.eye(a.shape[-1]) * 4


def coinciding(make, values):
    """A leaf with exactly these values, which have equal eigenvalues or singular values."""
    x = make.constant(values, make.dtype)
    (make.torch(x)).requires_grad = True
    return x


def hermitian(make, a):
    return a + make.np.conj(make.np.swapaxes(a, -1, -2))


def definite(make, a):
    return a @ make.np.conj(make.np.swapaxes(a, -1, -2)) + make.np.eye(a.shape[-1])


def svd_without_phases(make, a):
    u, s, vh = make.np.linalg.svd(a, full_matrices=False)
    return s, u @ vh


def eigen_without_phases(make, pair):
    values, vectors = pair
    return values, abs(vectors) ** 2


SAMPLES = {
    # --- pointwise with operands that the derivative does not depend on
    "where": lambda make: [Case([make(2, 3), make(3)], lambda x, y: make.xp.where(bools(make, [[1, 0, 1], [0, 1, 1]]), x, y)),
                           Case([make(2, 3), make()], lambda x, y: make.xp.where(bools(make, [1, 0, 1]), x, y))],
    # Copies elements between devices. A machine without a GPU never calls it (test_cuda.py does).
    "transfer": lambda make: [Case([make(2, 3)], lambda x: make.torch(x).to(device="cpu", copy=True))],
    "load_exponent": lambda make: [Case([make(3)], lambda x: make.xp.ldexp(x, integers(make, [1, -2, 3])), "real")],
    "round_decimals": lambda make: [Case([make(3)], lambda x: make.np.round(x, 1), "real", second=False)],
    "round_multiple": lambda make: [Case([make(3)], lambda x: make.np.round(x, -1), "real", second=False)],
    "clip_both": lambda make: [Case([make(5), make(), make()], lambda x, a, b: make.np.clip(x, a - 2, b + 2), "real")],
    "clip_both_numbers": lambda make: [Case([make(2, 3)], lambda x: make.torch(x).clamp(-0.5, 0.5), "real")],
    "clip_low_number": lambda make: [Case([make(5)], lambda x: make.torch(x).clamp(min=0.1), "real")],
    "clip_high_number": lambda make: [Case([make(5)], lambda x: make.torch(x).clamp(max=0.1), "real")],
    "clip_low": lambda make: [Case([make(5), make()], lambda x, a: make.np.clip(x, a, None), "real")],
    "clip_high": lambda make: [Case([make(5), make()], lambda x, b: make.np.clip(x, None, b), "real")],

    "trunc_divide": lambda make: [Case([make(3), make(3)], lambda x, y: torch_np.div(make.torch(x), make.torch(y), rounding_mode="trunc"),
                                       "real", second=False)],

    # --- copies
    "cast": lambda make: [Case([make(2, 3)], lambda x: make.astype(x, "complex128"))],
    "copy_": lambda make: [
        Case([make(2, 3), make(3)], lambda x, y: make.copied_into(x * 1, y)),
    ],
    "fill_": lambda make: [Case([make(2, 3)], lambda x: make.filled(x * 1, 3.0) + x)],
    "tril": lambda make: [Case([make(3, 4)], lambda x: make.xp.tril(x, 1)), Case([make(2, 3, 3)], lambda x: make.xp.tril(x, -1))],
    "triu": lambda make: [Case([make(3, 4)], lambda x: make.xp.triu(x, 1)), Case([make(2, 3, 3)], lambda x: make.xp.triu(x, -1))],

    # --- views
    "view": lambda make: [Case([make(2, 6)], lambda x: make.torch(x).view(3, 4)), Case([make(4)], lambda x: make.torch(x).view(-1))],
    "reshape_copy": lambda make: [Case([make(2, 3)], lambda x: make.np.reshape(x, (3, 2), order="F")),
                                  Case([make(2, 3)], lambda x: make.np.reshape(x.T, -1))],
    "alias": lambda make: [Case([make(2, 3)], lambda x: x[...])],
    "permute": lambda make: [Case([make(2, 3, 4)], lambda x: make.torch(x).permute(2, 0, 1)),
                             Case([make(2, 3, 4)], lambda x: make.np.transpose(x, (1, 2, 0)))],
    "squeeze_dims": lambda make: [Case([make(1, 3, 1)], lambda x: make.np.squeeze(x, 0)), Case([make(1, 3, 1)], lambda x: x.squeeze())],
    "unsqueeze": lambda make: [Case([make(2, 3)], lambda x: make.torch(x).unsqueeze(1)), Case([make(2, 3)], lambda x: make.torch(x).unsqueeze(-1))],
    "expand_dims": lambda make: [Case([make(2, 3)], lambda x: make.np.expand_dims(x, (0, 2)))],
    "expand": lambda make: [Case([make(2, 1)], lambda x: make.torch(x).expand(3, 2, 4)), Case([make()], lambda x: make.torch(x).expand(2))],
    "slice": lambda make: [Case([make(5)], lambda x: x[1:4]), Case([make(5, 3)], lambda x: x[::2, 1:]), Case([make(4)], lambda x: x[:0])],
    "slice_backward": lambda make: [Case([make(5, 2)], lambda x: x[1:4:2])],  # the derivative of slice
    "select": lambda make: [Case([make(3, 4)], lambda x: x[1]), Case([make(3, 4)], lambda x: x[:, -1])],
    "select_backward": lambda make: [Case([make(3, 4)], lambda x: x[2])],
    "diagonal": lambda make: [Case([make(3, 4)], lambda x: make.xp.diagonal(x)), Case([make(2, 3, 4)], lambda x: make.xp.diagonal(x, -1, 1, 2))],
    "diagonal_backward": lambda make: [Case([make(3, 4)], lambda x: make.xp.diagonal(x, 1))],
    "flip_view": lambda make: [Case([make(3, 4)], lambda x: make.np.flip(x, 1)), Case([make(3, 4)], lambda x: make.np.flip(x))],
    "as_strided": lambda make: [
        Case([make(6)], lambda x: make.torch(x).as_strided((2, 2), (3, 1), 1)),
        Case([make(5)], lambda x: make.torch(x).as_strided((3, 3), (1, 1))),     # elements overlap
        Case([make(3)], lambda x: make.torch(x).as_strided((2, 3), (0, 1))),
    ],
    "restride": lambda make: [Case([make(6)], lambda x: make.torch(x).as_strided((2, 2), (1, 2)))],
    "view_as_real": lambda make: [Case([make(2, 3)], lambda z: make.torch(z).view_as_real() if hasattr(make.torch(z), "view_as_real")
                                       else torch_np.view_as_real(make.torch(z)), "complex")],
    "view_as_complex": lambda make: [Case([make(3, 2)], lambda x: torch_np.view_as_complex(make.torch(x)), "real")],

    # --- joining, repeating, sorting
    "join": lambda make: [Case([make(2, 3), make(1, 3)], lambda x, y: make.np.concatenate([x, y, x])),
                          Case([make(2, 3), make(2, 3)], lambda x, y: make.xp.stack([x, y], 1))],
    "roll": lambda make: [Case([make(3, 4)], lambda x: make.xp.roll(x, 2)), Case([make(3, 4)], lambda x: make.xp.roll(x, (1, -1), (0, 1)))],
    "repeat_interleave": lambda make: [Case([make(3)], lambda x: make.np.repeat(x, integers(make, [1, 0, 2]))),
                                       Case([make(2, 3)], lambda x: make.np.repeat(x, 2, 1))],
    "sum_repetitions": lambda make: [Case([make(2, 2)], lambda x: make.np.repeat(x, integers(make, [2, 1]), 0))],
    "sort": lambda make: [Case([make(2, 5)], lambda x: make.np.sort(x, 1), "real"), Case([make(4)], lambda x: make.np.sort(x), "real"),
                          Case([make(4)], lambda x: torch_np.sort(make.torch(x), 0, True)[0], "real")],
    "permute_lines": lambda make: [Case([make(3, 4)], lambda x: make.np.sort(x, 0), "real")],

    # --- Fourier transforms: through every public transform that ends in the kernel
    "fft_c2c": lambda make: [Case([make(2, 4)], lambda x: make.np.fft.fft(x)), Case([make(5, 2)], lambda x: make.np.fft.ifft(x, axis=0)),
                             Case([make(4)], lambda x: make.np.fft.fft(x, n=6, norm="ortho"))],
    "fft_r2c": lambda make: [Case([make(2, 4)], lambda x: make.np.fft.rfft(x), "real"), Case([make(5)], lambda x: make.np.fft.rfft(x), "real")],
    "fft_c2r": lambda make: [Case([make(2, 3)], lambda x: make.np.fft.irfft(x)), Case([make(3)], lambda x: make.np.fft.irfft(x, n=5))],

    # --- reductions behind several public functions
    "variance": lambda make: [Case([make(2, 3)], lambda x: make.np.var(x)), Case([make(2, 3)], lambda x: make.np.var(x, axis=1, ddof=1)),
                              Case([make(2, 3)], lambda x: make.np.var(x, where=bools(make, [[1, 1, 0], [0, 1, 1]]))),
                              Case([make(3, 2)], lambda x: torch_np.var(make.torch(x), 0))],
    "deviation": lambda make: [Case([make(2, 3)], lambda x: make.np.std(x)), Case([make(2, 3)], lambda x: make.np.std(x, axis=0, keepdims=True)),
                               Case([make(4)], lambda x: torch_np.std(make.torch(x)))],
    "linear_recurrence": lambda make: [Case([make(4)], lambda x: make.np.cumprod(x)),  # its derivative
                                       Case([make(2, 3)], lambda x: make.np.cumprod(x, axis=1))],

    # --- indexing
    "index": lambda make: [Case([make(4, 3)], lambda x: x[integers(make, [0, 2, 2])]),
                           Case([make(4, 3)], lambda x: x[integers(make, [[0], [3]]), integers(make, [1, 1])]),
                           Case([make(2, 3, 4)], lambda x: x[integers(make, [1, 0]), :, integers(make, [3, 3])]),
                           Case([make(2, 3)], lambda x: x[bools(make, [[1, 0, 1], [0, 1, 1]])]),
                           Case([make(4, 3)], lambda x: x[1:, integers(make, [2, -1])])],
    "index_backward": lambda make: [Case([make(4, 3)], lambda x: x[integers(make, [0, 2, 2])])],
    "put_indexed_": lambda make: [Case([make(4, 3), make(2, 3)], lambda x, v: assigned(x * 1, integers(make, [0, 3]), v)),
                                  Case([make(4, 3), make()], lambda x, v: assigned(x * 1, (slice(1, None), integers(make, [2, 0])), v)),
                                  Case([make(2, 3), make(4)], lambda x, v: assigned(x * 1, bools(make, [[1, 0, 1], [0, 1, 1]]), v)),
                                  # several values for one position
                                  Case([make(4, 3), make(3, 3)], lambda x, v: assigned(x * 1, integers(make, [0, 3, -1]), v)),
                                  Case([make(2, 3, 4), make(4, 1)], lambda x, v: assigned(x * 1, (integers(make, [[0], [0]]), slice(None), integers(make, [1, 1, 2, 1])), v[:, 0, None])),
                                  Case([make(2, 3), make()], lambda x, v: assigned(x * 1, (slice(None), integers(make, [1, 1])), v))],

    # --- linear algebra. Where a decomposition is unique only up to phases, a function that does not depend on them is used.
    "solve_stack": lambda make: [Case([make(3, 3), make(3, 2)], lambda a, b: make.np.linalg.solve(regular(make, a), b)),
                                  Case([make(2, 2, 2), make(2)], lambda a, b: make.np.linalg.solve(regular(make, a), b))],
    "inv": lambda make: [Case([make(3, 3)], lambda a: make.np.linalg.inv(regular(make, a))),
                         Case([make(2, 2, 2)], lambda a: make.np.linalg.inv(regular(make, a)))],
    "det": lambda make: [Case([make(3, 3)], lambda a: make.np.linalg.det(a)), Case([make(2, 2, 2)], lambda a: make.np.linalg.det(a))],
    "slogdet": lambda make: [Case([make(3, 3)], lambda a: tuple(make.np.linalg.slogdet(regular(make, a))))],
    "cholesky": lambda make: [Case([make(3, 3)], lambda a: make.np.linalg.cholesky(definite(make, a))),
                              Case([make(2, 2, 2)], lambda a: make.np.linalg.cholesky(definite(make, a), upper=True))],
    "qr_stack": lambda make: [Case([make(3, 3)], lambda a: tuple(make.np.linalg.qr(regular(make, a)))),
                               Case([make(4, 2)], lambda a: tuple(make.np.linalg.qr(a)))],
    "svd_stack": lambda make: [Case([make(3, 2)], lambda a: svd_without_phases(make, a)), Case([make(2, 3)], lambda a: svd_without_phases(make, a)),
                                Case([make(3, 3)], lambda a: make.np.linalg.svd(a, compute_uv=False)),
                                Case([make(2, 3)], lambda a: make.np.linalg.svd(a)[1], second=False),
                                Case([coinciding(make, [[0, 2, 0], [2, 0, 0]])], lambda a: make.np.linalg.svdvals(a).sum(), second=False)],
    "native_layer_norm": lambda make: [
        Case([make(2, 3, 4), make(4), make(4)], lambda x, w, b: layer_normed(make, x, (4,), w, b), kinds="real"),
        Case([make(3, 2, 2), make(2, 2)], lambda x, w: layer_normed(make, x, (2, 2), w, None), kinds="real"),
        Case([make(5)], lambda x: layer_normed(make, x, (5,), None, None), kinds="real")],
    "eigh_stack": lambda make: [Case([make(3, 3)], lambda a: eigen_without_phases(make, make.np.linalg.eigh(hermitian(make, a)))),
                                 Case([make(3, 3)], lambda a: abs(make.np.linalg.eigh(hermitian(make, a))[1]) ** 2),
                                 Case([coinciding(make, [[1, 0, 0], [0, 1, 0], [0, 0, 2]])],
                                      lambda a: (make.np.linalg.eigh(hermitian(make, a))[0] ** 2).sum(), second=False)],
    "eig_stack": lambda make: [Case([make(3, 3)], lambda a: eigen_without_phases(make, make.np.linalg.eig(a + make.constant([[5, 0, 0], [0, 1, 0], [0, 0, -4]], "float64")))),
                                Case([coinciding(make, [[2, 0], [0, 2]])], lambda a: make.np.linalg.eig(a)[0].sum(), second=False)],
    "vector_norm": lambda make: [Case([make(2, 3)], lambda x: make.np.linalg.vector_norm(x)),
                                 Case([make(2, 3)], lambda x: make.np.linalg.vector_norm(x, axis=1, ord=3, keepdims=True)),
                                 Case([make(2, 3)], lambda x: make.np.linalg.vector_norm(x, ord=1)),
                                 Case([make(5)], lambda x: make.np.linalg.vector_norm(x, ord=float("inf")), "real")],

    # --- matrix products, sliding products
    "correlate_padded": lambda make: [Case([make(5), make(3)], lambda x, v, mode=mode: make.np.convolve(x, v, mode)) for mode in ("full", "same", "valid")],
    "matmul": lambda make: [Case([make(*a), make(*b)], lambda x, y: make.xp.matmul(x, y))
                            for a, b in [((2, 3), (3, 4)), ((3,), (3,)), ((2, 3), (3,)), ((3,), (3, 2)), ((2, 1, 2, 3), (4, 3, 2)),
                                         ((0, 3), (3, 2))]],
}


# Composites and hand-written kernels do not declare their dtypes. All dtypes are assumed, except
# for these.
REAL_ONLY = {"softmax", "log_softmax", "native_layer_norm"}
# Their results cannot be differentiated there, or are defined for real numbers only.
WITHOUT_COMPLEX = {"clip_both", "clip_low", "clip_high", "clip_both_numbers", "clip_low_number", "clip_high_number", "round_decimals",
                   "round_multiple", "sort", "permute_lines", "view_as_complex", "fft_r2c"}

for _path in sorted(pathlib.Path(__file__).parent.glob("samples_*.py")):
    _module = importlib.import_module(_path.stem)
    assert not set(_module.SAMPLES) & set(SAMPLES), f"{_path.name} has samples that are elsewhere, too"
    SAMPLES.update(_module.SAMPLES)
    REAL_ONLY |= getattr(_module, "REAL_ONLY", set())
    WITHOUT_COMPLEX |= getattr(_module, "WITHOUT_COMPLEX", set())
