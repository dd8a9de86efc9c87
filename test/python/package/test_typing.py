"""The annotations and stubs for type checkers: they exist, they agree with the modules, and mypy
finds mistakes in users' lines with them."""
import ast
import importlib
import inspect
import json
import os
import re
import subprocess
import sys
import types
from collections import defaultdict
from pathlib import Path

import pytest

import torch_np
import torch_np.numpy

pytestmark = [pytest.mark.same_on_devices("types, and lines of users in processes"),
              pytest.mark.same_when_pending("types, and lines of users in processes")]

pytest.importorskip("mypy")

ROOT = Path(__file__).resolve().parents[3]
LINES = Path(__file__).parent / "users_lines"
STUBS = ROOT / "torch_np" / "_C"
ENVIRONMENT = os.environ | {"PYTHONPATH": str(ROOT), "MYPYPATH": str(ROOT)}


def mypy(*files):
    """The errors of mypy in `files`, which import torch_np as an installed package: (file name,
    line, code, message)."""
    done = subprocess.run([sys.executable, "-m", "mypy", "--config-file", str(LINES / "mypy.ini"), "--cache-dir",
                           str(ROOT / "build" / "mypy_cache"), "--hide-error-context", "--no-error-summary", *map(str, files)],
                          capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = re.findall(r"^(.+?):(\d+): error: (.*)  \[([\w-]+)\]$", done.stdout, re.M)
    assert len(found) == done.stdout.count(": error: ")
    return [(Path(file).name, int(line), code, text) for file, line, text, code in found]


# ------------------------------------------------------------------------------------------------------ users' lines

def test_the_package_says_that_it_is_typed():
    assert (Path(torch_np.__file__).parent / "py.typed").exists()


@pytest.mark.slow("runs mypy")
def test_users_lines_have_the_stated_types_and_examples_have_no_mistakes():
    assert mypy(LINES / "numpy_lines.py", LINES / "torch_lines.py", *sorted((ROOT / "examples").glob("*.py"))) == []


@pytest.mark.parametrize("face", ["numpy", "torch"])
def test_users_lines_run(face):
    """The lines must run, so that the types that mypy infers are tested on valid code."""
    done = subprocess.run([sys.executable, str(LINES / f"{face}_lines.py")], capture_output=True, text=True, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr


def test_every_wrong_line_is_found_with_its_code_and_no_other():
    wanted = {number: set(m[1].split()) for number, line in enumerate((LINES / "wrong_lines.py").read_text().splitlines(), 1)
              if (m := re.search(r"  # E: ([\w -]+)$", line))}
    assert len(wanted) > 90
    found = defaultdict(set)
    for file, number, code, _ in mypy(LINES / "wrong_lines.py"):
        assert file == "wrong_lines.py"
        found[number].add(code)
    assert found == wanted


# --------------------------------------------------------------------------------------- the stubs and the modules

def test_no_stub_hides_mistakes():
    for stub in STUBS.glob("*.pyi"):
        text = stub.read_text()
        assert "ignore-errors" not in text
        owners = [n.name if isinstance(n, ast.ClassDef) else stub.name for n in ast.walk(ast.parse(text))
                  if isinstance(n, (ast.ClassDef, ast.Module))
                  and any(isinstance(f, ast.FunctionDef) and f.name == "__getattr__" for f in n.body)]
        assert owners in ([], ["Node", "FunctionCtx"]), owners  # they have saved tensors, and attributes of the user


def test_only_the_extension_has_stubs():
    """A stub beside an annotated module would hide its annotations."""
    assert {p.parent for p in (ROOT / "torch_np").rglob("*.pyi")} == {STUBS}


def overloaded():
    """Functions with several signatures, of which `inspect` shows only the first."""
    for stub in STUBS.glob("*.pyi"):
        module = "torch_np._C" if stub.stem == "__init__" else f"torch_np._C.{stub.stem}"
        tree = ast.parse(stub.read_text())
        for owner in [tree, *(n for n in tree.body if isinstance(n, ast.ClassDef))]:
            prefix = module if owner is tree else f"{module}.{owner.name}"
            yield from (f"{prefix}.{f.name}" for f in owner.body if isinstance(f, ast.FunctionDef) and any(
                isinstance(d, ast.Name) and d.id == "overload" for d in f.decorator_list))


# Messages of stubtest about objects that are correct, and the reasons.
EXPECTED = {
    r"_C\._numpy\.\w+ variable differs from runtime type torch_np\._C\.ufunc": "the stub says how many operands and results",
    r'runtime does not have parameter "(_device|_requires_grad)"': "NumPy's signature is shown, ours goes beyond it",
    r"_C\.ndarray\.(__array__|argpartition|choose|conj|conjugate|dot|fill|max|mean|min|prod|put|std|sum|take|var) is inconsistent":
        "NumPy's signature is shown, the stub names every keyword",
    r"_C\.Function\.__signature__ is not present": "for inspect alone",
    r"__ipow__ is inconsistent": "mypy wants the parameters of __pow__",
    r"_C\.FunctionCtx\.__[gs]etattr__ is not present": "its instances have a __dict__",
    r"_C\.Node\.__getattr__ is not present": "a type in C finds them by tp_getattro",
    r"_C\.(Node|RemovableHandle)\.\w+ is inconsistent": "their text signatures leave `self` out",
    r"_C\.Function cannot be subclassed": "the extension does: ufunc",
    r"_C\.ufunc cannot be subclassed": "the stubs do, by the number of operands",
}


def modules():
    """The loaded modules, except those of NumPy's without a file in this package."""
    return {name: module for name, module in sys.modules.copy().items() if re.fullmatch(r"torch_np(\.[a-z]\w*)*", name)
            and "__file__" in vars(module)}


@pytest.fixture(scope="module")
def stubtest():
    """The output of mypy's stubtest for the extension, line by line; and the public names of each
    module according to mypy."""
    program = f"""
import json, sys, torch_np
loaded = set(sys.modules)
from mypy import stubtest
stubtest.test_stubs(stubtest.parse_options(
    ["--concise", "--ignore-disjoint-bases", "--mypy-config-file", {str(LINES / "mypy.ini")!r}, "torch_np._C"]))
known = {{name: [k for k, s in module.names.items() if s.module_public] for name, module in stubtest._all_stubs.items()}}
print(json.dumps({{name: known.get(name) for name in {sorted(modules())!r} if name in loaded}}))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, env=ENVIRONMENT)
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    return lines[:-1], json.loads(lines[-1])


@pytest.mark.slow("runs stubtest")
def test_stubs_have_the_names_and_signatures_of_the_extension(stubtest):
    several = set(overloaded())
    found = [line for line in stubtest[0] if line.startswith("torch_np.")]
    assert any("variable differs" in line for line in found)  # proves that stubtest ran
    left = [line for line in found if not any(re.search(e, line) for e in EXPECTED)
            and not (" is inconsistent" in line and line.split()[0] in several)]
    assert not left, "\n".join(left)


def imported(module):
    """Names that a module imports for its own use: neither `from x import y as y` nor *, which
    re-export."""
    return {alias.asname or alias.name.partition(".")[0] for node in ast.parse(inspect.getsource(module)).body
            if isinstance(node, (ast.Import, ast.ImportFrom)) for alias in node.names if alias.asname != alias.name}


def test_type_checkers_know_every_public_name(stubtest):
    assert {"torch_np", "torch_np.numpy", "torch_np.numpy.linalg"} <= stubtest[1].keys()
    for name, names in stubtest[1].items():  # without NumPy's modules, which load later
        module, known = importlib.import_module(name), set(names)
        public = set(getattr(module, "__all__", {n for n in vars(module) if not n.startswith("_")} - imported(module)))
        assert not public - known, name
        assert not {n for n in known if not n.startswith("_") and not hasattr(module, n)}, name


def unannotated(function):
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names = code.co_varnames[:count + bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)]
    return {*names, "return"} - set(function.__annotations__) - {"self", "cls", "ctx"}


def is_in_the_package(function):
    """Whether the function belongs to this package: not to another library, not to NumPy's source
    that is executed as one of our modules, and no replacement in it."""
    codes = [function.__code__, getattr(inspect.unwrap(function), "__code__", function.__code__)]
    return function.__module__.startswith("torch_np") and all(Path(c.co_filename).is_relative_to(ROOT / "torch_np") for c in codes)


def public_functions():
    """Our public functions and methods written in Python, by name."""
    for name, module in modules().items():
        for key, value in list(vars(module).items()):  # reading an attribute may load a module
            if key.startswith("_") or issubclass(type(value), types.ModuleType):  # one that is lazy may lack its package
                continue
            for k, member in [("", value), *(vars(value).items() if isinstance(value, type) else ())]:
                member = getattr(member, "_implementation", member)
                member = member.fget if isinstance(member, property) else getattr(member, "__func__", member)
                if isinstance(member, types.FunctionType) and is_in_the_package(member) and not re.match("_[^_]", k):
                    shows_numpys = hasattr(member, "__signature__")
                    if value is not torch_np.numpy.ndarray and not shows_numpys:  # its stub is tested above
                        yield f"{name}.{key}.{k}".rstrip("."), member


def test_every_public_function_is_annotated():
    functions = dict(public_functions())
    assert len(functions) > 400
    assert {name: u for name, f in functions.items() if (u := unannotated(f))} == {}
