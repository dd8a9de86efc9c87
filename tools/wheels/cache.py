"""Finds existing wheels of this tree: in dist/, in the folder named by TORCH_NP_WHEELS, and in the
user's cache.

    python -m tools.wheels.cache   # prints the newest wheel of the same sources; exits with 1 if none

`make wheel` copies its result to dist/ and to the cache, where another clone of the same sources
finds it. (Pip's own cache keeps only wheels of downloaded packages, not of a folder.)
"""
from __future__ import annotations

import os
import platform
import shutil
import sys
from pathlib import Path

from tools.wheels.sources import ROOT, digest, digest_of_wheel

KEPT = 4  # number of source states in the user's cache, at 30 MB a wheel


def user_cache() -> Path:
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "torch_np" / "wheels"


def kept(sources: str) -> Path:
    """The folder of the user's cache for wheels of these sources."""
    return user_cache() / sources[:16]


def pattern(interpreter: str | None = None) -> str:
    """A glob of wheel names that this machine can install; `interpreter`: 'cp311', by default the
    running one."""
    interpreter = interpreter or f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"torch_np-*-{interpreter}-{interpreter}-*_{platform.machine()}.whl"


def find(root: Path = ROOT, interpreter: str | None = None) -> Path | None:
    """The newest wheel made of the sources in `root`; wheels not processed by auditwheel (linux_*)
    come last."""
    wanted = digest(root)
    folders = [root / "dist", kept(wanted)] + [Path(folder) for folder in [os.environ.get("TORCH_NP_WHEELS")] if folder]
    wheels = [wheel for folder in folders for wheel in folder.glob(pattern(interpreter))]
    wheels.sort(key=lambda wheel: ("manylinux" in wheel.name, wheel.stat().st_mtime), reverse=True)
    return next((wheel for wheel in wheels if digest_of_wheel(wheel) == wanted), None)


def keep(wheel: Path, sources: str) -> Path:
    """Copies a wheel into the user's cache, and deletes all but the newest wheels there."""
    folder = kept(sources)
    folder.mkdir(parents=True, exist_ok=True)
    partial = folder / f"{wheel.name}.{os.getpid()}"
    shutil.copyfile(wheel, partial)
    os.utime(folder)
    for old in sorted(user_cache().iterdir(), key=lambda path: path.stat().st_mtime, reverse=True)[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)
    return partial.replace(folder / wheel.name)  # atomic: another process may be searching


if __name__ == "__main__":
    found = find()
    if found is None:
        sys.exit(1)
    print(found)
