"""The walkthroughs of docs/add_an_operator.md and docs/add_a_pass.md: their diffs apply to the tree
and change as few files as stated, and the generator accepts the result. `make test-walkthroughs`
also builds it, and runs the tests in the diffs."""
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT))

from tools import walkthroughs  # noqa: E402
from tools.codegen import __main__ as codegen  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]

ALL = walkthroughs.walkthroughs()
# The generator's inputs. The build makes torch_np's stubs and libraries.
READ = [str(p.relative_to(ROOT)) for folder, pattern in (("native_functions", "*.yaml"), ("aten/functors", "*.h"), ("torch_np", "*.py"))
        for p in sorted((ROOT / folder).rglob(pattern))] + ["native_functions.yaml"]


def changed_files(diffs):
    return [f for w in diffs for f in w.files if (ROOT / f).exists()]


@pytest.fixture
def tree(tmp_path):
    walkthroughs.copy(tmp_path, sorted({*READ, *changed_files(ALL)}))
    return tmp_path


def test_there_is_one_for_each_kind():
    assert len(ALL) == len(walkthroughs.MOST_PLACES)
    assert all(w.tests for w in ALL)


@pytest.mark.parametrize("i", range(len(ALL)), ids=[w.title for w in ALL])
def test_each_applies_alone_and_touches_few_files(tree, i):
    assert len(ALL[i].places) <= walkthroughs.MOST_PLACES[i], ALL[i].places
    walkthroughs.apply(tree, ALL[i].diff)
    assert all((tree / name).exists() for name in ALL[i].files)


def test_the_generator_accepts_what_they_make(tree):
    for w in ALL:
        walkthroughs.apply(tree, w.diff)
    cpp, _ = codegen.generate(tree / "native_functions.yaml", tree)
    for w in ALL:
        for name in w.operators:
            assert any(f" {name}(" in text for file, text in cpp.items() if file.startswith("aten/functions/")), name


def test_a_diff_that_does_not_fit_is_refused(tree):
    diff = ALL[0].diff
    context = next(line for line in diff.splitlines() if line.startswith(" ") and line.strip())
    with pytest.raises(RuntimeError, match="does not apply"):
        walkthroughs.apply(tree, diff.replace(context, context + " changed"))
