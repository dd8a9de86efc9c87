"""Modules and functions that packages for PyTorch import by name. Numbers are PyTorch 2.15's."""
import importlib
import os
import pickle
import threading

import pytest

import torch_np as torch

X = torch.tensor([[3.0, 1.0, 2.0], [4.0, 0.5, -1.0]])
M = torch.tensor([[True, False, True], [True, True, False]])


def near(result, expected):
    torch.testing.assert_close(result, torch.tensor(expected), rtol=1e-4, atol=1e-4)


# --- jit and futures


def test_scripted_and_traced_objects_are_the_objects():
    def f(x, y=2):
        calls.append(x)
        return x * y
    calls = []
    module = torch.nn.Linear(1, 1)
    assert torch.jit.script(f) is f and torch.jit.script(module) is module and not calls
    assert torch.jit.trace(f, torch.ones(1)) is f and len(calls) == 1
    assert torch.jit.trace(f, example_kwarg_inputs={"x": 3}) is f and calls[1] == 3
    assert torch.jit.trace_module(module, {"forward": torch.ones(1, 1)}) is module
    for refuse in (lambda: f.save("file"), lambda: module.save("file"), lambda: torch.jit.save(module, "file"), lambda: torch.jit.load("file")):
        with pytest.raises(NotImplementedError, match="files of compiled programs are not implemented"):
            refuse()
    with pytest.raises(RuntimeError, match="exactly one of example_inputs and example_kwarg_inputs"):
        torch.jit.trace(f)
    assert isinstance(pickle.loads(pickle.dumps(module)), torch.nn.Linear)


def test_markers_of_functions():
    for mark in (torch.jit.export, torch.jit.unused, torch.jit.ignore, torch.jit.ignore(drop=True), torch.jit.script_if_tracing):
        def f():
            return 1
        assert mark(f) is f and f() == 1
    assert not torch.jit.is_scripting() and not torch.jit.is_tracing() and torch.jit.annotate(int, 3) == 3
    with pytest.raises(RuntimeError, match="interface must be applied to a class"):
        torch.jit.interface(3)
    module = torch.nn.Linear(1, 1)
    with pytest.raises(RuntimeError, match="eval mode"):
        torch.jit.freeze(module)
    assert torch.jit.freeze(module.eval()) is module and torch.jit.optimize_for_inference(module) is module


@pytest.mark.parametrize("value, kind, expected", [
    ([1, 2], list[int], True), ([1, "a"], list[int], False), ({"a": 1}, dict[str, int], True), ((1, "a"), tuple[int, str], True),
    ((1,), tuple[int, str], False), (None, int | None, True), (1.5, int | None, False), (X, torch.Tensor, True), ([[1]], list[list[int]], True)])
def test_types_of_containers(value, kind, expected):
    assert torch.jit.isinstance(value, kind) is expected


def test_futures():
    future = torch.futures.Future()
    doubled = future.then(lambda f: f.value() * 2)
    failed = future.then(lambda f: 1 / 0)
    assert not future.done() and not doubled.done()
    threading.Timer(0.05, lambda: future.set_result(21)).start()
    assert doubled.wait() == 42 and future.value() == 21
    with pytest.raises(ZeroDivisionError):
        failed.wait()
    with pytest.raises(RuntimeError, match="completed once"):
        future.set_result(1)
    both = torch.futures.collect_all([future, doubled])
    assert [f.value() for f in both.wait()] == [21, 42] and torch.futures.wait_all([doubled]) == [42]
    assert torch.jit.wait(torch.jit.fork(lambda a, b=1: a + b, 1, b=2)) == 3


# --- quantiles, copies, layers


@pytest.mark.parametrize("method, value, rows", [
    ("linear", 2.0, [[1.6, -0.4], [2.2, 0.8]]), ("lower", 2.0, [[1.0, -1.0], [2.0, 0.0]]), ("higher", 3.0, [[2.0, 0.0], [3.0, 4.0]]),
    ("midpoint", 2.5, [[1.5, -0.5], [2.5, 2.0]]), ("nearest", 2.0, [[2.0, 0.0], [2.0, 0.0]])])
def test_quantiles(method, value, rows):
    y = torch.tensor([[3.0, 1.0, 2.0], [4.0, 0.0, -1.0]])
    near(torch.quantile(y, 0.6, interpolation=method), value)
    near(torch.quantile(y, torch.tensor([0.3, 0.6]), dim=1, interpolation=method), rows)
    assert torch.quantile(y, torch.tensor([0.3, 0.6]), dim=1, keepdim=True).shape == (2, 2, 1)
    assert torch.quantile(y, 0.5, keepdim=True).shape == (1, 1)


def test_quantiles_beside_nan_and_their_gradients():
    x = torch.tensor([[3.0, 1.0, 2.0, float("nan")], [4.0, 0.0, -1.0, 2.0]])
    assert torch.quantile(x, 0.5, dim=1).isnan().tolist() == [True, False]
    near(torch.nanquantile(x, 0.5, dim=1), [2.0, 1.0])
    near(torch.nanquantile(x, 0.4), 1.4)
    y = torch.tensor([[3.0, 1.0, 2.0], [4.0, 0.0, -1.0]], requires_grad=True)
    torch.quantile(y, 0.6, dim=1).sum().backward()
    near(y.grad, [[0.2, 0.0, 0.8], [0.2, 0.8, 0.0]])
    for q, text in ((1.5, "must be in the range"), (torch.ones(1, 1), "scalar or 1D"), (torch.ones(1, dtype=torch.float64), "same dtype")):
        with pytest.raises(RuntimeError, match=text):
            torch.quantile(y, q)


def test_copies_share_no_memory():
    for copy in (torch.t_copy(X), torch.permute_copy(X, (1, 0)), torch.transpose_copy(X, 0, 1)):
        assert torch.equal(copy, X.T) and copy.data_ptr() != X.data_ptr()
    assert torch.equal(torch.narrow_copy(X, 1, 0, 2), X[:, :2]) and torch.equal(torch.slice_copy(X, 1, 0, 3, 2), X[:, ::2])
    assert [part.tolist() for part in torch.split_copy(X, 1)] == [[row] for row in X.tolist()]
    out = torch.empty(3, 2)
    assert torch.t_copy(X, out=out) is out and torch.equal(out, X.T)


def test_layers_below_functional():
    near(torch.conv_tbc(torch.arange(12.0).reshape(3, 2, 2), torch.arange(8.0).reshape(2, 2, 2), torch.ones(2), 1), [
        [[7.0, 8.0], [27.0, 32.0]], [[49.0, 59.0], [73.0, 91.0]], [[97.0, 123.0], [121.0, 155.0]], [[19.0, 36.0], [23.0, 44.0]]])
    y = torch.tensor([[3.0, 1.0, 2.0], [4.0, 0.0, -1.0]])
    result, mean, scale = torch.native_layer_norm(y, [3], None, None, 1e-5)
    near(result, [[1.2247, -1.2247, 0.0], [1.3887, -0.4629, -0.9258]])
    near(torch.cat([mean, scale], 1), [[2.0, 1.2247], [1.0, 0.4629]])
    near(torch.native_batch_norm(y, None, None, None, None, True, 0.1, 1e-5)[2], [2.0, 2.0, 0.6667])
    near(torch.native_group_norm(y.reshape(1, 6, 1), None, None, 1, 6, 1, 2, 1e-5)[2], [[1.2247, 0.4629]])
    near(torch.embedding_renorm_(y.clone(), torch.tensor([0, 0]), 1.0, 2.0), [[0.8018, 0.2673, 0.5345], [4.0, 0.0, -1.0]])
    near(torch.lstm_cell(y[:, :2], (torch.ones(2, 1), torch.ones(2, 1)), torch.ones(4, 2), torch.ones(4, 1), torch.ones(4))[1],
         [[1.995], [1.995]])
    near(torch.rnn_tanh(torch.ones(2, 1, 1), torch.zeros(1, 1, 1), [torch.ones(1, 1), torch.ones(1, 1)], False, 1, 0.0, False, False, False)[0],
         [[[0.7616]], [[0.9427]]])
    near(torch.convolution(torch.ones(1, 1, 4), torch.ones(1, 1, 2), None, [1], [0], [1], False, [0], 1), [[[2.0, 2.0, 2.0]]])


def test_settings():
    torch.use_deterministic_algorithms(True, warn_only=True)
    try:
        assert torch.get_deterministic_debug_mode() == 1 and torch.are_deterministic_algorithms_enabled()
        with pytest.raises(RuntimeError, match="expected 0, 1, or 2, but got 7"):
            torch.set_deterministic_debug_mode(7)
    finally:
        torch.use_deterministic_algorithms(False)
    torch.set_default_tensor_type(torch.DoubleTensor)
    try:
        assert torch.ones(1).dtype == torch.float64
    finally:
        torch.set_default_tensor_type("torch.FloatTensor")
    with pytest.raises(TypeError, match="only floating-point types"):
        torch.set_default_tensor_type(torch.LongTensor)
    assert torch.typename(X) == "torch.FloatTensor" and torch.typename(3) == "int" and torch.sym_max(2, 3.0) == 3.0
    assert torch.FloatStorage([1, 2]).tolist() == [1.0, 2.0] and isinstance(X.storage(), torch.FloatStorage)


def test_dtypes_that_do_not_exist_refuse():
    assert torch.float8_e4m3fn.itemsize == 1 and torch.float8_e4m3fn != torch.float8_e5m2 and {torch.complex32: 1}
    for call in (lambda: torch.zeros(2, dtype=torch.float8_e4m3fn), lambda: X.to(torch.complex32), lambda: torch.tensor([1.0], dtype=torch.bits8)):
        with pytest.raises(NotImplementedError, match="is not implemented"):
            call()
    for call in (lambda: torch.quantize_per_tensor(X, 1.0, 0, torch.quint8),):
        with pytest.raises(NotImplementedError, match="not implemented"):
            call()


def test_a_device_as_context():
    with torch.device("meta") as device:
        assert torch.empty(3).device == device and torch.nn.Linear(2, 2).weight.device.type == "meta"
        with torch.device("cpu"):
            assert torch.empty(3).device.type == "cpu"
        assert torch.ones(1).device.type == "meta"
    assert torch.ones(1).device.type == "cpu"
    assert torch.device("meta")(lambda: torch.ones(1))().device.type == "meta"
    with pytest.raises(RuntimeError, match="has not been entered"):
        torch.device("meta").__exit__()


# --- modules


def test_random_states_are_restored():
    torch.manual_seed(3)
    first = torch.rand(2)
    torch.manual_seed(3)
    with torch.random.fork_rng():
        torch.rand(5)
    assert torch.equal(torch.rand(2), first)


def test_derivatives_of_functions():
    func = torch.func
    x = torch.tensor([1.0, 2.0])
    near(func.grad(lambda x: (x.sin() * x).sum())(x), [1.3818, 0.0770])
    near(func.grad(func.grad(lambda x: x ** 3))(torch.tensor(2.0)), 12.0)
    gradient, value = func.grad_and_value(lambda x, y: (x * y["a"]).sum(), argnums=1)(x, {"a": x})
    near(gradient["a"], [1.0, 2.0])
    near(value, 5.0)
    gradients, aux = func.grad(lambda x, y: ((x * y).sum(), x), argnums=(0, 1), has_aux=True)(x, 2 * x)
    near(gradients[0], [2.0, 4.0])
    near(aux, [1.0, 2.0])
    outputs, pull = func.vjp(lambda x: (x.sin(), x.cos()), x)
    near(pull(outputs)[0], [0.0, 0.0])
    near(func.jacrev(torch.sin)(x), [[0.5403, 0.0], [0.0, -0.4161]])
    near(func.hessian(lambda x: (x.sin() * x).sum())(x), [[0.2391, 0.0], [0.0, -2.6509]])
    with pytest.raises(RuntimeError, match="to return a scalar Tensor, got tensor with 1 dims"):
        func.grad(torch.sin)(x)
    near(func.jvp(torch.sin, (x,), (x,))[1], [0.5403, -0.8323])
    with pytest.raises(RuntimeError, match="has a different size"):
        func.jvp(torch.sin, (x,), (torch.ones(3),))
    parameters, buffers = func.stack_module_state([torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)])
    assert parameters["weight"].shape == (2, 1, 2) and parameters["weight"].requires_grad and not buffers


@pytest.mark.parametrize("name, rows", [
    ("sum", [5.0, 4.5]), ("prod", [6.0, 2.0]), ("mean", [2.5, 2.25]), ("amax", [3.0, 4.0]), ("amin", [2.0, 0.5]), ("var", [0.5, 6.125]),
    ("std", [0.7071, 2.4749]), ("norm", [3.6056, 4.0311]), ("logsumexp", [3.3133, 4.0297]), ("median", [2.0, 0.5]), ("argmax", [0.0, 0.0]),
    ("argmin", [2.0, 1.0]), ("softmax", [[0.7311, 0.0, 0.2689], [0.9707, 0.0293, 0.0]]), ("cumsum", [[3.0, 3.0, 5.0], [4.0, 4.5, 4.5]]),
    ("cumprod", [[3.0, 3.0, 6.0], [4.0, 2.0, 2.0]]), ("softmin", [[0.2689, 0.0, 0.7311], [0.0293, 0.9707, 0.0]])])
def test_masked(name, rows):
    near(getattr(torch.masked, name)(X, dim=1, mask=M), rows)
    everything = getattr(torch.masked, name)(X, dim=1)
    assert torch.equal(everything, getattr(torch.masked, name)(X, dim=1, mask=torch.ones_like(M)))
    with pytest.raises(TypeError, match="mask must have the dtype bool"):
        getattr(torch.masked, name)(X, dim=1, mask=M.int())


def test_hub_uses_local_repositories_and_the_cache(tmp_path, monkeypatch):
    (tmp_path / "hubconf.py").write_text("def model(n, k=1):\n    'A model.'\n    return n + k\n")
    assert torch.hub.load(str(tmp_path), "model", 1, k=2, source="local") == 3
    assert torch.hub.list(str(tmp_path)) == ["model"] and torch.hub.help(str(tmp_path), "model") == "A model."
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert torch.hub.get_dir() == os.path.join(str(tmp_path), "hub")
    (tmp_path / "hub/checkpoints").mkdir(parents=True)
    torch.save({"w": X}, tmp_path / "hub/checkpoints/model-00.pt")
    loaded = torch.hub.load_state_dict_from_url("https://example.org/model-00.pt", weights_only=True)
    assert torch.equal(loaded["w"], X)
    with pytest.raises(RuntimeError, match="invalid hash value"):
        torch.hub.load_state_dict_from_url("https://example.org/model-00.pt", check_hash=True, weights_only=True)
    for call in (lambda: torch.hub.load("owner/name", "model"), lambda: torch.hub.load_state_dict_from_url("https://example.org/other.pt"),
                 lambda: torch.hub.download_url_to_file("https://example.org/file", "file")):
        with pytest.raises(NotImplementedError, match="access to networks is not implemented"):
            call()
    with pytest.raises(RuntimeError, match="Cannot find callable other in hubconf"):
        torch.hub.load(str(tmp_path), "other", source="local")


def test_compiled_modules_are_modules():
    module = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.ReLU())
    compiled = torch.compile(module)
    assert isinstance(compiled, torch.nn.Module) and isinstance(compiled, torch._dynamo.OptimizedModule)
    assert list(compiled.state_dict()) == ["_orig_mod.0.weight", "_orig_mod.0.bias"]
    for _ in range(2):
        assert torch.equal(compiled(X), module(X))
    assert compiled.statistics()["replayed"] == 1 and compiled._orig_mod is module and len(list(compiled.parameters())) == 2
    compiled.eval()
    compiled.note = 1
    assert not module.training and not compiled.training and module.note == 1
    assert torch.compile(compiled) is compiled
    again = pickle.loads(pickle.dumps(compiled))
    assert type(again) is type(compiled) and torch.equal(again(X), module(X))


def outside(x):
    return x + 1


def test_functions_that_are_not_recorded():
    disabled = torch.compiler.disable(outside)
    try:
        assert torch.compile(disabled) is disabled
        with pytest.warns(RuntimeWarning, match="which torch_np.compiler.disable excludes"):
            f = torch.compile(lambda x: outside(x) * 2)
            assert torch.equal(f(X), (X + 1) * 2)
    finally:
        del outside._torchdynamo_disable
    assert not torch.compiler.is_compiling()


@pytest.mark.parametrize("module, name", [
    ("export", "export"), ("nested", "nested_tensor"), ("package", "PackageImporter"), ("quantization", "quantize"),
    ("ao.quantization", "prepare"), ("xpu", "Stream"), ("mps", "Event"), ("mtia", "current_device"), ("_subclasses", "FakeTensorMode"),
    ("monitor", "log_event"), ("onnx", "export"), ("cuda", "make_graphed_callables"), ("compiler", "save_cache_artifacts"),
    ("_dynamo", "export"), ("func", "functionalize"), ("masked", "masked_tensor")])
def test_names_that_refuse(module, name):
    with pytest.raises(NotImplementedError, match=f"{name}\\(\\): .{{20,}}"):
        getattr(importlib.import_module(f"torch_np.{module}"), name)()


def test_truthful_answers():
    assert not torch.xpu.is_available() and not torch.mps.is_available() and torch.mtia.device_count() == 0
    assert torch.cpu.is_available() and torch.cpu.device_count() == 1 and torch.cpu.current_device() == "cpu"
    assert torch.version.hip is None and torch.version.__version__ == torch.__version__
    assert "threads" in torch.__config__.show() and torch.backends.mkl.is_available() and not torch.backends.openmp.is_available()
    assert not torch.is_autocast_enabled() and torch.get_autocast_dtype("cpu") == torch.bfloat16
    assert not torch.__future__.get_swap_module_params_on_conversion()
