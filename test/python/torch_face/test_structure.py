"""Operators that select and combine elements, beyond the golden cases: large inputs for all code
paths, layouts, agreement of devices with NumPy, and tensors that change shape in place while other
references exist."""
import numpy
import pytest

import torch_np as torch

RNG = numpy.random.default_rng(5)


# A heap for few of many elements, quickselect for more. Both give the order of NumPy's stable sort.
@pytest.mark.parametrize("n, k", [(1000, 3), (1000, 15), (1000, 16), (1000, 500), (1000, 1000), (70, 1)])
@pytest.mark.parametrize("largest", [True, False])
def test_topk_of_values_that_repeat(n, k, largest):
    x = RNG.integers(0, 50, (3, n))
    values, indices = torch.topk(torch.tensor(x), k, 1, largest)
    order = numpy.argsort(-x if largest else x, axis=1, kind="stable")[:, :k]
    assert (indices.cpu().numpy() == order).all() and (values.cpu().numpy() == numpy.take_along_axis(x, order, 1)).all()


@pytest.mark.parametrize("n", [1, 2, 7, 1000, 1001])
def test_ranks_of_long_lines_in_any_layout(n):
    x = RNG.normal(size=(n, 4))
    t = torch.tensor(x.T.copy()).t()
    ordered = numpy.sort(x, axis=0)
    assert (t.median(0).values.cpu().numpy() == ordered[(n - 1) // 2]).all()
    for k in {1, n, (n + 1) // 2}:
        values, indices = t.kthvalue(k, 0)
        assert (values.cpu().numpy() == ordered[k - 1]).all()
        assert (numpy.take_along_axis(x, indices.cpu().numpy()[None], 0)[0] == ordered[k - 1]).all()


def test_medians_beside_nans():
    x = RNG.normal(size=(5, 101))
    x[0, 7] = x[2] = numpy.nan
    t = torch.tensor(x)
    assert numpy.isnan(t.median(1).values.cpu().numpy()).tolist() == [True, False, True, False, False]
    assert t.median(1).indices.tolist()[0] == 7 and t.median(1).indices.tolist()[2] == 0
    numpy.testing.assert_array_equal(t.nanmedian(1).values.cpu().numpy()[0], numpy.sort(x[0])[49])


def test_modes_of_long_lines():
    x = RNG.integers(0, 20, (4, 3000))
    values, indices = torch.tensor(x).mode(1)
    for line, value, place in zip(x, values.tolist(), indices.tolist()):
        counts = numpy.bincount(line)
        assert value == counts.argmax() and place == numpy.flatnonzero(line == value)[-1]


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_running_extrema_in_every_axis(dim):
    x = RNG.integers(-9, 9, (6, 70, 5)).astype("f4")
    values, indices = torch.tensor(x).cummax(dim)
    want = numpy.maximum.accumulate(x, dim)
    assert (values.cpu().numpy() == want).all()
    assert (numpy.take_along_axis(x, indices.cpu().numpy(), dim) == want).all()
    least = torch.tensor(x).cummin(dim).values
    assert (least.cpu().numpy() == numpy.minimum.accumulate(x, dim)).all()


@pytest.mark.parametrize("dtype", ["float64", "int32", "uint8"])
@pytest.mark.parametrize("reduce, ufunc", [("sum", numpy.add), ("prod", numpy.multiply), ("amax", numpy.maximum), ("amin", numpy.minimum)])
def test_scatter_reduce_of_many(dtype, reduce, ufunc):
    x, y = (RNG.integers(1, 3, n).astype(dtype) for n in (40, 2000))
    index = RNG.integers(0, 40, 2000)
    want = x.copy()
    ufunc.at(want, index, y)
    got = torch.tensor(x).scatter_reduce(0, torch.tensor(index), torch.tensor(y), reduce)
    numpy.testing.assert_allclose(got.cpu().numpy(), want, rtol=1e-12)


def test_searches_of_many_lines():
    lines, keys = numpy.sort(RNG.normal(size=(30, 50))), RNG.normal(size=(30, 700))
    places = torch.searchsorted(torch.tensor(lines), torch.tensor(keys))
    assert (places.cpu().numpy() == [numpy.searchsorted(a, v) for a, v in zip(lines, keys)]).all()


def test_unique_of_many():
    x = RNG.integers(0, 300, (50, 60))
    got = torch.tensor(x).unique(return_inverse=True, return_counts=True)
    for a, b in zip(got, numpy.unique(x, return_inverse=True, return_counts=True)):
        assert (a.cpu().numpy() == b).all()


def test_another_shape_in_place():
    x = torch.arange(6.0).reshape(2, 3)
    other, view = x, x[0]
    assert x.t_() is other and other.shape == (3, 2) and view.tolist() == [0, 1, 2]
    view[1] = 7.0
    assert x[1, 0].item() == 7
    # Saved tensors of the graph had the old shape, and must not be read with the new one.
    w = torch.ones(2, 3, requires_grad=True)
    kept = torch.arange(6.0).reshape(2, 3)
    product = w * kept
    kept.t_()
    with pytest.raises(RuntimeError):
        product.sum().backward()


def test_on_meta():
    x = torch.zeros(3, 5, device="meta")
    assert torch.topk(x, 2).values.shape == (3, 2) and x.cummax(0)[1].shape == (3, 5) and x.median(1).values.shape == (3,)
    index = torch.zeros(3, 2, dtype=torch.int64, device="meta")
    assert x.scatter_reduce(1, index, torch.zeros(3, 2, device="meta"), "mean").shape == (3, 5)
