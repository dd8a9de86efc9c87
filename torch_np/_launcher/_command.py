"""The command line of the launcher: `python -m torch_np [options] program.py [arguments]`, with
`-m module` or `-c code` in place of the program, as for `python` itself.

The program runs in the module `__main__` of this process, as it would without the launcher, so that
`pickle` and `multiprocessing` find its classes and functions there.
"""
from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import re
import sys
from types import CodeType
from typing import Any, NoReturn

import torch_np
from torch_np._launcher import install

# Errors of compiled code that gets an array of ours: Cython's, pyarrow's, h5py's.
_NEEDS_NUMPYS = re.compile(r"expected numpy\.ndarray|to numpy\.ndarray|was not a NumPy array|not pass ndarray|must be (a )?(numpy|NumPy)", re.IGNORECASE)

_USAGE = """\
usage: python -m torch_np [options] (program.py | -m module | -c code) [arguments]

Runs a program written for PyTorch or NumPy on torch_np, and the processes that it starts: `import
torch` finds torch_np, and `import numpy` torch_np.numpy. The program may also be a folder or a zip
file that contains a file __main__.py.

  --torch              torch_np stands for PyTorch only
  --numpy              torch_np stands for NumPy only; the default is both
  --numpy-for PKG      the package PKG gets NumPy, as packages with compiled code for NumPy do
  --no-numpy-for PKG   the package PKG gets torch_np.numpy, even if such code is found in it
  --report[=FILE]      prints at the end where the time went and what NumPy computed, or writes it to
                       FILE: JSON, HTML or text, by its suffix
  -h, --help           prints this text
"""


class _Options:
    def __init__(self) -> None:
        self.torch = self.numpy = False
        self.numpy_for: list[str] = []
        self.no_numpy_for: list[str] = []
        self.report: str | None = None  # a file; "" for standard error

    def read(self, rest: list[str]) -> None:
        """Removes the options at the beginning of `rest`."""
        while rest and rest[0].startswith("--"):
            name, has_value, value = rest[0][2:].partition("=")
            if name in ("torch", "numpy") and not has_value:
                setattr(self, name, True)
            elif name == "report":
                self.report = os.path.abspath(value) if value else ""
            elif name in ("numpy-for", "no-numpy-for"):
                if not has_value:
                    value = rest.pop(1) if len(rest) > 1 else ""
                if not value:
                    _fail(f"{_USAGE}torch_np: --{name} needs the name of a package")
                getattr(self, name.replace("-", "_")).extend(value.split(","))
            else:
                return
            del rest[0]


def main(arguments: list[str] | None = None) -> None:
    """Runs the program that the command line names.

    Errors: SystemExit for a command line without a program, or with an unknown option; those of the
    program.
    """
    rest = list(sys.argv[1:] if arguments is None else arguments)
    options = _Options()
    options.read(rest)
    if rest and rest[0] in ("-h", "--help"):
        print(_USAGE, end="")
        return
    if not rest or rest[0] in ("-m", "-c") and len(rest) == 1:
        _fail(f"{_USAGE}torch_np: {'no program is given' if not rest else f'{rest[0]} needs an argument'}")
    if rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        _fail(f"{_USAGE}torch_np: unknown option {rest[0]}; options of the program follow its name")
    both = options.torch == options.numpy
    install(torch=options.torch or both, numpy=options.numpy or both, numpy_for=options.numpy_for, no_numpy_for=options.no_numpy_for)
    if options.report is None:
        _run(rest)
    else:
        _run_with_report(rest, options.report)


def _run(rest):
    if rest[0] == "-c":
        _run_code(rest[1], rest[2:])
    elif rest[0] == "-m":
        _run_module(rest[1], rest[2:])
    else:
        _run_program(rest[0], rest[1:])


def _run_with_report(rest, file):
    report, process = torch_np.report(), os.getpid()
    try:
        with report:
            _run(rest)
    finally:
        if os.getpid() == process and file:
            report.save(file)
        elif os.getpid() == process:  # not a child that the program forked
            print(report, file=sys.stderr)


def _fail(text: str) -> NoReturn:
    print(text, file=sys.stderr)
    raise SystemExit(2)


def _run_code(text, arguments):
    sys.argv[:] = ["-c", *arguments]
    _set_first_path("")
    _execute(compile(text, "<string>", "exec"), {})


def _run_module(name, arguments):
    _set_first_path(os.getcwd())
    try:
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.submodule_search_locations is not None:
            spec = importlib.util.find_spec(f"{name}.__main__")
    except (ImportError, ValueError) as error:
        _fail(f"{sys.executable}: error while finding the module {name!r} ({type(error).__name__}: {error})")
    if spec is None:
        _fail(f"{sys.executable}: No module named {name}, or it is a package without a module __main__")
    sys.argv[:] = [spec.origin or name, *arguments]
    _execute(_code_of(spec, name), {"__spec__": spec, "__file__": spec.origin, "__package__": spec.parent, "__loader__": spec.loader,
                                    "__cached__": spec.cached})


def _run_program(path, arguments):
    sys.argv[:] = [path, *arguments]
    if os.path.isdir(path) or _is_archive(path):
        _set_first_path(path)
        spec = importlib.machinery.PathFinder.find_spec("__main__", [path])
        if spec is None:
            _fail(f"{sys.executable}: can't find a module __main__ in {path!r}")
        _execute(_code_of(spec, path), {"__spec__": spec, "__file__": spec.origin, "__package__": "", "__loader__": spec.loader})
        return
    try:
        if path.endswith(".pyc"):
            code: Any = importlib.machinery.SourcelessFileLoader("__main__", path).get_code("__main__")
        else:
            with open(path, "rb") as file:
                code = compile(file.read(), path, "exec")
    except OSError as error:
        _fail(f"{sys.executable}: can't open file {os.path.abspath(path)!r}: [Errno {error.errno}] {error.strerror}")
    _set_first_path(os.path.dirname(os.path.realpath(path)))
    _execute(code, {"__file__": path, "__loader__": importlib.machinery.SourceFileLoader("__main__", path)})


def _is_archive(path):
    import zipfile

    return not path.endswith((".py", ".pyc")) and os.path.isfile(path) and zipfile.is_zipfile(path)


def _code_of(spec, name):
    code = spec.loader.get_code(spec.name) if hasattr(spec.loader, "get_code") else None
    if code is None:
        _fail(f"{sys.executable}: {name} has no Python code")
    return code


def _set_first_path(first):
    """Replaces the entry of `sys.path` that Python has made for this command."""
    if getattr(sys.flags, "safe_path", False):
        return
    if sys.path and os.path.realpath(sys.path[0] or os.curdir) == os.getcwd():
        sys.path[0] = first
    else:
        sys.path.insert(0, first)


def _execute(code: CodeType, attributes: dict[str, Any]) -> None:
    """Executes code in an empty module `__main__`."""
    main = sys.modules["__main__"]
    names = vars(main)
    builtins = names["__builtins__"]
    names.clear()
    names.update({"__name__": "__main__", "__builtins__": builtins, "__doc__": None, "__spec__": None, "__package__": None, "__loader__": None},
                 **attributes)
    try:
        exec(code, names)
    except (TypeError, ValueError) as error:
        if _NEEDS_NUMPYS.search(str(error)):
            error.add_note("torch_np: compiled code requires NumPy's own class here; pass x.__array__(), a NumPy array over the same memory")
        raise
