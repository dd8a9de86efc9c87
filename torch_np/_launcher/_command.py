"""The command line of the launcher: `python -m torch_np [--torch] program.py [arguments]`, with
`-m module` or `-c code` in place of the program, as for `python` itself.

The program runs in the module `__main__` of this process, as it would without the launcher, so that
`pickle` and `multiprocessing` find its classes and functions there.
"""
from __future__ import annotations

import importlib.machinery
import importlib.util
import os
import sys
from types import CodeType
from typing import Any, NoReturn

from torch_np._launcher import install

_USAGE = """\
usage: python -m torch_np [--torch] (program.py | -m module | -c code) [arguments]

Runs a program written for PyTorch: `import torch` finds torch_np in it, and in the processes that
it starts. The program may also be a folder or a zip file that contains a file __main__.py.

  --torch    torch_np stands for PyTorch (the default)
  --numpy    torch_np stands for NumPy: not implemented
  -h, --help prints this text
"""


def main(arguments: list[str] | None = None) -> None:
    """Runs the program that the command line names.

    Errors: SystemExit for a command line without a program, or with an unknown option;
    NotImplementedError for `--numpy`; those of the program.
    """
    rest = list(sys.argv[1:] if arguments is None else arguments)
    chosen = {"torch": False, "numpy": False}
    while rest and rest[0].startswith("--") and rest[0][2:] in chosen:
        chosen[rest.pop(0)[2:]] = True
    if rest and rest[0] in ("-h", "--help"):
        print(_USAGE, end="")
        return
    if not rest or rest[0] in ("-m", "-c") and len(rest) == 1:
        _fail(f"{_USAGE}torch_np: {'no program is given' if not rest else f'{rest[0]} needs an argument'}")
    if rest[0].startswith("-") and rest[0] not in ("-m", "-c"):
        _fail(f"{_USAGE}torch_np: unknown option {rest[0]}; options of the program follow its name")
    install(torch=chosen["torch"] or not chosen["numpy"], numpy=chosen["numpy"])
    if rest[0] == "-c":
        _run_code(rest[1], rest[2:])
    elif rest[0] == "-m":
        _run_module(rest[1], rest[2:])
    else:
        _run_program(rest[0], rest[1:])


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
    exec(code, names)
