"""Private names of PyTorch that packages import, and public ones that only packages use. Values are PyTorch 2.15's."""
import collections
import copy
import os
import weakref

import pytest

import torch_np as torch
from torch_np import _C

X = torch.tensor([[3.0, 1.0, 2.0], [4.0, 0.5, -1.0]])


def same(result, expected):
    torch.testing.assert_close(result, torch.tensor(expected))


def test_questions_about_tracing():
    assert _C._get_tracing_state() is None and _C._is_tracing() is False and _C._are_functorch_transforms_active() is False
    assert _C._log_api_usage_once("event") is None


def test_disabled_functions_run_with_their_calls():
    @torch.compiler.disable(recursive=False)
    def f(x):
        return x * 2
    same(torch.compile(lambda x: f(x) + 1)(X), [[7.0, 3.0, 5.0], [9.0, 2.0, -1.0]])
    from torch_np.nn.attention.flex_attention import _DEFAULT_SPARSE_BLOCK_SIZE
    assert _DEFAULT_SPARSE_BLOCK_SIZE == 128


def test_dispatch_keys():
    Key, Keys = _C.DispatchKey, _C.DispatchKeySet
    both = Keys(Key.CPU) | Keys(Key.CUDA)
    assert both.has(Key.CPU) and not both.has(Key.Meta) and repr(both) == "DispatchKeySet(CPU, CUDA)"
    assert both - Keys(Key.CPU) == Keys(Key.CUDA) and both & Keys(Key.CPU) == Keys(Key.CPU) and Keys(Key.CPU).add(Key.CUDA) == both
    assert both.remove(Key.CUDA) == Keys(Key.CPU) and list(both) == [Key.CPU, Key.CUDA] and len({both, Keys(both)}) == 1
    with pytest.raises(NotImplementedError, match="dispatch keys"):
        _C._ExcludeDispatchKeyGuard(both)


def test_helpers_of_distributions():
    from torch_np.distributions import kl, utils

    same(utils._sum_rightmost(X, 0), X.tolist())
    same(utils._sum_rightmost(X, 1), [6.0, 3.5])
    same(utils._sum_rightmost(X, 2), 9.5)
    torch.manual_seed(0)
    drawn = utils._standard_normal((2000,), dtype=torch.float64, device="cpu")
    assert drawn.dtype is torch.float64 and abs(drawn.mean().item()) < 0.1 and abs(drawn.std().item() - 1) < 0.1

    class Other:
        pass
    formula = kl.register_kl(Other, Other)(lambda p, q: 3)
    assert formula(None, None) == 3
    with pytest.raises(TypeError, match="Expected type"):
        kl.register_kl(3, Other)


def test_groups_of_tensors():
    from torch_np.utils import _foreach_utils as utils

    a, b = torch.ones(1), torch.ones(1, dtype=torch.float64)
    groups = utils._group_tensors_by_device_and_dtype([[a, b, a], [None, 2, None], []], with_indices=True)
    cpu = torch.device("cpu")
    assert set(groups) == {(cpu, torch.float32), (cpu, torch.float64)}
    lists, indices = groups[cpu, torch.float32]
    assert lists[0][0] is a and len(lists[0]) == 2 and lists[1:] == [[None, None], []] and indices == [0, 2]
    assert groups[cpu, torch.float64][0][1] == [2] and groups[cpu, torch.float64][1] == [1]
    assert utils._group_tensors_by_device_and_dtype([[a]])[cpu, torch.float32][1] == []
    for lists in ([], [[]], [[a], [a, a]], [[None, a]]):
        with pytest.raises(RuntimeError):
            utils._group_tensors_by_device_and_dtype(lists)
    assert utils._has_foreach_support([a, None], cpu) and not utils._has_foreach_support([torch.nn.Parameter(a)], cpu)
    assert not utils._device_has_foreach_support(torch.device("meta")) and "cpu" in utils._get_fused_kernels_supported_devices()


def test_lerp_of_lists():
    start, end = [torch.tensor([0.0, 4.0])], [torch.tensor([1.0, 8.0])]
    same(torch._foreach_lerp(start, end, weight=0.25)[0], [0.25, 5.0])
    same(torch._foreach_lerp(start, end, [torch.tensor([0.0, 1.0])])[0], [0.0, 8.0])
    torch._foreach_lerp_(start, end, 0.5)
    same(start[0], [0.5, 6.0])
    with pytest.raises(TypeError, match="expected one argument 'weight'"):
        torch._foreach_lerp(start, end)


def test_parts_for_one_device():
    from torch_np.nn.parallel.scatter_gather import gather, scatter, scatter_kwargs

    args, kwargs = scatter_kwargs((X, 3), {"a": X}, ["cpu"])
    assert len(args) == len(kwargs) == 1 and args[0][1] == 3
    same(args[0][0], X.tolist())
    same(kwargs[0]["a"], X.tolist())
    assert scatter_kwargs((), {"a": 1}, ["cpu"]) == (((),), ({"a": 1},))
    assert scatter_kwargs((1,), None, ["cpu"]) == (((1,),), ({},)) and scatter_kwargs((), None, ["cpu"]) == ((), ())
    same(gather(scatter(X, ["cpu"]), "cpu"), X.tolist())


def test_backend_of_layers():
    mkldnn = torch.backends.mkldnn
    assert mkldnn.is_available() is False and mkldnn.enabled is False and mkldnn.is_acl_available() is False
    assert mkldnn.set_flags(False) == (False, False, False, "none")
    with mkldnn.flags(enabled=True), mkldnn.verbose(mkldnn.VERBOSE_OFF):
        assert mkldnn.enabled is True
    assert mkldnn.enabled is False
    with pytest.raises(NotImplementedError):
        mkldnn.verbose(mkldnn.VERBOSE_ON)
    cudnn = torch.backends.cudnn
    before = cudnn.set_flags(_benchmark=True)
    with cudnn.flags(enabled=True, deterministic=False):
        assert (cudnn.enabled, cudnn.benchmark, cudnn.deterministic) == (True, False, False)
    assert cudnn.set_flags(*before) == (False, True, None, True, False, "none")
    assert cudnn.benchmark is False and not cudnn.is_acceptable(X)


def test_hub_and_serialization(monkeypatch, tmp_path):
    from torch_np import hub, serialization

    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert hub._get_torch_home() == str(tmp_path) and hub.get_dir() == os.path.join(str(tmp_path), "hub")
    monkeypatch.delenv("TORCH_HOME")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert hub._get_torch_home() == os.path.join(str(tmp_path), "torch")
    assert hub.HASH_REGEX.search("resnet-0a1b.pth")[1] == "0a1b"
    assert serialization.MAP_LOCATION is serialization.MapLocation
    from torch_np.utils.model_zoo import tqdm
    assert callable(tqdm)


def test_operators_of_aten():
    aten = torch.ops.aten
    x = X.clone().requires_grad_()
    copied = aten._to_copy.default(x, dtype=torch.float64)
    assert copied.dtype is torch.float64 and copied.grad_fn is not None and aten._to_copy.default(X).data_ptr() != X.data_ptr()
    with pytest.raises(NotImplementedError, match="layout"):
        aten._to_copy.default(X, layout="sparse")
    assert aten.alias.default(X).data_ptr() == X.data_ptr()
    same(aten.slice.Tensor(X, 1, 0, 3, 2), [[3.0, 2.0], [4.0, -1.0]])
    same(aten.slice.Tensor(X, -1, 1), [[1.0, 2.0], [0.5, -1.0]])
    with pytest.raises(IndexError, match="Dimension out of range"):
        aten.slice.Tensor(X, 2)
    same(aten.index.Tensor(X, [None, torch.tensor([2, 0])]), [[2.0, 3.0], [-1.0, 4.0]])
    with pytest.raises(NotImplementedError, match="sparse"):
        aten._sparse_mm_reduce_impl.default(X, X, "sum")
    square = torch.tensor([[1.0, 2.0], [0.0, 3.0]])
    assert torch.equal(aten._sparse_addmm.default(square, square.to_sparse(), square), square + square @ square)


def test_einsum_gives_overrides_the_tensors_of_a_list():
    calls = []

    class Override:
        @classmethod
        def __torch_function__(cls, func, types, args=(), kwargs=None):
            calls.append((func, args))
            return "result"
    one, two = Override(), Override()
    assert torch.einsum("a,a->", [one, two]) == "result" == torch.einsum("a,a->", one, two)
    assert calls == [(torch.einsum, ("a,a->", one, two))] * 2
    same(torch.einsum("ij->i", [X]), [6.0, 3.5])


def test_text_of_values():
    from torch_np import _tensor_str

    assert _tensor_str._tensor_str(torch.tensor([1, 20]), 6) == "[ 1, 20]" and _tensor_str._tensor_str(torch.tensor(2.5), 0) == "2.5000"
    assert _tensor_str._tensor_str(torch.ones(2, 1), 7) == "[[1.],\n        [1.]]" and _tensor_str._tensor_str(torch.ones(0), 0) == "[]"
    assert _tensor_str._add_suffixes("tensor([1]", ["a=1", "b=2"], 7, False) == "tensor([1], a=1, b=2)"
    assert _tensor_str._add_suffixes("tensor([1]", ["a=1", "b=2"], 7, True) == "tensor([1],\n       a=1, b=2)"
    assert _tensor_str._add_suffixes("x" * 75, ["long=1"], 2, False) == "x" * 75 + ",\n  long=1)"
    assert _tensor_str.PRINT_OPTS.linewidth == 80


def test_dtypes_that_are_absent_are_dtypes():
    assert isinstance(torch.complex32, torch.dtype) and isinstance(torch.float8_e4m3fn, torch.dtype) and repr(torch.qint8) == "torch_np.qint8"
    with pytest.raises(TypeError):
        torch.can_cast(torch.float32, torch.complex32)
    with pytest.raises(NotImplementedError, match="complex32"):
        torch.nn.Linear(2, 2).to(torch.complex32)


def test_operators_are_copied_as_themselves():
    assert copy.deepcopy({"op": torch.ops.aten.add})["op"] is torch.ops.aten.add and not hasattr(torch.ops.aten.add, "__setstate__")


def test_operators_of_python_2():
    assert X.__rdiv__(6).tolist()[0] == [2.0, 6.0, 3.0] == X.__rtruediv__(6).tolist()[0] and X.__div__(2).tolist()[0] == [1.5, 0.5, 1.0]


def test_reductions_of_losses():
    from torch_np.nn import _reduction
    assert [_reduction.get_enum(name) for name in ("none", "mean", "sum")] == [0, 1, 2]
    with pytest.warns(UserWarning, match="reduction='sum'"):
        assert _reduction.legacy_get_string(False, None) == "sum"
    assert [_reduction.legacy_get_enum(*args, emit_warning=False) for args in ((None, None), (True, False), (False, True))] == [1, 0, 2]
    with pytest.raises(ValueError, match="middle"):
        _reduction.get_enum("middle")


@pytest.mark.parametrize("name, error", [("", RuntimeError), ("_index", IndexError), ("_value", ValueError), ("_type", TypeError),
                                         ("_not_implemented", NotImplementedError)])
def test_checks(name, error):
    check = getattr(torch, "_check" + name)
    check(True, lambda: "no message")
    for message, text in ((None, "Expected cond to be True"), ("x is 3", "x is 3"), (lambda: 3, "3")):
        with pytest.raises(error, match=text):
            check(False, message)
    with pytest.raises(TypeError, match="cond must be a bool"):
        check(torch.tensor(True))


def test_products_of_8_bit_integers():
    a = torch.tensor([[127, -128], [1, 2]], dtype=torch.int8)
    assert torch._int_mm(a, a).tolist() == [[16001, -16512], [129, -124]] and torch._int_mm(a, a).dtype == torch.int32
    out = torch.empty(2, 2, dtype=torch.int32)
    assert torch._int_mm(a, a.T, out=out) is out and out.tolist() == [[32513, -129], [-129, 5]]
    for call in (lambda: torch._int_mm(a.int(), a.int()), lambda: torch._int_mm(a[0], a), lambda: torch._int_mm(a, a[:1]),
                 lambda: torch._int_mm(a, a, out=out.long()), lambda: torch._int_mm(a, a, out=out[:1])):
        with pytest.raises(RuntimeError):
            call()


def test_checks_of_tensors():
    torch._check_tensor_all(X < 5)
    with pytest.raises(RuntimeError, match="too large"):
        torch._check_tensor_all(X < 4, lambda: "too large")
    with pytest.raises(TypeError, match="must be a tensor"):
        torch._check_tensor_all(True)
    with pytest.raises(TypeError, match="torch.bool"):
        torch._check_tensor_all(X)


def test_legacy_storages(tmp_path):
    assert torch.ShortStorage.from_buffer(bytearray([1, 2, 3, 4]), "big").tolist() == [258, 772]
    assert torch.ComplexFloatStorage([1, 2j]).tolist() == [1, 2j]
    storage = torch.FloatStorage.from_file(str(tmp_path / "file"), True, 4)
    torch.FloatTensor(storage).copy_(torch.arange(4.0))
    assert storage.tolist() == [0, 1, 2, 3] and torch.FloatTensor(storage).data_ptr() == storage.data_ptr()
    assert storage.__sizeof__() - torch.FloatStorage().__sizeof__() == 16
    storage.note = 1
    assert weakref.ref(storage)().note == 1


def test_tensors_of_storages():
    x = torch.tensor([1.5, -2.5], dtype=torch.float64)
    for storage in (x.storage(), x.untyped_storage()):
        assert torch.tensor(storage, dtype=torch.float64).tolist() == torch.asarray(storage, dtype=torch.float64).tolist() == [1.5, -2.5]
        assert torch.as_tensor(storage, dtype=torch.float64).data_ptr() == x.data_ptr() != torch.tensor(storage, dtype=torch.float64).data_ptr()
    assert torch.tensor(x.storage()).dtype == torch.float64
    for make in (torch.tensor, torch.as_tensor, torch.asarray, lambda storage, dtype: torch.tensor([], dtype=dtype).set_(storage)):
        with pytest.raises(RuntimeError, match="Expected a Storage of type torch_np.int64"):
            make(x.storage(), dtype=torch.int64)


def test_buffers_that_torch_cannot_write():
    with pytest.warns(UserWarning, match="The given buffer is not writable"):
        assert torch.frombuffer(b"abc", dtype=torch.int8).tolist() == [97, 98, 99]
    with pytest.raises(ValueError, match="list object does not implement Python buffer protocol"):
        torch.frombuffer([1, 2], dtype=torch.int8)


def test_opt_einsum_is_not_used():
    assert not torch.backends.opt_einsum.is_available() and torch.backends.opt_einsum.get_opt_einsum() is None


def test_elements_are_tensors_or_numbers():
    assert 3.0 in X and torch.tensor(0.5) in X and 7 not in X and True in X
    with pytest.raises(RuntimeError, match="only supports Tensor or scalar, but you passed in a <class 'str'>"):
        assert "a" in X


def test_limits_of_float8():
    info = torch.finfo(torch.float8_e4m3fn)
    assert (info.min, info.max, info.eps, info.tiny, info.resolution, info.bits, info.dtype) == (-448, 448, 0.125, 0.015625, 1, 8, "float8_e4m3fn")
    assert torch.finfo(torch.float8_e5m2fnuz).smallest_normal == 3.0517578125e-05 and torch.finfo(torch.float8_e8m0fnu).min == 2.0 ** -127
    with pytest.raises(TypeError):
        torch.finfo(torch.int4)


def test_iterators_of_loaders():
    from torch_np.utils.data import DataLoader, dataloader

    one = iter(DataLoader([1, 2]))
    assert isinstance(one, dataloader._SingleProcessDataLoaderIter) and isinstance(one, dataloader._BaseDataLoaderIter)
    many = iter(DataLoader([1, 2], num_workers=1))
    assert isinstance(many, dataloader._MultiProcessingDataLoaderIter) and [b.tolist() for b in many] == [[1], [2]]
    many.__del__()


def test_nodes_of_trees():
    from torch_np.utils import _pytree

    assert _pytree._dict_flatten({"b": 1, "a": 2}) == ([1, 2], ["b", "a"]) and _pytree._dict_unflatten([1, 2], ["b", "a"]) == {"b": 1, "a": 2}
    assert _pytree._dict_flatten_with_keys({"b": 1})[0] == [(_pytree.MappingKey("b"), 1)]
    assert list(_pytree._list_flatten([1, 2])[0]) == [1, 2] and _pytree._tuple_unflatten([1, 2], None) == (1, 2)


def test_parts_of_distributed_tensors():
    from torch_np.distributed.tensor import Replicate, Shard, _utils
    from torch_np.distributed.tensor.placement_types import _StridedShard

    assert [Shard.local_shard_size_and_offset(*a) for a in ((10, 4, 3), (9, 4, 3), (2, 4, 3))] == [(1, 9), (0, 9), (0, 2)]
    mesh = collections.namedtuple("Mesh", "place")
    mesh.get_coordinate, mesh.size = lambda self: self.place, lambda self, axis: (2, 4)[axis]
    part = _utils.compute_local_shape_and_global_offset
    assert part((10, 3), mesh((1, 3)), [Shard(0), Shard(0)]) == ((0, 3), (10, 0))
    assert part((10, 3), mesh((1, 1)), [Shard(0), Shard(0)]) == ((2, 3), (7, 0))
    assert part((10, 3), mesh((1, 0)), [Replicate(), Shard(1)], skip_offset=True) == ((10, 1), ())
    assert part((10, 3), mesh(None), [Shard(0)]) == ((0,), ())
    with pytest.raises(NotImplementedError):
        _StridedShard(0, split_factor=2)


def test_names_that_refuse_or_answer():
    from torch_np._dynamo.utils import is_compile_supported
    from torch_np._subclasses.fake_tensor import FakeTensorMode, is_fake
    from torch_np.distributed import _functional_collectives, rpc
    from torch_np.distributed._composable.fsdp import fully_shard
    from torch_np.distributed.algorithms.join import Join
    from torch_np.fx.experimental.proxy_tensor import get_proxy_mode, make_fx
    from torch_np.jit.annotations import List

    assert is_compile_supported("cpu") and not is_compile_supported("mps") and not is_fake(X) and get_proxy_mode() is None
    assert _functional_collectives.wait_tensor(X) is X and List[int] == list[int] or List
    for refuse in (FakeTensorMode, rpc.init_rpc, Join, make_fx, _functional_collectives.all_reduce, lambda: fully_shard(torch.nn.Linear(1, 1))):
        with pytest.raises(NotImplementedError):
            refuse()


def test_functions_that_write_onnx_operators_are_kept():
    from torch_np import onnx
    from torch_np.onnx import symbolic_helper, symbolic_opset11

    @symbolic_helper.parse_args("v")
    def write(g, x):
        return x
    onnx.register_custom_op_symbolic("mine::write", write, 11)
    onnx.unregister_custom_op_symbolic("mine::write", 11)
    with pytest.raises(onnx.OnnxExporterError, match="domain::name"):
        onnx.register_custom_op_symbolic("write", write, 11)
    for refuse in (lambda: write(None, X), lambda: symbolic_opset11.squeeze(None, X)):
        with pytest.raises(NotImplementedError, match="ONNX"):
            refuse()


def test_the_hash_of_a_tensor_is_its_id():
    assert hash(X) == id(X) and len({X, X.clone(), X}) == 2
