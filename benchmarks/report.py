"""From the timings of compare.py to docs/performance.md and docs/performance.png.

    python benchmarks/compare.py --backends numpy,torch,torch_np.numpy,torch_np --json build/benchmarks.json
    python benchmarks/report.py build/benchmarks.json

The text between the two marks of docs/performance.md is replaced; what stands around it is written by hand.
"""
import json
import math
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "performance.md"
BEGIN, END = "<!-- timings: begin -->", "<!-- timings: end -->"
OURS, PEERS = ("torch_np.numpy", "torch_np"), ("numpy", "torch")
GROUPS = {"call": "overhead of one small call", "scalar": "single elements and scalars", "ew": "elementwise, broadcast, casts, strided", "red": "reductions, scans",
          "la": "linear algebra", "fft": "Fourier transforms", "idx": "indexing", "srt": "sorting, searching",
          "man": "joining, repeating, padding", "rng": "random numbers", "app": "expressions that users write"}


def best(row, names):
    return min((row[n] for n in names if row.get(n)), default=None)


def ratios(results):
    """Workload to our time over the better peer's."""
    return {name: best(row, OURS) / best(row, PEERS) for name, row in results.items() if best(row, OURS) and best(row, PEERS)}


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def microseconds(seconds):
    return f"{seconds * 1e6:.3g}" if seconds else "–"


def table(results):
    ratio = ratios(results)
    lines = ["| group | geometric mean | worst row |", "|---|---|---|"]
    for group, text in GROUPS.items():
        of_group = {k: r for k, r in ratio.items() if k.split("/")[0] == group}
        if not of_group:
            continue
        worst = max(of_group, key=of_group.get)
        lines.append(f"| {group}: {text} | {geometric_mean(of_group.values()):.2f} | {worst.split('/')[1]} {of_group[worst]:.2f} |")
    lines += [f"| all {len(ratio)} | {geometric_mean(ratio.values()):.2f} | ahead in {sum(r < 1 for r in ratio.values())} |", ""]
    lines += ["| workload | NumPy, µs | PyTorch, µs | np, µs | torch_np, µs | ours / best peer |", "|---|---|---|---|---|---|"]
    for name, row in results.items():
        cells = [microseconds(row.get(n)) for n in (*PEERS, *OURS)]
        lines.append(f"| {name} | {' | '.join(cells)} | {ratio[name]:.2f} |" if name in ratio else f"| {name} | {' | '.join(cells)} | – |")
    return "\n".join(lines)


def plot(results, path):
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    ratio = ratios(results)
    names = list(ratio)[::-1]
    groups = list(GROUPS)
    figure, axes = pyplot.subplots(figsize=(8, 0.16 * len(names) + 1))
    colours = [pyplot.get_cmap("tab10")(groups.index(n.split("/")[0])) for n in names]
    axes.barh(range(len(names)), [ratio[n] for n in names], color=colours)
    axes.set_yticks(range(len(names)), names, fontsize=6)
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set(xscale="log", xlabel="time over the better of NumPy and PyTorch (1: equal; left of it: faster)", ylim=(-1, len(names)))
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main():
    results = json.loads(Path(sys.argv[1]).read_text())
    page = PAGE.read_text()
    before, rest = page.split(BEGIN)
    after = rest.split(END)[1]
    PAGE.write_text(before + BEGIN + "\n" + table(results) + "\n" + END + after)
    plot(results, PAGE.with_suffix(".png"))


if __name__ == "__main__":
    main()
