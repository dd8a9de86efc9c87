"""`x.data`: a detached view, whose changes the graph of x does not notice, as in PyTorch."""
import pytest
import torch_np as torch

WRITERS = {
    "add_": lambda d: d.add_(1),
    "pow_": lambda d: d.pow_(2),
    "item": lambda d: d.__setitem__(0, 5.0),
    "mask": lambda d: d.__setitem__(d > 0, 5.0),
    "indices": lambda d: d.__setitem__(torch.tensor([0, 1]), 5.0),
    "copy_": lambda d: d.copy_(torch.full((3,), 5.0)),
    "fill_": lambda d: d.fill_(5),
    "zero_": lambda d: d.zero_(),
    "out=": lambda d: torch.add(torch.ones(3), 4, out=d),
    "out= of a sum": lambda d: torch.sum(torch.ones(3, 3), 0, out=d),
    "out= of a product": lambda d: torch.mv(torch.ones(3, 3), torch.ones(3), out=d),
    "normal_": lambda d: d.normal_(),
    "random_": lambda d: d.random_(5, 9),
    "scatter_": lambda d: d.scatter_(0, torch.tensor([1]), 5.0),
    "index_add_": lambda d: d.index_add_(0, torch.tensor([1]), torch.ones(1)),
    "masked_fill_": lambda d: d.masked_fill_(d > 0, 5.0),
    "clamp_": lambda d: d.clamp_(min=5),
    "where": lambda d: d.copy_(torch.where(d > 0, d + 1, d)),
    "view": lambda d: d[1:].add_(1),
    "view of a view": lambda d: d.view(3, 1).detach()[:, 0].mul_(3),
    "data of data": lambda d: d.data.add_(1),
    "NumPy face": lambda d: d._np_compat().__setitem__(0, 5.0),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_the_graph_ignores_changes_of_data(write):
    x, w = torch.full((3,), 2.0), torch.ones(3, requires_grad=True)
    y = (w * x).sum()
    before, version = x.clone(), x._version
    write(x.data)
    assert x._version == version and not torch.equal(x, before)
    y.backward()
    assert torch.equal(w.grad, x)


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_the_graph_notices_changes_of_a_detached_view(write):
    x, w = torch.full((3,), 2.0), torch.ones(3, requires_grad=True)
    y = (w * x).sum()
    write(x.detach())
    if write is WRITERS["data of data"]:
        y.backward()
        return
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_a_graph_of_data_notices_all_changes():
    for write in (lambda x, d: d.add_(1), lambda x, d: x.add_(1), lambda x, d: x.data.add_(1)):
        x, w = torch.full((3,), 2.0), torch.ones(3, requires_grad=True)
        d = x.data
        y = (w * d).sum()
        write(x, d)
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y.backward()


def test_packed_weights_and_pending_results_notice_changes_of_data():
    layer, x = torch.nn.Linear(64, 64), torch.ones(2, 64)
    with torch.no_grad():
        layer(x), layer(x)
        pending = layer.weight * 2
        layer.weight.data.zero_()
        assert torch.equal(layer(x), layer.bias.expand(2, 64))
        assert pending.abs().sum() > 0


def test_a_compiled_function_writes_through_data():
    @torch.compile
    def step(x):
        x.data.mul_(2)
        return x.sum()

    for _ in range(3):
        x = torch.ones(3, requires_grad=True)
        y = step(x)
        assert y == 6
        y.backward()
        assert torch.equal(x.grad, torch.ones(3))
