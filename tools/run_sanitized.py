"""Runs the C++ tests, then the Python tests given, against a sanitizer build.

    python tools/run_sanitized.py build/sanitizers [-j JOBS] [test/python/numpy_face/test_sorting.py ...] [-- OPTIONS OF PYTEST]
    python tools/run_sanitized.py build/threads --threads [-j JOBS] [test/python/numpy_face/test_sorting.py ...] [-- OPTIONS OF PYTEST]

By default it runs all of test/python except the tests in test/python/sanitizer_exceptions.txt. Then
it runs the CUDA tests on the emulated device (docs/cuda.md), where every array is its own
allocation. With --threads, it runs the tests that start threads.

The tests run in a copy of the tree in the build folder, which contains the instrumented libraries.
The sanitizer's library is preloaded, since the interpreter is not instrumented. Reports go to one
file per process, so that reports of child processes and of crashed workers are found too. Any
report fails the run. Leak detection is off, since CPython frees little at exit.
"""
import argparse
import os
import shutil
import subprocess
import sys
from pathlib import Path

from walkthroughs import ROOT, copy, tracked_files

# Tests that start threads, and tests that compare results for several numbers of threads. Without
# test_shared_memory.py: it deliberately races with operators by changing their elements, millions
# of times, and ThreadSanitizer stops at each.
THREADS = [
    *(f"test/python/memory_and_threads/test_{name}.py" for name in ("threads", "threads_and_memory", "memory")),
    "test/python/kernels/test_short_lines.py", "test/python/torch_face/test_layer_norm.py",
    "test/python/numpy_face/test_linalg.py::test_panels_have_the_same_bits_on_two_and_three_threads",
    "test/python/numpy_face/test_random.py::test_threads_share_a_generator",
    "test/python/autograd/test_autograd.py::test_threads_may_share_leaves",
    "test/python/objects/test_types.py::test_other_threads_run_during_long_work",
    *(f"test/python/fusion/test_fusion.py::{name}" for name in ("test_threads", "test_an_array_that_is_lent_while_it_is_read")),
    *(f"test/python/fusion/test_fused_reductions.py::{name}" for name in
      ("test_numbers_of_threads", "test_threads", "test_an_operand_that_another_thread_changes")),
    *(f"test/python/compiler/test_{name}.py::test_threads" for name in ("compile", "compile_gradients", "compile_reductions", "subgraphs")),
    "test/python/compiler/test_compile_row_tiles.py::test_in_threads",
    "test/python/compiler/test_compile_row_tiles.py::test_forces_among_bodies",
    "test/python/fusion/test_machine_code.py::test_code_is_bounded_and_chains_in_threads_are_right",
    *(f"test/python/torch_face/test_profiler.py::{name}" for name in
      ("test_all_threads_are_in_it", "test_a_thread_may_be_at_work_when_profiles_begin_and_end"))]
# Repeated with every possible result pending.
PENDING = [f"test/python/memory_and_threads/test_{name}.py" for name in ("threads", "threads_and_memory", "memory")]
CUDA = [*(f"test/python/numpy_face/test_{name}.py" for name in
          ("indexing", "reductions", "sorting", "products", "ufuncs", "linalg", "fft", "random", "histograms")),
        "test/python/torch_face/test_scatter.py"]
# Markers of sanitizer reports. Warnings about failed allocations do not contain them.
REPORTED = ("ERROR: AddressSanitizer", "runtime error:", "WARNING: ThreadSanitizer", "FATAL: ThreadSanitizer")


def options(**values):
    return ":".join(f"{name}={value}" for name, value in values.items())


def environment_of(threads, reports):
    """The environment of every program, and additional variables for Python."""
    common = {"log_path": reports / "report"}
    if threads:
        # history_size: keeps stacks of old accesses, which suppressions match.
        own = {"TSAN_OPTIONS": options(**common, suppressions=ROOT / "tools" / "tsan_suppressions.txt", halt_on_error=0, exitcode=66,
                                       second_deadlock_stack=1, report_signal_unsafe=0, history_size=7)}
        preloaded, of_python = ("libtsan.so",), {}
    else:
        own = {"ASAN_OPTIONS": options(**common, detect_leaks=0, allocator_may_return_null=1, max_allocation_size_mb=4096,
                                       detect_stack_use_after_return=1, check_initialization_order=1),
               "UBSAN_OPTIONS": options(**common, print_stacktrace=1, halt_on_error=1)}
        # Do not cache freed arrays, so that use after free is detected.
        preloaded, of_python = ("libasan.so", "libubsan.so"), {"TORCH_NP_CPU_CACHE_LIMIT": "0", "TORCH_NP_CUDA_NO_CACHE": "1"}
    libraries = [subprocess.run(["g++", f"-print-file-name={name}"], capture_output=True, text=True, check=True).stdout.strip()
                 for name in preloaded]
    # The interpreter's allocator also caches freed objects.
    return os.environ | own, of_python | {"LD_PRELOAD": ":".join(libraries), "PYTHONMALLOC": "malloc"}


def make_tree(build):
    """Copies the tracked and untracked files of the tree and adds the build's results."""
    tree = build / "tree"
    shutil.rmtree(tree, ignore_errors=True)
    copy(tree, tracked_files())
    shutil.copytree(build / "generated_python", tree / "torch_np", dirs_exist_ok=True)
    for library in build.glob("*.so"):
        shutil.copy2(library, tree / "torch_np")
    return tree


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=Path)
    parser.add_argument("tests", nargs="*")
    parser.add_argument("--threads", action="store_true")
    parser.add_argument("-j", "--jobs", default="0")
    cut = sys.argv.index("--") if "--" in sys.argv else len(sys.argv)
    arguments, pytest_options = parser.parse_intermixed_args(sys.argv[1:cut]), sys.argv[cut + 1:]
    build = arguments.build.resolve()
    reports = build / "reports"
    shutil.rmtree(reports, ignore_errors=True)
    reports.mkdir()
    environment, of_python = environment_of(arguments.threads, reports)
    failed = False

    def run(command, **kwargs):
        nonlocal failed
        print("+", *command, flush=True)
        failed |= subprocess.run(command, **kwargs).returncode != 0

    engine = build / "torch_np_tests"
    if engine.exists() and not arguments.tests:
        run([engine, "--gtest_brief=1"], env=environment)

    tree = make_tree(build)
    environment |= of_python | {"PYTHONPATH": str(tree)}
    pytest = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", arguments.jobs, *pytest_options]
    tests = arguments.tests or (THREADS if arguments.threads else ["test/python"])
    run(pytest + ([] if arguments.threads else ["--sanitized"]) + tests, cwd=tree, env=environment)
    if not arguments.tests and arguments.threads:
        run(pytest + PENDING, cwd=tree, env=environment | {"TORCH_NP_FUSION": "always"})
    if not arguments.tests and (tree / "torch_np/libtorch_np_cuda_emulated.so").exists():
        run([*pytest, "--sanitized", "--device", "cuda", *CUDA], cwd=tree, env=environment | {"TORCH_NP_CUDA_EMULATED": "1"})

    for report in sorted(reports.iterdir()):
        text = report.read_text(errors="replace")
        if any(words in text for words in REPORTED):
            failed = True
            print(f"== {report}\n{text}")
    return failed


if __name__ == "__main__":
    sys.exit(main())
