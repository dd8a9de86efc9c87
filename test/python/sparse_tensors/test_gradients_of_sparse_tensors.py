"""Gradients with respect to sparse tensors, and of sparse tensors."""
import pytest
import torch_np
from sparse_tensors import DENSE, LAYOUTS, NAMES, assert_equals, in_layout, uncoalesced
from torch_np.autograd import Function, backward, grad, gradcheck, gradgradcheck

WEIGHT = torch_np.arange(8.0).reshape(4, 2)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
def test_gradients_have_the_pattern_of_the_tensor(layout):
    x = in_layout(DENSE, layout).requires_grad_()
    pattern = in_layout(DENSE, layout).to_dense() != 0 if layout in LAYOUTS[:3] else torch_np.ones_like(DENSE, dtype=torch_np.bool)
    dense = DENSE.clone().requires_grad_()
    (dense @ WEIGHT).square().sum().backward()
    expected = dense.grad * pattern
    (found,) = grad((x @ WEIGHT).square().sum(), x)
    assert found.layout is layout and x.grad is None
    backward((x @ WEIGHT).square().sum())
    if layout in LAYOUTS[:3]:
        assert_equals(found, expected)
        assert_equals(x.grad, expected)
        (x @ WEIGHT).square().sum().backward()  # gradients accumulate
        assert_equals(x.grad, 2 * expected)


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
@pytest.mark.parametrize("sparse_gradient", [True, False])
def test_sparse_roots(layout, sparse_gradient):
    values = torch_np.tensor(3.0, requires_grad=True)
    x = in_layout(DENSE, layout)
    y = x * values
    seed = DENSE + 1
    y.backward(seed.sparse_mask(x) if sparse_gradient else seed, retain_graph=True)
    assert float(values.grad) == float((DENSE * seed).sum())
    backward([y, values * 2], [seed, None], inputs=[values])
    assert float(values.grad) == 2 * float((DENSE * seed).sum()) + 2
    with pytest.raises(RuntimeError, match="only for scalar outputs"):
        backward(x * values)


def test_repeated_indices_have_one_gradient():
    x, dense = uncoalesced()
    x.requires_grad_()
    weight = torch_np.arange(6.0).reshape(3, 2)
    (x @ weight).sum().backward()
    expected = weight.sum(1) * (dense != 0)
    assert_equals(x.grad, expected)
    assert_equals(grad((x @ weight).sum(), x)[0], expected)


def test_create_graph_and_unused_inputs():
    x = DENSE.double().to_sparse_csr().requires_grad_()
    weight = WEIGHT.double().requires_grad_()
    (first,) = grad((x @ weight).pow(3).sum(), x, create_graph=True)
    assert first.requires_grad
    (second,) = grad(first.values().sum(), weight)
    copy = weight.detach().clone().requires_grad_()
    dense = DENSE.double().requires_grad_()
    (expected,) = grad((grad((dense @ copy).pow(3).sum(), dense, create_graph=True)[0] * (DENSE != 0)).sum(), copy)
    torch_np.testing.assert_close(second, expected)
    other = x.detach().requires_grad_()
    with pytest.raises(RuntimeError):
        grad((x @ weight).sum(), other)
    assert grad((x @ weight).sum(), [other, weight], allow_unused=True)[0] is None
    zeros = grad((x @ weight).sum(), other, materialize_grads=True)[0]
    assert zeros.layout is torch_np.sparse_csr and zeros._nnz() == other._nnz() and not zeros.to_dense().any()


def test_gradients_reach_the_values_of_a_constructor():
    values = torch_np.tensor([1.0, 2.0, 3.0], requires_grad=True)
    x = torch_np.sparse_coo_tensor([[0, 1, 1], [0, 2, 2]], values, (2, 3))
    (x @ torch_np.arange(3.0)).sum().backward()
    assert values.grad.tolist() == [0, 2, 2]
    assert not x.is_leaf and x.detach().requires_grad_().is_leaf


@pytest.mark.parametrize("layout", LAYOUTS, ids=NAMES)
@pytest.mark.parametrize("masked", [True, False])
def test_gradcheck(layout, masked):
    x = in_layout(DENSE.double(), layout).requires_grad_()
    assert gradcheck(lambda t: (t * 2).to_dense().square(), x, masked=masked)
    assert gradgradcheck(lambda t: t.to_dense().pow(3).sum(), x, masked=masked)
    with pytest.raises(ValueError, match="Sparse output is not supported"):
        gradcheck(lambda t: t * 2, x, masked=masked)
    check = torch_np.sparse.as_sparse_gradcheck(gradcheck)
    assert check(lambda t: t * 3, x, masked=masked)
    assert check(lambda t: [t.sum(), t.t()], (x,), masked=masked)


def test_gradcheck_finds_wrong_gradients():
    class Wrong(Function):
        @staticmethod
        def forward(ctx, values):
            return values * 2

        @staticmethod
        def backward(ctx, g):
            return g * 3

    x = DENSE.double().to_sparse_csr().requires_grad_()
    with pytest.raises(RuntimeError, match="analytic"):
        gradcheck(lambda t: Wrong.apply(t.values()), x, masked=True)


def test_functions_refuse_what_they_cannot_differentiate():
    class Product(Function):
        @staticmethod
        def forward(ctx, matrix, dense):
            ctx.save_for_backward(dense)
            ctx.matrix = matrix
            return matrix @ dense

        @staticmethod
        def backward(ctx, g):
            return None, ctx.matrix.t() @ g

    class MakesSparse(Function):
        @staticmethod
        def forward(ctx, values):
            return values.to_sparse()

        @staticmethod
        def backward(ctx, g):
            return g

    x, weight = DENSE.to_sparse(), WEIGHT.clone().requires_grad_()
    Product.apply(x, weight).sum().backward()
    torch_np.testing.assert_close(weight.grad, DENSE.T @ torch_np.ones(4, 2))
    with pytest.raises(NotImplementedError, match="sparse tensor that requires a gradient"):
        Product.apply(x.requires_grad_(), weight)
    with pytest.raises(NotImplementedError, match="sparse result"):
        MakesSparse.apply(weight)
    assert MakesSparse.apply(weight.detach()).is_sparse


def test_a_small_graph_network_learns():
    n = 12
    ring = torch_np.arange(n)
    edges = torch_np.cat([torch_np.stack([ring, (ring + 1) % n]), torch_np.stack([(ring + 1) % n, ring]), torch_np.stack([ring, ring])], 1)
    matrix = torch_np.sparse_coo_tensor(edges, torch_np.full((3 * n,), 1 / 3), (n, n))
    features, labels = torch_np.eye(n), (ring // 6)
    first, last = torch_np.sin(torch_np.arange(96.0)).reshape(n, 8).requires_grad_(), torch_np.cos(torch_np.arange(16.0)).reshape(8, 2).requires_grad_()
    losses = {}
    for layout in LAYOUTS[:3]:
        a = matrix.to_sparse(layout=layout)
        parameters = [p.detach().clone().requires_grad_() for p in (first, last)]
        optimizer = torch_np.optim.Adam(parameters, 0.05)
        for _ in range(20):
            optimizer.zero_grad()
            scores = torch_np.spmm(a, torch_np.relu(torch_np.spmm(a, features @ parameters[0])) @ parameters[1])
            loss = torch_np.nn.functional.cross_entropy(scores, labels)
            loss.backward()
            optimizer.step()
        losses[layout] = float(loss.detach())
    assert max(losses.values()) < 0.1 and max(losses.values()) - min(losses.values()) < 1e-4


def test_dense_roots_and_chosen_inputs():
    w = torch_np.ones(3, 2, requires_grad=True)
    seed = torch_np.sparse_coo_tensor([[0, 2]], [[1.0, 2], [3, 4]], (3, 2))
    (w * 2).backward(seed)
    assert w.grad.tolist() == [[2, 4], [0, 0], [6, 8]]
    assert grad(w * 2, w, seed)[0].tolist() == w.grad.tolist()
    x = torch_np.eye(3).to_sparse().requires_grad_()
    w.grad = None
    (x @ w).sum().backward(inputs=[x])
    (x @ w).sum().backward(inputs=x)
    assert w.grad is None
    assert_equals(x.grad, 4 * torch_np.eye(3))
    with pytest.raises(RuntimeError, match="Mismatch in shape"):
        (x * 2).backward(torch_np.ones(2, 2))
    with pytest.raises(NotImplementedError, match="is_grads_batched"):
        grad(x * 2, x, torch_np.ones(2, 3, 3), is_grads_batched=True)
