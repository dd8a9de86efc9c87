"""Makes a wheel for other machines from an in-place build: `make wheel`.

    python -m tools.wheels.wheel [--build build/dev] [--dist dist] [--here]

It compiles nothing. CMake installs the build's libraries into a folder, with a package's paths and
without symbols. The Python files are copied beside them, and scikit-build-core makes the metadata,
as for `pip wheel .`. auditwheel then determines the versions of the C library for which the wheel
works.

The wheel contains oneMKL, linked statically. It does not contain oneTBB (libtbb.so.12), but depends
on PyPI's package `tbb`, since oneDNN and libraries of operators must find the same one. A copy
under another name would start a second thread pool in the process.
"""
from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

from tools.wheels import cache
from tools.wheels.sources import GENERATED, PACKAGES, RECORD, ROOT, digest

LARGEST = 60_000_000   # bytes
# Provided by the environment in which the wheel is installed; see above.
LEFT_OUT = ("libtbb.so.12",)


def installed_tree(build: Path, tree: Path, component: str = "") -> None:
    """Installs a CMake component of `build` into a new folder `tree`; deletes the previous contents
    of its parent."""
    shutil.rmtree(tree.parent, ignore_errors=True)
    tree.mkdir(parents=True)
    subprocess.run(["cmake", "--install", str(build), "--prefix", str(tree), "--strip", *(["--component", component] * bool(component))],
                   check=True, stdout=subprocess.DEVNULL)


def python_files(tree: Path) -> None:
    """Copies the packages' files that are not built."""
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*"):
            if path.is_file() and not path.name.endswith(GENERATED):
                target = tree / path.relative_to(ROOT)
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, target)


def metadata(tree: Path, project: Path = ROOT) -> Path:
    """Writes a dist-info folder into `tree`, and returns it."""
    from scikit_build_core.build import prepare_metadata_for_build_wheel
    before = Path.cwd()
    os.chdir(project)
    try:
        return tree / prepare_metadata_for_build_wheel(str(tree))
    finally:
        os.chdir(before)


def pack(tree: Path, folder: Path) -> Path:
    """A wheel of `tree` in `folder`, uncompressed and with an empty RECORD: auditwheel adds
    compression and hashes."""
    info = next(tree.glob("*.dist-info"))
    tag = re.search(r"^Tag: (\S+)$", (info / "WHEEL").read_text(), re.MULTILINE)
    assert tag is not None, f"{info / 'WHEEL'} has no tag"
    wheel = folder / f"{info.name.removesuffix('.dist-info')}-{tag[1]}.whl"
    (info / "RECORD").touch()
    paths = sorted(path for path in tree.rglob("*") if path.is_file())
    (info / "RECORD").write_text("".join(f"{path.relative_to(tree)},,\n" for path in paths))
    with ZipFile(wheel, "w") as archive:
        for path in paths:
            archive.write(path, path.relative_to(tree))
    return wheel


def audited(wheel: Path, dist: Path, left_out: tuple[str, ...]) -> Path:
    """Writes the wheel with the platform tag that auditwheel verifies to `dist`."""
    options = [option for name in left_out for option in ("--exclude", name)]
    output = wheel.parent / "audited"
    # Loops for AVX2 and AVX-512 are chosen at run time; auditwheel would count them as requirements
    # of the wheel.
    command = [sys.executable, "-m", "auditwheel", "repair", "--disable-isa-ext-check", "-w", str(output), *options, str(wheel)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"auditwheel refuses {wheel.name}:\n{done.stdout}{done.stderr}")
    made = next(output.glob("*.whl"))
    dist.mkdir(parents=True, exist_ok=True)
    return Path(shutil.move(made, dist / made.name))


def make(tree: Path, dist: Path, left_out: tuple[str, ...], largest: int = LARGEST) -> Path:
    """Makes a wheel in `dist` from a folder with files and dist-info; the parent folder of `tree`
    is removed."""
    print("Packing, and asking auditwheel which machines can run it", flush=True)
    wheel = audited(pack(tree, tree.parent), dist, left_out)
    if wheel.stat().st_size > largest:
        raise SystemExit(f"{wheel} has {wheel.stat().st_size / 1e6:.1f} MB, more than {largest / 1e6:.0f}")
    shutil.rmtree(tree.parent)
    return wheel


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build" / "dev")
    parser.add_argument("--dist", type=Path, default=ROOT / "dist")
    parser.add_argument("--here", action="store_true",
                        help="for this clone only: the build may have the loops of this processor alone")
    arguments = parser.parse_args()
    tree, sources = ROOT / "build" / "wheel" / "tree", digest()
    print("Installing the build into a folder, without symbols", flush=True)
    installed_tree(arguments.build, tree)
    python_files(tree)
    (metadata(tree) / RECORD).write_text(sources + "\n")
    wheel = make(tree, arguments.dist, LEFT_OUT)
    print(f"{wheel} ({wheel.stat().st_size / 1e6:.1f} MB)")
    if arguments.here:
        return
    try:
        print(f"For `make demo` of other clones: {cache.keep(wheel, sources)}")
    except OSError as error:
        print(f"Not kept for other clones: {error}")


if __name__ == "__main__":
    main()
