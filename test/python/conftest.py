"""`--device cuda`: the same tests with every new array on the GPU, and comparisons reading its copy on the CPU.

Where there is no GPU, TORCH_NP_CUDA_EMULATED=1 gives one in host memory (docs/cuda.md). A test that ends because an operator has
no kernel for the GPU yet counts as an expected failure; tests that cannot hold there are listed, with the reason, in
cuda_exceptions.txt; those that cannot hold on a GPU, but do on the emulated one, in gpu_exceptions.txt.

Where something failed, the summary says which NumPy it was compared with, and on which processor.

`--sanitized`: without the tests of memory and time that sanitizer_exceptions.txt lists, for builds that change both.
"""
import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "support"))  # what tests of several folders share
import numpy_oracle  # noqa: E402
from exceptions_lists import CUDA, GPU, SANITIZERS  # noqa: E402

# What ends a test for want of a kernel.
NO_KERNEL = "Copy them to the CPU first"


def pytest_addoption(parser):
    parser.addoption("--device", default="cpu", choices=["cpu", "cuda"], help="where the tests make their arrays")
    parser.addoption("--sanitized", action="store_true", help="leave out tests that do not hold under sanitizers")


def pytest_configure(config):
    os.environ.setdefault("PYTHONFAULTHANDLER", "1")  # that processes which tests start say where they crash
    if config.getoption("--device") == "cpu":
        return
    os.environ.setdefault("TORCH_NP_CUDA_CHECK", "1")  # the tests expect IndexErrors where they happen
    import torch_np
    if not torch_np.cuda.is_available():
        raise pytest.UsageError("--device cuda: there is no GPU (TORCH_NP_CUDA_EMULATED=1 gives an emulated one)")
    torch_np.set_default_device("cuda")
    read_from_the_gpu(torch_np.Tensor)
    read_from_the_gpu(torch_np.numpy.ndarray)


def read_from_the_gpu(cls):
    """numpy.asarray(x) copies here, so that the comparisons with NumPy need not know where x is."""
    own = cls.__array__

    def array(self, *args, **kwargs):
        return own(self if str(self.device) == "cpu" else self.cpu() if hasattr(self, "cpu") else self._cpu(), *args, **kwargs)

    cls.__array__ = array


def pytest_collection_modifyitems(config, items):
    on_device = config.getoption("--device") != "cpu"
    emulated = os.environ.get("TORCH_NP_CUDA_EMULATED", "0") != "0"
    lists = [CUDA] * on_device + [GPU] * (on_device and not emulated) + [SANITIZERS] * config.getoption("--sanitized")
    for item in items:
        for exceptions in lists:
            for _, reason in exceptions.of(item.nodeid):
                item.add_marker(pytest.mark.skip(reason=reason))


def pytest_report_header():
    return numpy_oracle.report()


def pytest_terminal_summary(terminalreporter):
    if terminalreporter.stats.get("failed") or terminalreporter.stats.get("error"):
        terminalreporter.section("compared with")
        for line in numpy_oracle.report():
            terminalreporter.line(line)


@pytest.fixture(scope="session")
def builds(tmp_path_factory):
    """library_builds.Builds: compiles libraries of operators, once for all workers."""
    import library_builds
    base = tmp_path_factory.getbasetemp()
    return library_builds.Builds((base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "libraries_of_operators")


def chain(error):
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    outcome = yield
    report = outcome.get_result()
    if item.config.getoption("--device") == "cpu" or not report.failed or call.excinfo is None:
        return
    if any((isinstance(e, NotImplementedError) or "NotImplementedError" in str(e)) and NO_KERNEL in str(e)
           for e in chain(call.excinfo.value)):
        report.outcome = "skipped"
        report.wasxfail = "no kernel for the GPU yet"
    elif lost_context():
        # No call to the GPU succeeds in this process any more. With workers (-n) another takes this one's place.
        if "PYTEST_XDIST_WORKER" in os.environ:
            with item.config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
                print(f"{item.nodeid} lost the context of the GPU:\n{report.longreprtext[-3000:]}", file=sys.stderr, flush=True)
            os._exit(70)
        item.session.shouldstop = f"{item.nodeid} lost the context of the GPU"


def lost_context():
    """Whether a kernel met what a process does not recover from, as an address that is nobody's."""
    import torch_np
    for _ in range(2):  # the first time it may tell of an index out of bounds
        try:
            torch_np.cuda.synchronize()
            return False
        except Exception as error:
            text = str(error)
    return text.startswith("CUDA: ")
