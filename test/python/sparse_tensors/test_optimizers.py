"""Optimisers with sparse gradients."""
import pytest
import torch_np
from torch_np import nn, optim
from torch_np.optim import functional


def table():
    embedding = nn.Embedding(5, 3, sparse=True)
    nn.init.constant_(embedding.weight, 0.5)
    return embedding


def trained(make, steps=2, **options):
    """The first column of a table after some steps."""
    embedding = table()
    optimizer = make(embedding.parameters(), **options)
    for k in range(steps):
        optimizer.zero_grad()
        embedding(torch_np.tensor([1, 2, 1] if k == 0 else [3, 1])).pow(2).sum().backward()
        assert embedding.weight.grad.is_sparse
        optimizer.step()
    return embedding.weight.detach()[:, 0], optimizer


def dense(make, steps=2, **options):
    """The same with dense gradients."""
    embedding = nn.Embedding(5, 3)
    nn.init.constant_(embedding.weight, 0.5)
    optimizer = make(embedding.parameters(), **options)
    for k in range(steps):
        optimizer.zero_grad()
        embedding(torch_np.tensor([1, 2, 1] if k == 0 else [3, 1])).pow(2).sum().backward()
        optimizer.step()
    return embedding.weight.detach()[:, 0]


@pytest.mark.parametrize("make, options", [
    (optim.SGD, dict(lr=0.1)), (optim.SGD, dict(lr=0.1, maximize=True)), (optim.SGD, dict(lr=0.1, momentum=0.9)),
    (optim.SGD, dict(lr=0.1, momentum=0.9, dampening=0.5)), (optim.SGD, dict(lr=0.1, momentum=0.9, nesterov=True)),
    (optim.Adagrad, dict(lr=0.1)), (optim.Adagrad, dict(lr=0.1, lr_decay=0.5, maximize=True)),
    (optim.Adagrad, dict(lr=0.1, initial_accumulator_value=0.5))])
def test_steps_equal_those_with_dense_gradients(make, options):
    weight, optimizer = trained(make, **options)
    torch_np.testing.assert_close(weight, dense(make, **options))
    if options.get("momentum"):
        buffer = next(iter(optimizer.state.values()))["momentum_buffer"]
        assert buffer.is_sparse and buffer._nnz() == 3  # it does not grow


def test_sparse_adam():
    weight, optimizer = trained(optim.SparseAdam, lr=0.1)
    # the first step is `lr` for each row that has a gradient; other rows stay
    torch_np.testing.assert_close(weight[[0, 2, 3, 4]], torch_np.tensor([0.5, 0.4, 0.5 - 0.1 * 0.7443, 0.5]), atol=1e-4, rtol=0)
    assert weight[1] < 0.4
    state = next(iter(optimizer.state.values()))
    assert state["step"] == 2 and not state["exp_avg"].is_sparse and not state["exp_avg"][[0, 4]].any()
    other = optim.SparseAdam(table().parameters())
    other.load_state_dict(optimizer.state_dict())
    assert other.param_groups[0]["lr"] == 0.1
    weight, _ = trained(optim.SparseAdam, 1, lr=0.1, maximize=True)
    torch_np.testing.assert_close(weight, torch_np.tensor([0.5, 0.6, 0.6, 0.5, 0.5]))


def test_sparse_adam_as_adam():
    """If all rows have gradients, the steps are those of Adam up to eps."""
    weights = []
    for make, sparse in ((optim.SparseAdam, True), (optim.Adam, False)):
        embedding = nn.Embedding(4, 2, sparse=sparse)
        embedding.weight.data = torch_np.sin(torch_np.arange(8.0)).reshape(4, 2)
        optimizer = make(embedding.parameters(), lr=0.1)
        for _ in range(5):
            optimizer.zero_grad()
            embedding(torch_np.tensor([3, 1, 0, 2, 2])).pow(2).sum().backward()
            optimizer.step()
        weights.append(embedding.weight.detach())
    torch_np.testing.assert_close(*weights, atol=1e-5, rtol=1e-5)


def test_functions():
    p, g = torch_np.ones(3, 2), torch_np.sparse_coo_tensor([[2, 0]], [[1.0, 2], [-1, -2]], (3, 2))
    functional.sparse_adam([p], [g], [torch_np.zeros(3, 2)], [torch_np.zeros(3, 2)], [1], eps=1e-8, beta1=0.9, beta2=0.999, lr=0.1, maximize=False)
    torch_np.testing.assert_close(p, torch_np.tensor([[1.1, 1.1], [1, 1], [0.9, 0.9]]))
    p = torch_np.ones(3, 2)
    functional.sgd([p], [g], [None], has_sparse_grad=True, weight_decay=0, momentum=0, lr=0.5, dampening=0, nesterov=False, maximize=False)
    assert p.tolist() == [[1.5, 2], [1, 1], [0.5, 0]]
    functional.adagrad([p], [g], [torch_np.zeros(3, 2)], [torch_np.tensor(0.0)], has_sparse_grad=True, lr=1, weight_decay=0, lr_decay=0, eps=0, maximize=False)
    assert p.tolist() == [[2.5, 3], [1, 1], [-0.5, -1]]


@pytest.mark.parametrize("make, options, message", [
    (optim.Adam, {}, "Adam does not support sparse gradients, please consider SparseAdam instead"),
    *((make, {}, f"{make.__name__} does not support sparse gradients") for make in (
        optim.NAdam, optim.RAdam, optim.Adamax, optim.Adadelta, optim.RMSprop, optim.Rprop, optim.ASGD, optim.Adafactor, optim.Muon)),
    (optim.SGD, dict(weight_decay=0.1), "add(sparse, dense) is not supported"), (optim.SGD, dict(fused=True), "`_fused_sgd` does not support"),
    (optim.Adagrad, dict(weight_decay=0.1), "weight_decay option is not compatible with sparse gradients"),
    (optim.Adagrad, dict(fused=True), "`fused` does not support sparse grad")])
def test_refused(make, options, message):
    with pytest.raises(RuntimeError) as raised:
        trained(make, 1, **options)
    assert message in str(raised.value)


def test_sparse_adam_refuses():
    p = torch_np.ones(2, requires_grad=True)
    (2 * p).sum().backward()
    with pytest.raises(RuntimeError, match="does not support dense gradients"):
        optim.SparseAdam([p]).step()
    with pytest.raises(ValueError, match=r"Sparse params at indices \[\[0, 0\]\]"):
        optim.SparseAdam([torch_np.eye(2).to_sparse().requires_grad_()])
    with pytest.raises(ValueError, match=r"Complex params at indices \[\[0, 0\]\]"):
        optim.SparseAdam([torch_np.ones(2, dtype=torch_np.complex64)])
    for options in (dict(lr=0.0), dict(eps=0.0), dict(betas=(1.0, 0.9))):
        with pytest.raises(ValueError, match="Invalid"):
            optim.SparseAdam([p], **options)


def test_lbfgs_makes_gradients_dense():
    embedding = table()
    optimizer = optim.LBFGS(embedding.parameters(), lr=0.1)

    def closure():
        optimizer.zero_grad()
        loss = embedding(torch_np.tensor([1, 2])).pow(2).sum()
        loss.backward()
        return loss

    before = float(closure().detach())
    optimizer.step(closure)
    assert float(closure().detach()) < before and float(embedding.weight.detach()[0, 0]) == 0.5


def test_clipping_and_zeroing():
    embedding = table()
    embedding(torch_np.tensor([1, 2, 1])).pow(2).sum().backward()
    total = nn.utils.clip_grad_norm_(embedding.parameters(), 1.0)
    torch_np.testing.assert_close(total, torch_np.tensor(15.0).sqrt())
    torch_np.testing.assert_close(embedding.weight.grad.to_dense().norm(), torch_np.tensor(1.0), atol=1e-5, rtol=1e-5)
    assert float(nn.utils.get_total_norm([embedding.weight.grad], float("inf"))) == pytest.approx(2 / 15 ** 0.5, rel=1e-5)
    optim.SGD(embedding.parameters()).zero_grad(set_to_none=False)
    assert embedding.weight.grad.is_sparse and embedding.weight.grad._nnz() == 0


def test_scaled_losses():
    embedding = table()
    optimizer, scaler = optim.SGD(embedding.parameters(), 0.1), torch_np.amp.GradScaler(embedding.weight.device.type, init_scale=8.0)
    scaler.scale(embedding(torch_np.tensor([1, 2, 1])).pow(2).sum()).backward()
    scaler.unscale_(optimizer)
    assert embedding.weight.grad.to_dense()[:, 0].tolist() == [0, 2, 1, 0, 0]
    scaler.step(optimizer)
    scaler.update()
    torch_np.testing.assert_close(embedding.weight.detach()[:, 0], torch_np.tensor([0.5, 0.3, 0.4, 0.5, 0.5]))
    optimizer.zero_grad()
    scaler.scale(embedding(torch_np.tensor([0])).pow(2).sum() * float("inf")).backward()
    scaler.step(optimizer)  # skipped
    assert float(embedding.weight.detach()[0, 0]) == 0.5
