"""`--report` and torch_np.report(): what a program's calls cost."""
import json
from html.parser import HTMLParser

import pytest

import torch_np
import torch_np.numpy as np
from torch_np._report import _page, _table

MARK = "counts calls on the CPU"
pytestmark = [pytest.mark.same_on_devices(MARK), pytest.mark.same_when_pending(MARK)]

PROGRAM = """
    import numpy as np
    x = np.ones(1000)
    for _ in range(3):
        y = np.linalg.norm(x) * x
    names = np.unique(np.array(["b", "a"]))
    import sys
    theirs = sys.modules["numpy"].asarray(x)
    print("printed")
    """


def by_function(report):
    return {row["function"]: row for row in report.data()["functions"]}


def test_calls_and_reasons():
    x = np.ones(1000)
    with torch_np.report() as r:
        for _ in range(3):
            np.linalg.norm(x)
        torch_np.ones(2).exp()
        np.unique(np.array(["b", "a"]))
    found = by_function(r)
    assert found["numpy.linalg.norm"]["here"] == 3 and found["exp"]["here"] == 1
    assert found["numpy.unique"]["by_numpy"] == found["numpy.array"]["by_numpy"] == 1 and found["numpy.unique"]["here"] == 0
    assert "no dtype" in found["numpy.array"]["reasons"][0]["reason"]
    data = r.data()
    assert data["calls"] == data["here"] + data["by_numpy"] == sum(row["calls"] for row in found.values())
    assert 0 < data["seconds_in_calls"] <= data["seconds"]


def test_lines():
    x = np.ones(1000)
    with torch_np.report() as r:
        for _ in range(5):
            np.linalg.norm(x)       # this line
        with torch_np.profiler.record_function("label"), torch_np.profiler.record_function("inner"):
            x + 1                       # and this one
        x + 2                       # the last one
    lines = {row["source"]: row for row in r.data()["lines"]}
    assert lines["np.linalg.norm(x)       # this line"]["calls"] == 5 and lines["x + 1                       # and this one"]["calls"] == 1
    assert lines["x + 2                       # the last one"]["calls"] == 1
    assert {row["file"] for row in lines.values()} == {__file__} and all(row["function"] == "test_lines" for row in lines.values())


def test_arrays_that_cross():
    import numpy

    with torch_np.report() as r:
        x = np.asarray(numpy.ones(10))
        numpy.asarray(x)
        x.__array__(numpy.float32)
        np.asarray(numpy.ones(3, dtype=">f8"))
    found = {row["kind"]: (row["count"], row["bytes"]) for row in r.data()["crossings"]}
    assert found["from NumPy"][0] >= 1 and found["to NumPy"] == (2, 80 + 40) and found["copied for NumPy"] == (1, 80)
    assert dict((row[0], row[3]) for row in _table.crossings(r.data()))["copied for NumPy"] == "yes"


def test_fusion():
    x = np.ones(1_000_000)
    x.sum()
    with torch_np.report() as r:
        y = 2.5 * x + x * 0.5
        y[0]
    assert r.data()["fused"] in ({"expressions": 1, "operators": 3}, {"expressions": 0, "operators": 0})  # if fusion is off


def test_long_programs_are_summed_up(monkeypatch):
    from torch_np._report import _report

    monkeypatch.setattr(_report, "_MOST_EVENTS", 1000)
    monkeypatch.setattr(_report, "_SECONDS", 0.001)
    x = np.ones(2)
    with torch_np.report() as r:
        for _ in range(20_000):
            np.negative(x)
    assert 19_000 < by_function(r)["neg"]["calls"] <= 20_000


def test_one_at_a_time_and_again():
    r = torch_np.report()
    for n in (1, 2):
        with r:
            with pytest.raises(RuntimeError, match="another profile"), torch_np.report():
                pass
            np.ones(3)
        assert by_function(r)["ones"]["calls"] == 1, n
    with torch_np.profiler.profile() as p:
        np.asarray(np.ones(2).__array__())
    assert {e.kind for e in p.events()} <= {"operator", "function"}


class _Tables(HTMLParser):
    def __init__(self):
        super().__init__()
        self.open, self.cells = [], []

    def handle_starttag(self, tag, attributes):
        assert tag not in ("script", "link", "img")
        if tag not in ("meta", "!doctype"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.cells.append(data)


def test_the_page_is_well_formed(tmp_path):
    with torch_np.report() as r:
        np.array(["<b>&"]) == "<b>&"  # noqa: B015
        np.ones(3) + 1
    r.save(tmp_path / "r.html")
    parser = _Tables()
    parser.feed((tmp_path / "r.html").read_text())
    assert parser.open == [] and "add" in parser.cells and "<b>&" not in (tmp_path / "r.html").read_text()
    assert _page.page(torch_np.report().data()) and str(torch_np.report()).startswith("torch_np report")
    assert r._repr_html_() in _page.page(r.data())


def test_sizes():
    assert [_table.size(n) for n in (0, 999, 1000, 1_500_000, 5e12)] == ["0 B", "999 B", "1.0 kB", "1.5 MB", "5000.0 GB"]


def test_option(run, tmp_path):
    assert run(PROGRAM, launcher=("-m", "torch_np", "--report")) == "printed\n"
    assert run(PROGRAM, launcher=("-m", "torch_np", "--report=out.json")) == run(PROGRAM, launcher=("-m", "torch_np", "--report=out.html")) == "printed\n"
    data = json.loads((tmp_path / "out.json").read_text())
    functions = {row["function"]: row for row in data["functions"]}
    assert functions["numpy.linalg.norm"]["calls"] == 3 and functions["numpy.unique"]["by_numpy"] == 1
    assert any(row["source"] == "y = np.linalg.norm(x) * x" and row["file"].endswith("program.py") for row in data["lines"])
    assert [row["count"] for row in data["crossings"] if row["kind"] == "to NumPy"][0] >= 1
    assert "<title>torch_np report</title>" in (tmp_path / "out.html").read_text()


def test_a_report_of_a_program_that_fails(run):
    error = run("import numpy\nnumpy.ones(3)\nraise ValueError('of the program')", launcher=("-m", "torch_np", "--report"), error="ValueError: of the program")
    assert "calls of torch_np took" in error and "program.py:2" in error


def test_forked_children_do_not_report(run):
    assert run("""
        import os, sys, numpy
        numpy.ones(2)
        if os.fork() == 0:
            numpy.ones(2)
            sys.exit()
        os.wait()
        """, launcher=("-m", "torch_np", "--report=out.txt")) == ""
