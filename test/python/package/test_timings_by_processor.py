"""Timings are stored by processor, and a new column replaces no other processor's. Nothing is timed
here."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]

import columns  # noqa: E402
import report  # noqa: E402
from tools import processor  # noqa: E402

sys.path[:] = [p for p in sys.path if p != str(ROOT / "benchmarks")]  # the `import sparse` of packages must not find benchmarks/sparse.py

pytestmark = [pytest.mark.same_on_devices("reads stored timings"), pytest.mark.same_when_pending("reads stored timings")]

EPYC = {"vendor": "AuthenticAMD", "name": "AMD EPYC", "family": "25", "model": "17", "cores": "2"}
XEON = {"vendor": "GenuineIntel", "name": "Intel Xeon", "cores": "2"}


def column(machine, date, rows):
    return columns.Column(machine, date, {"NumPy": "2.4.6"}, rows)


def row(ours, peer):
    return {"numpy": peer, "torch": 2 * peer, "torch_np.numpy": ours, "torch_np": None}


@pytest.fixture
def both(tmp_path):
    columns.keep(column(XEON, "2026-01-01", {"ew/add": row(1e-6, 2e-6), "la/svd": row(3e-6, 2e-6)}), tmp_path)
    columns.keep(column(EPYC, "2026-02-02", {"ew/add": row(1e-6, 4e-6), "ew/tanh": row(1e-6, 1e-5), "la/svd": row(1e-6, 2e-6)}), tmp_path)
    return tmp_path


def test_a_processor_replaces_its_own_column_and_leaves_the_others(both):
    xeon, epyc = sorted(columns.kept(both), key=lambda c: c.date)
    columns.keep(column(EPYC, "2026-03-03", {"ew/add": row(2e-6, 4e-6)}), both)
    assert {c.date: c.rows for c in columns.kept(both)} == {"2026-01-01": xeon.rows, "2026-03-03": {"ew/add": row(2e-6, 4e-6)}}
    columns.keep(column(EPYC | {"family": "26"}, "2026-04-04", epyc.rows), both)  # another generation of the same name
    columns.keep(column(EPYC | {"cores": "64"}, "2026-05-05", epyc.rows), both)
    assert len(columns.kept(both)) == 4 == len({c.title for c in columns.kept(both)})


def test_tables_have_every_processor_with_its_date_and_every_workload_once(both):
    text = report.tables(columns.kept(both))
    assert "| AMD EPYC 25/17, 2 cores | AuthenticAMD, AMD EPYC, family 25, model 17, 2 cores | 2026-02-02 | NumPy 2.4.6 |" in text
    assert "| Intel Xeon, 2 cores | GenuineIntel, Intel Xeon, 2 cores | 2026-01-01 | NumPy 2.4.6 |" in text
    assert "| ew/add | 1 / 4 | 0.25 | 1 / 2 | 0.50 |\n| ew/tanh | 1 / 10 | 0.10 | – / – | – |\n| la/svd | 1 / 2 | 0.50 | 3 / 2 | 1.50 |" in text
    assert "| la: linear algebra | 0.90 | 0.50, svd 0.50 | 1.50, svd 1.50 |" in text
    assert "| all | 0.50 | 0.23, ahead in 3 of 3 | 0.87, ahead in 1 of 2 |" in text
    for table in text.split("\n\n"):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_only_what_stands_between_the_marks_is_replaced():
    page = f"before\n{report.BEGIN}\nold\n{report.END}\nafter\n"
    assert report.page_with(page, "new") == f"before\n{report.BEGIN}\nnew\n{report.END}\nafter\n"


def test_the_page_is_what_the_kept_timings_give():
    page = report.PAGE.read_text()
    assert report.page_with(page, report.tables(columns.kept())) == page, "python benchmarks/report.py writes it anew"


def test_files_that_are_no_timings_are_refused():
    for text in ("{}", '{"ew/add": {"numpy": 1.0}}', json.dumps({"processor": {}, "date": "", "versions": {}, "rows": {"a": {}}})):
        with pytest.raises((TypeError, ValueError)):
            columns.Column.parse(text)


def test_timings_say_on_which_processor_they_were_taken(tmp_path):
    subprocess.run([sys.executable, ROOT / "benchmarks/compare.py", "--backends", "numpy", "--only", "^call/shape$", "--rounds", "1", "--budget", "0.0001",
                    "--json", tmp_path / "timings.json"], env=os.environ | {"PYTHONPATH": str(ROOT)}, check=True, capture_output=True)
    measured = columns.Column.parse((tmp_path / "timings.json").read_text())
    assert measured.processor == processor.describe() and list(measured.rows) == ["call/shape"] and measured.rows["call/shape"]["numpy"] > 0


def test_processors_of_any_architecture_have_a_line():
    arm = "Architecture:  aarch64\nCPU(s):  4\nVendor ID:  ARM\nModel name:  Neoverse-V2\nModel:  1\nThread(s) per core: 1\n"
    assert processor.line(processor.from_lscpu(arm)) == "ARM, Neoverse-V2, model 1, 4 cores"
    assert processor.line(processor.from_lscpu("Architecture: x\nCPU(s): 1\nModel name: -\nVendor ID: V\n")) == "V, 1 core"
    assert processor.from_lscpu("") == {} and processor.line(processor.describe())
