"""Prepares an emulated AArch64 environment for `make test-aarch64`, and runs the tests in it.

    python tools/aarch64.py prepare    # build/aarch64/{root,packages}, `python` and `run`
    python tools/aarch64.py test [-j JOBS] [test/python/numpy_face/test_sorting.py ...] [-- OPTIONS OF PYTEST]

It needs a cross compiler. `prepare` unpacks Debian's arm64 packages (interpreter, headers, oneTBB,
GoogleTest) into a separate root directory and installs PyPI's wheels for aarch64 beside it. `run
PROGRAM` runs a program of that root under qemu-user. `python` is its interpreter and also
sys.executable there, so that programs started by tests are emulated too.

The tests run in a copy of the tree. The default is the C++ tests and TESTS, since the emulator is
ten to fifty times slower than hardware.
"""
import argparse
import os
import shutil
import subprocess
import sys

from walkthroughs import ROOT, copy, tracked_files

BUILD = ROOT / "build/aarch64"
DEBIAN = ["libc6-dev", "python3", "libpython3-dev", "libtbb-dev", "libgtest-dev"]
PYPI = ["numpy==2.4.6", "ml_dtypes", "scipy-openblas64", "pyyaml", "pytest", "pytest-xdist", "hypothesis"]
PLATFORMS = ["manylinux_2_28_aarch64", "manylinux_2_27_aarch64", "manylinux2014_aarch64"]  # pip does not add older tags
# A processor without SVE: on qemu's default one, which has SVE, kernels of OpenBLAS 0.3.34 give
# wrong complex products.
EMULATOR = "qemu-aarch64-static -cpu neoverse-n1"
# Processor-dependent tests: conversions, rounding, flags, memory, threads, and libraries that
# differ on AArch64.
TESTS = [f"test/python/{folder}/test_{name}.py" for folder, names in {
    "fusion": "temporaries", "kernels": "accuracy blas_libraries masks short_lines", "memory_and_threads": "alignment unaligned",
    "numpy_face": "bfloat16 complex_casts fft floating_point_errors histograms huge_integers indexing linalg philox products promotion "
                  "quantiles random reductions sorting ufuncs",
    "objects": "conversion values", "torch_face": "scatter"}.items() for name in names.split()]


def unpack_debian(root, packages=DEBIAN):
    """Unpacks Debian packages and their dependencies into `root`. apt runs for arm64 only, with a
    state directory of its own.
    """
    state = BUILD / "apt"
    for folder in ("lists/partial", "archives/partial"):
        (state / folder).mkdir(parents=True, exist_ok=True)
    (state / "status").touch()
    options = {"APT::Architecture": "arm64", "APT::Architectures": "arm64", "APT::Install-Recommends": "0", "APT::Sandbox::User": "",
               "Dir::State": state, "Dir::State::status": state / "status", "Dir::Cache": state}
    apt = ["apt-get", "-q", *(f"-o{name}={value}" for name, value in options.items())]
    subprocess.run([*apt, "update"], check=True, stdout=subprocess.DEVNULL)
    subprocess.run([*apt, "-y", "--download-only", "install", *packages], check=True, stdout=subprocess.DEVNULL)
    for package in (state / "archives").glob("*.deb"):
        subprocess.run(["dpkg-deb", "-x", package, root], check=True)


def script(path, text):
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)


def prepare():
    root, packages = BUILD / "root", BUILD / "packages"
    if (BUILD / "ready").exists():
        return
    shutil.rmtree(root, ignore_errors=True)
    shutil.rmtree(packages, ignore_errors=True)
    root.mkdir(parents=True)
    unpack_debian(root)
    version = max(root.glob("usr/bin/python3.*"), key=lambda p: p.name).name.removeprefix("python")
    subprocess.run([sys.executable, "-m", "pip", "--disable-pip-version-check", "-q", "install", "--target", packages,
                    "--only-binary=:all:", f"--python-version={version}", *(f"--platform={p}" for p in PLATFORMS), *PYPI], check=True)
    script(BUILD / "run", f'exec {EMULATOR} -L {root} "$@"\n')
    script(BUILD / "python", f'export PYTHONHOME={root}/usr\nexec {EMULATOR} -L {root} -0 "$0" {root}/usr/bin/python{version} "$@"\n')
    (BUILD / "ready").touch()


def make_tree():
    """Copies the tracked and untracked files of the tree and adds the build's results."""
    tree = BUILD / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    copy(tree, tracked_files())
    shutil.copytree(BUILD / "generated_python", tree / "torch_np", dirs_exist_ok=True)
    for library in BUILD.glob("*.so"):
        shutil.copy2(library, tree / "torch_np")
    return tree


def test(tests, jobs, pytest_options):
    failed = False
    if not tests:
        failed |= subprocess.run([BUILD / "run", BUILD / "torch_np_tests", "--gtest_brief=1"]).returncode != 0
    tree = make_tree()
    command = [BUILD / "python", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", jobs, *pytest_options, *(tests or TESTS)]
    environment = os.environ | {"PYTHONPATH": f"{tree}:{BUILD / 'packages'}"}
    return failed | (subprocess.run(command, cwd=tree, env=environment).returncode != 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["prepare", "test"])
    parser.add_argument("tests", nargs="*")
    parser.add_argument("-j", "--jobs", default="2")
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments = parser.parse_intermixed_args(sys.argv[1:cut])
    return prepare() if arguments.what == "prepare" else test(arguments.tests, arguments.jobs, sys.argv[cut + 1:])


if __name__ == "__main__":
    sys.exit(main())
