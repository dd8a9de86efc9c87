"""tools/wheels: the sources of a wheel, and the choice of a wheel by `make demo`."""
import os
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))   # the tools are not part of the package
from tools.wheels import cache, cuda_wheel, sources  # noqa: E402
from tools.wheels.wheel import pack, python_files  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A small tree with a file of each kind, and its own cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("TORCH_NP_WHEELS", raising=False)
    root = tmp_path / "tree"
    for name in ("CMakeLists.txt", "aten/core/numbers/dtype.cpp", "torch_np/__init__.py", "tools/codegen/model.py"):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(name)
    return root


def wheel(folder, digest, tag="manylinux_2_35", interpreter=None):
    interpreter = interpreter or f"cp{sys.version_info.major}{sys.version_info.minor}"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"torch_np-0.1.0-{interpreter}-{interpreter}-{tag}_{os.uname().machine}.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(f"torch_np-0.1.0.dist-info/{sources.RECORD}", digest + "\n")
    return path


def test_the_digest_is_of_names_and_contents_of_what_is_built(tree):
    first = sources.digest(tree)
    (tree / "README").write_text("no part of it")
    (tree / "torch_np" / "libtorch_np.so").write_text("built")
    (tree / "torch_np" / "_C").mkdir()
    (tree / "torch_np" / "_C" / "__init__.pyi").write_text("generated")
    assert sources.digest(tree) == first
    (tree / "aten/core/numbers/dtype.cpp").write_text("changed")
    changed = sources.digest(tree)
    (tree / "aten/core/numbers/dtype.cpp").rename(tree / "aten/core/dtypes.cpp")
    assert len({first, changed, sources.digest(tree)}) == 3


def test_every_part_of_the_tree_that_is_named_exists():
    assert [part for part in sources.PARTS if not (ROOT / part).exists()] == []


def test_all_packages_that_are_installed_are_in_the_wheel(tmp_path):
    tomllib = pytest.importorskip("tomllib")  # Python 3.11
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    assert tuple(project["tool"]["scikit-build"]["wheel"]["packages"]) == sources.PACKAGES
    python_files(tmp_path)
    for points in project["project"]["entry-points"].values():
        for target in points.values():
            module = target.partition(":")[0].replace(".", "/")
            assert (tmp_path / f"{module}.py").is_file() or (tmp_path / module / "__init__.py").is_file(), target


def test_what_cmake_reads_is_a_part_of_the_digest():
    files = {path.as_posix() for path in sources.files(ROOT)}
    for needed in ("CMakeLists.txt", "cmake/loops.cmake", "native_functions.yaml", "tools/codegen/__main__.py", "tools/codegen/stubs/_cuda.pyi.in",
                   "aten/core/numbers/dtype.h", "csrc/module/cuda.cpp", "torch_np/py.typed", "torch_np/include/torch_np/extension.h", "pyproject.toml"):
        assert needed in files


def test_a_wheel_of_the_same_sources_is_found_in_dist(tree):
    assert cache.find(tree) is None
    wheel(tree / "dist", "of other sources")
    assert cache.find(tree) is None
    made = wheel(tree / "dist", sources.digest(tree))
    assert cache.find(tree) == made
    (tree / "CMakeLists.txt").write_text("changed since")
    assert cache.find(tree) is None


def test_one_that_auditwheel_has_seen_is_preferred(tree):
    audited = wheel(tree / "dist", sources.digest(tree))
    plain = wheel(tree / "dist", sources.digest(tree), "linux")
    assert plain.stat().st_mtime >= audited.stat().st_mtime and cache.find(tree) == audited


def test_one_for_another_interpreter_is_not_taken(tree):
    wheel(tree / "dist", sources.digest(tree), interpreter="cp39")
    assert cache.find(tree) is None


def test_a_kept_wheel_is_found_by_another_clone(tree, tmp_path):
    digest = sources.digest(tree)
    kept = cache.keep(wheel(tree / "dist", digest), digest)
    assert kept.is_relative_to(tmp_path / "cache")
    clone = tmp_path / "clone"
    clone.mkdir()
    for name in sources.files(tree):
        (clone / name).parent.mkdir(parents=True, exist_ok=True)
        (clone / name).write_bytes((tree / name).read_bytes())
    assert cache.find(clone) == kept


def test_only_the_newest_states_are_kept(tree):
    made = wheel(tree / "dist", "any")
    for i in range(cache.KEPT + 2):
        kept = cache.keep(made, f"{i:064x}"[::-1])
        os.utime(kept.parent, (i, i))
    left = sorted(path.name for path in cache.user_cache().iterdir())
    assert len(left) == cache.KEPT and kept.parent.name in left


def test_a_folder_may_be_named(tree, tmp_path, monkeypatch):
    made = wheel(tmp_path / "wheels", sources.digest(tree))
    assert cache.find(tree) is None
    monkeypatch.setenv("TORCH_NP_WHEELS", str(tmp_path / "wheels"))
    assert cache.find(tree) == made


def test_a_broken_wheel_is_no_wheel(tree):
    wheel(tree / "dist", "").write_bytes(b"PK no archive")
    assert cache.find(tree) is None


def test_a_packed_wheel_is_named_by_its_metadata_and_lists_its_files(tmp_path):
    info = tmp_path / "tree" / "torch_np-0.1.0.dist-info"
    info.mkdir(parents=True)
    (info / "WHEEL").write_text("Wheel-Version: 1.0\nTag: cp311-cp311-linux_x86_64\n")
    (tmp_path / "tree" / "torch_np").mkdir()
    (tmp_path / "tree" / "torch_np" / "__init__.py").write_text("")
    made = pack(tmp_path / "tree", tmp_path)
    assert made.name == "torch_np-0.1.0-cp311-cp311-linux_x86_64.whl"
    with zipfile.ZipFile(made) as archive:
        record = archive.read("torch_np-0.1.0.dist-info/RECORD").decode().splitlines()
        assert [line.split(",")[0] for line in record] == archive.namelist()


def test_an_sdist_holds_all_of_the_tree_and_nothing_that_is_built(tmp_path, monkeypatch):
    backend = pytest.importorskip("scikit_build_core.build")
    monkeypatch.chdir(ROOT)
    with tarfile.open(tmp_path / backend.build_sdist(str(tmp_path))) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {path.as_posix() for path in sources.files(ROOT)} - names == set()  # the sources of a wheel
    assert [name for name in names if name.endswith((".so", ".pyc")) or (name.startswith("torch_np") and name.endswith(sources.GENERATED))] == []
    if (ROOT / ".git").exists():  # documentation, tests, benchmarks
        listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True, text=True).stdout.split("\0")
        assert {name for name in listed if (ROOT / name).is_file()} - names == set()


def test_both_packages_have_one_version():
    cuda_wheel.check_versions()
    import torch_np
    assert torch_np.__version__ == cuda_wheel.version_of(ROOT / "pyproject.toml", r'^version = "(.*)"')
