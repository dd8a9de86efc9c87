"""Options of the Python tests, which run in three ways (docs/testing.md):

- on the CPU;
- with `--device cuda`: all new arrays are on the GPU, and comparisons read a copy on the CPU. TORCH_NP_CUDA_EMULATED=1 gives an emulated GPU
  in host memory (docs/cuda.md). A test that ends because an operator has no kernel for the GPU is an expected failure. Tests that fail
  there are listed, with reasons, in cuda_exceptions.txt, and in gpu_exceptions.txt if they only fail on real GPUs. They run, and a listed
  test that passes fails the run (exceptions_lists.py);
- with TORCH_NP_FUSION=always: every operator that supports it gives a pending result (docs/fusion.md).

With TORCH_NP_VERIFY=1, replays and pending results are verified (docs/compile.md). Tests that do not hold then are listed in
verified_exceptions.txt; the summary counts what was verified (verified_runs.py).

`--second-pass` leaves out tests that cannot differ from the CPU run (second_passes.py). `--sanitized` leaves out the tests of memory and time
in sanitizer_exceptions.txt, since sanitizer builds change both.

After failures, the summary names NumPy's version and the processor. It lists tests over five seconds that have no mark `slow("reason")`.
"""
import gc
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))  # helpers shared by tests of several folders
import numpy_oracle  # noqa: E402
import second_passes  # noqa: E402
import verified_runs  # noqa: E402
from exceptions_lists import CUDA, GPU, SANITIZERS, VERIFIED  # noqa: E402

# The error of an operator without a kernel contains this text.
NO_KERNEL = "Copy them to the CPU first"
SLOW = 5  # seconds
MARK = pytest.StashKey()  # the mark of tests that cannot differ in this run; None on the CPU
MARKS = {
    "slow(reason)": f"takes over {SLOW} seconds, for this reason",
    **{f"{mark}(reason)": f"{meaning}, so second passes leave it out" for mark, meaning in second_passes.MARKS.items()},
    f"{second_passes.EVERY_COMBINATION}(reason)": "second passes run all combinations of its parameters",
}


def pytest_addoption(parser):
    parser.addoption("--device", default="cpu", choices=["cpu", "cuda"], help="where the tests make their arrays")
    parser.addoption("--second-pass", action="store_true", help="leave out tests that cannot differ from a run on the CPU (support/second_passes.py)")
    parser.addoption("--sanitized", action="store_true", help="leave out tests that do not hold under sanitizers")


def pytest_configure(config):
    for mark, meaning in MARKS.items():
        config.addinivalue_line("markers", f"{mark}: {meaning}")
    os.environ.setdefault("PYTHONFAULTHANDLER", "1")  # processes started by tests print a stack if they crash
    if "PYTEST_XDIST_WORKER" in os.environ:
        numpy_oracle.compute_in_one_thread()
    if verified_runs.is_on():
        config.pluginmanager.register(verified_runs.Summary(config))
    config.stash[MARK] = second_passes.mark_of(config)
    if config.getoption("--device") == "cpu":
        return
    os.environ.setdefault("TORCH_NP_CUDA_CHECK", "1")  # IndexErrors are raised at the call that causes them
    import torch_np
    if not torch_np.cuda.is_available():
        raise pytest.UsageError("--device cuda: there is no GPU (TORCH_NP_CUDA_EMULATED=1 gives an emulated one)")
    torch_np.set_default_device("cuda")
    read_from_the_gpu(torch_np.Tensor)
    read_from_the_gpu(torch_np.numpy.ndarray)


def read_from_the_gpu(cls):
    """Makes numpy.asarray(x) copy from the GPU, so that comparisons with NumPy work on any device."""
    own = cls.__array__

    def array(self, *args, **kwargs):
        return own(self if str(self.device) == "cpu" else self.cpu() if hasattr(self, "cpu") else self._cpu(), *args, **kwargs)

    cls.__array__ = array


def pytest_collection_modifyitems(config, items):
    on_device = config.getoption("--device") != "cpu"
    emulated = os.environ.get("TORCH_NP_CUDA_EMULATED", "0") != "0"
    if config.getoption("--second-pass"):
        kept = second_passes.selected(config.stash[MARK], items)
        config.hook.pytest_deselected(items=list(set(items) - set(kept)))
        items[:] = kept
    for item in items:
        for exceptions in [CUDA] * on_device + [GPU] * (on_device and not emulated) + [VERIFIED] * verified_runs.is_on():
            for entry in exceptions.of(item.nodeid):
                item.add_marker(entry.marker())
        if config.getoption("--sanitized"):
            for entry in SANITIZERS.of(item.nodeid):
                item.add_marker(pytest.mark.skip(reason=entry.reason))


def pytest_collection_finish():
    """Garbage collections in tests skip the objects that exist by now."""
    gc.collect()
    gc.freeze()


def pytest_runtest_setup(item):
    if item.config.getoption("--device") != "cpu":  # the previous test may have changed it
        import torch_np
        torch_np.set_default_device("cuda")


def pytest_report_header():
    return numpy_oracle.report()


def pytest_terminal_summary(terminalreporter):
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.section("compared with")
        for line in numpy_oracle.report():
            terminalreporter.line(line)
    slow = [report for reports in terminalreporter.stats.values() for report in reports
            if getattr(report, "when", None) == "call" and report.duration > SLOW and "slow" not in report.keywords]
    if slow:
        terminalreporter.section(f"over {SLOW} seconds, and no slow(reason)")
        for report in sorted(slow, key=lambda report: -report.duration):
            terminalreporter.line(f"{report.duration:6.1f} s  {report.nodeid}")


@pytest.fixture(scope="session")
def shared_folder(tmp_path_factory):
    """A folder of this run that all workers share. Build there under library_builds.locked."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "shared"
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture(scope="session")
def builds(shared_folder):
    """library_builds.Builds: compiles libraries of operators, once for all workers."""
    import library_builds
    return library_builds.Builds(shared_folder / "libraries_of_operators")


@pytest.hookimpl(hookwrapper=True)
def pytest_pyfunc_call(pyfuncitem):
    """Checks, in full passes, the marks of tests that second passes leave out."""
    mark = pyfuncitem.config.stash[MARK]
    is_marked = mark is not None and pyfuncitem.get_closest_marker(mark) is not None
    before = second_passes.touched(mark) if is_marked else 0
    outcome = yield
    if is_marked and outcome.excinfo is None and second_passes.touched(mark) != before:
        outcome.force_exception(AssertionError(f"is marked {mark}, but not: {second_passes.MARKS[mark]}"))


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if item.config.getoption("--device") == "cpu" or call.excinfo is None or call.excinfo.errisinstance(pytest.skip.Exception):
        return
    if report.failed and any((isinstance(e, NotImplementedError) or "NotImplementedError" in str(e)) and NO_KERNEL in str(e)
           for e in chain(call.excinfo.value)):
        report.outcome = "skipped"
        report.wasxfail = "no kernel for the GPU yet"
    elif lost_context():
        # Every further call to the GPU fails in this process. With workers (-n), a new one replaces
        # it.
        if "PYTEST_XDIST_WORKER" in os.environ:
            with item.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
                print(f"{item.nodeid} lost the context of the GPU:\n{report.longreprtext[-3000:]}", file=sys.stderr, flush=True)
            os._exit(70)
        item.session.shouldstop = f"{item.nodeid} lost the context of the GPU"


def lost_context():
    """Whether a kernel had an error that invalidates the process's context, such as an invalid address."""
    import torch_np
    for _ in range(2):  # the first call may report an index out of bounds
        try:
            torch_np.cuda.synchronize()
            return False
        except Exception as error:
            text = str(error)
    return text.startswith("CUDA: ")
