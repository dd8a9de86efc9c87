"""vmap as a transformation: arguments, randomness, changes in place, nesting, derivatives, compilation."""
import collections
import warnings

import pytest

import torch_np
import torch_np.numpy as np
from torch_np.func import functional_call, grad, hessian, jacfwd, jacrev, jvp, stack_module_state, vjp, vmap

F = torch_np.nn.functional


def close(a, b, **bounds):
    torch_np.testing.assert_close(a, b, **bounds)


def looped(f, *batches):
    return torch_np.stack([f(*samples) for samples in zip(*batches)])


@pytest.fixture
def x():
    return torch_np.randn(3, 4, 5, generator=torch_np.Generator().manual_seed(0))


# ---------------------------------------------------------------------------------------------- arguments and results

@pytest.mark.parametrize("dim", [0, 1, 2, -1, -3])
def test_in_and_out_dims(x, dim):
    size = x.shape[dim]
    made = vmap(lambda v: v.T * 2, dim, -1)(x)
    assert made.shape[-1] == size
    close(made, torch_np.stack([x.select(dim, i).T * 2 for i in range(size)], -1))


def test_function_runs_once_on_samples(x):
    seen = []
    vmap(lambda v: seen.append((v.shape, v.dtype, v.device, v.is_contiguous())) or v)(x)
    assert seen == [((4, 5), torch_np.float32, torch_np.device("cpu"), True)]


def test_nested_arguments_and_results(x):
    Pair = collections.namedtuple("Pair", "a b")
    made = vmap(lambda d, p: {"sum": d["x"] + p.a, "one": (p.b,)}, ({"x": 0}, Pair(None, 1)), {"sum": 0, "one": (0,)})(
        {"x": x}, Pair(x[0], x.movedim(0, 1)))
    close(made["sum"], x + x[0])
    close(made["one"][0], x)


def test_result_without_batch_is_expanded(x):
    assert vmap(lambda v: torch_np.ones(2))(x).shape == (3, 2)
    assert vmap(lambda v: torch_np.ones(2), out_dims=None)(x).shape == (2,)
    with pytest.raises(ValueError, match="can not return a BatchedTensor when out_dim is None"):
        vmap(lambda v: v, out_dims=None)(x)


def test_empty_batch():
    f = vmap(lambda v, w: (F.conv2d(v, w), F.cross_entropy(v.flatten(1), torch_np.tensor([1, 0])), v.sum(), v @ v.mT), (0, None))
    shapes = [r.shape for r in f(torch_np.zeros(0, 2, 1, 4, 4), torch_np.ones(3, 1, 2, 2))]
    assert shapes == [(0, 2, 3, 3, 3), (0,), (0,), (0, 2, 1, 4, 4)]


@pytest.mark.parametrize(("f", "in_dims", "args", "message"), [
    (torch_np.mul, (0,), 2, "not compatible with the structure"), (torch_np.mul, 7, 2, "Got in_dim=7"), (torch_np.mul, (None, None), 2, "at least one Tensor"),
    (torch_np.mul, "0", 2, "expected `in_dims` to be int or a"), (torch_np.sin, 0, 0, "got no inputs")])
def test_wrong_dims(x, f, in_dims, args, message):
    with pytest.raises(ValueError, match=message):
        vmap(f, in_dims)(*[x] * args)


def test_sizes_must_agree(x):
    with pytest.raises(ValueError, match="same size in the mapped dimension"):
        vmap(torch_np.mul)(x, x[:2])


@pytest.mark.parametrize("chunk_size", [1, 2, 3, 7])
def test_chunks(x, chunk_size):
    sizes = []
    made = vmap(lambda v: sizes.append(v) or (v * 2, v.sum()), out_dims=(1, 0), chunk_size=chunk_size)(x)
    close(made[0], (x * 2).movedim(0, 1))
    close(made[1], x.sum((1, 2)))
    assert len(sizes) == -(-3 // chunk_size)


def test_nested_levels(x):
    y = torch_np.arange(4.0)
    close(vmap(vmap(torch_np.mul, (None, 0)), (0, None))(y, y), torch_np.outer(y, y))
    close(vmap(vmap(vmap(lambda a, b: a * b.sum(), (0, None)), (0, None)), (0, None))(x, y), x * y.sum())


def test_new_tensors_beside_batched_ones_hold_a_batch(x):
    def f(v):
        out = v.new_zeros(5)
        out[1:] = v[0, :-1]
        other = torch_np.empty_like(v).fill_(1)
        other.add_(v)
        return out, other
    out, other = vmap(f)(x)
    close(out, F.pad(x[:, 0, :-1], (1, 0)))
    close(other, x + 1)


@pytest.mark.parametrize(("shapes", "dtypes"), [(((4,), ()), ("float32", "float64")), (((), (4,)), ("float64", "float16")), (((4,), ()), ("int64", "float32")),
                                                (((), ()), ("float32", "float64")), (((4,), ()), ("int8", "int64"))])
def test_promotion_of_samples_without_axes(shapes, dtypes):
    xs = [torch_np.arange(1, 3 * (4 if s else 1) + 1).reshape(3, *s).to(getattr(torch_np, d)) for s, d in zip(shapes, dtypes)]
    arrays = [x._np_compat() for x in xs]
    for dims in ((0, 0), (0, None), (None, 0)):
        given, of_arrays = ([v if d == 0 else v[0] for v, d in zip(values, dims)] for values in (xs, arrays))
        for f in (torch_np.add, torch_np.maximum, lambda a, b: torch_np.where(a > b, a, b)):
            close(vmap(f, dims)(*given), torch_np.stack([f(*[v[i] if d == 0 else v for v, d in zip(given, dims)]) for i in range(3)]))
        made = np._vmap(np.add, dims)(*of_arrays)
        one = np.asarray(np.add(*[np.asarray(v[0] if d == 0 else v) for v, d in zip(of_arrays, dims)]))
        assert made.dtype == one.dtype and made[0].tolist() == one.tolist()


# --------------------------------------------------------------------------------------------------- what is refused

def test_values_are_not_read(x):
    for f in (lambda v: v.sum().item(), lambda v: v if v.sum() > 0 else -v, lambda v: v[v > 0], lambda v: v.nonzero(), lambda v: torch_np.equal(v, v)):
        with pytest.raises(RuntimeError, match="vmap"):
            vmap(f)(x)


def test_plain_tensor_changed_by_a_batched_one(x):
    for f in (lambda v: torch_np.ones(4, 5).add_(v), lambda v: torch_np.ones(4, 5).copy_(v)):
        with pytest.raises(RuntimeError, match="inplace arithmetic.* is not possible because there exists a Tensor `other` in extra_args"):
            vmap(f)(x)


def test_operator_without_a_rule_warns_once(x):
    from torch_np._transforms.batch_rules import table

    table._warned.discard("lstsq_stack")
    for expected in (1, 0):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            made = vmap(lambda a: torch_np.linalg.lstsq(a, a)[0])(x.mT)
        assert [str(w.message).startswith("There is a performance drop") for w in found] == [True] * expected
    close(made, looped(lambda a: torch_np.linalg.lstsq(a, a)[0], x.mT))


# --------------------------------------------------------------------------------------------------------- randomness

DRAWS = [lambda v: torch_np.rand(2), lambda v: torch_np.randn_like(v), lambda v: torch_np.empty_like(v).normal_(), lambda v: torch_np.randperm(50),
         lambda v: torch_np.bernoulli(torch_np.full((30,), 0.5)), lambda v: F.dropout(torch_np.ones(30), 0.5), lambda v: torch_np.randint(1000, (3,)),
         lambda v: torch_np.normal(torch_np.zeros(3), torch_np.ones(3))]


@pytest.mark.parametrize("draw", DRAWS)
def test_randomness(x, draw):
    with pytest.raises(RuntimeError, match="called random operation while in randomness error mode"):
        vmap(draw)(x)
    same = vmap(draw, randomness="same")(x)
    assert all(torch_np.equal(same[0], s) for s in same)
    different = vmap(draw, randomness="different")(x)
    assert not torch_np.equal(different[0], different[1]) and different.shape == same.shape


def test_dropout_of_a_batch(x):
    ones = torch_np.ones(3, 100)
    same = vmap(lambda v: F.dropout(v, 0.5), randomness="same")(ones)
    assert torch_np.equal(same[0], same[1]) and set(same.flatten().tolist()) == {0.0, 2.0}
    alpha = vmap(lambda v: F.alpha_dropout(v, 0.5, True), randomness="same")(ones)
    torch_np.manual_seed(0)
    expected = F.alpha_dropout(ones[0], 0.5, True)
    assert torch_np.equal(alpha[0], alpha[1])
    close(alpha[0].sort()[0][[0, -1]], expected.sort()[0][[0, -1]])


def test_randomness_must_be_known():
    with pytest.raises(RuntimeError, match="Only allowed values for randomness"):
        vmap(torch_np.sin, randomness="other")


# ---------------------------------------------------------------------------------------------------- changes in place

def test_changes_in_place_reach_the_argument(x):
    before = x.clone()

    def f(v, w):
        v.mul_(2)
        v[1:].add_(w)
        v[0] = w
        return v.T
    made = vmap(f)(x, torch_np.arange(3.0))
    assert torch_np.equal(made, x.mT)
    expected = before * 2
    expected[:, 1:] += torch_np.arange(3.0).reshape(3, 1, 1)
    expected[:, 0] = torch_np.arange(3.0).reshape(3, 1)
    close(x, expected)


@pytest.mark.parametrize("dim", [0, -1])
def test_recorded_changes_in_place_of_views(x, dim):
    def f(v, w):
        y = v * 1
        y[0] = w * 2
        y[1:, 1].mul_(w)
        z = y.T
        z[1] = z[1].clone() * v[:, 0]
        return (y.sin() * y).sum()
    w = torch_np.arange(3.0)
    given = x.movedim(0, dim).contiguous()
    for made, one in zip(vmap(grad(f, (0, 1)), (dim, 0))(given, w), zip(*(grad(f, (0, 1))(x[i], w[i]) for i in range(3)))):
        close(made, torch_np.stack(one))


# --------------------------------------------------------------------------------------------------------- derivatives

def network():
    torch_np.manual_seed(0)
    return torch_np.nn.Sequential(torch_np.nn.Conv2d(1, 4, 3, padding=1), torch_np.nn.ReLU(), torch_np.nn.MaxPool2d(2), torch_np.nn.GroupNorm(2, 4),
                                  torch_np.nn.Conv2d(4, 4, 3, stride=2, groups=2), torch_np.nn.Flatten(), torch_np.nn.LayerNorm(36), torch_np.nn.Linear(36, 5))


def test_per_sample_gradients_of_a_network():
    model = network()
    weights = {k: v.detach() for k, v in model.named_parameters()}
    images, classes = torch_np.randn(6, 1, 14, 14), torch_np.arange(6) % 5

    def loss(w, image, label):
        return F.cross_entropy(functional_call(model, w, (image[None],)), label[None])
    made = vmap(grad(loss), (None, 0, 0))(weights, images, classes)
    for name, gradients in made.items():
        assert not gradients.requires_grad
        close(gradients, torch_np.stack([grad(loss)(weights, images[i], classes[i])[name] for i in range(6)]), rtol=1e-4, atol=1e-6)


def test_ensemble_of_models():
    models = [torch_np.nn.Sequential(torch_np.nn.Linear(4, 8), torch_np.nn.Tanh(), torch_np.nn.Linear(8, 2)) for _ in range(5)]
    weights, buffers = stack_module_state(models)
    x = torch_np.randn(7, 4)
    made = vmap(lambda w, b, x: functional_call(models[0], (w, b), (x,)), (0, 0, None))(weights, buffers, x)
    close(made, torch_np.stack([m(x) for m in models]))
    made.sum().backward()
    close(weights["0.weight"].grad[2], torch_np.autograd.grad(models[2](x).sum(), models[2][0].weight)[0])


def test_derivatives_within_and_outside(x):
    def f(v, w):
        return (v @ w).tanh().sum()
    w = torch_np.randn(5, requires_grad=True)
    made = vmap(grad(f), (0, None))(x, w)
    assert made.requires_grad
    (found,) = torch_np.autograd.grad((made ** 2).sum(), w)
    (expected,) = torch_np.autograd.grad(sum((grad(f)(x[i], w) ** 2).sum() for i in range(3)), w)
    close(found, expected, rtol=1e-4, atol=1e-5)
    y = w.detach()
    close(grad(lambda v: vmap(f, (0, None))(v, y).sum())(x), vmap(grad(f), (0, None))(x, y))
    close(vmap(grad(f, 1), (0, None))(x, y), looped(lambda v: grad(f, 1)(v, y), x), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("of", [jacrev, jacfwd, hessian])
def test_jacobians_of_a_batch(x, of):
    def f(v):
        return (v.sin() * v[0]).sum(0)
    close(vmap(of(f))(x), looped(of(f), x), rtol=1e-4, atol=1e-5)


def test_products_with_jacobians_of_a_batch(x):
    f = torch_np.tanh
    close(vmap(lambda v, t: jvp(f, (v,), (t,))[1])(x, x), (1 - x.tanh() ** 2) * x)
    close(vmap(lambda v, t: vjp(f, v)[1](t)[0])(x, x), (1 - x.tanh() ** 2) * x)


def test_batch_of_output_gradients():
    x = torch_np.randn(4, 5, requires_grad=True)
    y = (x.sin() * x).sum(1)
    (found,) = torch_np.autograd.grad(y, x, torch_np.eye(4), is_grads_batched=True)
    assert not found.requires_grad and found.shape == (4, 4, 5)
    close(found.sum(0), (x.cos() * x + x.sin()).detach())
    z = x * x
    z[0].cos_()
    (found,) = torch_np.autograd.grad(z, x, torch_np.stack([torch_np.ones(4, 5), z.detach()]), is_grads_batched=True, retain_graph=True)
    close(found[1], torch_np.autograd.grad(z, x, z.detach())[0])


def test_custom_operators_and_their_rules():
    @torch_np.library.custom_op("vmap_tests::doubled", mutates_args=())
    def doubled(x: torch_np.Tensor) -> torch_np.Tensor:
        return torch_np.from_numpy(x.numpy() * 2)
    x = torch_np.arange(6.0).reshape(2, 3)
    with pytest.warns(UserWarning, match="performance drop"):
        close(vmap(doubled)(x), x * 2)
    seen = []
    torch_np.library.register_vmap("vmap_tests::doubled", lambda info, in_dims, x: seen.append((info.batch_size, in_dims)) or (doubled(x), in_dims[0]))
    close(vmap(doubled, 1, 1)(x), x * 2)
    assert seen == [(3, (0,))]


# --------------------------------------------------------------------------------------------------------- compilation

def test_compiled_functions_replay():
    w = [torch_np.randn(8, 4), torch_np.randn(8), torch_np.randn(3, 8)]
    runs = []

    def loss(w, x, y):
        runs.append(1)
        return F.cross_entropy(w[2] @ torch_np.tanh(w[0] @ x + w[1]), y)
    f = vmap(grad(loss), (None, 0, 0))
    compiled = torch_np.compile(f)
    for seed in range(5):
        x, y = torch_np.randn(6, 4, generator=torch_np.Generator().manual_seed(seed)), (torch_np.arange(6) + seed) % 3
        for a, b in zip(compiled(w, x, y), f(w, x, y)):
            close(a, b)
    assert len(runs) < 5 + 4


# ---------------------------------------------------------------------------------------------------------- NumPy face

def test_functions_of_arrays():
    x = np.arange(6.0).reshape(2, 3)
    assert np._vmap(lambda v: v.sum())(x).tolist() == [3.0, 12.0]
    assert np._vmap(np._grad(lambda v: (v * v).sum()))(x).tolist() == (2 * x).tolist()
    assert np._vmap(np.dot, (None, 1))(x, x.T).tolist() == (x @ x.T).T.tolist()
    assert np._vmap(lambda v: (v, v[::-1]), 1, (1, 0))(x)[0].tolist() == x.tolist()
