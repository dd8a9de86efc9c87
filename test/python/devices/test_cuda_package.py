"""The separate package torch-np-cuda: it is loaded if it is installed and its version is
torch_np's. Without a GPU, the emulated device's library replaces it, and a system library replaces
the driver."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import torch_np

PACKAGE = Path(torch_np.__file__).parent
ROOT = Path(__file__).resolve().parents[3]
EMULATED = PACKAGE / "libtorch_np_cuda_emulated.so"
pytestmark = [pytest.mark.skipif(not EMULATED.exists(), reason="built without TORCH_NP_CUDA_EMULATION"),
              pytest.mark.same_on_devices("starts processes, which choose their own device and mode"),
              pytest.mark.same_when_pending("starts processes, which choose their own device and mode")]


@pytest.fixture
def installation(tmp_path):
    """A folder of packages with torch_np as in a wheel without CUDA, and a driver in its own
    folder."""
    (tmp_path / "packages" / "torch_np").mkdir(parents=True)
    for path in PACKAGE.iterdir():
        if not path.name.startswith(("libtorch_np_cuda", "__pycache__")):
            (tmp_path / "packages" / "torch_np" / path.name).symlink_to(path)
    (tmp_path / "driver").mkdir()
    libraries = {line.split()[-1] for line in open("/proc/self/maps", errors="surrogateescape") if "/libm.so" in line or "/libm-" in line}
    (tmp_path / "driver" / "libcuda.so.1").symlink_to(libraries.pop())
    return tmp_path


def install_cuda(installation, version=torch_np.__version__, library=EMULATED):
    folder = installation / "packages" / "torch_np_cuda"
    folder.mkdir()
    text = (ROOT / "tools" / "wheels" / "torch_np_cuda" / "__init__.py").read_text()
    assert text.count(f'"{torch_np.__version__}"') == 1
    (folder / "__init__.py").write_text(text.replace(f'"{torch_np.__version__}"', f'"{version}"'))
    shutil.copyfile(library, folder / "libtorch_np_cuda.so")


def run(installation, program, *options):
    environment = os.environ | {"PYTHONPATH": str(installation / "packages"), "LD_LIBRARY_PATH": str(installation / "driver"),
                                "PYTHONDONTWRITEBYTECODE": "1"}
    environment.pop("TORCH_NP_CUDA_EMULATED", None)
    done = subprocess.run([sys.executable, *options, "-c", "import torch_np, torch_np.numpy as np\n" + program], env=environment, cwd=installation,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


REASON = """
try:
    torch_np.cuda.init()
except RuntimeError as error:
    print(torch_np.cuda.is_available(), error)
"""


def test_without_it_the_error_names_the_package(installation):
    out, _ = run(installation, REASON)
    assert out.startswith("False ") and "torch-np-cuda, is not installed" in out


def test_with_it_arrays_are_put_on_the_device(installation):
    install_cuda(installation)
    out, err = run(installation, """
x = np.arange(4.0, _requires_grad=True)._cuda()
print(torch_np.cuda.is_available(), (x * 2).sum()._cpu(), [line.split()[-1] for line in open('/proc/self/maps') if 'torch_np_cuda' in line][0])
""")
    assert out.split() == ["True", "12.0", str(installation / "packages" / "torch_np_cuda" / "libtorch_np_cuda.so")] and err == ""


def test_it_is_not_opened_before_somebody_asks(installation):
    install_cuda(installation)
    out, _ = run(installation, "print(np.ones(3).sum(), [line for line in open('/proc/self/maps') if 'torch_np_cuda' in line])")
    assert out.split() == ["3.0", "[]"]


def test_another_version_is_warned_of_and_not_used(installation):
    install_cuda(installation, version="0.0.9")
    out, err = run(installation, REASON)
    assert out.startswith("False ")
    assert "RuntimeWarning: torch-np-cuda 0.0.9 does not match torch-np" in err and f"pip install torch-np-cuda=={torch_np.__version__}" in err


def test_what_is_no_cuda_library_is_named(installation):
    install_cuda(installation, library=PACKAGE / "py.typed")
    out, _ = run(installation, REASON)
    assert out.startswith("False ") and "torch_np_cuda/libtorch_np_cuda.so" in out
