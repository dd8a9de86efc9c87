"""Names and calls that packages written for PyTorch use: subclasses of Parameter, private names, renamed modules."""
import datetime
import importlib

import pytest

import torch_np


def test_subclasses_of_parameters_may_take_other_arguments():
    class Point(torch_np.nn.Parameter):
        def __new__(cls, data, manifold=None, requires_grad=True):
            made = torch_np.nn.Parameter.__new__(cls, data, requires_grad)
            made.manifold = manifold
            return made

    class Later(torch_np.nn.UninitializedParameter):
        def __new__(cls, size=None):
            return super().__new__(cls)

    class Rows(torch_np.nn.UninitializedBuffer):
        def __new__(cls, size=None):
            return super().__new__(cls)

    point = Point(torch_np.ones(2), manifold="sphere", requires_grad=False)
    assert (type(point), point.manifold, point.requires_grad, point.tolist()) == (Point, "sphere", False, [1, 1])
    assert type(Later(size=3)) is Later and Rows(size=3).persistent
    with pytest.raises(TypeError, match="manifold"):
        torch_np.nn.Parameter(torch_np.ones(2), manifold="sphere")


@pytest.mark.parametrize("module, names", [
    ("distributions.multivariate_normal", "Distribution lazy_property _standard_normal _batch_mv _batch_mahalanobis"),
    ("distributions.one_hot_categorical", "Distribution Categorical"),
    ("distributions.relaxed_bernoulli", "TransformedDistribution logits_to_probs probs_to_logits"),
    ("distributions.transforms", "Distribution broadcast_all lazy_property _sum_rightmost"),
    ("distributed._tensor", "DTensor DeviceMesh Replicate Shard distribute_tensor init_device_mesh"),
    ("distributed._tensor.experimental", "implicit_replication local_map"),
    ("utils.data.dataloader", "_collate_fn_t _worker_init_fn_t"),
    ("quasirandom", "SobolEngine"),
    ("nn.common_types", "_size_1_t _size_2_t _size_3_t _size_any_t _ratio_2_t _maybe_indices_t"),
    ("nn.functional", "_canonical_mask _in_projection _in_projection_packed _mha_shape_check _none_or_dtype _pair _list_with_default _Reduction"),
    ("nn.init", "_no_grad_trunc_normal_ _no_grad_uniform_ _no_grad_fill_"),
    ("nn.modules.activation", "NonDynamicallyQuantizableLinear xavier_uniform_ constant_"),
    ("nn.modules.channelshuffle", "ChannelShuffle"),
    ("nn.modules.conv", "F Module Parameter Tensor _pair _single _triple _size_2_t _reverse_repeat_tuple"),
    ("nn.modules.module", "_EXTRA_STATE_KEY_SUFFIX _addindent _global_parameter_registration_hooks"),
    ("nn.modules.transformer", "_get_activation_fn _get_clones _generate_square_subsequent_mask _get_seq_len"),
    ("optim.adamw", "AdamW adamw"), ("optim.adam", "Adam adam"), ("optim.sgd", "SGD sgd"), ("optim._functional", "adam adamw sgd"),
    ("optim.optimizer", "_use_grad_for_differentiable _get_value _default_to_fused_or_foreach _get_scalar_dtype _RequiredParameter params_t"),
    ("autograd.grad_mode", "_DecoratorContextManager"), ("autograd.variable", "Variable VariableMeta"),
    ("cuda.amp.autocast_mode", "autocast custom_fwd custom_bwd"), ("cuda.amp.grad_scaler", "GradScaler OptState"),
    ("multiprocessing.reductions", "reduce_tensor ForkingPickler"), ("utils.data._utils.fetch", "_MapDatasetFetcher _IterableDatasetFetcher"),
    ("utils.data._utils.worker", "_generate_state"), ("_C._functorch", "is_batchedtensor get_unwrapped maybe_get_bdim"),
    ("_functorch.vmap", "vmap _add_batch_dim tree_flatten"), ("_C", "TensorType ScriptMethod StorageBase"),
    ("_utils", "_get_available_device_type _get_device_module _take_tensors _element_size"),
    ("distributed.distributed_c10d", "_get_default_group ProcessGroup all_reduce"), ("onnx.symbolic_opset9", "add"), ("onnx", "TrainingMode"),
    ("types", "Tensor SymInt Size"), ("serialization", "DEFAULT_PROTOCOL"),
])
def test_modules_have_the_names(module, names):
    found = importlib.import_module(f"torch_np.{module}")
    assert [name for name in names.split() if not hasattr(found, name)] == []


def test_private_helpers_of_multivariate_normal():
    from torch_np.distributions.multivariate_normal import _batch_mahalanobis, _batch_mv
    lower = torch_np.tensor([[2.0, 0.0], [1.0, 1.0]])
    x = torch_np.tensor([2.0, 3.0])
    assert _batch_mv(lower, x).tolist() == [4, 5]
    assert _batch_mahalanobis(lower, x).item() == pytest.approx(5)


def test_names_of_the_extension_module():
    c = torch_np._C
    assert isinstance(torch_np.Tensor, c._TensorMeta)
    assert c._nn.gelu is torch_np.nn.functional.gelu and c._nn.log_sigmoid is torch_np.nn.functional.logsigmoid
    assert c._nn._parse_to("cpu", torch_np.float64, non_blocking=True) == (torch_np.device("cpu"), torch_np.float64, True, None)
    assert c._nn._parse_to(torch_np.ones(1, dtype=torch_np.float16))[1] == torch_np.float16
    with pytest.raises(AttributeError, match="zelu"):
        c._nn.zelu  # noqa: B018


def test_names_of_classes_and_constants():
    assert torch_np.ScriptModule is torch_np.jit.ScriptModule
    with pytest.raises(AttributeError, match="module 'torch_np' has no attribute 'ScriptModules'"):
        torch_np.ScriptModules  # noqa: B018
    from torch_np.distributed import ReduceOp, constants
    assert ReduceOp.RedOpType.SUM is ReduceOp.SUM and isinstance(ReduceOp.MAX, ReduceOp.RedOpType)
    assert constants.default_pg_timeout == datetime.timedelta(minutes=30)
    with pytest.raises(NotImplementedError, match="Sobol"):
        torch_np.quasirandom.SobolEngine(2)


def test_masks_and_projections_of_attention():
    F = torch_np.nn.functional
    mask = torch_np.tensor([[True, False]])
    assert F._canonical_mask(mask, "mask", None, "", torch_np.float32).tolist() == [[-float("inf"), 0]]
    with pytest.raises(AssertionError, match="only bool and floating types of mask are supported"):
        F._canonical_mask(torch_np.ones(2, dtype=torch_np.int64), "mask", None, "", torch_np.float32)
    q, w, b = torch_np.randn(3, 2, 4), torch_np.randn(12, 4), torch_np.randn(12)
    for part, expected in zip(F._in_projection_packed(q, q, q, w, b), torch_np.nn.functional.linear(q, w, b).split(4, -1)):
        torch_np.testing.assert_close(part, expected)
    parts = F._in_projection(q, q, q, *w.split(4), *b.split(4))
    torch_np.testing.assert_close(torch_np.cat(parts, -1), F.linear(q, w, b))
    assert F._mha_shape_check(q, q, q, None, None, 2) and not F._mha_shape_check(q[0], q[0], q[0], None, None, 2)
    with pytest.raises(AssertionError, match="query should be unbatched 2D or batched 3D tensor but received 1-D query tensor"):
        F._mha_shape_check(q[0, 0], q, q, None, None, 2)


def test_a_step_is_recorded_only_if_it_is_differentiable():
    from torch_np.optim.optimizer import _default_to_fused_or_foreach, _use_grad_for_differentiable

    class Asking:
        def __init__(self, differentiable):
            self.defaults = {"differentiable": differentiable}

        @_use_grad_for_differentiable
        def step(self):
            return torch_np.is_grad_enabled()
    assert Asking(True).step() and not Asking(False).step()
    assert _default_to_fused_or_foreach([torch_np.ones(2)], False, use_fused=True) == (True, False)


def test_modules_as_functions_of_their_tensors():
    from torch_np._functorch.make_functional import combine_state_for_ensemble, make_functional, make_functional_with_buffers
    model = torch_np.nn.Sequential(torch_np.nn.Linear(3, 3), torch_np.nn.Tanh())
    model[0].weight.data.copy_(torch_np.eye(3))
    model.append(model[0])  # a tied layer
    x = torch_np.randn(2, 3)
    function, params = make_functional(model)
    assert len(params) == 2 and list(function.parameters()) == [] and params[0] is not model[0].weight
    torch_np.testing.assert_close(function(params, x), model(x))
    doubled = function([2 * p for p in params], x)
    torch_np.testing.assert_close(doubled, 2 * model[0](torch_np.tanh(2 * model[0](x))))
    normed = torch_np.nn.BatchNorm1d(3)
    with pytest.raises(RuntimeError, match="has buffers"):
        make_functional(normed)
    function, params, buffers = make_functional_with_buffers(normed)
    assert (len(params), len(buffers)) == (2, 3)
    torch_np.testing.assert_close(function(params, buffers, x), normed(x))
    layers = [torch_np.nn.Linear(3, 2) for _ in range(4)]
    function, params, buffers = combine_state_for_ensemble(layers)
    torch_np.testing.assert_close(torch_np.vmap(function, (0, 0, None))(params, buffers, x), torch_np.stack([layer(x) for layer in layers]))


def test_access_to_named_members():
    from torch_np.nn.utils._named_member_accessor import NamedMemberAccessor, swap_tensor
    model = torch_np.nn.Sequential(torch_np.nn.Linear(2, 2), torch_np.nn.BatchNorm1d(2))
    accessor = NamedMemberAccessor(model)
    old, new = model[0].weight, torch_np.zeros(2, 2)
    assert accessor.swap_tensor("0.weight", new) is old and model[0].weight is new
    assert accessor.check_keys(["0.weight", "2.weight"])[1] == ["2.weight"]
    before, missing = accessor.swap_tensors_dict({"0.weight": old, "0.other": new}, allow_missing=True)
    assert missing == ["0.other"] and model[0].weight is old and model[0].other is new
    accessor.swap_tensors_dict(before, allow_missing=True)
    assert not hasattr(model[0], "other")
    with pytest.raises(RuntimeError, match="Missing key"):
        accessor.swap_tensors_dict({"0.bias": new[0], "0.other": new})
    assert model[0].bias.shape == (2,) and model[0].bias is not new
    with pytest.raises(KeyError, match="tensor name can"):
        swap_tensor(model, "0.weight", new)
    with pytest.raises(AttributeError, match="has no attribute `none`"):
        accessor.get_tensor("0.none")


def test_fetchers_and_seeds_of_workers():
    from torch_np.utils.data._utils.fetch import _IterableDatasetFetcher, _MapDatasetFetcher
    from torch_np.utils.data._utils.worker import _generate_state
    assert _MapDatasetFetcher(range(10, 20), True, list, False).fetch([1, 3]) == [11, 13]
    assert _MapDatasetFetcher(range(10, 20), False, str, False).fetch(2) == "12"
    fetcher = _IterableDatasetFetcher(range(3), True, list, False)
    assert [fetcher.fetch([0, 0]), fetcher.fetch([0, 0])] == [[0, 1], [2]]
    with pytest.raises(StopIteration):
        fetcher.fetch([0, 0])
    assert _generate_state(12345678901234, 3) == [2677634501, 810098766, 226270600, 4115140591]  # PyTorch's


def test_scale_of_a_precision_matrix():
    from torch_np.distributions.multivariate_normal import _precision_to_scale_tril
    a = torch_np.randn(3, 3, dtype=torch_np.float64)
    precision = a @ a.mT + torch_np.eye(3, dtype=torch_np.float64)
    factor = _precision_to_scale_tril(precision)
    torch_np.testing.assert_close(factor @ factor.mT, torch_np.linalg.inv(precision))
    torch_np.testing.assert_close(factor, factor.tril())


def test_the_error_of_a_process_is_written(tmp_path, monkeypatch):
    from torch_np.distributed.elastic.multiprocessing.errors import record

    @record
    def main(x):
        return 1 / x
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "error.json"))
    assert main(2) == 0.5
    with pytest.raises(ZeroDivisionError):
        main(0)
    assert "ZeroDivisionError" in (tmp_path / "error.json").read_text()


def test_environment():
    from torch_np.utils.collect_env import get_env_info, get_pretty_env_info
    assert get_env_info().is_cuda_available in ("True", "False")
    assert "Versions of relevant libraries" in get_pretty_env_info()
