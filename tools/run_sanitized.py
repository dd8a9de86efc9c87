"""Runs the C++ tests, then the Python tests given (by default those of DEFAULT), against a sanitizer build. Without tests given, those of
CUDA follow, with their arrays on the emulated device (docs/cuda.md), where every array is an allocation of its own.

    python tools/run_sanitized.py build/sanitizers [test/python/test_sorting.py ...]
    python tools/run_sanitized.py build/threads --threads [test/python/test_sorting.py ...]

The package is assembled in the build folder: the Python files of torch_np/ beside the instrumented libraries. libasan is
loaded first, since the interpreter is not instrumented. Leaks are not looked for: CPython frees little at exit.
"""
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DEFAULT = [f"test/python/test_{name}.py" for name in
           ("malformed_calls", "indexing", "interchange", "alignment", "shared_memory", "random_calls")]
THREADS = [f"test/python/test_{name}.py" for name in ("threads", "threads_and_memory")]
CUDA = [f"test/python/test_{name}.py" for name in
        ("indexing", "reductions", "sorting", "products", "ufuncs", "linalg", "fft", "random", "scatter", "histograms")]


def main():
    build = Path(sys.argv[1]).resolve()
    threads = "--threads" in sys.argv
    tests = [a for a in sys.argv[2:] if a != "--threads"] or (THREADS if threads else DEFAULT)
    if threads:
        environment = os.environ | {
            "TSAN_OPTIONS": f"suppressions={ROOT / 'tools' / 'tsan_suppressions.txt'}:halt_on_error=0:exitcode=66:second_deadlock_stack=1:"
                            "ignore_noninstrumented_modules=1:report_signal_unsafe=0"}
        preloaded = ("libtsan.so",)
    else:
        environment = os.environ | {
            "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:abort_on_error=0",
            "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        }
        preloaded = ("libasan.so", "libubsan.so")
    engine = build / "torch_np_tests"
    if engine.exists():
        subprocess.run([engine, "--gtest_brief=1"], env=environment, check=True)

    package = build / "python"
    shutil.rmtree(package, ignore_errors=True)
    shutil.copytree(ROOT / "torch_np", package / "torch_np", ignore=shutil.ignore_patterns("*.so", "__pycache__", "_operators.json"))
    shutil.copytree(build / "generated_python", package / "torch_np", dirs_exist_ok=True)
    for library in build.glob("*.so"):
        shutil.copy2(library, package / "torch_np")
    libraries = [subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
                 for name in preloaded]
    environment |= {"LD_PRELOAD": ":".join(libraries), "PYTHONPATH": str(package), "PYTHONMALLOC": "malloc"}

    def run(tests, *options):
        subprocess.run([sys.executable, "-m", "pytest", "-q", "--capture=sys", "-p", "no:cacheprovider", "--rootdir", package, *options,
                        *[ROOT / t for t in tests]], cwd=package, env=environment, check=True)

    run(tests)
    if tests is DEFAULT and list(build.glob("libtorch_np_cuda_emulated.so")):
        environment |= {"TORCH_NP_CUDA_EMULATED": "1", "TORCH_NP_CUDA_NO_CACHE": "1"}
        run(CUDA, "--device", "cuda")


if __name__ == "__main__":
    main()
