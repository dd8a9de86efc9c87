"""Extension modules that are linked with PyTorch's libraries raise ImportError under the launcher."""
import shutil
import subprocess
import sysconfig

import pytest

import torch_np
from torch_np._launcher import _linked_libraries

MARK = "runs programs in processes of their own, on the CPU"
pytestmark = [pytest.mark.same_on_devices(MARK), pytest.mark.same_when_pending(MARK)]

SOURCE = """
#include <Python.h>
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "%s", 0, -1, 0};
PyMODINIT_FUNC PyInit_%s(void) { return PyModule_Create(&module); }
"""


@pytest.fixture
def extensions(tmp_path):
    """The modules `theirs`, linked with libraries of PyTorch's names, and `free`, which is not."""
    compiler = shutil.which("cc")
    if compiler is None:
        pytest.skip("needs a C compiler")
    suffix, include = sysconfig.get_config_var("EXT_SUFFIX"), sysconfig.get_path("include")
    (tmp_path / "empty.c").write_text("int of_pytorch;")
    for library in ("torch", "c10"):
        subprocess.run([compiler, "-shared", "-fPIC", "-o", f"lib{library}.so", "empty.c"], cwd=tmp_path, check=True)
    for name, options in (("theirs", ["-L.", "-Wl,--no-as-needed", "-ltorch", "-lc10", f"-Wl,-rpath,{tmp_path}"]), ("free", [])):
        (tmp_path / f"{name}.c").write_text(SOURCE % (name, name))
        done = subprocess.run([compiler, "-shared", "-fPIC", f"-I{include}", "-o", f"{name}{suffix}", f"{name}.c", *options], cwd=tmp_path,
                              capture_output=True, text=True)
        if done.returncode:
            pytest.skip(f"no extension module can be compiled: {done.stderr[-200:]}")
    return tmp_path


def test_they_are_refused(run, extensions):
    assert run("""
        import sys
        import torch, free
        from importlib.util import find_spec
        assert find_spec("theirs").origin.endswith(".so")
        try:
            import theirs
        except ImportError as error:
            print(error)
            print(error.name, "theirs" in sys.modules, free.__name__)
        """) == ("theirs is an extension module for PyTorch: it is linked with libc10.so, libtorch.so, which torch_np, which stands for PyTorch here, "
                 "does not have; run the program without the launcher, or without this module\ntheirs False free\n")
    assert run("import theirs\nprint(theirs.__name__)", launcher=()) == "theirs\n"


def test_libraries_of_a_file(tmp_path):
    own = _linked_libraries.needed(torch_np._C.__file__)
    assert any(name.startswith("libtorch_np.so") for name in own)
    _linked_libraries.check("torch_np._C", torch_np._C.__file__)    # its library is not PyTorch's
    (tmp_path / "text").write_text("no library")
    (tmp_path / "cut").write_bytes(open(torch_np._C.__file__, "rb").read(100))
    assert _linked_libraries.needed(str(tmp_path / "text")) == _linked_libraries.needed(str(tmp_path / "cut")) == []
    _linked_libraries.check("none", None)


@pytest.mark.parametrize("name, theirs", [
    ("libtorch.so", True), ("libtorch_python.so", True), ("libtorch_cpu.so", True), ("libtorch_cuda.so", True), ("libc10.so", True),
    ("libc10_cuda.so", True), ("libtorch_np.so", False), ("libtorch_np_cuda.so", False), ("libc.so.6", False), ("libtorchaudio.so", False)])
def test_names_of_libraries(name, theirs):
    assert bool(_linked_libraries._PYTORCHS.match(name)) == theirs


def test_a_package_that_loads_a_library_of_operators(run, extensions):
    library = next(extensions.glob("theirs.*.so"))
    for missing in ("libtorch.so", "libc10.so"):
        (extensions / missing).unlink()
    (extensions / "torchaudio" / "_extension").mkdir(parents=True)
    (extensions / "torchaudio" / "_extension" / "__init__.py").write_text("from .utils import _load_lib\nfound = _load_lib('_torchaudio')\n")
    (extensions / "torchaudio" / "_extension" / "utils.py").write_text(
        f"import torch\n\ndef _load_lib(lib):\n    torch.ops.load_library({str(library)!r} if lib == '_torchaudio' else lib)\n    return True\n")
    assert run("""
        import warnings
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            import torchaudio._extension
        print(torchaudio._extension.found, [str(w.message)[:112] for w in caught if "torchaudio" in str(w.message)])
        try:
            torchaudio._extension._load_lib("/none.so")
        except OSError as error:
            print(error)
        """) == ("False ['torchaudio runs without its operators in C++: _torchaudio is linked with PyTorch\\'s libraries, which torch_np, wh']\n"
                 "torch_np.library.load(): there is no file /none.so\n").replace("['", '["').replace("wh']", 'wh"]').replace("\\'", "'")
