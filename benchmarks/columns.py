"""Stores timings by processor in benchmarks/results/<processor>.json, one file each.
docs/performance.md is generated from them.

A file is the output of `compare.py --json`: {"processor": output of lscpu, "date", "versions",
"rows": {workload: {backend: seconds}}}.
"""
import json
import math
import re
from dataclasses import dataclass
from pathlib import Path

KEPT = Path(__file__).resolve().parent / "results"
OURS, PEERS = ("torch_np.numpy", "torch_np"), ("numpy", "torch")


@dataclass(frozen=True)
class Column:
    """The measurements on one processor."""

    processor: dict
    date: str
    versions: dict
    rows: dict

    @staticmethod
    def parse(text):
        column = Column(**json.loads(text))
        if not column.rows or not column.processor.get("name"):
            raise ValueError("timings without rows, or of a processor without a name")
        return column

    def text(self):
        """JSON with one line per workload, for readable diffs; seconds have four digits, more than
        are reproducible."""
        rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps({b: s and float(f'{s:.4g}') for b, s in row.items()})}" for name, row in self.rows.items())
        head = "".join(f'"{key}": {json.dumps(getattr(self, key))},\n ' for key in ("processor", "date", "versions"))
        return f'{{{head}"rows": {{\n{rows}\n }}}}\n'

    @property
    def title(self):
        """`AMD EPYC 25/17, 2 cores`: family and model (which select the loops) and the number of
        threads distinguish processors."""
        numbers = "/".join(self.processor[k] for k in ("family", "model") if k in self.processor)
        cores = f", {self.processor['cores']} cores" if "cores" in self.processor else ""
        name = " ".join(re.sub(r"\((?:R|TM)\)|\b(?:Processor|CPU)\b", " ", self.processor["name"]).split())
        return " ".join(filter(None, (name, numbers))) + cores

    @property
    def file_name(self):
        return re.sub(r"[^a-z0-9]+", "_", self.title.lower()).strip("_") + ".json"

    def ratios(self):
        """Our time divided by the better peer's, by workload."""
        return {name: best(row, OURS) / best(row, PEERS) for name, row in self.rows.items() if best(row, OURS) and best(row, PEERS)}


def best(row, names):
    return min((row[n] for n in names if row.get(n)), default=None)


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def keep(column, folder=KEPT):
    """Stores a column; replaces the same processor's earlier one."""
    folder.mkdir(exist_ok=True)
    (folder / column.file_name).write_text(column.text())


def kept(folder=KEPT):
    """All columns in the order of their file names, so that the page does not depend on the latest
    measurement."""
    return [Column.parse(path.read_text()) for path in sorted(folder.glob("*.json"))]
