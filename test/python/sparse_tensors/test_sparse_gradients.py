"""Sparse gradients of tables: those of embedding(sparse=True)."""
import pytest
import torch_np
import torch_np.nn.functional as F


def table(rows=6, width=3):
    return torch_np.arange(float(rows * width)).reshape(rows, width).requires_grad_()


def index(*values):
    return torch_np.tensor(values)


def dense_gradient(weight, at, **options):
    copy = weight.detach().clone().requires_grad_()
    (F.embedding(at, copy, **options) ** 2).sum().backward()
    return copy.grad


@pytest.mark.parametrize("at", [index(1, 3, 1), index(), torch_np.tensor([[0, 5], [5, 5]]), torch_np.tensor(2), index(0, 1, 2).int()])
def test_a_sparse_gradient_equals_the_dense_one(at):
    w = table()
    at = at.long() if at.numel() == 0 else at
    (F.embedding(at, w, sparse=True) ** 2).sum().backward()
    assert w.grad.is_sparse and w.grad.layout is torch_np.sparse_coo and w.grad._nnz() == at.numel() and not w.grad.is_coalesced()
    assert torch_np.equal(w.grad.to_dense(), dense_gradient(w, at))


def test_padding_has_no_elements():
    w = table()
    at = index(1, 2, 2, 5)
    (F.embedding(at, w, padding_idx=2, sparse=True) ** 2).sum().backward()
    assert w.grad._nnz() == 2
    assert torch_np.equal(w.grad.to_dense(), dense_gradient(w, at, padding_idx=2))


def test_frequencies_are_refused():
    w = table()
    with pytest.raises(RuntimeError, match="scale_grad_by_freq not supported with sparse gradients"):
        F.embedding(index(1, 1), w, scale_grad_by_freq=True, sparse=True).sum().backward()


def test_gradients_accumulate():
    w = table()
    for _ in range(2):
        F.embedding(index(1, 3), w, sparse=True).sum().backward()
    assert w.grad.is_sparse and w.grad._nnz() == 4
    expected = torch_np.zeros(6, 3)
    expected[index(1, 3)] = 2
    assert torch_np.equal(w.grad.to_dense(), expected)
    (3 * w).sum().backward()  # a dense gradient is added
    assert not w.grad.is_sparse and torch_np.equal(w.grad, expected + 3)
    F.embedding(index(0), w, sparse=True).sum().backward()
    expected[0] += 1
    assert not w.grad.is_sparse and torch_np.equal(w.grad, expected + 3)


@pytest.mark.parametrize("both_sparse", [True, False])
def test_a_table_that_is_used_twice(both_sparse):
    w = table()
    out = F.embedding(index(1, 3), w, sparse=True).sum() + F.embedding(index(3), w, sparse=both_sparse).sum()
    out.backward()
    assert w.grad.is_sparse is both_sparse
    assert torch_np.equal(w.grad.to_dense()[:, 0], torch_np.tensor([0.0, 1, 0, 2, 0, 0]))


def test_grad_and_hooks():
    w = table()
    seen = []
    w.register_hook(lambda g: seen.append(g.is_sparse))
    out = F.embedding(index(1, 3), w, sparse=True).sum()
    (found,) = torch_np.autograd.grad(out, w, retain_graph=True)
    assert found.is_sparse and seen == [True] and w.grad is None
    handle = w.register_hook(lambda g: g * 2)
    out.backward()
    handle.remove()
    assert torch_np.equal(w.grad.to_dense()[1], torch_np.full((3,), 2.0))


def test_a_table_that_is_no_leaf():
    w = table()
    with pytest.raises((RuntimeError, NotImplementedError)):  # the gradient of a product needs a product with a sparse tensor
        F.embedding(index(1), torch_np.exp(w), sparse=True).sum().backward()
    copy = w.clone()
    F.embedding(index(1), copy, sparse=True).sum().backward()
    assert w.grad.to_dense()[1].tolist() == [1, 1, 1]


def test_grad_is_assigned():
    w = table()
    gradient = torch_np.sparse_coo_tensor(torch_np.tensor([[1]]), torch_np.ones(1, 3), (6, 3))
    w.grad = gradient
    assert w.grad.is_sparse and w.grad._nnz() == 1
    with pytest.raises(RuntimeError, match="different size"):
        w.grad = torch_np.sparse_coo_tensor(torch_np.tensor([[1]]), torch_np.ones(1, 3), (5, 3))
    with pytest.raises(RuntimeError, match="different type"):
        w.grad = gradient.double()
    with pytest.raises(RuntimeError, match="incompatible tensor type"):
        w.data = gradient
    w.grad = None


def test_nan_check():
    w = table()
    with torch_np.autograd.set_detect_anomaly(True):
        out = (F.embedding(index(1), w, sparse=True) * float("nan")).sum()
        with pytest.raises(RuntimeError, match="returned nan values"):
            out.backward()


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("padding", [None, 2])
def test_bags(mode, padding):
    at, starts = index(0, 2, 2, 5, 1), index(0, 3, 3)
    factors = torch_np.tensor([1.0, 2, 3, 4, 5]) if mode == "sum" else None
    results = []
    for sparse in (False, True):
        w = table()
        p = None if factors is None else factors.clone().requires_grad_()
        out = F.embedding_bag(at, w, starts, mode=mode, sparse=sparse, per_sample_weights=p, padding_idx=padding)
        (out ** 2).sum().backward()
        assert w.grad.is_sparse is sparse
        results.append((out.detach(), w.grad.to_dense(), p.grad if p is not None else w.new_zeros(())))
    for dense, other in zip(*results, strict=True):
        torch_np.testing.assert_close(other, dense)


def test_modules():
    layer = torch_np.nn.Embedding(6, 3, sparse=True)
    layer(index(1, 1)).sum().backward()
    assert layer.weight.grad.is_sparse
    bags = torch_np.nn.EmbeddingBag(6, 3, sparse=True)
    bags(torch_np.tensor([[1, 2], [3, 3]])).sum().backward()
    assert bags.weight.grad.is_sparse and bags.weight.grad.to_dense()[3].tolist() == [1, 1, 1]


def test_the_leaf_owns_its_gradient():
    layer = torch_np.nn.Embedding(6, 3, sparse=True)
    layer(index(1, 1)).sum().backward()  # the gradient of sum() is one number, broadcast
    layer.weight.grad.mul_(2)
    assert layer.weight.grad.to_dense()[1].tolist() == [4, 4, 4]
    torch_np.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    assert layer.weight.grad.to_dense().norm().item() == pytest.approx(1, abs=1e-5)
    w, incoming = table(), torch_np.ones(2, 3)
    F.embedding(index(1, 3), w, sparse=True).backward(incoming)
    w.grad.zero_()
    assert torch_np.equal(incoming, torch_np.ones(2, 3))


def test_deep_copies():
    import copy
    layer = torch_np.nn.Embedding(6, 3, sparse=True)
    layer(index(1, 2)).sum().backward()
    twin = copy.deepcopy(layer)
    twin.weight.grad.mul_(3)
    assert twin.weight.grad.is_sparse and torch_np.equal(3 * layer.weight.grad.to_dense(), twin.weight.grad.to_dense())


def test_the_older_order_of_arguments_of_embedding_bag():
    table, at, starts = torch_np.arange(12.0).reshape(6, 2), torch_np.tensor([1, 2, 3, 4]), torch_np.tensor([0, 2])
    with pytest.warns(UserWarning, match="Argument order of nn.functional.embedding_bag was changed"):
        found = torch_np.nn.functional.embedding_bag(table, at, starts)
    assert found.tolist() == [[3, 4], [7, 8]]
