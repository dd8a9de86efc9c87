"""torch_np.library.opcheck: it finds defects of faulty operators, and none in a correct one."""
import pytest

import torch_np
from torch_np import Tensor
from torch_np.library import OpCheckError, custom_op, opcheck

F64 = torch_np.float64
X = torch_np.tensor([[-1.5, 0.5, 2.0], [0.25, 1.0, -3.0]], dtype=F64)


@custom_op("opcheck::double")
def double(x: Tensor) -> Tensor:
    return x * 2


double.register_fake(lambda x: torch_np.empty_like(x))
double.register_autograd(lambda ctx, grad: grad * 2)


@custom_op("opcheck::silent_change")
def silent_change(x: Tensor) -> Tensor:
    with_numpy = x.numpy()
    with_numpy *= 2  # a change through a NumPy array does not increase our version
    return x.clone()


@custom_op("opcheck::said_change", mutates_args=("x",))
def said_change(x: Tensor) -> Tensor:
    x.mul_(2)
    return x.clone()


@custom_op("opcheck::wrong_shape")
def wrong_shape(x: Tensor) -> Tensor:
    return x.sum(0)


wrong_shape.register_fake(lambda x: torch_np.empty_like(x))


@custom_op("opcheck::wrong_gradient")
def wrong_gradient(x: Tensor) -> Tensor:
    return x * x


wrong_gradient.register_autograd(lambda ctx, grad: grad)


@custom_op("opcheck::of_memory")
def of_memory(x: Tensor) -> Tensor:
    return torch_np.tensor([x.stride(-1)])


def test_an_operator_that_behaves():
    outcome = opcheck(double, (X.clone().requires_grad_(),))
    assert outcome == dict.fromkeys(["test_schema", "test_faces", "test_strides", "test_meta", "test_gradients"], "SUCCESS")


@pytest.mark.parametrize("op, test, said", [
    (silent_change, "test_schema", "was changed, and the operator does not say so"),
    (wrong_shape, "test_meta", r"expected \(3,\).*got \(2, 3\)"),
    (double, "test_gradients", "SUCCESS"),
    (wrong_gradient, "test_gradients", "analytic 1.0, numeric"),
    (of_memory, "test_strides", "Not equal"),
    (said_change, "test_schema", "SUCCESS"),
])
def test_what_it_finds(op, test, said):
    arguments = (X.clone().requires_grad_(op is not said_change),)
    if said == "SUCCESS":
        assert opcheck(op, arguments, test_utils=test) == {test: "SUCCESS"}
        return
    with pytest.raises(OpCheckError, match=f"(?s){test} of <operator opcheck::.*{said}"):
        opcheck(op, arguments, test_utils=test)
    outcome = opcheck(op, arguments, test_utils=[test], raise_exception=False)
    assert isinstance(outcome[test], Exception)


def test_bad_input():
    with pytest.raises(TypeError, match="expected an operator of torch_np.ops, got function"):
        opcheck(lambda x: x, (X,))
    with pytest.raises(ValueError, match="there is no test test_speed"):
        opcheck(double, (X,), test_utils="test_speed")
