"""The wheel of torch-np-cuda, of the CUDA library that was built in place: `make wheel-cuda`, where nvcc is.

    python -m tools.wheels.cuda_wheel [--build build/dev] [--dist dist]

It holds libtorch_np_cuda.so, in a package of its own that torch_np looks for, and depends on NVIDIA's packages with the libraries that this
opens. It needs libtorch_np.so, which is in the process already when it is opened.
"""
from __future__ import annotations

import argparse
import re
import shutil
from pathlib import Path

from tools.wheels.sources import ROOT
from tools.wheels.wheel import installed_tree, make, metadata

PROJECT = Path(__file__).resolve().parent
LARGEST = 100_000_000   # bytes: what PyPI takes
# libcuda is the driver's; the others are opened by name, and not seen by auditwheel.
LEFT_OUT = ("libtorch_np.so", "libcuda.so.1")


def version_of(path: Path, pattern: str) -> str:
    found = re.search(pattern, path.read_text(), re.MULTILINE)
    if found is None:
        raise SystemExit(f"{path} has no version")
    return found[1]


def check_versions() -> None:
    """Both packages have one version, in each place that says it."""
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
