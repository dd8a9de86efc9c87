"""torch_np.operator: operators as CustomOp and CustomOpProp, called with Custom."""
from __future__ import annotations

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np.autograd import gradcheck

F64 = torch_np.float64


# The two operators of the MXNet tutorial, with arrays made by this package.
class Sigmoid(torch_np.operator.CustomOp):
    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        y = 1.0 / (1.0 + numpy.exp(-x))
        self.assign(out_data[0], req[0], torch_np.tensor(y))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        y = out_data[0].asnumpy()
        dy = out_grad[0].asnumpy()
        dx = dy * (1.0 - y) * y
        self.assign(in_grad[0], req[0], torch_np.tensor(dx))


@torch_np.operator.register("sigmoid")
class SigmoidProp(torch_np.operator.CustomOpProp):
    def __init__(self):
        super().__init__(True)

    def list_arguments(self):
        return ["data"]

    def list_outputs(self):
        return ["output"]

    def infer_shape(self, in_shapes):
        data_shape = in_shapes[0]
        output_shape = data_shape
        return (data_shape,), (output_shape,), ()

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Sigmoid()


class Dense(torch_np.operator.CustomOp):
    def __init__(self, bias):
        self._bias = bias

    def forward(self, is_train, req, in_data, out_data, aux):
        x = in_data[0].asnumpy()
        weight = in_data[1].asnumpy()
        y = x.dot(weight.T) + self._bias
        self.assign(out_data[0], req[0], torch_np.tensor(y))

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        x, weight = in_data[0].asnumpy(), in_data[1].asnumpy()
        dy = out_grad[0].asnumpy()
        self.assign(in_grad[0], req[0], torch_np.tensor(dy.dot(weight)))
        self.assign(in_grad[1], req[1], torch_np.tensor(dy.T.dot(x)))


@torch_np.operator.register("dense")
class DenseProp(torch_np.operator.CustomOpProp):
    def __init__(self, bias):
        super().__init__(True)
        assert isinstance(bias, str)
        self._bias = float(bias)

    def list_arguments(self):
        return ["data", "weight"]

    def infer_shape(self, in_shapes):
        data_shape = in_shapes[0]
        weight_shape = in_shapes[1]
        output_shape = (data_shape[0], weight_shape[0])
        return (data_shape, weight_shape), (output_shape,), ()

    def create_operator(self, ctx, in_shapes, in_dtypes):
        return Dense(self._bias)


class DenseBlock:
    def __init__(self, in_channels, channels, bias):
        self._bias = bias
        self.weight = torch_np.randn(channels, in_channels, dtype=F64, requires_grad=True)

    def __call__(self, x):
        return torch_np.Custom(x, self.weight, bias=self._bias, op_type="dense")


def test_sigmoid():
    x = torch_np.tensor([0.0, 1, 2, 3], dtype=F64, requires_grad=True)
    y = torch_np.Custom(x, op_type="sigmoid")
    y.backward(torch_np.ones(4, dtype=F64))
    numpy.testing.assert_allclose(y.tolist(), 1 / (1 + numpy.exp(-numpy.arange(4.0))))
    numpy.testing.assert_allclose(x.grad.tolist(), [v * (1 - v) for v in y.tolist()])
    assert gradcheck(lambda x: torch_np.Custom(x, op_type="sigmoid"), (x,))
    with pytest.raises(RuntimeError, match="differentiate twice"):
        g, = torch_np.autograd.grad(torch_np.Custom(x, op_type="sigmoid").sum(), (x,), create_graph=True)
        g.sum().backward()


def test_dense():
    dense, x = DenseBlock(3, 5, 0.1), torch_np.rand(4, 3, dtype=F64)
    y = dense(x)
    numpy.testing.assert_allclose(numpy.array(y.tolist()), numpy.array(x.tolist()) @ numpy.array(dense.weight.tolist()).T + 0.1)
    y.sum().backward()
    assert dense.weight.grad.shape == (5, 3)
    assert gradcheck(lambda x, w: torch_np.Custom(x, w, bias=2, op_type="dense"), (x.requires_grad_(), dense.weight))


def test_arrays_of_numpys_face():
    y = np._Custom([0.0, 1.0], op_type="sigmoid")
    assert type(y) is np.ndarray and y.dtype == float
    a = np.ones((2, 3), _requires_grad=True)
    y = np._Custom(data=a, weight=np.ones((1, 3)), bias="0.5", op_type="dense")
    assert type(y) is np.ndarray and y.tolist() == [[3.5], [3.5]]
    y.sum()._backward()
    assert a._grad.tolist() == [[1, 1, 1], [1, 1, 1]]


def test_meta_infers_only():
    assert torch_np.Custom(torch_np.empty(2**40, device="meta"), op_type="sigmoid").shape == (2**40,)
    y = torch_np.Custom(torch_np.empty(7, 3, device="meta"), torch_np.empty(5, 3, device="meta"), bias=1, op_type="dense")
    assert y.shape == (7, 5) and y.device.type == "meta"


@pytest.mark.parametrize("request_, expected", [("null", [1, 1]), ("write", [5, 6]), ("inplace", [5, 6]), ("add", [6, 7])])
@pytest.mark.parametrize("make", [torch_np.tensor, np.array, numpy.array, list])
def test_assign(request_, expected, make):
    there = torch_np.ones(2)
    torch_np.operator.CustomOp().assign(there, request_, make([5.0, 6.0]))
    assert there.tolist() == expected and there.dtype == torch_np.float32
    with pytest.raises(ValueError, match="req is one of"):
        torch_np.operator.CustomOp().assign(there, "overwrite", 1)


class Recorder(torch_np.operator.CustomOp):
    """Adds its arguments, counts its calls in its state, and stores the arguments of its calls."""
    seen: list = []

    def forward(self, is_train, req, in_data, out_data, aux):
        self.mine = "kept"
        self.seen.append((is_train, list(req), [tuple(t.shape) for t in out_data]))
        aux[0].copy_(aux[0] + 1)
        self.assign(out_data[0], req[0], in_data[0] + in_data[1])
        self.assign(out_data[1], req[1], in_data[0] > in_data[1])

    def backward(self, req, out_grad, in_data, out_data, in_grad, aux):
        self.seen.append((self.mine, list(req), [t is None for t in (*out_grad, *in_data, *out_data)], aux[0].tolist()))
        for i in range(2):
            self.assign(in_grad[i], req[i], torch_np.full_like(in_grad[i], 7.0))


@torch_np.operator.register("test_recorder")
class RecorderProp(torch_np.operator.CustomOpProp):
    def __init__(self, needs="nothing"):
        super().__init__(need_top_grad=False)
        self.needs = needs

    def list_arguments(self):
        return ["a", "b"]

    def list_outputs(self):
        return ["sum", "greater"]

    def list_auxiliary_states(self):
        return ["count"]

    def infer_shape(self, in_shape):
        return in_shape, [in_shape[0], in_shape[0]], [()]

    def infer_type(self, in_type):
        return in_type, [in_type[0], numpy.bool], [numpy.int64]

    def declare_backward_dependency(self, out_grad, in_data, out_data):
        return [in_data[0]] if self.needs == "a" else super().declare_backward_dependency(out_grad, in_data, out_data)

    def create_operator(self, ctx, in_shapes, in_dtypes):
        assert ctx == str(torch_np.zeros(1).device) and in_dtypes == [numpy.dtype(float)] * 2 and in_shapes == [[2], [2]]
        return Recorder()


def test_states_requests_and_dependencies():
    Recorder.seen.clear()
    a, b = torch_np.ones(2, dtype=F64, requires_grad=True), torch_np.zeros(2, dtype=F64)
    count = torch_np.zeros((), dtype=torch_np.int64)
    total, greater = torch_np.Custom(a, b, count, op_type="test_recorder")
    assert total.tolist() == [1, 1] and greater.tolist() == [True, True] and greater.dtype == torch_np.bool and count.tolist() == 1
    total.sum().backward()
    assert a.grad.tolist() == [7, 7]
    torch_np.Custom(a, b, count=count, op_type="test_recorder", needs="a")[0].sum().backward()
    with torch_np.no_grad():
        torch_np.Custom(a, b=b, count=count, op_type="test_recorder")
    assert Recorder.seen == [
        (True, ["write", "write"], [(2,), (2,)]),
        ("kept", ["write", "null"], [True, True, False, False, False, False], 1),
        (True, ["write", "write"], [(2,), (2,)]),
        ("kept", ["write", "null"], [True, True, False, True, True, True], 2),
        (False, ["write", "write"], [(2,), (2,)]),
    ]


def test_changed_states_are_noticed_by_what_saved_them():
    count, w = torch_np.ones((), dtype=torch_np.int64), torch_np.ones(2, dtype=F64, requires_grad=True)
    y = w * count
    torch_np.Custom(w.detach(), w.detach(), count, op_type="test_recorder")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.sum().backward()


def prop(**methods):
    """Registers a CustomOpProp of one argument with these methods as 'test_wrong'."""
    made = type("WrongProp", (torch_np.operator.CustomOpProp,), {"create_operator": lambda self, ctx, s, t: Sigmoid(), **methods})
    torch_np.operator.register("test_wrong")(made)
    return lambda *args, **kwargs: torch_np.Custom(*(args or (torch_np.ones(2),)), op_type="test_wrong", **kwargs)


WRONG = {
    "three lists": ({"infer_shape": lambda self, s: 5}, ValueError, "infer_shape gave 5: expected three lists"),
    "count of results": ({"infer_shape": lambda self, s: (s, [], [])}, ValueError, "gave 0 results, expected 1"),
    "negative": ({"infer_shape": lambda self, s: (s, [(-1,)], [])}, ValueError, r"gave \(-1,\) for 'output', which is not a shape"),
    "no shape": ({"infer_shape": lambda self, s: (s, ["ab"], [])}, ValueError, "which is not a shape"),
    "axes": ({"infer_shape": lambda self, s: (s, [[1] * 65], [])}, ValueError, "which is not a shape"),
    "huge": ({"infer_shape": lambda self, s: (s, [[2**40, 2**40]], [])}, (ValueError, RuntimeError, MemoryError), "Storage size calculation overflowed"),
    "another argument": ({"infer_shape": lambda self, s: ([(3,)], [s[0]], [])}, ValueError, r"'data' must have shape \(3,\), got \(2,\)"),
    "dtype": ({"infer_type": lambda self, t: (t, ["nonsense"], [])}, TypeError, "gave 'nonsense' for 'output', which is not a dtype"),
    "another dtype": ({"infer_type": lambda self, t: (["i4"], t, [])}, TypeError, "'data' must have dtype int32, got float32"),
    "no CustomOp": ({"create_operator": lambda self, c, s, t: 5}, TypeError, "create_operator gave int, expected a CustomOp"),
    "no forward": ({"create_operator": lambda self, c, s, t: torch_np.operator.CustomOp()}, NotImplementedError, "CustomOp has no forward"),
    "raises": ({"list_outputs": lambda self: 1 / 0}, ZeroDivisionError, "division"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_props(case):
    methods, error, text = WRONG[case]
    call = prop(**methods)
    with pytest.raises(error, match=text):
        call()


def test_wrong_calls():
    call = prop()
    x = torch_np.ones(2)
    for wrong, error, text in (
            (lambda: torch_np.Custom(x, op_type="nobody"), ValueError, "no operator 'nobody' is registered: there are .*'sigmoid'"),
            (lambda: torch_np.Custom(x, op_type=["a"]), ValueError, "is registered"),
            (lambda: call(x, x), TypeError, r"expected 1 arrays \(data\), got 2"),
            (lambda: call(x, data=x), TypeError, "'data' by position and by name"),
            (lambda: call(x, other=x), TypeError, "no argument is called 'other'"),
            (lambda: call([1.0]), TypeError, "'data' must be Tensor, not list"),
            (lambda: call(x, nonsense=1), TypeError, "unexpected keyword argument 'nonsense'")):
        with pytest.raises(error, match=text):
            wrong()
    with pytest.raises(TypeError, match="expected a class derived from CustomOpProp"):
        torch_np.operator.register("a")(5)
    with pytest.raises(TypeError, match="the name must be str"):
        torch_np.operator.register(SigmoidProp)
    with pytest.raises(ValueError, match="SigmoidProp has that name already"):
        torch_np.operator.register("sigmoid")(DenseProp)


def test_exceptions_name_method_and_operator():
    class Fails(torch_np.operator.CustomOp):
        def forward(self, is_train, req, in_data, out_data, aux):
            self.assign(out_data[0], req[0], in_data[0])

        def backward(self, *args):
            raise KeyError("mine")
    call = prop(create_operator=lambda self, c, s, t: Fails())
    with pytest.raises(KeyError, match="mine") as caught:
        call(torch_np.ones(2, requires_grad=True)).sum().backward()
    assert caught.value.__notes__ == ["in backward of operator 'test_wrong'"]
    assert torch_np.is_grad_enabled()
