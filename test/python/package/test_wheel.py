"""The wheel that `make wheel` built from these sources: its contents, and its use on a machine
without a compiler, in an empty environment and an empty folder (bare_machine.py)."""
import json
import platform
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import bare_machine
import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))   # the tools are not part of the package
from tools.wheels import cache, sources  # noqa: E402

LARGEST = 60_000_000
# System libraries of the manylinux policies, and packages of PyPI that the package depends on.
NEEDED = {"libc.so.6", "libm.so.6", "libstdc++.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2",
          "ld-linux-aarch64.so.1", "libtbb.so.12", "libtorch_np.so"}
# Tests that read no files of the tree.
SUITE = ["objects/test_two_types.py", "numpy_face/test_joining.py", "arguments_and_errors/test_parser.py", "objects/test_pickling.py", "autograd/test_autograd.py",
         "numpy_face/test_promotion.py", "numpy_face/test_philox.py"]


def made():
    digest = sources.digest(ROOT)
    wheels = [path for path in (ROOT / "dist").glob(cache.pattern()) if sources.digest_of_wheel(path) == digest]
    return max(wheels, key=lambda path: path.stat().st_mtime, default=None)


WHEEL = made()
pytestmark = [pytest.mark.skipif(WHEEL is None, reason="dist/ has no wheel of these sources for this interpreter: `make wheel`"),
              pytest.mark.same_on_devices("tests the wheel in its own environment"),
              pytest.mark.same_when_pending("tests the wheel in its own environment")]


@pytest.fixture(scope="module")
def names():
    with zipfile.ZipFile(WHEEL) as archive:
        return archive.namelist()


def test_it_is_a_manylinux_wheel_of_at_most_60_megabytes():
    assert re.fullmatch(r"torch_np-[\d.]+-cp3\d+-cp3\d+-manylinux_2_\d+_\w+\.whl", WHEEL.name)
    assert WHEEL.stat().st_size <= LARGEST


def test_it_holds_the_package_and_what_the_build_generates(names):
    here = {path.relative_to(ROOT).as_posix() for path in (ROOT / "torch_np").rglob("*")
            if path.is_file() and "__pycache__" not in path.parts and ".so" not in path.suffixes and path.name != "_operators.json"}
    assert "torch_np/_C/__init__.pyi" in here and "torch_np/include/torch_np/extension.h" in here
    assert here - set(names) == set()
    libraries = sorted(name for name in names if ".so" in name)
    assert libraries[1:] == ["torch_np/libtorch_np.so"] and libraries[0].startswith("torch_np/_C.cpython-")


def test_the_terms_of_what_is_linked_into_it_come_along(names):
    assert any(name.endswith(".dist-info/licenses/LICENSE") for name in names)
    if platform.machine() == "x86_64":   # oneMKL exists on x86-64 only
        assert {f"torch_np/share/licenses/onemkl/{name}" for name in ("LICENSE.txt", "third-party-programs.txt")} <= set(names)


@pytest.mark.skipif(not shutil.which("readelf"), reason="needs readelf")
def test_its_libraries_need_the_system_and_the_packages_that_it_depends_on(tmp_path, names):
    with zipfile.ZipFile(WHEEL) as archive:
        for name in names:
            if ".so" not in name:
                continue
            text = subprocess.run(["readelf", "-d", archive.extract(name, tmp_path)], capture_output=True, text=True, check=True).stdout
            assert set(re.findall(r"NEEDED.*\[(.*)\]", text)) <= NEEDED
            (paths,) = re.findall(r"(?:RUNPATH|RPATH).*\[(.*)\]", text)
            assert all(path.startswith("$ORIGIN") for path in paths.split(":")), f"{name} looks for libraries in {paths}"
        (metadata,) = [name for name in names if name.endswith(".dist-info/METADATA")]
        assert re.search(r"^Requires-Dist: tbb", archive.read(metadata).decode(), re.MULTILINE)


FIRST_STEPS = """
import glob, json, os, shutil, sys
import torch_np, torch_np.numpy as np
from torch_np import nn
x = np.linspace(0, 1, 1000)
w = np.ones(3, _requires_grad=True)
(w ** 2).sum()._backward()
net = nn.Sequential(nn.Linear(64, 8), nn.ReLU(), nn.Linear(8, 10))
loss = nn.functional.cross_entropy(net(torch_np.randn(5, 64)), torch_np.arange(5))
loss.backward()
a = np.array([[2.0, 1.0], [1.0, 3.0]])
print(json.dumps({
    "sum": float((2.5 * x + x * 0.5 - x * x).sum()), "grad": w._grad.tolist(), "finite": bool(np.isfinite(net[0].weight.grad.numpy()).all()),
    "solve": np.linalg.solve(a, np.array([3.0, 4.0])).tolist(), "fft": abs(np.fft.fft(np.ones(8)))[0].item(),
    "cuda": torch_np.cuda.is_available(), "file": torch_np.__file__, "programs": sorted(p for p in sys.argv[1:] if shutil.which(p)),
    "usr_bin": [p for p in glob.glob("/usr/bin/*") if not os.path.basename(p).startswith("python")], "folder": os.listdir()}))
"""


@pytest.mark.slow("installs the wheel and its dependencies")
def test_it_works_in_an_empty_environment_on_a_machine_without_a_compiler(tmp_path):
    machine = bare_machine.Machine(tmp_path)
    machine.install(str(WHEEL) + "[demo]")

    (machine.home / "first_steps.py").write_text(FIRST_STEPS)
    found = json.loads(machine.run("first_steps.py", *bare_machine.COMPILERS))
    assert found["programs"] == [] and found["folder"] == ["first_steps.py"]
    assert found["file"].startswith(str(machine.environment))
    assert not (machine.has_own_root and found["usr_bin"])
    assert found["sum"] == pytest.approx(sum(3 * i / 999 - (i / 999) ** 2 for i in range(1000)), rel=1e-12)
    assert found["grad"] == [2, 2, 2] and found["finite"] and found["fft"] == 8
    assert found["solve"] == pytest.approx([1, 1]) and found["cuda"] is False

    shutil.copyfile(ROOT / "examples" / "digits.py", machine.home / "digits.py")
    out = machine.run("digits.py", "--epochs", "20")
    assert float(re.search(r"accuracy .*: ([\d.]+)%", out)[1]) >= 97
    assert (machine.home / "digits.png").read_bytes().startswith(b"\x89PNG")

    machine.install("pytest", "hypothesis", "safetensors")
    shutil.copytree(ROOT / "test" / "python", machine.home / "test" / "python", ignore=shutil.ignore_patterns("__pycache__"))
    (machine.home / "tools").mkdir()
    # failure reports name the processor
    shutil.copyfile(ROOT / "tools" / "processor.py", machine.home / "tools" / "processor.py")
    out = machine.run("-m", "pytest", "-q", "-p", "no:cacheprovider", *(f"test/python/{name}" for name in SUITE))
    assert re.search(r"\d{3,} passed", out) and "failed" not in out and "error" not in out.splitlines()[-1]
