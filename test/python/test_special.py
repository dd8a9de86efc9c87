"""Special functions against values of many digits (special_accuracy.py), in float32 too, and at their edges on both devices."""
import json

import numpy
import pytest
import special_accuracy

import torch_np
from torch_np import special

TABLE = json.loads(special_accuracy.GOLDEN.read_text())


@pytest.mark.parametrize("number", range(len(TABLE)), ids=[f"{i}-{t['name']}" for i, t in enumerate(TABLE)])
def test_accuracy(number):
    row, region = TABLE[number], special_accuracy.REGIONS[number]
    assert row["name"] == region.name and len(row["high"]) > 50
    arguments = [numpy.array(a) for a in row["arguments"]]
    found = special_accuracy.errors(special_accuracy.ours(row["name"], arguments), numpy.array(row["high"]), numpy.array(row["low"]))
    assert found.max() <= region.bound, [float(a[found.argmax()]) for a in arguments]


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
