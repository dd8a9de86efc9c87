"""Effects of reading a pending result, in every way of reading: floating-point warnings,
MemoryError."""
import copy
import pickle
import subprocess
import sys
import textwrap
import warnings

import numpy
import pytest

import torch_np
import torch_np.numpy as np

pytestmark = pytest.mark.usefixtures("always")

LOOKS = {
    "iter": "next(iter(x))", "for": "[_ for _ in x]", "unpacking": "[*x]", "index": "x[3]", "slice": "x[1:]", "mask": "x[x._torch().detach() > 0]", "item": "x.item(3)",
    "float": "float(x[0])", "tolist": "x.tolist()", "sum": "x.sum()", "flat": "x.flat[0]", "in": "1.0 in x", "repr": "repr(x)", "copy": "copy.copy(x)", "deepcopy": "copy.deepcopy(x)",
    "pickle": "pickle.dumps(x)", "view": "x.view()", "reshape": "x.reshape(-1, 2)", "transposed": "x.T", "bytes": "x.tobytes()", "buffer": "memoryview(x)", "asarray": "numpy.asarray(x)",
    "interface": "x.__array_interface__", "dlpack": "x.__dlpack__()", "sort": "np.sort(x)", "in place": "x.__iadd__(1)", "assignment": "x.__setitem__(0, 1)",
    "out": "np.add(x, 1, out=x)", "shape": "setattr(x, 'shape', (-1, 2))", "bool": "bool((x == 1).all())", "shares": "np.shares_memory(x, x)",
    "ctypes": "x.ctypes.data", "offset": "x._torch().storage_offset()",
    "torch iter": "next(iter(x._torch()))", "torch for": "[_ for _ in x._torch()]", "torch index": "x._torch()[3]", "torch slice": "x._torch()[1:]", "numpy": "x._torch().numpy()",
    "detach": "x._torch().detach()", "torch tolist": "x._torch().tolist()", "torch sum": "x._torch().sum()", "torch item": "x._torch()[0].item()", "data_ptr": "x._torch().data_ptr()",
    "clone": "x._torch().clone()", "storage": "x._torch().untyped_storage()", "torch data": "x._torch().data", "torch repr": "repr(x._torch())", "torch copy": "copy.deepcopy(x._torch())",
    "torch pickle": "pickle.dumps(x._torch())", "torch view": "x._torch().view(-1, 2)", "torch in place": "x._torch().add_(1)", "torch buffer": "numpy.asarray(x._torch())",
    "torch bool": "bool((x._torch() == 1).all())", "requires grad": "(x._torch().requires_grad_() * 1).sum().backward()", "set data": "setattr(torch_np.zeros(()), 'data', x._torch())",
    "face": "np.add(x._torch(), 1).sum()", "from_dlpack": "torch_np.from_dlpack(x)", "to numpy's ufunc": "numpy.add(x, 1).sum()", "to numpy's function": "numpy.sort(x)"}
SPACE = {"np": np, "numpy": numpy, "torch_np": torch_np, "copy": copy, "pickle": pickle}


@pytest.mark.parametrize("look", LOOKS.values(), ids=LOOKS)
def test_a_look_warns_of_the_errors_that_it_meets(look):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        one, zero = np.ones(1000), np.zeros(1000)
        quotient = one / zero   # has a name, so that the difference isn't computed in its memory
        x = quotient - 1
        assert not caught and torch_np.fusion.program(x) is not None
        eval(look, SPACE | {"x": x})
        assert [str(w.message) for w in caught] == ["divide by zero encountered in divide"]
        assert torch_np.fusion.program(x) is None
        np.ones(3) + 1
        assert len(caught) == 1


def test_every_operator_of_a_program_is_named():
    zero, one, most = np.zeros(1000), np.ones(1000), np.full(1000, 1e308)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kept = [one / zero, np.log(zero), np.log10(zero), np.log2(zero), np.log1p(-one), np.sqrt(-one), np.arccos(one * 2), np.exp(most), most * 10, most + most, np.arctanh(one)]
        y = kept[0]
        for k in kept[1:]:
            y = np.maximum(y, k)
        y.sum()
    assert sorted(str(w.message).split(" encountered in ")[1] for w in caught) == sorted(
        ["divide", "log", "log10", "log2", "log1p", "sqrt", "arccos", "exp", "multiply", "add", "arctanh"])


@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space")
def test_a_look_raises_where_there_is_no_memory():
    """In a child process without free address space for a while: reading raises a Python exception,
    and the array is intact afterwards."""
    code = f"""
        import copy, pickle, resource
        import numpy
        import torch_np, torch_np.numpy as np
        torch_np.set_num_threads(1)
        torch_np.fusion.set_mode("auto")
        looks = {LOOKS!r}

        def outcome(look, x):
            try:
                eval(look)
                return "nothing"
            except Exception as error:
                return type(error).__name__

        for look in looks.values():
            outcome(look, np.ones(40_000) + 1)  # runs its imports before memory is limited
        a = np.ones(16_000_000)
        for name, look in looks.items():
            x = a + 1
            torch_np.cpu.empty_cache()
            with open("/proc/self/statm") as f:
                size = int(f.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (size + (64 << 20), -1))
            raised = outcome(look, x)
            resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
            if (raised, torch_np.fusion.program(x) is not None, float(x[7])) != ("MemoryError", True, 2.0):
                print(name, raised)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", "")
