"""Names of the nodes in grad_fn, which are PyTorch's; golden values from PyTorch 2.15."""
import pytest

import torch_np
from torch_np.nn import functional as F

# PyTorch's name of the node of f(x), for x = torch.rand(2, 3, requires_grad=True) + 0.1.
NAMES = {
    "x + 1": "AddBackward0", "x - x": "SubBackward0", "x * 2": "MulBackward0", "x / 2": "DivBackward0", "-x": "NegBackward0",
    "x ** 2": "PowBackward0", "x ** 2.5": "PowBackward0", "x.square()": "PowBackward0", "x.exp()": "ExpBackward0", "x.log()": "LogBackward0",
    "x.sqrt()": "SqrtBackward0", "x.sin()": "SinBackward0", "x.tanh()": "TanhBackward0", "x.abs()": "AbsBackward0", "x.sigmoid()": "SigmoidBackward0",
    "x.relu()": "ReluBackward0", "x.sum()": "SumBackward0", "x.sum(0)": "SumBackward1", "x.mean()": "MeanBackward0", "x.mean(1)": "MeanBackward1",
    "x.prod()": "ProdBackward0", "x.prod(0)": "ProdBackward1", "x.var(0)": "VarBackward0", "x.std(0)": "StdBackward0", "x.max(0)[0]": "MaxBackward0",
    "x.min(0)[0]": "MinBackward0", "x.amax(0)": "AmaxBackward0", "x @ x.t()": "MmBackward0", "x @ x[0]": "MvBackward0", "x[0] @ x[1]": "DotBackward0",
    "x[None] @ x.t()[None]": "BmmBackward0|UnsafeViewBackward0", "x.clone()": "CloneBackward0", "x.double()": "ToCopyBackward0", "x.view(3, 2)": "ViewBackward0",
    "x.unsqueeze(0)": "UnsqueezeBackward0", "x[0]": "SelectBackward0", "x[:, 1:]": "SliceBackward0", "x.permute(1, 0)": "PermuteBackward0",
    "x.expand(4, 2, 3)": "ExpandBackward0", "x[[0, 1]]": "IndexBackward0", "x.cumsum(0)": "CumsumBackward0", "x.softmax(0)": "SoftmaxBackward0",
    "x.log_softmax(0)": "LogSoftmaxBackward0", "x.clamp(0, 1)": "ClampBackward1", "x.tril()": "TrilBackward0",
    "torch.cat([x, x])": "CatBackward0", "torch.where(x > 0.5, x, 0.)": "WhereBackward0", "torch.maximum(x, x * 2)": "MaximumBackward0",
    "torch.linalg.inv(x @ x.t())": "LinalgInvExBackward0", "torch.linalg.det(x @ x.t())": "LinalgDetBackward0", "x.lerp(x * 2, 0.5)": "LerpBackward0",
    "F.linear(x, torch.ones(4, 3), x[0, 0].expand(4))": "AddmmBackward0", "F.gelu(x)": "GeluBackward0", "F.silu(x)": "SiluBackward0",
    "F.elu(x)": "EluBackward0", "F.leaky_relu(x)": "LeakyReluBackward0", "F.softplus(x)": "SoftplusBackward0", "F.logsigmoid(x)": "LogSigmoidBackward0",
    "F.layer_norm(x, (3,))": "NativeLayerNormBackward0", "F.conv1d(x[None], torch.ones(1, 2, 1))": "ConvolutionBackward0|SqueezeBackward1",
    "F.nll_loss(x, torch.tensor([0, 1]))": "NllLossBackward0", "F.embedding(torch.tensor([0]), x)": "EmbeddingBackward0",
}


@pytest.mark.parametrize("text", NAMES)
def test_names(text):
    torch_np.set_default_device("cpu")  # on other devices, layers are composed of other operators
    x = torch_np.rand(2, 3, requires_grad=True) + 0.1
    node = eval(text, {"x": x, "torch": torch_np, "F": F}).grad_fn
    assert node.name() in NAMES[text].split("|")
    assert type(node).__name__ == node.name() and type(node).__module__ == "builtins" and isinstance(node, torch_np._C.Node)
    assert repr(node).startswith(f"<{node.name()} object at 0x")


def test_each_name_has_one_class():
    x = torch_np.ones(2, requires_grad=True)
    assert type((x + 1).grad_fn) is type((x + 2).grad_fn) is not type((x * 1).grad_fn)
    with pytest.raises(TypeError, match="cannot create"):
        type((x + 1).grad_fn)()


def test_leaves_and_functions_of_the_users():
    class Twice(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, grad):
            return grad * 2

    x = torch_np.ones(2, requires_grad=True)
    leaf = (x + 1).grad_fn.next_functions[0][0]
    assert (type(leaf).__name__, leaf.name()) == ("AccumulateGrad", "torch::autograd::AccumulateGrad") and repr(leaf).startswith("<AccumulateGrad object at ")
    node = Twice.apply(x).grad_fn
    assert (type(node).__name__, node.name(), type(node).__module__) == ("TwiceBackward", "TwiceBackward", "torch_np.autograd.function")
    assert repr(node).startswith("<torch_np.autograd.function.TwiceBackward object at ")
    assert str(Twice.apply(x)) == "tensor([2., 2.], grad_fn=<TwiceBackward>)" and str(x + 1) == "tensor([2., 2.], grad_fn=<AddBackward0>)"
