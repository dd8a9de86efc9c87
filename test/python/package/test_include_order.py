"""The order of the rooms: every #include of the tree, and of what the generator writes, goes down the drawing in
docs/design.md."""
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.codegen import __main__ as codegen  # noqa: E402

SUFFIXES = {".h", ".cpp", ".cu", ".cuh", ".inc"}


def drawn_floors(text):
    """The rooms of the block ```rooms, floor by floor from the top."""
    (block,) = re.findall(r"^```rooms\n(.*?)^```", text, re.M | re.S)
    return [re.split(r"\s{2,}", line)[0].split(", ") for line in block.splitlines()]


class Drawing:
    def __init__(self, text):
        self.floor = {room: -i for i, rooms in enumerate(drawn_floors(text)) for room in rooms}

    def room(self, path):
        """The room that names the longest part of the path; None for what is in no room."""
        named = [r for r in self.floor if path == r or path.startswith((r + "/", r + ".", r + "_"))]
        return max(named, key=len, default=None)

    def allows(self, source, target):
        return source == target or self.floor[target] < self.floor[source]


def sources():
    """Every C++ file of the rooms: (path, text)."""
    for top in ("aten", "csrc", "torch_np/include"):
        for path in sorted((ROOT / top).rglob("*")):
            if path.suffix in SUFFIXES:
                yield path.relative_to(ROOT).as_posix(), path.read_text()
    yield from codegen.generate(ROOT / "native_functions.yaml", ROOT)[0].items()


def arrows(files):
    """(file, line, included) for each #include of a file of ours."""
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


def test_messages_leave_the_name_of_the_function_to_the_call():
    """Note the frame of every call: it says what was called, by the name that the caller used."""
    named = [f"{path}: {found}" for path, text in sources() if path.startswith("aten/")
             for found in re.findall(r'TNP_(?:CHECK|RAISE)\([^;]*?"[a-z_0-9]+\(\): [^"]*"', text)]
    assert not named
