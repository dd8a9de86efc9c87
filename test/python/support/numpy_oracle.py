"""The NumPy that results are compared with: its version, its loops, and the processor.

NumPy chooses loops by the processor's features. The loops differ in their last bits and in their
defects: the AVX-512 sort of float16 in 2.4.6 is wrong for negative zeros (sorted_order.py).
Failures are therefore reported together with this information (conftest.py), and `make
test-numpy-baseline` runs all tests against the loops for every processor.

    python test/python/support/numpy_oracle.py      # NPY_DISABLE_CPU_FEATURES: the features of this machine beyond NumPy's baseline
"""
import ctypes
import sys
from pathlib import Path

import numpy
from numpy._core._multiarray_umath import __cpu_baseline__, __cpu_dispatch__, __cpu_features__

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))
from tools import processor  # noqa: E402


def beyond_baseline():
    """Features of this processor that NumPy has other loops for. Names that NumPy does not know are
    left out, since it would warn of them."""
    return [name for name in __cpu_dispatch__ if __cpu_features__.get(name)]


def linear_algebra():
    """Name and version of the linear algebra library that NumPy was built with."""
    blas = numpy.show_config(mode="dicts").get("Build Dependencies", {}).get("blas", {})
    return f"{blas.get('name', 'unknown')} {blas.get('version', '')}".strip()


def compute_in_one_thread():
    """Limits NumPy's OpenBLAS to one thread, since the threads of several test processes would wait
    for each other."""
    for library in Path(numpy.__file__).parents[1].glob("numpy.libs/libscipy_openblas64_*.so"):
        ctypes.CDLL(str(library)).scipy_openblas_set_num_threads64_(1)


def report():
    """Lines of text for a report."""
    return [f"NumPy {numpy.__version__}: baseline {' '.join(__cpu_baseline__) or 'none'}; "
            f"beyond it {' '.join(beyond_baseline()) or 'nothing'}; BLAS and LAPACK {linear_algebra()}",
            f"processor: {processor.line(processor.describe())}"]


if __name__ == "__main__":
    print(" ".join(beyond_baseline()))
