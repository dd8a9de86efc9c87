"""The NumPy that results are compared with: which version, with which of its loops, on which processor.

NumPy chooses loops by what the processor can do, and these differ in their last bits and in their faults: 2.4.6's AVX-512 sort of
float16 is wrong where negative zeros are (sorted_order.py). A failure is therefore told together with all this (conftest.py), and
`make test-numpy-baseline` runs all tests against the loops that every processor has.

    python test/python/support/numpy_oracle.py      # for NPY_DISABLE_CPU_FEATURES: all that NumPy's baseline lacks and this machine has
"""
import ctypes
import sys
from pathlib import Path

import numpy
from numpy._core._multiarray_umath import __cpu_baseline__, __cpu_dispatch__, __cpu_features__

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tools import processor  # noqa: E402


def beyond_baseline():
    """What NumPy has other loops for and finds here. Names that it doesn't find it warns of, so these are left out."""
    return [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]


def linear_algebra():
    """Name and version of the library that NumPy was built with."""
    blas = numpy.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def compute_in_one_thread():
    """Sets OpenBLAS in NumPy to one thread: the threads of several test processes would wait for each other."""
    for library in Path(numpy.__file__).parents[1].glob("numpy.libs/libscipy_openblas64_*.so"):
        ctypes.CDLL(str(library)).scipy_openblas_set_num_threads64_(1)


def report():
    """Lines for people."""
    return [f"NumPy {numpy.__version__}: baseline {' '.join(__cpu_baseline__) or 'none'}; "
            f"beyond it {' '.join(beyond_baseline()) or 'nothing'}; BLAS and LAPACK {linear_algebra()}",
            f"processor: {processor.line(processor.describe())}"]


if __name__ == "__main__":
    print(" ".join(beyond_baseline()))
