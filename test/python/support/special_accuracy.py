"""Errors of special functions, in units in the last place (ULP).

    python test/python/support/special_accuracy.py 100000 [NAME ...]
        measures with 100000 points for each function and dtype, prints the largest errors, and fails if one is above its bound;
        without names, it also writes the table in docs/special.md
    python test/python/support/special_accuracy.py --write
        writes golden/special.json: a few points of each region, and the worst of many, for the tests

References come from Arb (special_references.py), so it needs python-flint and mpmath; the tests
need neither.
"""
import json
import pathlib
import sys
from typing import Any, NamedTuple

import numpy
from special_regions import REGIONS, Region

import torch_np
from torch_np import special

GOLDEN = pathlib.Path(__file__).parents[1] / "data" / "golden" / "special.json"
PAGE = pathlib.Path(__file__).parents[3] / "docs" / "special.md"
DTYPES = ("float64", "float32")
LEAST = {"float64": -1074, "float32": -149}


class Measured(NamedTuple):
    arguments: list[tuple[float, ...]]
    values: list[tuple[int, int]]
    errors: numpy.ndarray


def ours(name: str, arguments: list[numpy.ndarray]) -> numpy.ndarray:
    tensors = [torch_np.tensor(a) for a in arguments]
    if name in ("logsumexp", "softmax", "log_softmax"):
        found = getattr(special, name)(torch_np.stack(tensors, 1), 1)
        return numpy.asarray(found if found.ndim == 1 else found[:, 0])
    if name.startswith("polygamma_"):
        return numpy.asarray(special.polygamma(int(name[10:]), *tensors))
    if name.startswith("multigammaln_"):
        return numpy.asarray(special.multigammaln(*tensors, int(name[13:])))
    return numpy.asarray(getattr(special, name)(*tensors))


def drawn(region: Region, dtype: str, points: int) -> list[numpy.ndarray]:
    """Arguments representable in the dtype, the same each time."""
    rng = numpy.random.default_rng([REGIONS.index(region), DTYPES.index(dtype)])
    with numpy.errstate(over="ignore", under="ignore"):
        arguments = [a.astype(dtype) for a in region.draw(rng, points)]
    whole = numpy.all([numpy.isfinite(a) for a in arguments], axis=0)
    return [a[whole] for a in arguments]


def scales(region: Region, arguments: list[numpy.ndarray]) -> numpy.ndarray:
    if region.scale is None:
        return numpy.zeros(len(arguments[0]))
    return numpy.asarray(region.scale(*[a.astype("f8") for a in arguments]), "f8")


def measure(region: Region, dtype: str, points: int) -> Measured:
    from special_references import error, value
    arguments = drawn(region, dtype, points)
    results = ours(region.name, arguments)
    assert results.dtype == dtype, (region.name, results.dtype)
    tuples, values, errors = [], [], []
    mantissa = numpy.finfo(dtype).nmant + 1
    for point, result, scale in zip(zip(*[a.tolist() for a in arguments], strict=True), results.tolist(), scales(region, arguments), strict=True):
        exact = value(region.name, point)
        if exact is not None:
            tuples.append(point)
            values.append(exact)
            errors.append(error(result, exact, mantissa, LEAST[dtype], scale))
    return Measured(tuples, values, numpy.array(errors))


class Row(NamedTuple):
    region: Region
    points: int
    largest: tuple[float, float]    # by dtype
    quantile: tuple[float, float]   # of 99.9 %


def measured(points: int, names: list[str]) -> list[Row]:
    rows = []
    print(f"{'':66} {'':7} {'points':>7} {'largest':>9} {'99.9 %':>7} {'bound':>6}")
    for region in REGIONS:
        if names and region.name not in names:
            continue
        share = points // sum(r.name == region.name for r in REGIONS)
        largest, quantile = [], []
        for dtype, bound in zip(DTYPES, region.bounds, strict=True):
            found = measure(region, dtype, share)
            worst = int(found.errors.argmax())
            largest.append(float(found.errors[worst]))
            quantile.append(float(numpy.quantile(found.errors, 0.999)))
            print(f"{region.name + ', ' + region.where:66} {dtype} {len(found.errors):7} {largest[-1]:9.3g} {quantile[-1]:7.2f} {bound:6} "
                  f"at {found.arguments[worst]}{'' if largest[-1] <= bound else ' ABOVE ITS BOUND'}", flush=True)
        rows.append(Row(region, share, (largest[0], largest[1]), (quantile[0], quantile[1])))
    return rows


def check_references(points: int = 20) -> None:
    """Asserts that Arb's values at some arguments of each region equal mpmath's."""
    import mpmath
    from special_references import MPMATH, as_floats, by_mpmath, value
    for region in REGIONS:
        if region.name not in MPMATH:
            continue
        for point in zip(*[a.tolist() for a in drawn(region, "float64", points)], strict=True):
            if any(abs(a) > 1e3 or 0 < abs(a) < 1e-3 for a in point) or (exact := value(region.name, point)) is None:
                continue  # where mpmath is slow, or loses digits
            high, low = as_floats(exact)
            with mpmath.workdps(60):
                difference = abs(by_mpmath(region.name, point) - mpmath.mpf(high) - mpmath.mpf(low))
            assert difference <= 1e-24 * abs(high) + 1e-290, (region.name, point, high)


def write_table(rows: list[Row]) -> None:
    lines = ["| function | where | bound | largest | 99.9 % | bound, float32 | largest | 99.9 % |", "|---|---|---|---|---|---|---|---|"]
    for row in rows:
        star = "*" if row.region.scale else ""
        cells = [row.region.name, row.region.where]
        for bound, largest, quantile in zip(row.region.bounds, row.largest, row.quantile, strict=True):
            cells += [f"{bound:g}{star}", f"{largest:.2f}", f"{quantile:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    text = PAGE.read_text()
    PAGE.write_text(text[:text.index(lines[0])] + "\n".join(lines) + "\n")


def write_golden(points: int = 2000) -> None:
    """Writes eight points of each region and the four worst of many, and three of each for float32."""
    from special_references import as_floats
    table = []
    for region in REGIONS:
        entry: dict[str, Any] = {"name": region.name, "where": region.where}
        for dtype, some, worst in zip(DTYPES, (8, 3), (4, 3), strict=True):
            found = measure(region, dtype, points)
            order = [*range(some), *numpy.argsort(-found.errors[some:], kind="stable")[:worst] + some]
            floats = [(found.arguments[i], *as_floats(found.values[i])) for i in order]
            kept = [f for f in floats if 1e-290 < abs(f[1]) < numpy.finfo(dtype).max]
            high = [f[1] for f in kept]
            entry[dtype] = {"arguments": [list(a) for a in zip(*[f[0] for f in kept], strict=True)], "high": high,
                            "low": [round(float(f[2] / numpy.spacing(abs(f[1]))), 4) for f in kept]}
        table.append(entry)
    GOLDEN.write_text("[" + ",\n".join(json.dumps(entry) for entry in table) + "]\n")


def golden_errors(region: Region, entry: dict[str, Any], dtype: str) -> numpy.ndarray:
    """The errors at the points of golden/special.json. Their values are `high` plus `low` times its
    ULP."""
    arguments = [numpy.array(a, dtype) for a in entry["arguments"]]
    high, low = numpy.array(entry["high"]), numpy.array(entry["low"])
    result = ours(region.name, arguments)
    assert result.dtype == dtype
    size = numpy.maximum(numpy.abs(high), scales(region, arguments)).astype(dtype)
    return numpy.abs((result.astype("f8") - high) - low * numpy.spacing(numpy.abs(high))) / numpy.spacing(size).astype("f8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        write_golden()
    else:
        check_references()
        found = measured(int(sys.argv[1]) if sys.argv[1:] else 1000, sys.argv[2:])
        if not sys.argv[2:]:
            write_table(found)
        sys.exit(any(largest > bound for row in found for largest, bound in zip(row.largest, row.region.bounds, strict=True)))
