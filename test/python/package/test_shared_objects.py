"""Requirements of the package's shared objects on the process that loads them."""
import pathlib
import shutil
import subprocess

import pytest

import torch_np

pytestmark = [pytest.mark.same_on_devices("reads the libraries"), pytest.mark.same_when_pending("reads the libraries")]

OBJECTS = sorted(pathlib.Path(torch_np.__file__).parent.glob("*.so"))


@pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf, of binutils")
@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: path.name)
def test_no_static_thread_local_memory_of_other_libraries(path):
    """If another library (PyTorch) has loaded libstdc++ before, static thread-local memory may be
    exhausted, and the import fails."""
    relocations = subprocess.run(["readelf", "--relocs", "--wide", path], capture_output=True, text=True, check=True).stdout
    assert "R_X86_64" in relocations or "R_AARCH64" in relocations
    assert [line for line in relocations.splitlines() if "TPOFF" in line and "@GLIBCXX" in line] == []
