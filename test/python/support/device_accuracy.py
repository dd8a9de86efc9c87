"""Error bounds of the functions of a device's mathematical library, in units in the last place.

CUDA: "CUDA C++ Programming Guide", release 13, appendix "Mathematical Functions", tables "Single-Precision" and "Double-Precision
Mathematical Standard Library Functions with Maximum ULP Error": the distance to the correctly rounded result, to which that result's
own half of a unit is added here. On the emulated device the host's C library computes: glibc's sysdeps/x86_64/fpu/libm-test-ulps.
"""
import os

import numpy

import torch_np

# float32, float64
CUDA = {
    "exp": (2, 1), "exp2": (2, 1), "expm1": (1, 1), "log": (1, 1), "log2": (1, 1), "log10": (2, 1), "log1p": (1, 1), "cbrt": (1, 1),
    "sin": (2, 2), "cos": (2, 2), "tan": (4, 2), "arcsin": (2, 2), "arccos": (2, 2), "arctan": (2, 2), "arctan2": (3, 2),
    "sinh": (3, 2), "cosh": (2, 1), "tanh": (2, 1), "arcsinh": (3, 3), "arccosh": (4, 3), "arctanh": (3, 2), "power": (4, 2),
    "float_power": (4, 2),
}
GLIBC = {"cbrt": (1, 4), "log10": (2, 2), "sinh": (2, 2), "cosh": (2, 2), "tanh": (2, 2), "arcsinh": (2, 2), "arccosh": (2, 2),
         "arctanh": (2, 2), "arctan2": (2, 1)}


def bound(name, dtype):
    """The largest error of a function of real numbers; 1 if it consists of arithmetic or runs on
    the CPU."""
    if torch_np.get_default_device().type == "cpu":
        return 1.0
    precision = 1 if numpy.dtype(dtype) == numpy.float64 else 0
    table = GLIBC if os.environ.get("TORCH_NP_CUDA_EMULATED", "0") != "0" else CUDA
    return table[name][precision] + 0.5 if name in table else 1.0


def complex_bound(name, operands):
    """The largest error of a function of complex numbers, in units in the last place of the result's size."""
    emulated = os.environ.get("TORCH_NP_CUDA_EMULATED", "0") != "0"  # the host's complex functions, as on the CPU
    if torch_np.get_default_device().type == "cpu" or emulated or name not in (*CUDA, "sqrt"):
        return 4.0
    # complex_elementary.h has an error of 5 with real functions of 1 ULP. CUDA's real functions
    # have up to three times that.
    if name not in ("power", "float_power"):
        return 15.0
    # exp(b log(a)): an absolute error of the exponent is a relative error of the result.
    base, exponent = (numpy.asarray(o, numpy.complex128) for o in operands)
    with numpy.errstate(all="ignore"):
        return 15.0 * (1 + numpy.nan_to_num(numpy.abs(exponent * numpy.log(base)), nan=0, posinf=0))
