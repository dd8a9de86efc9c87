#!/usr/bin/env python3
"""Runs PyTorch's own tests on torch_np, under the launcher.

    PYTHON torch_suite.py --tests TESTS --module torch --json expected.json    # PYTHON has PyTorch
    python torch_suite.py --tests TESTS --pytorch SITE_PACKAGES --expected expected.json

TESTS is the folder `test` of PyTorch's source (Debian's source package `pytorch` has it). The helpers
that these tests import, `torch.testing._internal`, come from a PyTorch that is installed in
SITE_PACKAGES; nothing else of it is loaded. Nothing of PyTorch's is kept here. The first command
records which tests PyTorch passes on the CPU. The rate is the part of these that torch_np passes.
"""
import argparse
import collections
import concurrent.futures
import importlib.abc
import importlib.machinery
import json
import os
import re
import sys
import tempfile
import time
import zlib


from suite_process import Recorder, percent, print_causes, run_child, run_tests, run_with_restarts

FILES = """test_torch test_autograd test_nn test_optim test_indexing test_reductions test_view_ops test_shape_ops
test_tensor_creation_ops test_type_promotion test_linalg test_spectral_ops test_segment_reductions test_serialization
test_dataloader test_sparse test_sparse_csr test_autocast functorch/test_eager_transforms functorch/test_vmap nn/* optim/* distributions/*""".split()


# Tests of what torch_np does not have, by a part of their names. --all runs them, too.
OUT_OF_SCOPE = {
    "_refs_|_prims_": "references of operators in Python, which are private",
    "_lazy_clone|_cow_": "storages that are copied on write, which are private",
    "_conv_backend_": "which kernel PyTorch chooses for a convolution, which is private",
    "_int4_mm|_int8_mm|_int4pack|_int8pack": "packed weights, which are private",
    "sparse|_csr|_csc|_bsr|_bsc": "sparse tensors",
    "quantized|_quint|_qint": "quantised tensors",
    "complex32|_chalf|complex_half|float8|float4": "dtypes that torch_np does not have",
    "_named_tensor|_names_|nested|_vmap": "named and nested tensors, vmap",
}


class Helpers(importlib.abc.MetaPathFinder):
    """Finds the private modules of torch.testing in a PyTorch installation."""

    def __init__(self, site_packages):
        self.site_packages = site_packages

    def find_spec(self, name, path=None, target=None):
        if re.match(r"torch\.testing\._(internal|comparison|utils)\b", name):
            folder = os.path.join(self.site_packages, *name.split(".")[:-1])
            return importlib.machinery.PathFinder.find_spec(name, [folder])
        return None


def remove_endless_calls(cls):
    """Removes setUp and tearDown that call super(self.__class__, self): in a subclass, of which newer
    helpers make more, they call themselves."""
    for base in cls.__mro__[:-1]:
        for name in ("setUp", "tearDown"):
            code = getattr(vars(base).get(name), "__code__", None)
            if code and {"super", "__class__"} <= set(code.co_names):
                delattr(base, name)


class Plugin(Recorder):
    def pytest_collection_modifyitems(self, items):
        for cls in {item.cls for item in items if getattr(item, "cls", None)}:
            remove_endless_calls(cls)
        if self.job["collect"]:
            for item in items:
                self.log("test", item.nodeid)
            items[:] = []
        todo = set(self.job["todo"])
        items[:] = [item for item in items if item.nodeid in todo]

    def pytest_collectreport(self, report):
        if report.failed:
            self.log("lost", report.nodeid, str(report.longrepr).strip().rpartition("\n")[2][:300])


def add_older_names():
    """Adds to the helpers what tests of PyTorch 2.6 import and newer helpers lack."""
    from torch.testing._internal import common_cuda, common_mkldnn, common_nn
    for module, name, value in (
            (common_cuda, "tf32_is_not_fp32", lambda: False),
            (common_mkldnn, "bf32_on_and_off", lambda bf32_precision=1e-2: lambda function: function),
            (common_nn, "new_module_tests", getattr(common_nn, "get_new_module_tests", list)())):
        if not hasattr(module, name):
            setattr(module, name, value)


def child(job_file):
    with open(job_file, encoding="utf-8") as file:
        job = json.load(file)
    if job["module"] != "torch":
        import torch_np
        torch_np.install()
        import torch.testing
        torch.testing.__path__ = []         # Helpers finds its submodules
        sys.meta_path.insert(0, Helpers(job["pytorch"]))
        import torch_suite_stand_ins
        torch_suite_stand_ins.install()
        import torch.testing._utils         # the helpers find it as an attribute
        sys.path.append(job["pytorch"])     # packages that the helpers import
    sys.path[:0] = [job["tests"], os.path.dirname(os.path.join(job["tests"], job["files"][0]))]
    add_older_names()
    run_tests(Plugin(job), job["tests"], job["files"], "-W", "ignore")


def find_files(folder):
    """The test files, as paths in the folder."""
    found = []
    for entry in FILES:
        if entry.endswith("/*"):
            names = os.listdir(os.path.join(folder, entry[:-2]))
            found += sorted(f"{entry[:-2]}/{n}" for n in names if re.fullmatch(r"test_\w+\.py", n))
        else:
            found.append(f"{entry}.py")
    return found


def is_out_of_scope(test):
    return any(re.search(part, test.partition("::")[2]) for part in OUT_OF_SCOPE)


def run_file(directory, args, file, expected):
    """{test: (outcome, message)} of one file."""
    def run(attempt, todo, seconds, collect=False):
        return run_child(directory, re.sub(r"\W", "_", f"{file}_{collect}_{attempt}"), seconds,
                         cwd=args.tests, module=args.module, pytorch=args.pytorch, collect=collect,
                         tests=args.tests, files=[file], todo=todo, test_timeout=args.test_timeout)

    def is_wanted(test):
        k, n = map(int, args.sample.split("/"))
        return re.search(args.only, test) and zlib.crc32(test.encode()) % n == k % n
    if expected is None:
        tests = [r[1] for r in run(0, [], args.file_timeout, True)[0] if r[0] == "test"]
    else:
        tests = [t for t in expected if t.startswith(file + "::")]
    tests = [t for t in tests if is_wanted(t)]
    if not args.all:
        tests = [t for t in tests if not is_out_of_scope(t)]
    if not tests:
        return {}
    results, todo, died, records = run_with_restarts(run, tests, args.file_timeout, args.max_restarts)
    lost = "; ".join(r[2] for r in records if r[0] == "lost")
    for test in todo:
        results[test] = "crashed" if died else "failed", f"not run: {died or lost or 'not collected'}"
    return results


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    add = parser.add_argument
    add("--tests", required=True, metavar="FOLDER", help="the folder test of PyTorch's source")
    add("--module", default="torch_np", choices=["torch", "torch_np"])
    add("--pytorch", metavar="SITE_PACKAGES", help="where torch/testing/_internal is")
    add("--expected", metavar="JSON", help="what PyTorch passes, written by --module torch --json")
    add("--files", metavar="REGEX", default="", help="only these test files")
    add("--only", metavar="REGEX", default="", help="only tests whose node id matches")
    add("--all", action="store_true", help="also tests that are out of scope")
    add("--sample", metavar="K/N", default="0/1", help="one test of N")
    add("--jobs", type=int, default=2, help="files that run at the same time")
    add("--test-timeout", type=float, default=120, metavar="SECONDS")
    add("--file-timeout", type=float, default=3600, metavar="SECONDS")
    add("--max-restarts", type=int, default=50, help="of one file, after crashes")
    add("--json", metavar="PATH", help="write every outcome")
    add("--list-failures", action="store_true")
    add("--causes", type=int, default=40, metavar="N", help="print the N most frequent messages")
    if sys.argv[1:2] == ["--child"]:
        return child(sys.argv[2])
    args = parser.parse_args()
    args.tests, args.pytorch = (os.path.abspath(p) if p else p for p in (args.tests, args.pytorch))
    os.environ["PYTORCH_TESTING_DEVICE_ONLY_FOR"] = "cpu"
    expected = None
    if args.expected:
        with open(args.expected, encoding="utf-8") as file:
            expected = [t for t, result in json.load(file).items() if result[0] == "passed"]
        excluded = sum(map(is_out_of_scope, expected))
        print(f"PyTorch passes {len(expected)} tests; {excluded} of them are out of scope")
    args.all |= args.module == "torch"
    files = [f for f in find_files(args.tests) if re.search(args.files, f)]
    started, results = time.monotonic(), {}
    with tempfile.TemporaryDirectory() as directory, \
            concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
        for part in pool.map(lambda f: run_file(directory, args, f, expected), files):
            results.update(part)
    if args.json:
        with open(args.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=0)
    if args.list_failures:
        for test, (outcome, message) in results.items():
            if outcome not in ("passed", "skipped"):
                print(f"{outcome.upper():8} {test}  {message}")
    print_causes(results, args.causes)
    # A test that is skipped here does not pass, as PyTorch runs it.
    rows = collections.defaultdict(collections.Counter)
    for test, (outcome, _) in results.items():
        for row in (test.partition("::")[0], "all"):
            rows[row][outcome] += 1
    print(f"{'file':44} {'passed':>7} {'failed':>7} {'crashed':>7} {'skipped':>7} {'rate':>7}")
    for row, counts in rows.items():
        print(f"{row:44} {counts['passed']:7} {counts['failed']:7} {counts['crashed']:7} "
              f"{counts['skipped']:7} {percent(counts['passed'], counts.total())}")
    print(f"{round(time.monotonic() - started)} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
