"""Makes the wheel of torch-np-cuda from the CUDA library of an in-place build: `make wheel-cuda`,
on a machine with nvcc.

    python -m tools.wheels.cuda_wheel [--build build/dev] [--dist dist]

It contains libtorch_np_cuda.so in its own package, which torch_np searches for. It depends on
NVIDIA's packages for the libraries that libtorch_np_cuda.so opens. libtorch_np.so must be loaded
before it.
"""
from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

from tools.wheels.sources import ROOT
from tools.wheels.wheel import installed_tree, make, metadata

PROJECT = Path(__file__).resolve().parent
LARGEST = 100_000_000  # bytes: PyPI's limit
# libcuda belongs to the driver; the other libraries are opened by name, so auditwheel does not see
# them.
LEFT_OUT = ("libtorch_np.so", "libcuda.so.1")


def version_of(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{path} has no version")
    return found[1]


def check_versions() -> None:
    """Checks that both packages have the same version, in every file that states it."""
    ours = version_of(ROOT / "pyproject.toml", r'^version = "(.*)"')
    places = {PROJECT / "pyproject.toml": r'^version = "(.*)"', PROJECT / "torch_np_cuda" / "__init__.py": r'^__version__ = "(.*?)"'}
    for path, pattern in places.items():
        if version_of(path, pattern) != ours:
            raise SystemExit(f"{path} says version {version_of(path, pattern)}, and torch-np has {ours}")
    if f'"torch-np=={ours}"' not in (PROJECT / "pyproject.toml").read_text():
        raise SystemExit(f"{PROJECT / 'pyproject.toml'} does not depend on torch-np=={ours}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "dev")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    arguments = parser.parse_args()
    check_versions()
    tree = ROOT / "build" / "wheel-cuda" / "tree"
    installed_tree(arguments.build, tree, component="cuda")
    shutil.copyfile(PROJECT / "torch_np_cuda" / "__init__.py", tree / "torch_np_cuda" / "__init__.py")
    metadata(tree, PROJECT)
    wheel = make(tree, arguments.dist, LEFT_OUT, LARGEST)
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")


if __name__ == "__main__":
    main()
