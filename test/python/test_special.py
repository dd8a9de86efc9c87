"""Special functions against values of many digits (special_accuracy.py), in float32 too, and at their edges on both devices."""
import json

import numpy
import pytest
import special_accuracy
import special_regions

import torch_np
from torch_np import special

TABLE = json.loads(special_accuracy.GOLDEN.read_text())
REGIONS = special_regions.REGIONS


def test_every_region_has_golden_values():
    assert [(t["name"], t["where"]) for t in TABLE] == [(r.name, r.where) for r in REGIONS]


@pytest.mark.parametrize("dtype", special_accuracy.DTYPES)
@pytest.mark.parametrize("number", range(len(TABLE)), ids=[f"{i}-{t['name']}" for i, t in enumerate(TABLE)])
def test_accuracy(number, dtype):
    entry, region = TABLE[number][dtype], REGIONS[number]
    assert len(entry["high"]) >= 2
    found = special_accuracy.golden_errors(region, entry, dtype)
    assert found.max() <= region.bounds[special_accuracy.DTYPES.index(dtype)], [a[found.argmax()] for a in entry["arguments"]]


def test_the_page_says_what_is_tested():
    rows = [line.strip("| ").split(" | ") for line in special_accuracy.PAGE.read_text().splitlines() if line.startswith("| ")]
    said = {(row[0], row[1]): (row[2], row[5]) for row in rows if len(row) == 8}
    for region in REGIONS:
        assert said[region.name, region.where] == tuple(f"{b:g}{'*' if region.scale else ''}" for b in region.bounds), region.name


def test_every_function_of_special_has_a_region():
    tested = {r.name.rstrip("_0123456789") if r.name.startswith(("polygamma", "multigammaln")) else r.name for r in REGIONS}
    # round is exact, and psi is digamma
    assert {n for n in dir(special) if not n.startswith("_")} - tested == {"annotations", "psi", "round"}


@pytest.mark.parametrize("name", ["digamma", "erfcx", "ndtr", "log_ndtr", "i0e", "i1e", "airy_ai", "scaled_modified_bessel_k0", "gammainc"])
def test_float32_is_float64_rounded(name):
    x = numpy.random.default_rng(3).uniform(0.2, 6, 500).astype("f4")
    arguments = [x, x[::-1].copy()] if name == "gammainc" else [x]
    wide = special_accuracy.ours(name, [a.astype("f8") for a in arguments])
    assert (special_accuracy.ours(name, arguments) == wide.astype("f4")).all()


def test_layouts_and_threads():
    x = torch_np.tensor(numpy.random.default_rng(4).uniform(0.1, 9, (300, 200)))
    assert (torch_np.lgamma(x.t()) == torch_np.lgamma(x).t()).all()
    assert (special.zeta(x[:, ::3] + 1, x[:1, ::3]) == special.zeta((x + 1).contiguous(), x[:1])[:, ::3]).all()


def test_digamma_near_its_root_keeps_its_digits():
    # psi'(root) times the distance
    x = 1.4616321449683622 + numpy.array([1, -1, 2, -2]) * 2.0 ** -40
    found = special_accuracy.ours("digamma", [x])
    distance = (x - 1.4616321449683622) - 9.549995429965697e-17
    numpy.testing.assert_allclose(found, distance * 0.9676722454476212, rtol=1e-11)


def test_what_has_no_derivative_says_so():
    a = torch_np.ones(2, dtype=torch_np.float64, requires_grad=True)
    x = torch_np.ones(2, dtype=torch_np.float64)
    for f in (torch_np.igamma, torch_np.igammac, lambda a, x: special.zeta(a + 1, x)):
        with pytest.raises(NotImplementedError, match="derivative of .* with respect to"):
            f(a, x).sum().backward()
    with pytest.raises(NotImplementedError):
        special.bessel_j0(a).sum().backward()
