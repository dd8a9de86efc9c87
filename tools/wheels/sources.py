"""The source files of a wheel, and a hash of them: two trees with the same hash make the same
wheel.

    python -m tools.wheels.sources        # prints the hash

A wheel stores the hash of its sources in `torch_np-*.dist-info/sources.sha256`. Needs nothing but
Python, since `make demo` runs it before anything is installed.
"""
from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from zipfile import BadZipFile, ZipFile

ROOT = Path(__file__).resolve().parents[2]
# The installed Python packages: pyproject.toml has the same list.
PACKAGES = ("torch_np", "torch_np_dask")
# Files and folders that the build or the package reads.
PARTS = ("CMakeLists.txt", "LICENSE", "README.md", "aten", "cmake", "csrc", "native_functions", "native_functions.yaml", "pyproject.toml",
         "tools/codegen", *PACKAGES)
# Build results and bytecode among them.
GENERATED = (".so", ".pyc", ".pyi", "_operators.json")
RECORD = "sources.sha256"


def files(root: Path = ROOT) -> Iterator[Path]:
    """The files, relative to `root`, in a fixed order."""
    found = []
    for part in PARTS:
        path = root / part
        found += [path] if path.is_file() else [inside for inside in path.rglob("*") if inside.is_file()]
    for path in sorted(found, key=lambda path: path.relative_to(root).as_posix()):
        if not path.name.endswith(GENERATED):
            yield path.relative_to(root)


def digest(root: Path = ROOT) -> str:
    """SHA-256 of the names and contents of all files, in hexadecimal."""
    whole = hashlib.sha256()
    for path in files(root):
        content = (root / path).read_bytes()
        whole.update(f"{path.as_posix()}\0{len(content)}\0".encode())
        whole.update(content)
    return whole.hexdigest()


def digest_of_wheel(wheel: Path) -> str | None:
    """The hash stored in a wheel; None if it is missing or unreadable."""
    try:
        with ZipFile(wheel) as archive:
            for name in archive.namelist():
                if name.endswith(f".dist-info/{RECORD}"):
                    return archive.read(name).decode().strip()
    except (OSError, BadZipFile):
        pass
    return None


if __name__ == "__main__":
    print(digest())
