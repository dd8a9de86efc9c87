"""Automatic mixed precision: regions, threads, cached casts, gradients, compiled functions, functions of one's own. The dtypes and
values of operators are cases of torch_cases/autocast.txt."""
import pathlib
import threading

import pytest
import yaml

import torch_np
from torch_np import amp, nn
from torch_np.utils.checkpoint import checkpoint

LOWER, OTHER = torch_np.bfloat16, torch_np.float16


@pytest.fixture
def on(request):
    """The type of the device under test."""
    return request.config.getoption("--device").partition(":")[0]


def ones(*shape, **options):
    return torch_np.ones(*shape, **options)


def product(a, b=None):
    return torch_np.mm(a, a if b is None else b)


def test_regions_nest_and_restore_the_state(on):
    x = ones(2, 2)
    default = torch_np.get_autocast_dtype(on)
    assert not torch_np.is_autocast_enabled(on)
    with torch_np.autocast(on, LOWER) as region:
        assert isinstance(region, torch_np.autocast) and product(x).dtype == LOWER and torch_np.is_autocast_enabled(on)
        with torch_np.autocast(on, OTHER):
            assert product(x).dtype == OTHER == torch_np.get_autocast_dtype(on)
            with torch_np.autocast(on, enabled=False):
                assert product(x).dtype == torch_np.float32 and not torch_np.is_autocast_enabled(on)
        assert product(x).dtype == LOWER
        with pytest.raises(RuntimeError), torch_np.autocast(on, OTHER):
            product(x, ones(3, 2))
        assert product(x).dtype == LOWER
        with region:  # again
            assert product(x).dtype == LOWER
    assert product(x).dtype == torch_np.float32 and torch_np.get_autocast_dtype(on) == default and not torch_np.is_autocast_enabled(on)


def test_decorators_cast_in_calls_only(on):
    @torch_np.autocast(on, LOWER)
    def f(x, depth=2):
        """Doc."""
        return f(x, depth - 1) if depth else product(x)

    assert f(ones(2, 2)).dtype == LOWER and f.__doc__ == "Doc." and product(ones(2, 2)).dtype == torch_np.float32
    off = torch_np.autocast(on, enabled=False)(product)
    with torch_np.autocast(on, LOWER):
        assert off(ones(2, 2)).dtype == torch_np.float32
    with pytest.raises(TypeError, match="requires a callable"):
        torch_np.autocast(on)(3)


def test_the_state_is_the_thread_s_own(on):
    found = {}

    def look():
        found["state"] = torch_np.is_autocast_enabled(on), product(ones(2, 2)).dtype
        with torch_np.autocast(on, OTHER):
            inside.set()
            assert leave.wait(60)
            found["dtype"] = product(ones(2, 2)).dtype

    inside, leave = threading.Event(), threading.Event()
    with torch_np.autocast(on, LOWER):
        thread = threading.Thread(target=look)
        thread.start()
        assert inside.wait(60)
        assert product(ones(2, 2)).dtype == LOWER
        leave.set()
        thread.join()
        assert product(ones(2, 2)).dtype == LOWER
    assert found == {"state": (False, torch_np.float32), "dtype": OTHER}


def test_weights_are_cast_once_until_the_outermost_region_ends(on):
    w, x = ones(3, 3, requires_grad=True), ones(3, 3)

    def cast_of(weight):  # the node of the cast, which a product with it leads to
        return product(x, weight).grad_fn.next_functions[1][0]

    with torch_np.autocast(on, LOWER):
        first = cast_of(w)
        assert first.name().startswith("ToCopy") and cast_of(w) is first
        with torch_np.autocast(on, LOWER):
            assert cast_of(w) is first
        with torch_np.autocast(on, OTHER):
            assert cast_of(w) is not first
        with torch_np.no_grad():
            w.mul_(3)
        assert product(x, w)[0, 0].item() == 9  # the changed weight is cast anew
        with torch_np.no_grad():
            assert not product(x, w).requires_grad
            w.mul_(2)
            assert product(x, w)[0, 0].item() == 18
        assert product(x, w).requires_grad
        second = cast_of(w)
        torch_np.clear_autocast_cache()
        assert cast_of(w) is not second
    with torch_np.autocast(on, LOWER, cache_enabled=False):
        assert not torch_np.is_autocast_cache_enabled() and cast_of(w) is not cast_of(w)
    assert torch_np.is_autocast_cache_enabled()
    y = ones(3, 3, requires_grad=True) * 1  # no leaf
    with torch_np.autocast(on, LOWER):
        assert cast_of(y) is not cast_of(y)


def test_gradients_have_the_dtypes_of_the_forward_pass(on):
    net = nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2))
    dtypes = []
    net[1].register_full_backward_hook(lambda module, grad_in, grad_out: dtypes.append((grad_in[0].dtype, grad_out[0].dtype, torch_np.is_autocast_enabled(on))))
    with torch_np.autocast(on, LOWER):
        loss = nn.functional.mse_loss(net(ones(5, 3)), ones(5, 2))
        loss.backward()  # in the region: it runs without autocast
    assert dtypes == [(LOWER, LOWER, False)] and loss.dtype == torch_np.float32
    assert all(p.grad.dtype == torch_np.float32 for p in net.parameters())
    assert product(ones(2, 2)).dtype == torch_np.float32


def test_training_with_scaled_losses(on):
    torch_np.manual_seed(0)
    data = torch_np.utils.data.DataLoader(torch_np.utils.data.TensorDataset(torch_np.rand(64, 8), torch_np.rand(64, 1)), batch_size=16)
    net = nn.Sequential(nn.Linear(8, 16), nn.Tanh(), nn.Linear(16, 1))
    optimizer, scaler, losses = torch_np.optim.SGD(net.parameters(), 0.1), amp.GradScaler(on, init_scale=256.0), []
    for _ in range(4):
        for x, y in data:
            optimizer.zero_grad()
            with torch_np.autocast(on, OTHER):
                loss = nn.functional.mse_loss(net(x), y)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            losses.append(loss.item())
    assert losses[-1] < losses[0] / 2


@pytest.mark.parametrize("reentrant", [False, True])
def test_checkpoints_repeat_the_region(on, reentrant):
    dtypes = []

    def f(x):
        y = product(x)
        dtypes.append((y.dtype, torch_np.is_autocast_cache_enabled()))
        return y

    x = ones(3, 3, requires_grad=True)
    with torch_np.autocast(on, LOWER, cache_enabled=False):
        y = checkpoint(f, x, use_reentrant=reentrant, early_stop=False)
    y.sum().backward()
    assert dtypes == [(LOWER, False)] * 2 and x.grad.tolist() == [[6] * 3] * 3


def test_compiled_functions_have_a_record_for_each_state(on):
    @torch_np.compile(fullgraph=True)
    def f(x, w):
        with torch_np.autocast(on, enabled=False):
            exact = torch_np.mm(x, w)
        return torch_np.mm(x, w), exact, torch_np.softmax(torch_np.mm(x, w), -1), torch_np.einsum("ij,jk->ik", x, w)

    x, w = torch_np.rand(4, 4), torch_np.rand(4, 4)
    for dtype in (LOWER, OTHER, None, LOWER, OTHER, None):
        with torch_np.autocast(on, dtype or LOWER, enabled=dtype is not None):
            for got, expected in zip(f(x, w), f.__wrapped__(x, w), strict=True):
                assert got.dtype == expected.dtype and torch_np.equal(got, expected)
    assert f.statistics()["recorded"] == 3 and f.statistics()["plain"] == 0


def test_a_compiled_function_follows_a_weight_whose_cast_is_cached(on):
    @torch_np.compile(fullgraph=True)
    def f(x):
        with torch_np.autocast(on, LOWER):
            return torch_np.mm(x, w)

    w, x = ones(3, 3, requires_grad=True), ones(3, 3)
    with torch_np.autocast(on, LOWER):
        assert product(x, w)[0, 0].item() == 3  # now its cast is cached
        for factor in (1, 2, 4):
            with torch_np.no_grad():
                w.fill_(factor)
            y = f(x)
            assert y[0, 0].item() == 3 * factor
            w.grad = None
            y.sum().backward()
            assert w.grad.dtype == torch_np.float32 and w.grad.tolist() == [[3] * 3] * 3


class Product(torch_np.autograd.Function):
    dtypes: list = []

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        Product.dtypes.append(("forward", x.dtype, product(x).dtype))
        return product(x)

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        Product.dtypes.append(("backward", grad.dtype, product(x.to(torch_np.float32)).dtype))
        return (grad.to(x.dtype) @ x.T + x.T @ grad.to(x.dtype)).to(x.dtype)


@pytest.mark.parametrize("cast_inputs, expected", [
    (None, [("forward", torch_np.float32, LOWER), ("backward", LOWER, LOWER)]),
    (torch_np.float32, [("forward", torch_np.float32, torch_np.float32), ("backward", torch_np.float32, torch_np.float32)]),
    (OTHER, [("forward", OTHER, OTHER), ("backward", OTHER, torch_np.float32)])])
def test_functions_of_one_s_own(on, cast_inputs, expected):
    class Decorated(torch_np.autograd.Function):
        forward = staticmethod(amp.custom_fwd(Product.forward, device_type=on, cast_inputs=cast_inputs))
        backward = staticmethod(amp.custom_bwd(device_type=on)(Product.backward))

    Product.dtypes.clear()
    x = ones(2, 2, requires_grad=True)
    with torch_np.autocast(on, LOWER):
        y = Decorated.apply(x)
    y.sum().backward()
    assert Product.dtypes == expected and x.grad.dtype == torch_np.float32


def test_operators_of_one_s_own(on):
    @torch_np.library.custom_op("test_autocast::double", mutates_args=())
    def double(x: torch_np.Tensor) -> torch_np.Tensor:
        dtypes.append((x.dtype, product(x).dtype))
        return x * 2

    dtypes = []
    with torch_np.autocast(on, LOWER):
        double(ones(2, 2))
    torch_np.library.register_autocast("test_autocast::double", on, OTHER)
    double(ones(2, 2))
    with torch_np.autocast(on, LOWER):
        assert double(ones(2, 2)).dtype == OTHER
    assert dtypes == [(torch_np.float32, LOWER), (torch_np.float32, torch_np.float32), (OTHER, OTHER)]
    with pytest.raises(ValueError, match="xyz"):
        torch_np.library.register_autocast("test_autocast::double", "xyz", OTHER)


def test_operators_in_place_and_float64_are_not_cast(on):
    x = ones(2, 2)
    with torch_np.autocast(on, LOWER):
        assert x.clone().addmm_(x, x).tolist() == [[3, 3], [3, 3]]
        assert product(x.double()).dtype == torch_np.float64 and product(x.to(torch_np.complex64)).dtype == torch_np.complex64
        with pytest.raises(RuntimeError):
            torch_np.mm(x, x.double())


def test_the_numpy_face(on):
    import torch_np.numpy as np
    a = np.ones((2, 2), "float32")
    with np._autocast(on, dtype="bfloat16"):
        assert (a @ a)._torch().dtype == LOWER and (a + a).dtype == "float32"
        with np._autocast(on, enabled=False):
            assert (a @ a).dtype == "float32"
    assert (a @ a).dtype == "float32"


@pytest.mark.same_on_devices("the settings of each type of device")
def test_settings():
    assert amp.is_autocast_available("cpu") and amp.is_autocast_available("cuda:0") and not amp.is_autocast_available("meta")
    assert torch_np.autocast_increment_nesting() == 1 and torch_np.autocast_decrement_nesting() == 0
    for device in ("cpu", "cuda", "mps"):
        before = torch_np.get_autocast_dtype(device)
        torch_np.set_autocast_enabled(device, True)
        torch_np.set_autocast_dtype(device, OTHER)
        assert torch_np.is_autocast_enabled(device) and torch_np.get_autocast_dtype(device) == OTHER
        torch_np.set_autocast_enabled(device, False)
        torch_np.set_autocast_dtype(device, before)
        assert not torch_np.is_autocast_enabled(device)
    torch_np.set_autocast_enabled(True)
    assert torch_np.is_autocast_enabled() and not torch_np.is_autocast_enabled("cpu")
    torch_np.set_autocast_enabled(False)
    for wrong in (lambda: torch_np.autocast("xyz"), lambda: torch_np.autocast("meta"), lambda: torch_np.is_autocast_enabled("meta")):
        with pytest.raises(RuntimeError):
            wrong()
    for wrong in (lambda: torch_np.set_autocast_enabled(1), lambda: torch_np.set_autocast_dtype("cpu", "float16")):
        with pytest.raises(TypeError):
            wrong()
    with pytest.raises(ValueError, match="device_type"):
        torch_np.autocast(3)
    with pytest.warns(UserWarning, match="only supports dtypes of"):
        region = torch_np.autocast("cpu", torch_np.float64)
    with region:
        assert not torch_np.is_autocast_enabled("cpu")
    with pytest.warns(FutureWarning, match="deprecated"):
        assert torch_np.cpu.amp.autocast().fast_dtype == LOWER and torch_np.amp.autocast is torch_np.autocast


# PyTorch's lists of operators (aten/src/ATen/autocast_mode.h): rule and operators on a device, by our entries' names.
LISTS = {
    ("CPU", "lower_precision"): "conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d addmm matmul mm bmm baddbmm addbmm linear prelu linalg_vecdot",
    ("CPU", "float32"): "avg_pool3d cdist cholesky_inverse cholesky_solve geqrf grid_sampler inverse lu_solve orgqr ormqr pinverse polar prod stft trace view_as_complex",
    ("CPU", "widest"): "cat stack index_copy",
    ("CUDA", "lower_precision"): "conv1d conv2d conv3d addmm addmv addr matmul mm mv bmm baddbmm addbmm linear prelu einsum chain_matmul linalg_multi_dot linalg_vecdot",
    ("CUDA", "float32"): "acos asin cosh erfinv exp expm1 log log10 log2 log1p reciprocal rsqrt sinh tan pow softplus layer_norm group_norm rms_norm cdist dist pdist renorm logsumexp cosine_similarity",
    ("CUDA", "float32_result"): "prod softmax log_softmax cumprod cumsum linalg_vector_norm sum norm",
    ("CUDA", "widest"): "addcdiv addcmul atan2 bilinear cross dot vdot grid_sampler index_put scatter_add",
}


@pytest.mark.same_on_devices("it reads the yaml files")
def test_rules_are_those_of_pytorch_s_lists():
    rules = {}
    for file in (pathlib.Path(__file__).parents[3] / "native_functions").glob("*.yaml"):
        for entry in yaml.load(file.read_text(), getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            if "autocast" in entry:
                rule = entry["autocast"]
                rules[entry["func"].partition("(")[0]] = rule if isinstance(rule, dict) else {"CPU": rule, "CUDA": rule}
    wrong = [(name, device, rule) for (device, rule), names in LISTS.items() for name in names.split() if rules.get(name, {}).get(device) != rule]
    assert not wrong


def test_older_names_warn():
    for name, make in (("autocast", torch_np.cpu.amp.autocast), ("GradScaler", torch_np.cpu.amp.GradScaler)):
        with pytest.warns(FutureWarning, match=rf"`torch_np.cpu.amp.{name}\(args...\)` is deprecated. Please use `torch_np.amp.{name}\('cpu', args...\)`"):
            make()


def test_names_that_are_no_devices():
    for function in (torch_np.autocast, torch_np.amp.is_autocast_available):
        with pytest.raises(RuntimeError, match="Invalid device string: 'no device'"):
            function("no device")
    assert not torch_np.amp.is_autocast_available("meta")


def test_private_operators_follow_the_rule():
    x, w, b = torch_np.ones(2, 3), torch_np.ones(3, 4), torch_np.tensor([-4.0, 0, 1, 2])
    assert torch_np.equal(torch_np._addmm_activation(b, x, w), torch_np.tensor([[0.0, 3, 4, 5]] * 2))
    assert torch_np._addmm_activation(b, x, w, use_gelu=True)[0, 0].item() == pytest.approx(-0.158655, abs=1e-5)
    with torch_np.autocast("cpu"):
        assert torch_np._addmm_activation(b, x, w).dtype == LOWER
        images, classes = torch_np.zeros(1, 2, 2, 2, dtype=LOWER), torch_np.zeros(1, 2, 2, dtype=torch_np.int64)
        assert torch_np._C._nn.nll_loss2d(images, classes).dtype == torch_np.float32
        loss = torch_np.margin_ranking_loss(torch_np.zeros(2, 2, dtype=LOWER), torch_np.ones(2, 2, dtype=LOWER), torch_np.ones(2, dtype=LOWER))
        assert loss.dtype == torch_np.float32 and loss.tolist() == [[1, 1], [1, 1]]
