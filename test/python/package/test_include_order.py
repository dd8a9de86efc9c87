"""The layers of the tree: every #include, also in generated files, follows the drawing in
docs/design.md downwards. So does every import of the Python package, in its own drawing."""
import ast
import graphlib
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.codegen import __main__ as codegen  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]

SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".inc"}


def drawn_floors(text, name):
    """The folders of the block ```rooms (or another name), level by level from the top."""
    (block,) = re.findall(rf"^```{name}\n(.*?)^```", text, re.M | re.S)
    return [re.split(r"\s{2,}", line)[0].split(", ") for line in block.splitlines()]


class Drawing:
    ends = ("/", ".", "_")  # end of a path component that a folder name matches

    def __init__(self, text, name="rooms"):
        self.floor = {room: -i for i, rooms in enumerate(drawn_floors(text, name)) for room in rooms}

    def room(self, path):
        """The folder with the longest match of the path; None if there is no match."""
        named = [r for r in self.floor if path == r or path.startswith(tuple(r + end for end in self.ends))]
        return max(named, key=len, default=None)

    def allows(self, source, target):
        return source == target or self.floor[target] < self.floor[source]


def sources():
    """Every C++ file of these folders: (path, text)."""
    for top in ("aten", "csrc", "torch_np/include"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path.relative_to(ROOT).as_posix(), path.read_text()
    yield from codegen.generate(ROOT / "native_functions.yaml", ROOT)[0].items()


def arrows(files):
    """(file, line, included) for each #include of a file of this tree."""
    for path, text in files:
        for number, line in enumerate(text.splitlines(), 1):
            if found := re.match(r'\s*#\s*include\s*"([^"]+)"', line):
                yield path, number, found[1]


@pytest.fixture(scope="module")
def drawing():
    return Drawing((ROOT / "docs/design.md").read_text())


@pytest.fixture(scope="module")
def files():
    return dict(sources())


def test_every_include_goes_down_the_drawing(drawing, files):
    wrong = []
    for path, number, target in arrows(files.items()):
        above, below = drawing.room(path), drawing.room(target)
        if above is None or below is None or not drawing.allows(above, below):
            wrong.append(f"{path}:{number}: {above} does not know {below} ({target})")
    assert not wrong, "\n".join(wrong)


def test_every_file_is_in_a_room_and_every_room_has_files(drawing, files):
    assert [path for path in files if drawing.room(path) is None] == []
    assert set(drawing.floor) - {drawing.room(path) for path in files} == set()


def test_every_included_file_exists(files):
    assert [f"{path}:{number}: {target}" for path, number, target in arrows(files.items()) if target not in files] == []


def test_the_check_finds_arrows_that_go_up():
    drawing = Drawing("```rooms\na/top  x\na/left, a/right  y\na  z\n```\n")
    assert drawing.room("a/left/file.h") == "a/left" and drawing.room("a/file.h") == "a" and drawing.room("b/file.h") is None
    assert drawing.allows("a/top", "a/left") and drawing.allows("a/left", "a") and drawing.allows("a/left", "a/left")
    assert not drawing.allows("a/left", "a/top") and not drawing.allows("a/left", "a/right") and not drawing.allows("a", "a/right")


# Files of aten/ops that look at the device of an operand or call a kernel of the CPU, and why.
# Everything else that depends on the device is a kernel, and has an entry with `dispatch:`.
DEVICE_QUESTIONS = {
    "aten/ops/copying/beside.cpp": "copies operands from the CPU",
    "aten/ops/copying/copy.cpp": "cuda(): its argument and its error",
    "aten/ops/indexing/bincount.cpp": "adds few weights without the operators that other devices need",
    "aten/ops/indexing/positions.cpp": "transformations, gradients and other devices compute with operators whose rules exist",
    "aten/ops/linalg/factorisations.cpp": "options that PyTorch accepts on the CPU or on GPUs only",
    "aten/ops/pointwise/pointwise_at.cpp": "runs a loop that its caller passes, which no entry could describe",
    "aten/ops/random/random.cpp": "Note [Random numbers on devices]",
    "aten/ops/random/standard_gamma.cpp": "draws PyTorch's stream, on the CPU only",
    "aten/ops/random/random_drawing.h": "Note [Random numbers on devices]; PyTorch's stream is drawn on the CPU",
    "aten/ops/random/sampling.cpp": "PyTorch's stream is drawn on the CPU for every device",
    "aten/ops/reduction/fold.cpp": "runs a loop that its caller passes, which no entry could describe",
    "aten/ops/shape/attributes.cpp": "get_device(), whose result is the device",
}


def test_composed_operators_choose_no_device():
    """Dispatch calls the kernel of the operands' device; operators composed of others run anywhere."""
    question = re.compile(r"\bis_(?:cpu|cuda)\(|\bDeviceType\b|#include \"aten/kernels/(?:cpu|cuda)/")
    asking = {path for path, text in sources() if path.startswith("aten/ops/") and question.search(text)}
    assert asking == set(DEVICE_QUESTIONS)


def test_no_pass_reads_the_text_of_calls():
    """Text is for people: errors, `lower()`, `explain()` and pictures. Passes compare calls."""
    shown = {"aten/compiler/print.cpp", "aten/compiler/plan.cpp", "aten/compiler/verify.cpp",
             "aten/compiler/passes/check.cpp",
             "csrc/compiler/compiled_function.cpp", "csrc/compiler/trace_description.cpp"}
    printing = {p.relative_to(ROOT).as_posix() for top in ("aten", "csrc") for p in (ROOT / top).rglob("*.[hc]*")
                if '#include "aten/compiler/print.h"' in p.read_text()}
    assert printing == shown
    plan = (ROOT / "aten/compiler/plan.cpp").read_text()
    assert re.findall(r".*\btext\(.*", plan) == re.findall(r'.*"a compiled function: ", text\(\*trace\.steps\[i\]\),', plan) != []


def test_messages_leave_the_name_of_the_function_to_the_call():
    """Note the frame of every call: it adds the function's name as the caller used it."""
    named = [f"{path}: {found}" for path, text in sources() if path.startswith("aten/")
             for found in re.findall(r'TNP_(?:CHECK|RAISE)\([^;]*?"[a-z_0-9]+\(\): [^"]*"', text)]
    assert not named


class PythonDrawing(Drawing):
    ends = ("/", ".")

    def __init__(self, text):
        super().__init__(text, "python-rooms")


def modules():
    """Every module of the package: (path, text)."""
    for path in sorted((ROOT / "torch_np").rglob("*.py")):
        yield path.relative_to(ROOT).as_posix(), path.read_text()


def imports_at_once(body):
    """The import statements that run when a module is imported, without those in functions and
    those for type checkers."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node
        elif isinstance(node, ast.If):
            yield from imports_at_once(node.orelse if "TYPE_CHECKING" in ast.unparse(node.test) else [*node.body, *node.orelse])
        elif not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for part in ("body", "handlers", "orelse", "finalbody"):
                yield from imports_at_once(getattr(node, part, []))


def python_arrows(files):
    """(file, line, imported file) for each import of a module of the package by another one,
    without the extension torch_np._C."""
    def file_of(module):
        path = module.replace(".", "/")
        return next((f for f in (f"{path}.py", f"{path}/__init__.py") if f in files), None)

    for path, text in files.items():
        for node in imports_at_once(ast.parse(text).body):
            if isinstance(node, ast.Import):
                targets = [(a.name, None) for a in node.names]
            else:
                package = path.split("/")[:-1][:len(path.split("/")) - node.level] if node.level else []
                targets = [(".".join(filter(None, [*package, node.module])), a.name) for a in node.names]
            for module, name in targets:
                found = file_of(f"{module}.{name}") or file_of(module)
                if found and f"{module}.{name}" != "torch_np._C" and found != path:
                    yield path, node.lineno, found


@pytest.fixture(scope="module")
def python_drawing():
    return PythonDrawing((ROOT / "docs/design.md").read_text())


@pytest.fixture(scope="module")
def python_files():
    return dict(modules())


def test_every_import_goes_down_the_drawing(python_drawing, python_files):
    wrong = []
    for path, number, target in python_arrows(python_files):
        above, below = python_drawing.room(path), python_drawing.room(target)
        if above is None or below is None or not python_drawing.allows(above, below):
            wrong.append(f"{path}:{number}: {above} does not know {below} ({target})")
    assert not wrong, "\n".join(wrong)


def test_every_module_is_in_a_room_and_every_room_has_modules(python_drawing, python_files):
    assert [path for path in python_files if python_drawing.room(path) is None] == []
    assert set(python_drawing.floor) - {python_drawing.room(path) for path in python_files} == set()


def test_no_import_leads_back(python_files):
    known = {path: set() for path in python_files}
    for path, _, target in python_arrows(python_files):
        known[path].add(target)
    graphlib.TopologicalSorter(known).prepare()  # raises CycleError with the names of the modules


def test_the_check_of_imports_finds_what_goes_up():
    drawing = PythonDrawing("```python-rooms\na/__init__  x\na/b, a/_b_impl  y\na  z\n```\n")
    assert [drawing.room(f) for f in ("a/__init__.py", "a/b.py", "a/b/c.py", "a/_b_impl.py", "a/b_d.py")] == ["a/__init__", "a/b", "a/b", "a/_b_impl", "a"]
    files = {"a/__init__.py": "from a import b, c", "a/b.py": "import os\ntry:\n    from .c import d\nexcept ImportError:\n    import a",
             "a/c.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import a\nelse:\n    from a.e import f\ndef g():\n    import a",
             "a/e/__init__.py": "from ..b import h\nfrom a import i"}
    assert list(python_arrows(files)) == [
        ("a/__init__.py", 1, "a/b.py"), ("a/__init__.py", 1, "a/c.py"), ("a/b.py", 3, "a/c.py"), ("a/b.py", 5, "a/__init__.py"),
        ("a/c.py", 5, "a/e/__init__.py"), ("a/e/__init__.py", 1, "a/b.py"), ("a/e/__init__.py", 2, "a/__init__.py")]
    with pytest.raises(graphlib.CycleError):
        test_no_import_leads_back(files)
