"""Sample calls of activations for the check of gradients. Those with numbers as parameters are
called through the public functions."""
import torch_np
import torch_np.nn.functional as F
from samples import Case


def call(make, function, *arrays):
    """The function for Tensors, called on either face."""
    result = function(*map(make.torch, arrays))
    return result if make.face == "Tensor" else result._np_compat()


def cases(function, *shapes, second=True, kinds="real"):
    return lambda make: [Case([make(*s) for s in each], lambda *xs: call(make, function, *xs), kinds, second)
                         for each in (shapes or [((2, 3),), ((),), ((0, 3),)])]


PAIRS = {
    "mish": F.mish, "hardsigmoid": F.hardsigmoid, "hardswish": lambda x: F.hardswish(x * 3), "logsigmoid": F.logsigmoid,
    "gelu_erf": F.gelu, "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
}
SAMPLES = {name + suffix: cases(f) for name, f in PAIRS.items() for suffix in ("", "_backward")}
SAMPLES |= {
    "silu": cases(F.silu, kinds="real complex"), "silu_backward": cases(F.silu, kinds="real complex"),
    "selu_backward": cases(torch_np.selu),
    "elu_of": cases(lambda x: F.elu(x, 0.7)), "elu_backward": cases(lambda x: F.elu(x, 0.7)),
    "celu_of": cases(lambda x: torch_np.celu(x, 0.7)), "celu_backward": cases(lambda x: torch_np.celu(x, 0.7)),
    "leaky_relu_of": cases(lambda x: F.leaky_relu(x, 0.3)), "leaky_relu_backward": cases(lambda x: F.leaky_relu(x, 0.3)),
    "hardshrink_of": cases(lambda x: torch_np.hardshrink(x, 0.2)), "softshrink_of": cases(lambda x: F.softshrink(x, 0.2)),
    "shrink_backward": cases(lambda x: F.softshrink(x, 0.2)),
    "softplus_of": cases(lambda x: F.softplus(x, 1.3, 1.1)), "softplus_backward": cases(lambda x: F.softplus(x, 1.3)),
    "hardtanh_of": cases(lambda x: F.hardtanh(x, -0.5, 0.6)),
    "threshold_of": cases(lambda x: torch_np.threshold(x, 0.2, 3.0)), "threshold_backward": cases(lambda x: torch_np.threshold(x, 0.2, 3.0)),
    "prelu_of": cases(torch_np.prelu, ((2, 3, 2), (3,)), ((2, 3), (1,)), ((), ())),
}


def pointwise(function):
    return cases(function, ((2, 3), (2, 3)), ((3,), (2, 3)))


