"""What builds the site: the reference's pages are made of what is public, and the checker of links finds what is wrong."""
import pathlib
import sys

import pytest

import torch_np
import torch_np.numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).parents[2]))

from tools.documentation import links, reference  # noqa: E402


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
    assert reference.Described("torch_np.numpy", "histogramdd", np.histogramdd).source()[0] == "torch_np/numpy/_statistics.py"
    assert reference.Described("torch_np.nn", "Linear", torch_np.nn.Linear).source()[0] == "torch_np/nn/modules/linear.py"


def test_what_means_something_in_restructuredtext_is_text():
    assert reference.rst("`a` * b_ |c| <d>") == r"\ ``a``\  \* b\_ \|c\| \<d\>"


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
