"""The generator of the site: pages of the reference for public names, and the checker of links."""
import importlib
import pathlib
import sys

import pytest

import torch_np
import torch_np.numpy as np
from torch_np.numpy._interop import mirror as _mirror, source as _source

sys.path.insert(0, str(pathlib.Path(__file__).parents[3]))

from tools.documentation import links, public_names, reference  # noqa: E402

pytestmark = [pytest.mark.same_on_devices("reads the tree"), pytest.mark.same_when_pending("reads the tree")]


def described(module, name, value):
    return reference.described(reference.Described(module, name, value), None, set(), [])


def test_a_function_shows_signature_fields_and_source():
    text = described("torch_np", "sum", torch_np.sum)
    assert text.startswith(".. py:function:: torch_np.sum(input, dim=None, keepdim=False, *, dtype=None, out=None)\n")
    assert "   :Shapes: " in text and "   :Errors: IndexError if" in text and "np:" not in text
    assert "native_functions/reductions.yaml, line" in text


def test_each_face_has_its_own_words_and_exceptions():
    text = described("torch_np.numpy", "sum", np.sum)
    assert "np.sum" not in text and "``axis``" in text and ":Errors: AxisError if" in text


def test_other_signatures_stand_below_the_first():
    lines = described("torch_np", "add", torch_np.add).splitlines()
    assert lines[0].endswith("torch_np.add(input, other, *, out=None)") and lines[1].strip() == "torch_np.add(input, other, *, alpha, out=None)"


def test_a_composition_is_found_in_its_file():
    assert reference.Described("torch_np.numpy", "histogramdd", np.histogramdd).source()[0] == "torch_np/numpy/_histograms_impl.py"
    assert reference.Described("torch_np.nn", "Linear", torch_np.nn.Linear).source()[0] == "torch_np/nn/modules/linear.py"


def test_an_object_shows_what_it_is_and_its_class():
    text = described("torch_np.distributions.constraints", "positive", torch_np.distributions.constraints.positive)
    assert text.startswith(".. py:data:: torch_np.distributions.constraints.positive\n")
    assert "``GreaterThan(lower_bound=0.0)``" in text and "::\n\n   Written" not in text and "torch_np/distributions/constraints.py, line" in text
    text = described("torch_np.backends.cuda", "matmul", torch_np.backends.cuda.matmul)
    assert "Products of matrices" in text and "``allow_tf32``\\ \\: Whether GPUs may" in text


def test_a_method_shows_no_self():
    assert described("torch_np.nn.Module", "get_submodule", torch_np.nn.Module.get_submodule).startswith(
        ".. py:method:: torch_np.nn.Module.get_submodule(target)\n")


@pytest.mark.filterwarnings("ignore:Importing from numpy.matlib")
def test_numpys_modules_are_of_the_kinds_that_the_page_says():
    kinds = {kind: [importlib.import_module(name) for name in modules] for kind, modules in public_names.NUMPYS_MODULES.items()}
    assert all(vars(m)["__builtins__"]["__import__"] is _source._import for m in kinds["executed"])
    assert all(isinstance(m, _mirror.Mirror) for m in kinds["mirrors"])
    for module in kinds["the same objects"]:
        theirs = importlib.import_module(module.__name__.removeprefix("torch_np."))
        assert all(getattr(module, name) is getattr(theirs, name) for name in module.__all__)
    assert set(kinds) == set(reference.KINDS) and kinds["assertions"] == [np.testing]


def test_what_means_something_in_restructuredtext_is_text():
    assert reference.rst("`a` * b_ |c| <d>") == r"\ ``a``\  \* b\_ \|c\| \<d\>"


def test_arguments_are_parameters_before_the_fields():
    doc = "Summary.\n\nArgs:\n  input (self): First\n    line.\n  from_: `low`: a bound.\n\nShapes: all.\n\nMore."
    assert list(reference.paragraphs(doc)) == [
        "Summary.", "More.", ":param input: First line.\n:param from\\_: \\ ``low``\\ \\: a bound.\n:Shapes: all."]


@pytest.fixture
def site(tmp_path):
    (tmp_path / "other.html").write_text("<h1 id='here'>x</h1>")

    def wrong(target):
        (tmp_path / "index.html").write_text(f"<a href='{target}'>x</a>")
        links.page.cache_clear()
        return links.wrong_links(tmp_path)

    return wrong


@pytest.mark.parametrize("target", ["other.html", "other.html#here", "#", "https://numpy.org/doc", "mailto:a@b.c"])
def test_links_that_lead_somewhere(site, target):
    assert not site(target)


@pytest.mark.parametrize("target", ["none.html", "other.html#there", "#there", "../outside.html", "https://numpy", "ftp://a.b"])
def test_links_that_lead_nowhere(site, target):
    assert site(target)
