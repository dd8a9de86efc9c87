"""Private names of PyTorch 2.15 that packages use: values and errors are PyTorch's."""
import importlib

import pytest

import torch_np as torch
from torch_np import _C


def test_sizes_and_conditions():
    assert torch._shape_as_tensor(torch.zeros(2, 3)).tolist() == [2, 3] and torch._shape_as_tensor(torch.tensor(1.0)).dtype == torch.int64
    assert torch._shape_as_tensor(torch.tensor(1.0)).shape == (0,)
    for good in (torch.tensor(True), torch.tensor([1]), torch.tensor(0.5)):
        assert torch._assert_async(good) is None
    with pytest.raises(RuntimeError, match="Expected Tensor with single nonzero value, but got zero"):
        torch._assert_async(torch.tensor(0.0))
    with pytest.raises(RuntimeError, match="^msg$"):
        torch.ops.aten._assert_async.msg(torch.tensor(0), "msg")
    for bad in (torch.tensor([1, 1]), torch.tensor([], dtype=torch.bool)):
        with pytest.raises(RuntimeError, match="Boolean value of Tensor with"):
            torch._assert_async(bad)
    with pytest.raises(RuntimeError, match="^no$"):
        torch.ops.aten._assert_scalar(0, "no")
    assert torch.ops.aten.sym_size.int(torch.zeros(2, 3), 1) == 3 and torch.ops.aten.sym_size.default(torch.zeros(2, 3)) == [2, 3]
    assert not torch.ops.aten._is_all_true(torch.tensor([True, False])) and torch._is_all_true(torch.tensor([], dtype=torch.bool))
    with pytest.raises(RuntimeError):
        torch._is_all_true(torch.tensor([1, 0]))


def test_checks_with_an_error():
    torch._check_with(KeyError, True, "x")
    torch._check_tensor_all_with(ValueError, torch.tensor([True]))
    with pytest.raises(KeyError, match="x"):
        torch._check_with(KeyError, False, "x")
    with pytest.raises(ValueError, match="y"):
        torch._check_tensor_all_with(ValueError, torch.tensor([True, False]), lambda: "y")
    with pytest.raises(TypeError, match="cond must be a bool"):
        torch._check_with(KeyError, torch.tensor(True), "x")


def test_draws_of_dirichlet():
    torch.manual_seed(0)
    drawn = torch._sample_dirichlet(torch.tensor([[0.5, 2.0, 3.0], [1.0, 1.0, 0.1]]))
    torch.testing.assert_close(drawn, torch.tensor([[0.00022, 0.17692, 0.82286], [0.36144, 0.60489, 0.03367]]), atol=1e-5, rtol=0)
    with pytest.raises(NotImplementedError, match="generator"):
        torch._sample_dirichlet(drawn, torch.Generator())


def test_products_of_groups():
    a, b = torch.arange(12.0).reshape(6, 2), torch.arange(18.0).reshape(3, 2, 3)
    offs = torch.tensor([2, 3, 6], dtype=torch.int32)
    expected = torch.cat([a[:2] @ b[0], a[2:3] @ b[1], a[3:] @ b[2]])
    assert torch.equal(torch._grouped_mm(a, b, offs), expected) and torch.equal(torch.ops.aten._grouped_mm.default(a, b, offs), expected)


def test_classes_are_not_there():
    assert torch.classes.loaded_libraries >= set() and repr(torch.classes).startswith("<module 'torch.classes'")
    with pytest.raises(RuntimeError, match="Tried to instantiate class 'foo.Bar', but it does not exist"):
        torch.classes.foo.Bar
    assert not hasattr(torch.classes.foo, "__path__")


def test_helpers():
    from torch_np.distributions.transforms import _clipped_sigmoid

    assert _clipped_sigmoid(torch.tensor([-200.0, 0.0, 200.0])).tolist() == [1.1754943508222875e-38, 0.5, 0.9999998807907104]
    with torch._tensor_str.printoptions(precision=2):
        assert repr(torch.tensor([1.23456])) == "tensor([1.23])" and torch._tensor_str.get_printoptions()["precision"] == 2
    assert repr(torch.tensor([1.23456])) == "tensor([1.2346])"
    low, text, nested = torch.amp.autocast_mode._cast([torch.ones(2), "a", {"b": torch.ones(1, dtype=torch.float64)}], "cpu", torch.bfloat16)
    assert low.dtype == torch.bfloat16 and text == "a" and nested["b"].dtype == torch.float64
    assert torch.legacy_contiguous_format is torch.contiguous_format
    assert torch.ByteTensor(torch.ByteStorage._from_buffer(b"abc")).tolist() == [97, 98, 99]
    assert list(torch.optim.Optimizer._group_tensors_by_device_and_dtype([[torch.ones(1)]])) == [(torch.device("cpu"), torch.float32)]


def test_trees_by_structure():
    from torch_np.fx import _pytree
    from torch_np.utils._pytree import tree_flatten

    _, spec = tree_flatten({"a": [1, 2], "b": (3,)})
    assert _pytree.tree_flatten_spec({"b": (30,), "a": [10, 20], "c": 1}, spec) == [10, 20, 30]

    class Pair:
        pass
    _pytree.register_pytree_flatten_spec(Pair, lambda pair, spec: [])
    assert Pair in _pytree.SUPPORTED_NODES
    _pytree._deregister_pytree_flatten_spec(Pair)
    assert Pair not in _pytree.SUPPORTED_NODES


def test_questions_about_sizes():
    from torch_np.fx.experimental import symbolic_shapes as s

    assert s.guard_or_false(True) is True and s.guard_or_true(False) is False and s.statically_known_true(2 > 1)
    assert s.free_symbols(torch.ones(2)) == set() and not s.has_free_symbols(3) and s.hint_int(3) == 3 and s.guard_int(2) == 2
    assert s.sym_eq([1, (2, 3)], [1, (2, 3)]) and not s.sym_eq((1,), (1, 2)) and s.sym_and(True, True) and not s.sym_or(False)
    for wrong in (lambda: s.guard_or_false(1), lambda: s.sym_eq(1, (1,))):
        with pytest.raises(AssertionError):
            wrong()


def test_switches_of_the_script_compiler():
    for name in ("_jit_set_profiling_executor", "_jit_set_profiling_mode"):
        switch = getattr(_C, name)
        assert switch(False) is True and switch(True) is False
    assert _C._jit_can_fuse_on_cpu() is False
    _C._jit_override_can_fuse_on_cpu(True)
    assert _C._jit_can_fuse_on_cpu() is True and _C._jit_can_fuse_on_gpu() is True
    _C._jit_override_can_fuse_on_cpu(False)
    _C._jit_set_texpr_fuser_enabled(False)
    assert not _C._jit_texpr_fuser_enabled()
    _C._jit_set_texpr_fuser_enabled(True)
    assert _C._get_accelerator().type in ("cpu", "cuda") and _C._get_privateuse1_backend_name() == "privateuseone"
    from torch_np.utils import _triton

    assert _triton.has_triton() is False


@pytest.mark.parametrize("path", [
    "_jit_internal", "_ops", "amp.autocast_mode", "amp.grad_scaler", "cuda.amp.common", "distributed.distributed_c10d", "distributed.rpc",
    "fx.experimental.symbolic_shapes", "fx._pytree", "jit.annotations", "nn.parallel.scatter_gather", "optim._functional", "utils._foreach_utils", "utils.collect_env"])
def test_modules_are_attributes(path):
    at = torch
    for part in path.split("."):
        at = getattr(at, part)
    assert at.__name__.endswith(path) and dir(at)


def test_older_constructors_take_sizes():
    for shape in ((2, 3), (4,), ()):
        size = torch.Size(shape)
        assert torch.Tensor(size).shape == torch.FloatTensor(size).shape == torch.LongTensor(size).shape == torch.ones(1).new(size).shape == shape
    assert torch.Tensor((2, 3)).tolist() == torch.Tensor([2, 3]).tolist() == [2.0, 3.0] and torch.LongTensor((2, 3)).tolist() == [2, 3]


def test_lists_of_names():
    assert {"float32", "ones", "Tensor", "no_grad"} <= set(torch.__all__) and not {"nn", "optim", "_C"} & set(torch.__all__)
    assert all(hasattr(torch, name) for name in torch.__all__) and all(hasattr(torch.functional, name) for name in torch.functional.__all__)


def test_names_that_refuse():
    from torch_np.cuda import comm
    from torch_np.nn import quantized
    from torch_np.quantization import fake_quantize, observer, qconfig
    from torch_np.quantization.quantize import convert

    for refusing in (comm.broadcast, quantized.Linear, fake_quantize.FakeQuantize, observer.HistogramObserver, qconfig.QConfig, convert):
        with pytest.raises(NotImplementedError):
            refusing(1)


def test_calls_that_wait_for_a_gpu():
    called = []
    torch.cuda._lazy_call(lambda: called.append(1))
    assert len(called) == torch.cuda.is_available()
    from torch_np.distributions.kl import _KL_REGISTRY

    assert (torch.distributions.Normal, torch.distributions.Normal) in _KL_REGISTRY


REFUSING = {
    "distributed.checkpoint.default_planner": "DefaultSavePlanner", "distributed.checkpoint.optimizer": "load_sharded_optimizer_state_dict",
    "distributed.checkpoint.state_dict_loader": "_load_state_dict", "distributed.checkpoint.state_dict_saver": "save",
    "distributed.checkpoint.format_utils": "dcp_to_torch_save", "distributed.checkpoint._consolidate_hf_safetensors": "consolidate_safetensors_files",
    "distributed.algorithms.ddp_comm_hooks.default_hooks": "fp16_compress_hook", "distributed.algorithms.ddp_comm_hooks": "register_ddp_comm_hook",
    "distributed.algorithms.ddp_comm_hooks.powerSGD_hook": "PowerSGDState", "distributed.algorithms.ddp_comm_hooks.post_localSGD_hook": "PostLocalSGDState",
    "distributed.algorithms.model_averaging.averagers": "PeriodicModelAverager", "distributed.pipelining": "pipeline",
    "distributed.launcher.api": "elastic_launch", "distributed.launcher": "LaunchConfig", "distributed.tensor.experimental": "context_parallel",
    "distributed.tensor.experimental._attention": "set_rotate_method", "distributed.fsdp.fully_sharded_data_parallel": "FullyShardedDataParallel",
    "distributed.fsdp.sharded_grad_scaler": "ShardedGradScaler"}


@pytest.mark.parametrize("module", REFUSING)
def test_names_of_distributed_programs_refuse(module):
    found = getattr(importlib.import_module(f"torch_np.{module}"), REFUSING[module])
    with pytest.raises(NotImplementedError, match=REFUSING[module]):
        found()


def test_settings_without_effect():
    from torch_np.backends import nnpack
    from torch_np.distributed import fsdp

    assert torch.backends.fp32_precision == "none" and not nnpack.is_available() and nnpack.set_flags(True) == (False,)
    with nnpack.flags(False):
        assert nnpack.set_flags(False) == (False,)
    assert nnpack.set_flags(False) == (True,)
    assert fsdp.FullyShardedDataParallel.fsdp_modules(torch.nn.Linear(1, 1)) == []
    with pytest.raises(NotImplementedError, match="not sharded"):
        fsdp.FullyShardedDataParallel.summon_full_params(None)
