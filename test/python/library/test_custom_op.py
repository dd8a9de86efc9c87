"""torch_np.library.custom_op: operators defined by Python functions."""
from __future__ import annotations

import copy
import inspect
import os
import pickle
import threading

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np import Tensor, library
from torch_np.autograd import gradcheck, gradgradcheck
from torch_np.numpy import ndarray

F64 = torch_np.float64


@library.custom_op("test_custom_op::sigmoid")
def sigmoid(x: Tensor) -> Tensor:
    """The logistic function."""
    return torch_np.reciprocal(1 + torch_np.exp(-x))


@sigmoid.register_fake
def _(x):
    return torch_np.empty_like(x)


def _keep_result(ctx, inputs, output):
    ctx.save_for_backward(output)


def _sigmoid_backward(ctx, grad):
    y, = ctx.saved_tensors
    return grad * y * (1 - y)


sigmoid.register_autograd(_sigmoid_backward, setup_context=_keep_result)


@library.custom_op("test_custom_op::weighted_sum")
def weighted_sum(xs: list[Tensor], weights: list[float], *, bias: Tensor | None = None, scale: float = 1.0) -> Tensor:
    total = torch_np.zeros_like(xs[0]) if bias is None else bias.clone()
    for x, w in zip(xs, weights):
        total = total + w * x
    return total * scale


def _keep_weights(ctx, inputs, keyword_only_inputs, output):
    ctx.weights, ctx.scale = inputs[1], keyword_only_inputs["scale"]


weighted_sum.register_autograd(lambda ctx, grad: ([grad * w * ctx.scale for w in ctx.weights], None), setup_context=_keep_weights)


@library.custom_op("test_custom_op::split_parts")
def split_parts(x: Tensor) -> tuple[Tensor, Tensor]:
    return torch_np.floor(x), x - torch_np.floor(x)


split_parts.register_autograd(lambda ctx, whole, rest: rest)


def test_operators_take_tensors_and_give_tensors():
    x = torch_np.tensor([0.0, 1.0, -2.0], dtype=F64)
    y = sigmoid(x)
    assert type(y) is Tensor and not y.requires_grad
    numpy.testing.assert_allclose(y.tolist(), 1 / (1 + numpy.exp([0, -1, 2.0])))
    assert torch_np.ops.test_custom_op.sigmoid is sigmoid
    assert torch_np.ops.test_custom_op.sigmoid(x).tolist() == y.tolist()


@pytest.mark.parametrize("value", [[0.0, 1.0], 2.0, ((1.0, 2.0), (3.0, 4.0)), numpy.ones(3), np.ones((2, 0)), np.float64(3)])
def test_the_numpy_face_takes_arrays_lists_and_numbers(value):
    y = np._ops.test_custom_op.sigmoid(value)
    assert type(y) is ndarray and y.shape == numpy.shape(value)
    numpy.testing.assert_allclose(numpy.array(y.tolist()).reshape(y.shape), 1 / (1 + numpy.exp(-numpy.asarray(value))))


def test_an_array_makes_an_array():
    assert type(sigmoid(np.ones(3))) is ndarray and type(sigmoid(torch_np.ones(3))) is Tensor
    assert type(weighted_sum([np.ones(3)], [2.0])) is ndarray
    assert [type(r) for r in split_parts(np.ones(2))] == [ndarray, ndarray]


@pytest.mark.parametrize("layout", ["transposed", "reversed", "broadcast", "empty", "zero-dim"])
def test_every_layout(layout):
    x = torch_np.arange(6, dtype=F64).reshape(2, 3)
    x = {"transposed": lambda: x.T, "reversed": lambda: torch_np.flip(x, (0,)), "broadcast": lambda: x[:1].expand(4, 3),
         "empty": lambda: x[:0], "zero-dim": lambda: x[1, 2]}[layout]()
    numpy.testing.assert_allclose(numpy.array(sigmoid(x).tolist()).reshape(x.shape), 1 / (1 + numpy.exp(-numpy.array(x.tolist()))).reshape(x.shape))


def test_gradients():
    x = torch_np.randn(2, 3, dtype=F64, requires_grad=True)
    assert gradcheck(sigmoid, (x,)) and gradgradcheck(sigmoid, (x,))
    a = np.array([1.0, 2.0], _requires_grad=True)
    np._ops.test_custom_op.sigmoid(a).sum()._backward()
    numpy.testing.assert_allclose(a._grad.tolist(), [0.19661193324148185, 0.10499358540350662])


def test_gradients_of_lists_and_of_several_results():
    xs = [torch_np.randn(3, dtype=F64, requires_grad=True) for _ in range(2)]
    assert gradcheck(lambda a, b: weighted_sum([a, b], [2.0, 3.0], scale=0.5), xs)
    x = torch_np.tensor([1.5, 2.25], dtype=F64, requires_grad=True)
    assert gradcheck(lambda x: split_parts(x)[1], (x,))
    whole, rest = split_parts(x)
    (whole + rest).sum().backward()
    assert x.grad.tolist() == [1, 1]


def test_without_a_derivative_backward_says_so():
    @library.custom_op("test_custom_op::no_derivative")
    def no_derivative(x: Tensor) -> Tensor:
        return x * 2
    y = no_derivative(torch_np.ones(2, requires_grad=True))
    assert y.requires_grad
    with pytest.raises(NotImplementedError, match="test_custom_op::no_derivative: no derivative is registered"):
        y.sum().backward()


def test_kernels_run_without_recording():
    seen = []

    @library.custom_op("test_custom_op::looks")
    def looks(x: Tensor) -> Tensor:
        seen.append((torch_np.is_grad_enabled(), x.requires_grad))
        return x.clone()
    x = torch_np.ones(2, requires_grad=True)
    looks(x)
    with torch_np.no_grad():
        looks(x)
    looks(torch_np.ones(2))
    assert seen == [(False, False)] * 3 and torch_np.is_grad_enabled()


def test_meta():
    x = torch_np.empty(2**40, 3, device="meta", dtype=F64)
    assert sigmoid(x).shape == (2**40, 3) and sigmoid(x).dtype == F64 and sigmoid(x).device.type == "meta"
    with pytest.raises(NotImplementedError, match="register_fake"):
        split_parts(x)


def test_kernels_of_devices():
    @library.custom_op("test_custom_op::placed", device_types="cuda")
    def placed(x: Tensor) -> Tensor:
        return x + 2

    @placed.register_kernel("cpu")
    def _(x):
        return x + 1
    assert placed(torch_np.zeros(1, device="cpu")).tolist() == [1]
    if torch_np.cuda.is_available():
        assert placed(torch_np.zeros(1, device="cuda")).tolist() == [2]

    @library.custom_op("test_custom_op::cuda_only", device_types="cuda")
    def cuda_only(x: Tensor) -> Tensor:
        return x + 2
    with pytest.raises(NotImplementedError, match="no kernel for device 'cpu'"):
        cuda_only(torch_np.zeros(1, device="cpu"))


def test_arguments_that_are_changed():
    @library.custom_op("test_custom_op::count", mutates_args=("counter",))
    def count(x: Tensor, counter: Tensor) -> Tensor:
        counter += 1
        return x * counter
    x, counter = torch_np.ones(2), torch_np.zeros(())
    assert count(x, counter).tolist() == [1, 1] and count(x, counter).tolist() == [2, 2] and counter.tolist() == 2
    with pytest.raises(RuntimeError, match="'counter' requires grad"):
        count(x, torch_np.ones((), requires_grad=True))
    w = torch_np.ones((), requires_grad=True)
    product = w * counter
    count(x, counter)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        product.backward()
    with pytest.raises(ValueError, match="changes arguments in place"):
        count.register_autograd(lambda ctx, g: (g, None))


def test_nothing_comes_back_of_an_operator_for_its_effect():
    @library.custom_op("test_custom_op::fill", mutates_args="x")
    def fill(x: Tensor, value: float) -> None:
        x.fill_(value)
    x = np.zeros(3)
    assert fill(x, 2) is None and np._ops.test_custom_op.fill(x, 3) is None and x.tolist() == [3, 3, 3]
    with pytest.raises(TypeError, match="'x' must be Tensor"):  # changes of a list would be lost
        np._ops.test_custom_op.fill([1.0], 3)


def test_functions_annotated_with_ndarray_get_ndarrays():
    @library.custom_op("test_custom_op::of_arrays")
    def of_arrays(x: ndarray, axis: int | None = None) -> ndarray:
        assert type(x) is ndarray
        return np.sum(x, axis=axis)
    assert type(of_arrays(torch_np.ones(3))) is Tensor and of_arrays(torch_np.ones(3)).tolist() == 3
    assert np._ops.test_custom_op.of_arrays([[1.0, 2.0]], axis=0).tolist() == [1, 2]


def test_schemas_as_text():
    @library.custom_op("test_custom_op::scaled", schema="(Tensor x, *, float by=2.0, int[] add=[1, 2], str? mode=None) -> (Tensor, Tensor)")
    def scaled(x, *, by, add, mode):
        assert mode is None or mode == "a,b"
        return x * by, x + sum(add)
    assert [r.tolist() for r in scaled(torch_np.ones(1))] == [[2], [4]]
    assert [r.tolist() for r in scaled(torch_np.ones(1), by=numpy.float32(3), add=(5,), mode="a,b")] == [[3], [6]]
    assert str(scaled.schema) == "(Tensor x, *, float by=2.0, int[] add=[1, 2], str? mode=None) -> (Tensor, Tensor)"
    assert str(inspect.signature(scaled)) == "(x, *, by=2.0, add=[1, 2], mode=None)"


def test_what_is_seen_of_an_operator():
    assert repr(sigmoid) == "<operator test_custom_op::sigmoid(Tensor x) -> Tensor>" and sigmoid.__doc__ == "The logistic function."
    assert str(weighted_sum.schema) == "(Tensor[] xs, float[] weights, *, Tensor? bias=None, float scale=1.0) -> Tensor"
    assert "test_custom_op" in dir(torch_np.ops) and "sigmoid" in dir(np._ops.test_custom_op)
    assert np._ops.test_custom_op.sigmoid.__doc__ == "The logistic function." and inspect.signature(np._ops.test_custom_op.sigmoid)
    for operator in (sigmoid, np._ops.test_custom_op.sigmoid):
        assert pickle.loads(pickle.dumps(operator)) is operator and copy.deepcopy(operator) is operator


def test_a_definition_that_runs_again_replaces_itself_and_no_other():
    def define(factor):
        @library.custom_op("test_custom_op::again")
        def again(x: Tensor) -> Tensor:
            return x * factor
        return again
    define(2)
    define(3)
    assert torch_np.ops.test_custom_op.again(torch_np.ones(1)).tolist() == [3]
    with pytest.raises(ValueError, match=r"there is an operator test_custom_op::again already: from .*test_custom_op.py:\d+"):
        @library.custom_op("test_custom_op::again")
        def other(x: Tensor) -> Tensor:
            return x


def test_exceptions_arrive_with_the_operators_name():
    @library.custom_op("test_custom_op::fails")
    def fails(x: Tensor, where: str) -> Tensor:
        if where == "forward":
            raise ZeroDivisionError("in the kernel")
        return x * 2
    fails.register_autograd(lambda ctx, grad: 1 / 0)
    with pytest.raises(ZeroDivisionError, match="in the kernel") as caught:
        fails(torch_np.ones(1), "forward")
    assert caught.value.__notes__ == ["in forward of operator test_custom_op::fails"]
    with pytest.raises(ZeroDivisionError) as caught:
        fails(torch_np.ones(1, requires_grad=True), "").backward()
    assert caught.value.__notes__ == ["in backward of operator test_custom_op::fails"]
    assert torch_np.is_grad_enabled()


def _calls():
    x = torch_np.ones(2)
    return {
        "no argument": (lambda: sigmoid(), TypeError, r"sigmoid\(\): missing a required argument: 'x'; it takes \(Tensor x\) -> Tensor"),
        "too many": (lambda: sigmoid(x, x), TypeError, "too many positional arguments"),
        "unknown": (lambda: sigmoid(x, y=1), TypeError, "unexpected keyword argument 'y'"),
        "twice": (lambda: sigmoid(x, x=x), TypeError, "multiple values for argument 'x'"),
        "no tensor": (lambda: sigmoid([1.0]), TypeError, r"sigmoid\(\): argument 'x' must be Tensor, not list"),
        "None": (lambda: sigmoid(None), TypeError, "'x' must be Tensor, not NoneType"),
        "text": (lambda: np._ops.test_custom_op.sigmoid("abc"), TypeError, "'x' must be Tensor, not str"),
        "no list": (lambda: weighted_sum(x, [1.0]), TypeError, r"'xs' must be Tensor\[\], not Tensor"),
        "item of list": (lambda: weighted_sum([x, 3], [1.0]), TypeError, r"'xs' must be Tensor\[\], not int"),
        "floats": (lambda: weighted_sum([x], ["1"]), TypeError, r"'weights' must be float\[\], not \['1'\]"),
        "float": (lambda: weighted_sum([x], [1.0], scale="a"), TypeError, "'scale' must be float, not str"),
        "positional": (lambda: weighted_sum([x], [1.0], x), TypeError, "too many positional arguments"),
        "no operator": (lambda: torch_np.ops.test_custom_op.nothing, AttributeError, "has no operator 'nothing': registered are .*sigmoid"),
        "no namespace": (lambda: np._ops.nothing, AttributeError, "has no operator 'nothing'"),
    }


@pytest.mark.parametrize("case", _calls())
def test_wrong_calls(case):
    call, error, text = _calls()[case]
    with pytest.raises(error, match=text):
        call()


DEFINITIONS = {
    "name without namespace": ("sigmoid", lambda x: x, {"schema": "(Tensor x) -> Tensor"}, "is not an operator's name"),
    "name of signs": ("a::b c", lambda x: x, {"schema": "(Tensor x) -> Tensor"}, "is not an operator's name"),
    "no schema": ("t::f", lambda x: x, {"schema": "Tensor"}, "is not a schema"),
    "type": ("t::f", lambda x: x, {"schema": "(Matrix x) -> Tensor"}, "'Matrix x' is not a parameter"),
    "no name": ("t::f", lambda x: x, {"schema": "(Tensor) -> Tensor"}, "'Tensor' is not a parameter"),
    "default": ("t::f", lambda x: x, {"schema": "(float x=a) -> Tensor"}, "is not a literal"),
    "default's type": ("t::f", lambda x: x, {"schema": "(int x=1.5) -> Tensor"}, "1.5 is not a default of int x"),
    "default of a tensor": ("t::f", lambda x: x, {"schema": "(Tensor x=1) -> Tensor"}, "1 is not a default of Tensor x"),
    "order of defaults": ("t::f", lambda x, y: x, {"schema": "(int x=1, int y) -> Tensor"}, "non-default|without a default"),
    "the same name": ("t::f", lambda x: x, {"schema": "(int x, int x) -> Tensor"}, "of the same name"),
    "result": ("t::f", lambda x: x, {"schema": "(int x) -> int"}, "'int' is not a result"),
    "changed number": ("t::f", lambda x: x, {"schema": "(int(a!) x) -> Tensor"}, "only a Tensor can be changed"),
    "other parameters": ("t::f", lambda x: x, {"schema": "(Tensor y, Tensor z) -> Tensor"}, "does not accept the arguments of its schema"),
    "device": ("t::f", lambda x: x, {"schema": "(Tensor x) -> Tensor", "device_types": "tpu"}, "'tpu' is not a type of device"),
    "no annotation": ("t::f", lambda x: x, {}, "parameter 'x' has no annotation"),
}


@pytest.mark.parametrize("case", DEFINITIONS)
def test_wrong_definitions(case):
    name, function, options, text = DEFINITIONS[case]
    with pytest.raises(ValueError, match=text):
        library.custom_op(name, function, **options)
    assert "t" not in dir(torch_np.ops)


def test_wrong_annotations():
    def of(annotation, result=Tensor):
        def function(x):
            return x
        function.__annotations__ = {"x": annotation, "return": result}
        return function
    for annotation in (dict, bytes, list, list[dict], Tensor | int):
        with pytest.raises(ValueError, match="parameter 'x' has the annotation"):
            library.custom_op("t::f", of(annotation))
    for result in (int, tuple[Tensor, int], tuple, dict):
        with pytest.raises(ValueError, match="the result has the annotation"):
            library.custom_op("t::f", of(Tensor, result))
    with pytest.raises(ValueError, match="mutates_args names"):
        library.custom_op("t::f", of(Tensor), mutates_args=("y",))
    with pytest.raises(ValueError, match="which is not a Tensor"):
        library.custom_op("t::f", of(int), mutates_args=("x",))

    def starred(*x: Tensor) -> Tensor:
        return x[0]
    with pytest.raises(ValueError, match="any number of arguments"):
        library.custom_op("t::f", starred)


RESULTS = {
    "a number": (lambda x: 3, TypeError, "expected the function to return a Tensor, got int"),
    "None": (lambda x: None, TypeError, "got NoneType"),
    "two": (lambda x: (x + 1, x + 2), TypeError, "got 2 values"),
    "the argument": (lambda x: x, RuntimeError, "a result is an argument, or a view of one"),
    "a view": (lambda x: x.reshape(2, 2), RuntimeError, "a result is an argument, or a view of one"),
}


@pytest.mark.parametrize("case", RESULTS)
def test_wrong_results(case):
    function, error, text = RESULTS[case]
    wrong = library.custom_op("test_custom_op::wrong_" + case.replace(" ", "_"), function, schema="(Tensor x) -> Tensor")
    with pytest.raises(error, match=text):
        wrong(torch_np.ones(4))
    with pytest.raises(error, match=text):
        wrong(torch_np.ones(4, requires_grad=True))


def test_wrong_gradients():
    two = library.custom_op("test_custom_op::two", lambda x, y: x + y, schema="(Tensor x, Tensor y) -> Tensor")
    two.register_autograd(lambda ctx, grad: grad)
    x = torch_np.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="gave 1 gradients for 2 parameters"):
        two(x, x).sum().backward()
    same = library.custom_op("test_custom_op::same_twice", lambda x: (x2 := x + 1, x2), schema="(Tensor x) -> (Tensor, Tensor)")
    with pytest.raises(RuntimeError, match="two results are the same Tensor"):
        same(x)


def test_threads_call_and_define():
    wrong = []

    def work(k):
        own = library.custom_op(f"test_custom_op::of_thread_{k}", lambda x: x * k, schema="(Tensor x) -> Tensor")
        for _ in range(100):
            if own(torch_np.ones(2)).tolist() != [k, k] or not sigmoid(torch_np.ones(2, requires_grad=True)).requires_grad:
                wrong.append(k)
    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_calls_leave_nothing_behind():
    import gc
    import tracemalloc

    x = torch_np.ones(4, requires_grad=True)

    def calls(n):
        for _ in range(n):
            sigmoid(x).sum().backward()
    calls(100)
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    calls(1000)
    gc.collect()
    grown = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    assert grown < 20_000


def resident_bytes():
    with open("/proc/self/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_hundred_thousand_calls_leave_nothing_behind():
    x, recorded = torch_np.ones(4), torch_np.ones(4, requires_grad=True)

    def calls(n):
        for _ in range(n):
            sigmoid(x)
        for _ in range(n // 20):
            sigmoid(recorded).sum().backward()
    calls(5_000)
    before = resident_bytes()
    calls(100_000)
    assert resident_bytes() - before < 8 << 20  # a leak of 80 bytes a call would reach this


def test_a_forked_process_calls_operators():
    x = torch_np.ones(4, requires_grad=True)
    sigmoid(x)
    child = os.fork()
    if child == 0:
        try:
            sigmoid(x).sum().backward()
            os._exit(0 if x.grad.shape == (4,) else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0


@library.custom_op("test_custom_op::reduced")
def reduced(input: Tensor, dim: int = 0, keepdim: bool = False) -> Tensor:
    return input.sum(dim, keepdim) + 0


def test_numpys_names_are_translated():
    x = np.ones((2, 3))
    assert str(np._ops.test_custom_op.reduced.__signature__) == "(a, axis=0, keepdims=False)"
    assert str(reduced.__signature__) == "(input, dim=0, keepdim=False)"
    for call in (np._ops.test_custom_op.reduced, torch_np.ops.test_custom_op.reduced):
        assert call(x, axis=1).tolist() == [3, 3] and call(a=x, dim=1, keepdims=True).shape == (2, 1)
        with pytest.raises(TypeError, match="axis|dim"):
            call(x, axis=1, dim=1)


def test_help():
    import pydoc

    text = pydoc.plain(pydoc.render_doc(torch_np.ops.test_custom_op.reduced))
    assert "reduced(input, dim=0, keepdim=False)" in text
