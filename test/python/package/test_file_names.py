"""Every file named in a comment or a document exists, in the tree or among the generated files."""
import io
import re
import subprocess
import sys
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools.codegen import __main__ as codegen  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]

# <family>, {stem} and * match any name; {a,b} matches one of these.
NAME = re.compile(r"(?:[\w./*-]|<\w+>|\{[\w,]*\})+(?<=[\w*>}])\.(?:h|cpp|cuh?|py|pyi|yaml|md)\b")
# Files of other projects, and program.py: the user's own program in examples of a command line.
ELSEWHERE = re.compile(r"numpy/random/bitgen\.h|device_scan\.cuh|nccl\.h|program\.py")


def existing():
    tracked = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True)
    if tracked.returncode:
        pytest.skip("not a git checkout")
    cpp, package = codegen.generate(ROOT / "native_functions.yaml", ROOT)
    return {f for f in tracked.stdout.split() if (ROOT / f).exists()} | set(cpp) | {f"torch_np/{name}" for name in package}


def pattern(name):
    """A pattern for the name, which may be the end of a path."""
    parts = re.split(r"(<\w+>|\{[\w,]*\}|\*)", re.sub(r"^(\.\.?/)+", "", name))
    text = "".join(re.escape(p) if i % 2 == 0 else f"(?:{p[1:-1].replace(',', '|')})" if "," in p else r"\w*" for i, p in enumerate(parts))
    return re.compile(rf"(?:.*/)?{text}$")


def comments(path, text):
    """(line, text) of comments and docstrings, and of documents without their code blocks."""
    if path.endswith(".md"):
        fenced = False
        for number, line in enumerate(text.splitlines(), 1):
            fenced ^= line.startswith("```")
            if not fenced:
                yield number, line
    elif path.endswith(".py"):
        begins = True   # a string at the start of a statement is a docstring
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.COMMENT or (token.type == tokenize.STRING and begins):
                for i, line in enumerate(token.string.splitlines()):
                    yield token.start[0] + i, line
            begins = token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.INDENT, tokenize.DEDENT) or begins and token.type == tokenize.COMMENT
    else:
        for number, line in enumerate(text.splitlines(), 1):
            if found := re.search(r"//.*", line):
                yield number, found[0]


def unknown(files, existing_files):
    for path, text in files:
        for number, line in comments(path, text):
            for name in NAME.findall(line):
                if not ELSEWHERE.fullmatch(name) and not any(pattern(name).match(f) for f in existing_files):
                    yield f"{path}:{number}: there is no {name}"


@pytest.mark.slow("reads all sources, and generates all files")
def test_every_file_that_is_named_exists():
    files = existing()
    read = [f for f in sorted(files) if (ROOT / f).is_file() and (
        re.fullmatch(r"(aten|csrc)/.*\.(h|cpp|cu)|(tools|torch_np)/.*\.py|docs/\w+\.md", f) or f in ("README.md", "CONTRIBUTING.md"))]
    assert list(unknown([(f, (ROOT / f).read_text()) for f in read], files)) == []


def test_the_check_finds_names_of_nothing():
    files = {"aten/core/dtype.h", "aten/functions/linalg.h"}
    for text in ("// core/dtype.h", "// aten/functions/<family>.h", "// aten/{core,iterator}/dtype.h", "int a_b;  // functions/*.h"):
        assert list(unknown([("a.cpp", text)], files)) == [], text
    for text in ("// dtypes.h", "// iterator/dtype.h", "// aten/kernels/<family>.h", "int a;  // see core/dtype.cpp"):
        assert len(list(unknown([("a.cpp", text)], files))) == 1, text
    assert list(unknown([("a.md", "see `dtype.h`\n```\nnone.h\n```\nand `none.h`")], files)) == ["a.md:5: there is no none.h"]
