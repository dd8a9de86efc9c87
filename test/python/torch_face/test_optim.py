"""Optimisers' fused steps beyond the golden cases: large parameters, mixed dtypes, layouts,
versions, malformed calls."""
import copy
import pickle

import numpy
import pytest

import torch_np
from torch_np._C._torch import _fused_adam_, _fused_sgd_

NAMES = ["SGD", "Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Rprop", "Adagrad", "Adadelta", "ASGD"]


def steps(name, parameters, gradients):
    optimizer = getattr(torch_np.optim, name)(parameters, lr=0.05)
    for _ in range(3):
        for p, g in zip(parameters, gradients):
            p.grad = g
        optimizer.step()
    return optimizer


@pytest.mark.parametrize("name", NAMES)
def test_pieces_and_threads_change_no_bit(name):
    rng = numpy.random.default_rng(2)
    values = [rng.standard_normal(n).astype("f4") for n in (100_003, 7, 30_000, 0, 1)]
    gradients = [torch_np.tensor(rng.standard_normal(v.shape).astype("f4")) for v in values]
    together = [torch_np.tensor(v, requires_grad=True) for v in values]
    steps(name, together, gradients)
    for v, g, p in zip(values, gradients, together):
        parts = [torch_np.tensor(part, requires_grad=True) for part in numpy.array_split(v, 5)]
        steps(name, parts, [torch_np.tensor(x) for x in numpy.array_split(numpy.asarray(g), 5)])
        numpy.testing.assert_array_equal(numpy.asarray(p.detach()), numpy.concatenate([numpy.asarray(x.detach()) for x in parts]))


@pytest.mark.parametrize("name", NAMES)
def test_layouts_and_dtypes_beside_each_other(name):
    rng = numpy.random.default_rng(3)
    values, gradients = rng.standard_normal((2, 6, 4))
    plain = torch_np.tensor(values, requires_grad=True)
    turned = torch_np.tensor(values.T.copy()).t().requires_grad_()
    gaps = torch_np.tensor(numpy.repeat(values, 2, 1))[:, ::2].detach().requires_grad_()
    single = torch_np.tensor(values.astype("f4"), requires_grad=True)
    g = torch_np.tensor(gradients)
    steps(name, [plain, turned, single, gaps], [g, g, g.to(torch_np.float32), g])
    expected = numpy.asarray(plain.detach())
    assert not (expected == values).all() and turned.stride() == (1, 6)
    numpy.testing.assert_array_equal(numpy.asarray(turned.detach()), expected)
    numpy.testing.assert_array_equal(numpy.asarray(gaps.detach()), expected)
    numpy.testing.assert_allclose(numpy.asarray(single.detach()), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", NAMES)
def test_copies_go_on_alike(name):
    p = torch_np.tensor([1.0, -2.0, 3.0], requires_grad=True)
    g = torch_np.tensor([0.5, 1.0, -1.0])
    optimizer = steps(name, [p], [g])
    for other in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        q = other.param_groups[0]["params"][0]
        assert q is not p
        q.grad = g
        other.step()
        mine = p.detach().clone().requires_grad_()
        third = getattr(torch_np.optim, name)([mine], lr=0.05)
        third.load_state_dict(copy.deepcopy(optimizer.state_dict()))
        mine.grad = g
        third.step()
        assert q.tolist() == mine.tolist() != p.tolist()


def test_what_was_saved_for_a_gradient_is_known_to_have_changed():
    p = torch_np.ones(3, requires_grad=True)
    loss = (p * p).sum()
    p.grad = torch_np.ones(3)
    torch_np.optim.Adam([p]).step()
    with pytest.raises(RuntimeError, match="in.?place|version|modified"):
        loss.backward()


def test_malformed_lists_raise():
    p, g = [torch_np.ones(3)], [torch_np.ones(3)]
    options = dict(lr=0.1, beta1=0.9, beta2=0.9, eps=1e-8, weight_decay=0.0, amsgrad=False, maximize=False, decoupled_weight_decay=False)
    step = torch_np.zeros(())
    for others in ([], g, [*g, *g, *g], [torch_np.ones(2), *g, *g, step], [g[0].to(torch_np.float64), *g, *g, step], [*g, *g, *g, torch_np.ones(2)]):
        with pytest.raises((RuntimeError, ValueError)):
            _fused_adam_(p, others, **options)
    with pytest.raises(RuntimeError):
        _fused_adam_([torch_np.ones(3, dtype=torch_np.int64)], [*g, *g, *g, step], **options)
    with pytest.raises((RuntimeError, ValueError)):
        _fused_sgd_(p, [*g, *g], lr=0.1, momentum=0.9, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False, first=[])
    assert p[0].tolist() == [1, 1, 1]


def test_closures_and_unsupported_ways():
    p = torch_np.ones(2, requires_grad=True)
    optimizer = torch_np.optim.SGD([p], 0.1)

    def closure():
        optimizer.zero_grad()
        loss = (p * p).sum()
        loss.backward()
        return loss

    assert float(optimizer.step(closure).detach()) == 2
    with pytest.raises(RuntimeError, match="differentiable"):
        torch_np.optim.Adam([p], differentiable=True, fused=True)
