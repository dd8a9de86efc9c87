"""Generates docs/performance.md and docs/performance.png from timings, with a column for each
measured processor.

    python benchmarks/compare.py --backends numpy,torch,torch_np.numpy,torch_np --json build/benchmarks.json
    python benchmarks/report.py build/benchmarks.json       # stores these as the column of their processor, and writes the page
    python benchmarks/report.py                             # writes the page from the stored columns

It replaces the text between the two marks of docs/performance.md; the text around it is
hand-written.
"""
import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "benchmarks")]
from columns import OURS, PEERS, Column, best, geometric_mean, keep, kept  # noqa: E402
from tools import processor  # noqa: E402

PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- timings: begin -->", "<!-- timings: end -->"
# Group: (description, upper limit of the geometric mean).
GROUPS = {"call": ("overhead of one small call", 0.40), "scalar": ("single elements and scalars", None),
          "ew": ("elementwise, broadcast, casts, strided", 0.60), "red": ("reductions, scans", 0.70), "la": ("linear algebra", 0.90),
          "fft": ("Fourier transforms", 0.90), "idx": ("indexing", 0.70), "srt": ("sorting, searching", 0.70),
          "man": ("joining, repeating, padding", 0.70), "rng": ("random numbers", 0.70), "app": ("expressions that users write", 0.50)}
ALL = 0.50


def group_of(name):
    return name.split("/")[0]


def names_of(columns):
    """The workloads of all columns by group; in the order of the longest column, then those of
    other columns."""
    names = dict.fromkeys(name for column in sorted(columns, key=lambda c: -len(c.rows)) for name in column.rows)
    order = [*GROUPS, *dict.fromkeys(map(group_of, names))]
    return sorted(names, key=lambda name: order.index(group_of(name)))


def line(*cells):
    return f"| {' | '.join(cells)} |"


def lines(head, rows):
    return [line(*head), "|" + "---|" * len(head), *(line(*row) for row in rows), ""]


def machines(columns):
    """The table of processors, with the versions of the measured libraries."""
    rows = [(c.title, processor.line(c.processor), c.date, ", ".join(f"{k} {v}" for k, v in c.versions.items())) for c in columns]
    return lines(("column", "`lscpu`", "date", "versions"), rows)


def groups(columns):
    ratios = [c.ratios() for c in columns]

    def cell(ratio, group):
        of_group = {k: r for k, r in ratio.items() if group_of(k) == group}
        worst = max(of_group, key=of_group.get, default=None)
        return f"{geometric_mean(of_group.values()):.2f}, {worst.split('/')[1]} {of_group[worst]:.2f}" if worst else "–"

    rows = [(f"{group}: {text}", f"{goal:.2f}" if goal else "–", *(cell(r, group) for r in ratios)) for group, (text, goal) in GROUPS.items()
            if any(group_of(name) == group for r in ratios for name in r)]
    total = [f"{geometric_mean(r.values()):.2f}, ahead in {sum(x < 1 for x in r.values())} of {len(r)}" if r else "–" for r in ratios]
    return lines(("group", "goal", *(f"{c.title}: mean, worst row" for c in columns)), [*rows, ("all", f"{ALL:.2f}", *total)])


def workloads(columns):
    ratios = [c.ratios() for c in columns]

    def cell(column, ratio, name):
        row = column.rows.get(name, {})
        ours, peer = best(row, OURS), best(row, PEERS)
        return f"{microseconds(ours)} / {microseconds(peer)}", f"{ratio[name]:.2f}" if name in ratio else "–"

    head = [text for c in columns for text in (f"{c.title}, µs", "ratio")]
    return lines(("ours / best peer", *head),
                 [(name, *(text for c, r in zip(columns, ratios) for text in cell(c, r, name))) for name in names_of(columns)])


def microseconds(seconds):
    return f"{seconds * 1e6:.3g}" if seconds else "–"


def tables(columns):
    return "\n".join([*machines(columns), *groups(columns), *workloads(columns)]).rstrip()


def page_with(page, text):
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    return before + BEGIN + "\n" + text + "\n" + END + after


def plot(columns, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    ratios = [c.ratios() for c in columns]
    names = [name for name in names_of(columns) if any(name in r for r in ratios)][::-1]
    figure, axes = pyplot.subplots(figsize=(8, 0.16 * len(names) + 1))
    for column, ratio, marker in zip(columns, ratios, "o^sDvPX*" * len(columns)):
        rows = [i for i, name in enumerate(names) if name in ratio]
        axes.plot([ratio[names[i]] for i in rows], rows, marker, markersize=4, label=column.title)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.grid(axis="y", linewidth=0.2)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.legend(loc="upper left", fontsize=7)
    axes.set(xscale="log", xlabel="time over the better of NumPy and PyTorch (1: equal; left of it: faster)", ylim=(-1, len(names)))
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("timings", nargs="?", type=Path, help="what compare.py --json wrote")
    timings = parser.parse_args().timings
    if timings:
        keep(Column.parse(timings.read_text()))
    columns = kept()
    PAGE.write_text(page_with(PAGE.read_text(), tables(columns)))
    plot(columns, PAGE.with_suffix(".png"))


if __name__ == "__main__":
    main()
