"""The module on CPython built with --disable-gil: docs/threads.md."""
import subprocess
import sys
import sysconfig

import pytest

LOOK = """
import sys, warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert not sys._is_gil_enabled()
    import numpy, ml_dtypes
    assert not sys._is_gil_enabled() and not caught, caught
    import torch_np.numpy as np
assert sys._is_gil_enabled()
assert [w.category for w in caught] == [RuntimeWarning] and "'torch_np._C'" in str(caught[0].message), caught
assert (np.arange(3) + 1).tolist() == [1, 2, 3]
"""


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="this CPython always has a GIL")
def test_the_module_says_that_it_needs_the_gil():
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", LOOK], env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
