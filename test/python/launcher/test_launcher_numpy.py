"""`import numpy` finds torch_np.numpy in programs and in packages without compiled code for NumPy."""
import importlib.util
import sysconfig

import pytest

from torch_np._launcher import _compiled_for_numpy

MARK = "runs programs in processes of their own, on the CPU"
pytestmark = [pytest.mark.same_on_devices(MARK), pytest.mark.same_when_pending(MARK)]

EXTENSION = f"part{sysconfig.get_config_var('EXT_SUFFIX')}"
ASKS = """
import sys
import numpy as np
name = np.__name__
def is_array(x):
    return isinstance(x, sys.modules["numpy"].ndarray), x.__class__.__module__
"""


@pytest.fixture
def packages(tmp_path):
    """`plain`, without compiled code; `compiled`, with a file that uses NumPy's C interface in a folder
    of it; `other`, with one that does not."""
    for name, data in (("plain", None), ("compiled", b"\0numpy._core._multiarray_umath\0_ARRAY_API\0"), ("other", b"\0nothing\0")):
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "__init__.py").write_text(ASKS)
        (tmp_path / name / "inner" / "__init__.py").write_text(ASKS)
        (tmp_path / name / "__main__.py").write_text(f"import numpy, {name}.inner\nprint(numpy.__name__, {name}.inner.name)\n")
        if data is not None:
            (tmp_path / name / "inner" / EXTENSION).write_bytes(data)


def test_forms_of_the_import_statement(run):
    assert run("""
        import importlib, sys
        import numpy, numpy as np, numpy.linalg as LA, numpy.lib.stride_tricks
        import numpy.ma
        from numpy import linalg, random as rng
        from numpy.fft import fft
        from numpy._core.numeric import normalize_axis_tuple
        print(numpy is np, np.__name__, LA.__name__, LA is linalg, numpy.lib.stride_tricks.__name__, numpy.ma.__name__, rng.__name__, fft.__module__)
        from numpy import *
        print(type(arange(3)), normalize_axis_tuple.__module__)
        def inside():
            import numpy
            from numpy.linalg import svd
            return numpy.__name__, svd is LA.svd
        print(inside(), importlib.import_module("numpy").__name__, importlib.import_module("numpy.linalg") is LA, importlib.import_module(".ma", "numpy").__name__)
        print(__import__("numpy").__name__, __import__("numpy.linalg", globals(), locals(), [], 0).__name__, __import__(name="numpy.fft", fromlist=("fft",)).__name__)
        print(sys.modules["numpy"].__name__, importlib.import_module("json").__name__)
        """) == """\
True torch_np.numpy torch_np.numpy.linalg True torch_np.numpy.lib.stride_tricks torch_np.numpy.ma torch_np.numpy.random torch_np.numpy.fft
<class 'torch_np.numpy.ndarray'> numpy.lib.array_utils
('torch_np.numpy', True) torch_np.numpy True torch_np.numpy.ma
torch_np.numpy torch_np.numpy torch_np.numpy.fft
numpy json
"""


def test_modules_that_are_loaded_late(run):
    assert run("""
        import importlib.util
        import numpy as np
        print(np.polynomial.legendre.leggauss(2)[1], np.ma.masked, np.polynomial.Polynomial([1, 2])(3), np.testing.assert_allclose.__name__, np.char.upper("a"))
        print(importlib.util.find_spec("numpy.polynomial._polybase").name, np.polynomial._polybase.__name__)
        """) == "[1. 1.] -- 7.0 assert_allclose A\nnumpy.polynomial._polybase torch_np.numpy.polynomial._polybase\n"


def test_both_faces(run):
    """torch.from_numpy() and the methods of tensors take and give arrays over the same memory."""
    assert run("""
        import numpy as np, torch
        x = np.arange(3.)
        t = torch.from_numpy(x)
        x[0] = 5
        y = t.numpy()
        y[1] = 6
        print(t, isinstance(y, np.ndarray), torch.as_tensor(x) is not x, torch.tensor(x).tolist(), torch.from_numpy(np.empty([], dtype=np.float32)).dtype)
        print(np.asarray(t)[2], np.mean(t), torch.from_numpy(np.asarray([True])).dtype, type(np.add(y, 1)).__module__)
        """) == "tensor([5., 6., 2.], dtype=torch.float64) True True [5.0, 6.0, 2.0] torch.float32\n2.0 4.333333333333333 torch.bool torch_np.numpy\n"


def test_code_of_exec(run):
    assert run("""
        names = {}
        exec("import numpy; from numpy import linalg", names)
        print(names["numpy"].__name__, names["linalg"].__name__, eval("__import__('numpy')", {}).__name__)
        exec("import numpy", {"__name__": "no_such_module"}, names)
        print(names["numpy"].__name__)
        """) == "torch_np.numpy torch_np.numpy.linalg torch_np.numpy\ntorch_np.numpy\n"


def test_modules_and_names_that_do_not_exist(run):
    assert run("""
        import importlib
        for text in ("import numpy.no_such", "from numpy.no_such import x", "importlib.import_module('numpy.no_such')", "from . import numpy", "__import__('numpy', wrong=1)",
                     "__import__()"):
            try:
                exec(text)
            except Exception as error:
                print(type(error).__name__, error)
        """) == """\
ModuleNotFoundError No module named 'numpy.no_such'
ModuleNotFoundError No module named 'numpy.no_such'
ModuleNotFoundError No module named 'numpy.no_such'
ImportError attempted relative import with no known parent package
TypeError __import__() got an unexpected keyword argument 'wrong'
TypeError __import__() missing required argument 'name' (pos 1)
"""


def test_packages_with_compiled_code_get_numpy(run, packages):
    program = """
        import numpy, plain.inner, compiled.inner, other
        x = numpy.ones(3)
        print(plain.name, plain.inner.name, compiled.name, compiled.inner.name, other.name)
        print(plain.is_array(x), compiled.is_array(x), compiled.inner.is_array(x), other.is_array(x))
        """
    assert run(program) == ("torch_np.numpy torch_np.numpy numpy numpy torch_np.numpy\n"
                            "(False, 'torch_np.numpy') (True, 'numpy') (True, 'numpy') (False, 'torch_np.numpy')\n")
    assert run(program, launcher=("-m", "torch_np", "--numpy-for", "plain,other", "--no-numpy-for=compiled")).startswith(
        "numpy numpy torch_np.numpy torch_np.numpy numpy\n(True, 'numpy') (False,")
    assert run(None, "-m", "plain") == "torch_np.numpy torch_np.numpy\n"
    assert run(None, "-m", "compiled") == "numpy numpy\n"


def test_extension_files(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / EXTENSION).write_bytes(b"")
    assert not _compiled_for_numpy.is_in(str(tmp_path)) and not _compiled_for_numpy.uses(str(tmp_path / "none"))
    (tmp_path / "a" / "part.txt").write_bytes(b"_ARRAY_API")
    assert not _compiled_for_numpy.is_in(str(tmp_path))
    (tmp_path / "a" / EXTENSION).write_bytes(b"numpy.core._multiarray_umath")
    assert _compiled_for_numpy.is_in(str(tmp_path))


def test_options(run):
    program = "import sys, numpy\nprint(numpy.__name__, [type(f).__module__ for f in sys.meta_path if '_launcher' in type(f).__module__], __import__('os').environ['TORCH_NP_INSTALL'])"
    both = "torch_np.numpy ['torch_np._launcher._wrapping', 'torch_np._launcher._finder'] torch,numpy\n"
    assert run(program) == run(program, launcher=("-m", "torch_np", "--torch", "--numpy")) == both
    assert run(program, launcher=("-m", "torch_np", "--torch")) == "numpy ['torch_np._launcher._wrapping', 'torch_np._launcher._finder'] torch\n"
    assert run(program, launcher=("-m", "torch_np", "--numpy")) == "torch_np.numpy ['torch_np._launcher._wrapping'] numpy\n"
    run(None, "--numpy-for", error="--numpy-for needs the name of a package")


def test_install_in_a_program(run):
    assert run("""
        import torch_np
        torch_np.install(torch=False, numpy=True)
        torch_np.install(torch=False, numpy=True)
        import numpy
        print(numpy.__name__)
        """, launcher=()) == "torch_np.numpy\n"
    run("import numpy\nimport torch_np\ntorch_np.install(numpy=True)", launcher=("-W", "error"),
        error="RuntimeWarning: torch_np.install(): the program has imported NumPy already")
    assert run("import torch_np\ntorch_np.install()\nimport builtins, numpy\nprint(numpy.__name__, builtins.__import__.__module__, '__class__' in vars(torch_np._C.ndarray))",
               launcher=()) == "numpy builtins False\n"


def test_another_import_function(run):
    """The launcher calls the `__import__` that it finds, and one that is put over its own is called."""
    assert run("""
        import builtins
        seen = []
        def over(before):
            def __import__(name, *args, **kwargs):
                if name in ("numpy", "wave"):
                    seen.append(name)
                return before(name, *args, **kwargs)
            return __import__
        builtins.__import__ = over(builtins.__import__)
        import torch_np
        torch_np.install(numpy=True)
        seen.clear()
        builtins.__import__ = over(builtins.__import__)
        import wave, numpy
        print(seen, numpy.__name__)
        """, launcher=()) == "['wave', 'wave', 'numpy'] torch_np.numpy\n"


# --- the class of arrays

def test_views_of_numpys_arrays_and_scalars(run):
    """The method `view` of NumPy's arrays and scalars takes classes of our arrays: x.sum() is a scalar
    of NumPy's, and SciPy returns arrays of NumPy's."""
    assert run("""
        import sys
        import numpy as np
        class Sub(np.ndarray):
            pass
        numpys = sys.modules["numpy"]
        x, number, objects = numpys.arange(3.), np.arange(3.).sum(), numpys.array([None])
        for view in (lambda a, kind: a.view(kind), lambda a, kind: a.view(type=kind), lambda a, kind: a.view(np.int64, kind),
                     lambda a, kind: a.view(np.int64, type=kind), lambda a, kind: numpys.ndarray.view(numpys.asarray(a), kind)):
            print(*(type(view(a, kind)).__name__ for a in (x, number) for kind in (np.ndarray, Sub)))
        x.view(Sub)[0] = 5
        print(x, number.view(np.int64), x.view("i8").dtype, type(x.view()).__module__, type(x.view(numpys.matrix)).__name__, numpys.ndarray.view.__name__)
        print(type(objects.view(np.ndarray)).__module__, type(objects.view(type=np.ndarray)).__module__)
        for wrong in (lambda: objects.view(Sub), lambda: x.view(Sub, Sub), lambda: x.view("O", Sub), lambda: x.view(dtype=Sub, wrong=1)):
            try:
                wrong()
            except Exception as error:
                print(type(error).__name__, "object" in str(error))
        """) == """\
ndarray Sub ndarray Sub
ndarray Sub ndarray Sub
ndarray Sub ndarray Sub
ndarray Sub ndarray Sub
ndarray Sub ndarray Sub
[5. 1. 2.] 4613937818241073152 int64 numpy matrix view
numpy numpy
NotHeldError True
ValueError False
NotHeldError True
TypeError False
"""


def test_libraries_that_look_up_the_class(run, tmp_path):
    """Tables of autograd have NumPy's class, too; matplotlib finds the converters of subclasses."""
    (tmp_path / "autograd" / "numpy").mkdir(parents=True)
    for path, text in {"__init__": "", "core": "class VSpace:\n    of = {}\n    @classmethod\n    def register(cls, kind, make=None):\n"
                       "        VSpace.of[kind] = make or cls\n", "numpy/__init__": "", "numpy/numpy_wrapper":
                       "import numpy as _np\nndarray = _np.ndarray if type(_np.ndarray) is type else lambda *args: _np.ndarray(*args)\n"}.items():
        (tmp_path / "autograd" / f"{path}.py").write_text(text)
    assert run("""
        import sys
        import numpy as np
        from autograd.core import VSpace
        from autograd.numpy.numpy_wrapper import ndarray
        class Ours(VSpace):
            pass
        Ours.register(np.ndarray)
        VSpace.register(float, 1)
        print(VSpace.of[np.ndarray] is VSpace.of[sys.modules["numpy"].ndarray] is Ours, VSpace.of[float], ndarray is np.ndarray)
        import matplotlib.units
        class Sub(np.ndarray):
            pass
        matplotlib.units.registry[Sub] = "found"
        find = matplotlib.units.registry.get_converter
        print(find(np.ones(2).view(Sub)), find(np.ones((0, 2)).view(type("Of", (Sub,), {}))), find(np.ones(2)), find([1.0]))
        """) == "True 1 True\nfound found None None\n"


def test_subclasses_and_assignments_of_the_class(run, packages):
    assert run("""
        import numpy as np, compiled, copy, pickle
        class Named(np.ndarray):
            pass
        class Other(Named):
            pass
        x = np.ones(3).view(Named)
        print(x.__class__.__name__, compiled.is_array(x), isinstance(x, Named))
        x.__class__ = Other
        print(type(x).__name__, x.__class__.__name__, type(copy.copy(x)).__name__, type(pickle.loads(pickle.dumps(x))).__name__, np.ndarray.__class__.__name__)
        try:
            x.__class__ = int
        except TypeError as error:
            print("TypeError")
        """) == "Named (True, 'numpy') True\nOther Other Other Other ArrayMeta\nTypeError\n"


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="needs matplotlib")
def test_pictures_have_columns(run):
    program = """
        import matplotlib
        matplotlib.use("agg")
        import matplotlib.pyplot as plt, numpy as np
        X = np.random.default_rng(0).normal(size=(40, 3))
        boxes = plt.boxplot(X)["medians"]
        violins = plt.violinplot(X, showmedians=True)
        print(len(boxes), [round(float(b.get_ydata()[0]), 12) for b in boxes], len(violins["bodies"]), len(plt.hist(X)[0]), np.__name__)
        """
    assert run(program).replace("torch_np.", "") == run(program, launcher=())


@pytest.mark.skipif(importlib.util.find_spec("scipy") is None, reason="needs SciPy")
def test_arrays_cross_without_copies(run):
    assert run("""
        import numpy as np, scipy.fft, scipy.optimize, scipy.sparse, sys
        print(scipy.fft._basic.np.__name__ if hasattr(scipy.fft._basic, "np") else "numpy", scipy.optimize._minimize.np.__name__)
        x = np.arange(6.)
        found = scipy.optimize.minimize(lambda v: np.sum((v - x) ** 2), np.zeros(6))
        print(type(found.x) is sys.modules["numpy"].ndarray, isinstance(found.x, np.ndarray), np.allclose(found.x, x, atol=1e-4), type(np.sqrt(found.x)))
        theirs = sys.modules["numpy"].asarray(x)
        ours = np.asarray(theirs)
        theirs[0] = 9
        print(x[0], ours[0], scipy.sparse.csr_matrix(np.eye(2)).sum())
        """) == "numpy numpy\nTrue True True <class 'torch_np.numpy.ndarray'>\n9.0 9.0 2.0\n"


def test_an_uncaught_error_of_compiled_code_names_the_way_out(run):
    error = run("""
        import numpy as np
        raise TypeError(f"Argument 'values' has incorrect type (expected numpy.ndarray, got {type(np.ones(1)).__module__}.ndarray)")
        """, error="x.__array__()")
    assert "NumPy array over the same memory" in error


# --- what programs do

def test_pickles(run, tmp_path):
    run("import numpy, pickle\npickle.dump([numpy.arange(3.), numpy.float32(2), numpy.dtype('f4'), numpy.random.default_rng(0)], open('theirs', 'wb'))", launcher=())
    assert run("""
        import numpy as np, pickle
        x, y, z, g = pickle.load(open("theirs", "rb"))
        print(isinstance(x, np.ndarray), np.asarray(x) * y, z == np.float32, type(np.add(x, 1)))
        for value in (np.arange(3), np.ma.array([1, 2], mask=[0, 1]), np.sin, np.ndarray, np.linalg.svd):
            again = pickle.loads(pickle.dumps(value))
            print(type(again).__name__, again is value or bool(np.all(again == value)))
        """) == "True [0. 2. 4.] True <class 'torch_np.numpy.ndarray'>\nndarray True\nMaskedArray True\nufunc True\nArrayMeta True\nbuiltin_function_or_method True\n".replace(
            "builtin_function_or_method", "Function")


def test_pytest_and_doctest(run, tmp_path):
    (tmp_path / "test_it.py").write_text("import numpy as np\nimport pytest\ndef test_it():\n    assert np.__name__ == 'torch_np.numpy'\n    assert np.arange(2) / 2 == pytest.approx([0, 0.5])\n"
                                         "    np.testing.assert_array_equal(np.ones(2), [1, 1])\n")
    (tmp_path / "docs.py").write_text('"""\n>>> import numpy as np\n>>> np.arange(2), np.__name__\n(array([0, 1]), \'torch_np.numpy\')\n"""\n')
    assert "2 passed" in run(None, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--doctest-modules", "test_it.py", "docs.py")
    assert run(None, "-m", "doctest", "docs.py") == ""


@pytest.mark.skipif(importlib.util.find_spec("IPython") is None, reason="needs IPython")
def test_notebooks(run):
    assert "torch_np.numpy" in run(None, "-m", "IPython", "--no-banner", "--colors=NoColor", "-c", "get_ipython().run_line_magic('load_ext', 'torch_np')\n"
                                   "import numpy as np\nprint(np.__name__)", launcher=())


# --- child processes

@pytest.mark.parametrize("way", ["fork", "spawn", "forkserver"])
def test_workers_of_multiprocessing(run, way):
    assert run(f"""
        import multiprocessing
        import numpy as np
        def work(x):
            import numpy
            return np.__name__, numpy.__name__, x * 2
        if __name__ == "__main__":
            with multiprocessing.get_context({way!r}).Pool(1) as pool:
                print(pool.map(work, [np.ones(2)]))
        """) == "[('torch_np.numpy', 'torch_np.numpy', array([2., 2.]))]\n"


@pytest.mark.parametrize("options, numpys, torchs", [((), "torch_np.numpy", True), (("--numpy",), "torch_np.numpy", False), (("--torch",), "numpy", True)])
def test_other_python_processes(run, packages, options, numpys, torchs):
    program = """
        import subprocess, sys
        for code in ("import numpy; print(numpy.__name__)", "from numpy import linalg; print(linalg.__name__)", "import compiled, plain; print(compiled.name, plain.name)",
                     "import scipy.linalg, numpy; print(numpy.__name__)", "import torch_np, numpy; print(numpy.__name__)", "import importlib; print(importlib.import_module('numpy').__name__)",
                     "import sys; print('numpy' in sys.modules or 'torch_np' in sys.modules)",
                     "import torch, numpy; print(torch.__name__, numpy.__name__)"""
    program += '"' + """):
            done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
            print(done.stdout.strip() or done.stderr.strip().splitlines()[-1])
        """
    plain = "numpy" if numpys == "numpy" else numpys
    wanted = f"{numpys}\n{numpys}.linalg\nnumpy {plain}\n{numpys}\n{numpys}\n{numpys}\nFalse\n"
    found = run(program, launcher=("-m", "torch_np", *options))
    assert found.startswith(wanted)
    assert (found.removeprefix(wanted) == f"torch {numpys}\n") == torchs


def test_children_of_children_have_the_packages(run, packages):
    assert run("""
        import subprocess, sys
        code = "import subprocess, sys; print(subprocess.run([sys.executable, '-c', sys.argv[1]], capture_output=True, text=True, check=True).stdout)"
        child = "import numpy, compiled, plain; print(numpy.__name__, compiled.name, plain.name)"
        print(subprocess.run([sys.executable, "-c", code, child], capture_output=True, text=True, check=True).stdout)
        """, launcher=("-m", "torch_np", "--numpy-for=plain", "--no-numpy-for", "compiled")).split() == ["torch_np.numpy", "torch_np.numpy", "numpy"]


def test_an_interpreter_without_torch_np(run, tmp_path):
    (tmp_path / "shadow" / "torch_np").mkdir(parents=True)
    (tmp_path / "shadow" / "torch_np" / "__init__.py").write_text("raise ImportError('built for another Python')")
    for name in ("numpy", "torch"):
        run(f"""
            import os, subprocess, sys
            os.environ["PYTHONPATH"] = os.environ["PYTHONPATH"].replace(os.pathsep, os.pathsep + os.path.abspath("shadow") + os.pathsep, 1)
            code = "for n in (1, 2):\\n    try:\\n        import {name}\\n    except ImportError as error:\\n        print(error)\\nimport {name}"
            sys.exit(subprocess.run([sys.executable, "-c", code], stdout=sys.stderr).returncode)
            """, error="stand for " + {"numpy": "NumPy", "torch": "PyTorch"}[name] + ", but this Python cannot import torch_np (built for another Python)")
