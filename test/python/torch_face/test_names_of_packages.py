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
