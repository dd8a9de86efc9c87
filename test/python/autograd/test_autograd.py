"""The tape in Python: PyTorch's behaviour, on both types. Expected numbers and messages are those
of PyTorch 2."""

import concurrent.futures
import copy
import gc
import pickle
import weakref

import pytest

import torch_np
import torch_np.numpy as np
from torch_np.autograd import Function, backward, enable_grad, grad, gradcheck, gradgradcheck, no_grad, set_grad_enabled
from torch_np.autograd.function import once_differentiable
from torch_np.autograd.gradcheck import GradcheckError


class Face:
    """One interface for both types: the names are Tensor's, and on ndarray they have an underscore."""

    def __init__(self, name):
        self.name = name
        self.xp = torch_np if name == "Tensor" else np
        self.type = torch_np.Tensor if name == "Tensor" else np.ndarray
        self._prefix = "" if name == "Tensor" else "_"

    def __repr__(self):
        return self.name

    def leaf(self, values, dtype="float64"):
        x = self.plain(values, dtype)
        self.set(x, "requires_grad", True)
        return x

    def plain(self, values, dtype="float64"):
        make = torch_np.tensor if self.name == "Tensor" else np.array
        return make(values, dtype=getattr(self.xp, dtype))

    def get(self, x, name):
        return getattr(x, self._prefix + name)

    def set(self, x, name, value):
        setattr(x, self._prefix + name, value)

    def call(self, x, method, *args, **kwargs):
        return getattr(x, self._prefix + method)(*args, **kwargs)

    def backward(self, x, *args, **kwargs):
        return self.call(x, "backward", *args, **kwargs)

    def grad(self, x):
        return self.get(x, "grad")


@pytest.fixture(params=["Tensor", "ndarray"])
def face(request):
    return Face(request.param)


# ------------------------------------------------------------------------------------------------ backward and grad

def test_backward_fills_the_gradient_of_leaves(face):
    x = face.leaf([1.0, 2.0, 3.0])
    y = (x * x).sum()
    assert face.get(y, "requires_grad") and not face.get(y, "is_leaf") and face.get(x, "is_leaf")
    assert face.backward(y) is None
    assert isinstance(face.grad(x), face.type)
    assert face.grad(x).tolist() == [2.0, 4.0, 6.0]
    assert face.grad(x).dtype == x.dtype


def test_both_types_see_the_same_gradient():
    x = np.array([1.0, 2.0])
    t = x._torch()
    t.requires_grad = True
    assert x._requires_grad
    (x * x).sum()._backward()
    assert t.grad.tolist() == x._grad.tolist() == [2.0, 4.0]
    assert isinstance(t.grad, torch_np.Tensor) and isinstance(x._grad, np.ndarray)
    (t * 3).sum().backward()
    assert x._grad.tolist() == [5.0, 7.0]


def test_gradients_accumulate_in_place_until_reset(face):
    x = face.leaf([1.0, 2.0])
    face.backward((x * 2).sum())
    first = face.grad(x)
    face.backward((x * 3).sum())
    assert face.grad(x) is first and first.tolist() == [5.0, 5.0]
    face.set(x, "grad", None)
    assert face.grad(x) is None
    face.backward((x * 3).sum())
    assert face.grad(x).tolist() == [3.0, 3.0]


def test_broadcast_operands_get_summed_gradients(face):
    x, row, scalar = face.leaf([[1.0, 2.0], [3.0, 4.0]]), face.leaf([10.0, 20.0]), face.leaf(2.0)
    face.backward((x * row * scalar).sum())
    assert face.grad(row).tolist() == [8.0, 12.0]
    assert face.grad(scalar).tolist() == 160.0 and face.grad(scalar).shape == ()


def test_gradient_keeps_the_dtype_of_the_input(face):
    x, y = face.leaf([1.0, 2.0], "float32"), face.leaf([3.0, 4.0], "float64")
    face.backward((x * y).sum())
    assert face.grad(x).dtype == x.dtype and face.grad(y).dtype == y.dtype
    assert face.grad(x).tolist() == [3.0, 4.0]


def test_backward_takes_a_gradient_of_either_type(face):
    x = face.leaf([1.0, 2.0])
    face.backward(x * 2, torch_np.tensor([1.0, 10.0], dtype=torch_np.float64))
    face.backward(x * 2, np.array([1.0, 10.0]))
    assert face.grad(x).tolist() == [4.0, 40.0]


def test_a_graph_is_used_once_unless_retained(face):
    x = face.leaf(3.0)
    y = x * x
    face.backward(y, retain_graph=True)
    face.backward(y)
    assert float(face.grad(x)) == 12.0
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        face.backward(y)


def test_backward_into_chosen_inputs_only(face):
    x, y = face.leaf(2.0), face.leaf(3.0)
    face.backward(x * y, inputs=[x])
    assert float(face.grad(x)) == 3.0 and face.grad(y) is None
    with pytest.raises(RuntimeError, match="cannot be empty"):
        face.backward(x * y, inputs=[])


def test_grad_returns_gradients_and_touches_nothing(face):
    x, y = face.leaf([1.0, 2.0]), face.leaf([3.0, 4.0])
    gx, gy = grad((x * y).sum(), [x, y])
    assert gx.tolist() == [3.0, 4.0] and gy.tolist() == [1.0, 2.0]
    assert isinstance(gx, face.type)
    assert face.grad(x) is None


def test_grad_of_an_unused_input(face):
    x, unused = face.leaf(2.0), face.leaf([1.0, 1.0])
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        grad(x * x, [x, unused])
    assert grad(x * x, [x, unused], allow_unused=True)[1] is None
    assert grad(x * x, [x, unused], materialize_grads=True)[1].tolist() == [0.0, 0.0]


def test_grad_of_several_outputs_and_of_an_inner_tensor(face):
    x = face.leaf(2.0)
    y = x * x
    z = y * 3
    gy, = grad([y, z], [y])
    assert float(gy) == 4.0


def test_module_backward_takes_several_roots(face):
    x = face.leaf([1.0, 2.0])
    backward([x.sum(), x * 2], [None, face.plain([1.0, 10.0])])
    assert face.grad(x).tolist() == [3.0, 21.0]


def test_higher_derivatives(face):
    x = face.leaf(2.0)
    derivatives, y = [], x**4
    for _ in range(4):
        y, = grad(y, x, create_graph=True)
        derivatives.append(float(y))
    assert derivatives == [32.0, 48.0, 48.0, 24.0]


def test_backward_with_create_graph_gives_differentiable_gradients(face):
    x = face.leaf(3.0)
    face.backward(x**3, create_graph=True)
    g = face.grad(x)
    assert face.get(g, "requires_grad")
    second, = grad(g, x)
    assert float(second) == 18.0


# ------------------------------------------------------------------------------------------------ complex

def test_gradient_of_the_squared_modulus(face):
    z = face.leaf([1 + 2j, 3 - 1j], "complex128")
    face.backward((abs(z) ** 2).sum())
    assert face.grad(z).tolist() == pytest.approx([2 + 4j, 6 - 2j])


def test_gradient_of_a_holomorphic_function_is_conjugated(face):
    z = face.leaf([1 + 2j], "complex128")
    face.backward(z * z, face.plain([1.0 + 0j], "complex128"))
    assert face.grad(z).tolist() == pytest.approx([2 - 4j])  # conj(2 z)


def test_gradient_of_a_real_leaf_of_a_complex_graph_is_real(face):
    x = face.leaf([1.0, 2.0])
    w = face.plain([1 + 1j, 2 - 1j], "complex128")
    face.backward((abs(x * w) ** 2).sum())
    assert face.grad(x).dtype == x.dtype
    assert face.grad(x).tolist() == pytest.approx([4.0, 20.0])


# ------------------------------------------------------------------------------------------------ modes

def test_no_grad_records_nothing(face):
    x = face.leaf([1.0])
    with no_grad():
        assert not torch_np.is_grad_enabled()
        y = x * 2
        with enable_grad():
            z = x * 2
    assert torch_np.is_grad_enabled()
    assert not face.get(y, "requires_grad") and face.get(z, "requires_grad")


def test_modes_are_restored_after_an_exception():
    with pytest.raises(ZeroDivisionError), no_grad():
        raise ZeroDivisionError
    assert torch_np.is_grad_enabled()


@pytest.mark.parametrize("make", [no_grad, lambda: no_grad, lambda: set_grad_enabled(False)], ids=["call", "bare", "set"])
def test_modes_are_decorators(make):
    decorator = make()

    @decorator
    def inside(depth):
        """Doc."""
        return (torch_np.is_grad_enabled(), inside(depth - 1) if depth else None)

    assert inside(2) == (False, (False, (False, None)))
    assert inside.__name__ == "inside" and inside.__doc__ == "Doc."
    assert torch_np.is_grad_enabled()


def test_a_decorated_generator_keeps_its_mode_to_itself():
    @no_grad()
    def numbers():
        seen = yield torch_np.is_grad_enabled()
        yield seen, torch_np.is_grad_enabled()
        return "end"

    generator = numbers()
    assert next(generator) is False
    assert torch_np.is_grad_enabled()
    assert generator.send("sent") == ("sent", False)
    with pytest.raises(StopIteration, match="end"):
        next(generator)


def test_set_grad_enabled_is_a_function_and_a_context():
    set_grad_enabled(False)
    assert not torch_np.is_grad_enabled()
    set_grad_enabled(True)
    with set_grad_enabled(False):
        assert not torch_np.is_grad_enabled()
    assert torch_np.is_grad_enabled()


# ------------------------------------------------------------------------------------------------ in place and views

def test_in_place_operations_on_inner_tensors_are_recorded(face):
    x, w = face.leaf([1.0, 2.0]), face.leaf([3.0, 4.0])
    y = x * 2
    y *= w
    y += x
    face.backward(y.sum())
    assert face.grad(x).tolist() == [7.0, 9.0]
    assert face.grad(w).tolist() == [2.0, 4.0]


def test_in_place_operations_on_leaves_raise(face):
    x = face.leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        x += 1
    with pytest.raises(RuntimeError, match="a view of a leaf Variable that requires grad is being used in an in-place"):
        x[0] = 1.0
    assert x.tolist() == [1.0, 2.0]
    with no_grad():
        x += 1
        x[0] = 5.0
    assert x.tolist() == [5.0, 3.0] and face.get(x, "is_leaf")


def test_an_overwritten_saved_tensor_raises(face):
    x, w = face.leaf([2.0]), face.plain([3.0])
    y = (x * w).sum()
    w += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation.*is at version \\d+; expected version \\d+"):
        face.backward(y)


def test_an_overwritten_result_raises(face):
    x = face.leaf([2.0])
    y = face.xp.exp(x)
    y += 1
    with pytest.raises(RuntimeError, match="output 0 of ExpBackward.* is at version \\d+; expected version \\d+"):
        face.backward(y.sum())


def test_a_detached_array_shares_memory_and_version(face):
    x = face.leaf([2.0])
    y = x * 3
    z = (y * y).sum()
    d = face.call(y, "detach")
    assert not face.get(d, "requires_grad")
    d += 1
    assert y.tolist() == [7.0]
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        face.backward(z)


def test_writing_into_a_slice_cuts_its_gradient(face):
    x, v = face.leaf([1.0, 2.0, 3.0, 4.0]), face.leaf(10.0)
    y = x * 2
    y[1:3] = v
    face.backward((y * face.plain([1.0, 2.0, 3.0, 4.0])).sum())
    assert face.grad(x).tolist() == [2.0, 0.0, 0.0, 8.0]
    assert float(face.grad(v)) == 5.0


def test_in_place_on_a_view_changes_the_gradient_of_its_base(face):
    x = face.leaf([[1.0, 2.0], [3.0, 4.0]])
    y = x * 1
    row = y[1]
    row *= 10
    assert y.tolist() == [[1.0, 2.0], [30.0, 40.0]]
    face.backward(y.sum())
    assert face.grad(x).tolist() == [[1.0, 1.0], [10.0, 10.0]]


def test_in_place_on_a_base_changes_the_gradient_of_its_views(face):
    x = face.leaf([1.0, 2.0, 3.0])
    y = x * 1
    view = y[1:]
    y *= face.plain([10.0, 100.0, 1000.0])
    assert view.tolist() == [200.0, 3000.0]
    face.backward(view.sum())
    assert face.grad(x).tolist() == [0.0, 100.0, 1000.0]


def test_in_place_on_a_reversed_view():
    x = np.array([1.0, 2.0, 3.0])
    x._requires_grad = True
    y = x * 1
    backwards = y[::-1]
    backwards *= np.array([1.0, 10.0, 100.0])
    y.sum()._backward()
    assert x._grad.tolist() == [100.0, 10.0, 1.0]


def test_writing_a_tracked_value_makes_an_untracked_array_tracked(face):
    x = face.leaf([1.0, 2.0])
    out = face.plain([0.0, 0.0, 0.0, 0.0])
    window = out[1:]
    out[:2] = x
    out[2:] = x * 3
    assert face.get(out, "requires_grad") and face.get(window, "requires_grad")
    face.backward(window.sum())
    assert face.grad(x).tolist() == [3.0, 4.0]


def test_gradient_through_slices_with_any_step():
    x = np.array([1.0, 2.0, 3.0, 4.0, 5.0])
    x._requires_grad = True
    (x[::-2] * np.array([1.0, 10.0, 100.0])).sum()._backward()
    assert x._grad.tolist() == [100.0, 0.0, 10.0, 0.0, 1.0]


def test_gradient_through_integer_arrays_counts_repetitions(face):
    x = face.leaf([1.0, 2.0, 3.0])
    face.backward(x[face.plain([0, 2, 2], "int64")].sum())
    assert face.grad(x).tolist() == [1.0, 0.0, 2.0]


def test_gradient_through_a_mask(face):
    x = face.leaf([1.0, -2.0, 3.0])
    face.backward((x[x > 0] ** 2).sum())
    assert face.grad(x).tolist() == [2.0, 0.0, 6.0]


def test_a_view_made_without_recording_may_not_be_changed_while_recording(face):
    y = face.leaf([1.0, 2.0]) * 1
    with no_grad():
        view = y[0:1]
    assert not face.get(view, "requires_grad")
    with pytest.raises(RuntimeError, match="A view was created in no_grad mode and is being modified inplace"):
        view *= 2


def test_detach_in_place(face):
    x = face.leaf([1.0, 2.0])
    y = x * 2
    view = y[0:1]
    with pytest.raises(RuntimeError, match="Can't detach views in-place"):
        face.call(view, "detach_")
    assert face.call(y, "detach_") is y
    assert not face.get(y, "requires_grad") and face.get(y, "grad_fn") is None


# ------------------------------------------------------------------------------------------------ hooks

def test_hooks_see_and_replace_gradients(face):
    x = face.leaf([1.0, 2.0])
    y = x * 2
    seen = []
    handle = face.call(y, "register_hook", lambda g: seen.append((type(g), g.tolist())))
    face.call(y, "register_hook", lambda g: g * 10)
    face.call(x, "register_hook", lambda g: g + 1)
    face.backward((y * 3).sum(), retain_graph=True)
    assert seen == [(face.type, [3.0, 3.0])]
    assert face.grad(x).tolist() == [61.0, 61.0]
    handle.remove()
    handle.remove()
    face.set(x, "grad", None)
    face.backward(y.sum())
    assert len(seen) == 1 and face.grad(x).tolist() == [21.0, 21.0]


def test_a_hook_of_one_type_may_return_the_other():
    x = np.array([1.0])
    x._requires_grad = True
    x._register_hook(lambda g: g._torch() * 2)
    x.sum()._backward()
    assert x._grad.tolist() == [2.0]


def test_a_hook_handle_is_a_context_manager(face):
    x = face.leaf(1.0)
    with face.call(x, "register_hook", lambda g: g * 5):
        face.backward(x * 1)
    face.backward(x * 1)
    assert float(face.grad(x)) == 6.0


def test_errors_of_hooks_reach_the_caller_and_leave_the_graph_usable(face):
    x = face.leaf(2.0)
    y = x * x

    def fail(g):
        raise KeyError("from the hook")

    handle = face.call(y, "register_hook", fail)
    with pytest.raises(KeyError, match="from the hook"):
        face.backward(y)
    handle.remove()
    face.backward(y)
    assert float(face.grad(x)) == 4.0


def test_bad_hooks_raise(face):
    x = face.leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="cannot register a hook on a tensor that doesn't require gradient"):
        face.call(face.plain([1.0]), "register_hook", print)
    with pytest.raises(TypeError, match="callable"):
        face.call(x, "register_hook", 3)
    with face.call(x, "register_hook", lambda g: 3), pytest.raises(TypeError, match="must return an array or None"):
        face.backward(x.sum())
    with face.call(x, "register_hook", lambda g: g.sum()), pytest.raises(RuntimeError, match="wrong size"):
        face.backward(x.sum())


def test_a_hook_may_run_backward_itself(face):
    x, w = face.leaf(2.0), face.leaf(5.0)
    y = x * x

    def hook(g):
        with enable_grad():
            face.backward(w * w)

    face.call(y, "register_hook", hook)
    face.backward(y)
    assert float(face.grad(x)) == 4.0 and float(face.grad(w)) == 10.0


def test_retain_grad_keeps_inner_gradients(face):
    x = face.leaf(3.0)
    y = x * 2
    face.call(y, "retain_grad")
    face.backward(y * y)
    assert float(face.grad(y)) == 12.0
    with pytest.raises(RuntimeError, match="can't retain_grad on Tensor that has requires_grad=False"):
        face.call(face.plain(1.0), "retain_grad")


def test_grad_fn_shows_the_graph(face):
    x = face.leaf([1.0, 2.0])
    y = (x + 1).sum()
    fn = face.get(y, "grad_fn")
    assert fn.name() == "SumBackward0" and "SumBackward0" in repr(fn)
    assert fn == face.get(y, "grad_fn") and hash(fn) == hash(face.get(y, "grad_fn"))
    (add, number), = fn.next_functions
    assert add.name() == "AddBackward0" and number == 0
    assert [None if f is None else f.name() for f, _ in add.next_functions] == ["torch::autograd::AccumulateGrad", None]
    assert face.get(x, "grad_fn") is None


def test_hooks_of_nodes(face):
    x = face.leaf([1.0, 2.0])
    y = x * 3
    face.get(y, "grad_fn").register_hook(lambda inputs, outputs: tuple(None if g is None else g * 2 for g in inputs))
    face.get(y, "grad_fn").register_prehook(lambda outputs: (outputs[0] + 1,))
    face.backward(y.sum())
    assert face.grad(x).tolist() == [12.0, 12.0]


# ------------------------------------------------------------------------------------------------ Function

class Square(Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        assert not torch_np.is_grad_enabled()
        return x * x

    @staticmethod
    def backward(ctx, g):
        x, = ctx.saved_tensors
        return 2 * x * g


def test_a_function_records_its_own_derivative(face):
    x = face.leaf([1.0, 2.0])
    y = Square.apply(x)
    assert isinstance(y, face.type) and face.get(y, "grad_fn").name() == "SquareBackward"
    face.backward(y.sum())
    assert face.grad(x).tolist() == [2.0, 4.0]


def test_a_function_passes_gradcheck(face):
    x = face.leaf([0.5, -1.5])
    assert gradcheck(Square.apply, (x,)) and gradgradcheck(Square.apply, (x,))


def test_a_function_with_other_arguments_and_outputs(face):
    class Scale(Function):
        @staticmethod
        def forward(ctx, x, factor, y, name=None):
            ctx.factor = factor
            assert ctx.needs_input_grad[:3] == (True, False, False)
            return x * factor, "no array", y * 1

        @staticmethod
        def backward(ctx, gx, nothing, gy):
            assert nothing is None
            assert gy.tolist() == [0.0]  # materialized zeros
            return gx * ctx.factor, None, None, None

    x, y = face.leaf([1.0, 2.0]), face.plain([1.0])
    a, text, _ = Scale.apply(x, 3.0, y, None)
    assert text == "no array"
    face.backward(a.sum())
    assert face.grad(x).tolist() == [3.0, 3.0]


def test_a_function_may_see_none_for_zero_gradients(face):
    class Two(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 1, x * 2

        @staticmethod
        def backward(ctx, a, b):
            assert a is None
            return b * 2

    x = face.leaf([1.0])
    face.backward(Two.apply(x)[1].sum())
    assert face.grad(x).tolist() == [2.0]


def test_setup_context_separates_forward(face):
    class Cube(Function):
        @staticmethod
        def forward(x):
            return x**3

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[0])

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return 3 * x**2 * g

    x = face.leaf(2.0)
    face.backward(Cube.apply(x))
    assert float(face.grad(x)) == 12.0


def test_a_function_that_saves_its_output(face):
    class Exp(Function):
        @staticmethod
        def forward(ctx, x):
            result = face.xp.exp(x)
            ctx.save_for_backward(result)
            return result

        @staticmethod
        def backward(ctx, g):
            result, = ctx.saved_tensors
            return g * result

    x = face.leaf([0.5])
    assert gradcheck(Exp.apply, (x,)) and gradgradcheck(Exp.apply, (x,))
    node = weakref.ref(x)
    y = Exp.apply(x)
    del x, y
    gc.collect()
    assert node() is None  # the saved output makes no reference cycle


def test_a_function_may_change_its_input(face):
    class Double(Function):
        @staticmethod
        def forward(ctx, x):
            x *= 2
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 2

    x = face.leaf([1.0, 2.0])
    y = x * 1
    z = Double.apply(y)
    assert z is y and y.tolist() == [2.0, 4.0]
    face.backward(y.sum())
    assert face.grad(x).tolist() == [2.0, 2.0]
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad"):
        Double.apply(x)


def test_a_function_may_return_its_input(face):
    class Same(Function):
        @staticmethod
        def forward(ctx, x):
            return x

        @staticmethod
        def backward(ctx, g):
            return g * 7

    x = face.leaf([1.0])
    y = Same.apply(x)
    assert y is not x and face.get(x, "is_leaf")
    face.backward(y.sum())
    assert face.grad(x).tolist() == [7.0]


def test_outputs_marked_non_differentiable(face):
    class WithIndex(Function):
        @staticmethod
        def forward(ctx, x):
            other = x * 0
            ctx.mark_non_differentiable(other)
            return x * 2, other

        @staticmethod
        def backward(ctx, g, unused):
            return g * 2

    a, b = WithIndex.apply(face.leaf([1.0]))
    assert face.get(a, "requires_grad") and not face.get(b, "requires_grad")


@pytest.mark.parametrize("returned, error, text", [
    ((None, None, 1.0), RuntimeError, "incorrect number of gradients \\(expected 2, got 3\\)"),
    (3.0, RuntimeError, "incorrect number of gradients \\(expected 2, got 1\\)"),
    ((3.0, None), TypeError, "expected an array or None"),
    ((None, 4.0), RuntimeError, "returned a gradient different from None at position 2"),
], ids=["many", "few", "type", "constant"])
def test_wrong_gradients_of_a_function_raise(face, returned, error, text):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x, factor):
            return x * factor

        @staticmethod
        def backward(ctx, g):
            return returned

    x = face.leaf([1.0])
    with pytest.raises(error, match=text):
        face.backward(Wrong.apply(x, 2).sum())


def test_a_function_with_a_gradient_of_the_wrong_shape_raises(face):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return face.plain([1.0, 2.0, 3.0])

    with pytest.raises(RuntimeError, match="returned an invalid gradient at index 0 - got \\(3,\\) but expected shape "
                                           "compatible with \\(2,\\)"):
        face.backward(Wrong.apply(face.leaf([1.0, 2.0])).sum())


def test_saved_tensors_are_freed_and_checked(face):
    x = face.leaf([1.0, 2.0])
    y = Square.apply(x * 1)
    face.backward(y.sum())
    with pytest.raises(RuntimeError, match="Trying to backward through the graph a second time"):
        face.backward(y.sum())
    inner = x * 1
    y = Square.apply(inner)
    inner += 1
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        face.backward(y.sum())


def test_missing_parts_of_a_function_raise():
    with pytest.raises(NotImplementedError, match="You must implement the forward function"):
        Function.apply(1)
    with pytest.raises(TypeError, match="save_for_backward takes arrays and None, but argument 0 is of type int"):
        torch_np.autograd.FunctionCtx().save_for_backward(3)


def test_once_differentiable_raises_in_the_second_derivative(face):
    class Once(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @once_differentiable
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return 2 * x * g

    x = face.leaf(3.0)
    weight = face.leaf(1.0)
    g, = grad(Once.apply(x) * weight, x, create_graph=True)
    assert float(g) == 6.0
    with pytest.raises(RuntimeError, match="differentiate twice"):
        grad(g, weight)


# ------------------------------------------------------------------------------------------------ errors, memory

@pytest.mark.parametrize("dtype", ["int64", "bool", "uint8"])
def test_only_inexact_dtypes_require_gradients(face, dtype):
    x = face.plain([1], dtype)
    with pytest.raises(RuntimeError, match="only Tensors of floating point and complex dtype can require gradients"):
        face.set(x, "requires_grad", True)


def test_errors_of_backward(face):
    x = face.leaf([1.0, 2.0])
    with pytest.raises(RuntimeError, match="grad can be implicitly created only for scalar outputs"):
        face.backward(x * 2)
    with pytest.raises(RuntimeError, match="element 0 of tensors does not require grad and does not have a grad_fn"):
        face.backward(face.plain(1.0))
    with pytest.raises(RuntimeError, match="Mismatch in shape: grad_output\\[0\\]"):
        face.backward(x * 2, face.plain([1.0]))
    with pytest.raises(RuntimeError, match="does not require grad"):
        grad(x.sum(), face.plain(1.0))
    with pytest.raises(RuntimeError, match="you can only change requires_grad flags of leaf variables"):
        face.set(x * 2, "requires_grad", False)


def test_errors_of_assigning_a_gradient(face):
    x = face.leaf([1.0, 2.0])
    for wrong, error, text in [(face.plain([1.0]), RuntimeError, "different size"),
                               (face.plain([1.0, 2.0], "float32"), RuntimeError, "different type"),
                               (x, RuntimeError, "its own grad"),
                               (3.0, TypeError, "expected to be an? (array|Tensor) or None")]:
        with pytest.raises(error, match=text):
            face.set(x, "grad", wrong)
    face.set(x, "grad", face.plain([5.0, 6.0]))
    assert face.grad(x).tolist() == [5.0, 6.0]


def test_integer_results_are_not_tracked(face):
    x = face.leaf([1.0, 3.0, 2.0])
    assert not getattr(x.argmax(), "requires_grad", False)
    assert not face.get(x > 1, "requires_grad")


def test_writing_a_recorded_result_into_out_raises(face):
    x, out = face.leaf([1.0]), face.plain([0.0])
    with pytest.raises(RuntimeError, match="out=... arguments don't support automatic differentiation"):
        face.xp.add(x, 1.0, out=out)


def test_a_deep_graph_needs_no_stack(face):
    x = face.leaf(1.0)
    y = x
    for _ in range(100_000):
        y = y + 1
    face.backward(y, retain_graph=True)
    assert float(face.grad(x)) == 1.0
    del y


def test_gradient_of_many_uses_of_one_leaf(face):
    x = face.leaf([2.0])
    total = face.plain([0.0])
    for i in range(50):
        total = total + x * i
    face.backward(total.sum())
    assert face.grad(x).tolist() == [sum(range(50))]


# ------------------------------------------------------------------------------------------------ gradcheck itself

def test_gradcheck_finds_a_wrong_derivative(face):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2.01

    x = face.leaf([1.0, 2.0])
    with pytest.raises(GradcheckError, match="output 0, element 0, with respect to input 0, element 0"):
        gradcheck(Wrong.apply, (x,))
    assert not gradcheck(Wrong.apply, (x,), raise_exception=False)
    assert x.tolist() == [1.0, 2.0]


def test_gradcheck_finds_a_missing_conjugate(face):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, z):
            return z * (1 + 2j)

        @staticmethod
        def backward(ctx, g):
            return g * (1 + 2j)

    assert not gradcheck(Wrong.apply, (face.leaf([1 + 1j], "complex128"),), raise_exception=False)
    assert gradcheck(lambda z: z * (1 + 2j), (face.leaf([1 + 1j], "complex128"),))


def test_gradgradcheck_finds_a_wrong_second_derivative(face):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return 2 * (x._detach() if face.name == "ndarray" else x.detach()) * g

    x = face.leaf([1.0, 2.0])
    assert gradcheck(Wrong.apply, (x,))
    assert not gradgradcheck(Wrong.apply, (x,), raise_exception=False)


def test_gradcheck_finds_wrong_tangents(face):
    class Wrong(Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

        @staticmethod
        def jvp(ctx, t):
            return t * 3

    x, z = face.leaf([1.0, 2.0]), face.leaf([1 + 1j], "complex128")
    assert gradcheck(Wrong.apply, (x,)) and not gradcheck(Wrong.apply, (x,), raise_exception=False, check_forward_ad=True)
    with pytest.raises(GradcheckError, match="Jacobian computed with forward mode mismatch for output 0 with respect to input 0"):
        gradcheck(Wrong.apply, (x,), check_forward_ad=True, check_backward_ad=False)
    assert gradcheck(lambda x, z: (x * x, z * z.conj(), abs(z)), (x, z), check_forward_ad=True, check_batched_forward_grad=True)
    assert gradgradcheck(lambda x: x * x * x, (x,), check_fwd_over_rev=True)
    assert gradgradcheck(lambda x: x * x * x, (x,), check_fwd_over_rev=True, check_rev_over_rev=False)
    with pytest.raises(AssertionError, match="at least one of"):
        gradcheck(Wrong.apply, (x,), check_backward_ad=False)


def test_gradcheck_warns_of_short_floats(face):
    with pytest.warns(UserWarning, match="is not a double precision"):
        assert not gradcheck(lambda x: x * x, (face.leaf([1.0], "float32"),), raise_exception=False)
    with pytest.raises(ValueError, match="at least one input"):
        gradcheck(lambda x: x * 2, (face.plain([1.0]),))


# ------------------------------------------------------------------------------------------------ idioms

def augmented_slice(xp, y, x):
    y[1:3] += x[:2] * 2


def augmented_row_from_another(xp, y, x):
    y[0] += y[1]


def augmented_mask(xp, y, x):
    y[y > 0] *= x[0]


def augmented_integer_array(xp, y, x):
    y[xp.asarray([0, 2])] -= x[1:3]


def nested_views(xp, y, x):
    inner = y[1:][:2]
    inner *= x[:2]
    inner[0] = x[3] + inner[1]


def two_views_in_turn(xp, y, x):
    a, b = y[:3], y[1:]
    a *= x[0]
    b *= a * 1.0  # a copy, since a itself would be overwritten through b
    y += b[0] * 1.0


def a_loop_of_recurrences(xp, y, x):
    for i in range(1, 4):
        y[i] = y[i - 1] * 2.0 + x[i]


@pytest.mark.parametrize("program", [augmented_slice, augmented_row_from_another, augmented_mask, augmented_integer_array,
                                     nested_views, two_views_in_turn, a_loop_of_recurrences], ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_in_place_programs_have_right_derivatives(face, program, dtype):
    if dtype == "complex128" and program is augmented_mask:
        pytest.skip("complex numbers have no order in torch_np")

    def run(x):
        y = x * 2
        program(face.xp, y, x)
        return y

    x = face.leaf([0.5, -1.5, 0.75, 1.25], dtype)
    assert gradcheck(run, (x,)) and gradgradcheck(run, (x,))


def a_recurrence_of_products(face):
    x = face.leaf([0.5, 1.5, 2.5])
    y = x * 1
    for i in range(1, 3):
        y[i] = y[i - 1] * x[i]
    return x, y


def test_a_recurrence_that_overwrites_what_it_needs_raises():
    torch = Face("Tensor")
    x, y = a_recurrence_of_products(torch)  # needs y[i - 1], a view of memory that the next iteration overwrites
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.backward(y.sum())


def test_a_recurrence_in_numpys_style_is_differentiable():
    numpy_face = Face("ndarray")
    # elements are values there: Note [Elements are values] in csrc/indexing/indexing.cpp
    x, y = a_recurrence_of_products(numpy_face)
    numpy_face.backward(y.sum())
    assert numpy_face.grad(x).tolist() == [6.25, 1.75, 0.75]


def test_in_place_keeps_the_dtype_of_the_target(face):
    x, w = face.leaf([1.0, 2.0], "float32"), face.leaf([3.0, 4.0], "float64")
    y = x * 1
    y *= w
    assert y.dtype == x.dtype
    face.backward(y.sum())
    assert face.grad(w).dtype == w.dtype and face.grad(w).tolist() == [1.0, 2.0]
    assert face.grad(x).tolist() == [3.0, 4.0]


def test_gradients_flow_into_the_real_and_imaginary_parts():
    z = np.array([1 + 2j, 3 + 4j])
    z._requires_grad = True
    w = z * 1
    w.real *= np.array([10.0, 100.0])
    w.imag[1] = 0.0
    (w.real.sum() + 2 * w.imag.sum())._backward()
    assert z._grad.tolist() == [10 + 2j, 100 + 0j]


def test_threads_may_share_leaves(face):
    x = face.leaf([1.0, 2.0])

    def work():
        for _ in range(200):
            with no_grad():
                assert not torch_np.is_grad_enabled()
            face.backward((x * x).sum())

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(work) for _ in range(4)]:
            done.result()
    assert face.grad(x).tolist() == [1600.0, 3200.0]


def test_copies_of_leaves(face):
    x = face.leaf([1.0, 2.0])
    face.backward((x * x).sum())
    y = copy.deepcopy(x)
    assert face.get(y, "requires_grad") and face.get(y, "is_leaf") and face.grad(y).tolist() == [2.0, 4.0]
    face.backward((y * 2).sum())
    assert face.grad(x).tolist() == [2.0, 4.0]
    assert face.get(pickle.loads(pickle.dumps(x)), "requires_grad")


@pytest.mark.parametrize("kind", ["prehook", "hook", "tensor"])
def test_hooks_may_register_and_remove_hooks(face, kind):
    """A hook that is registered while the hooks of a node run is called from the next run on."""
    x = face.leaf([1.0, 2.0])
    y = x * 2
    calls = []
    others = [x * 1 for _ in range(50)]

    def register(f, y=y):
        node = face.get(y, "grad_fn")
        return {"prehook": node.register_prehook, "hook": node.register_hook, "tensor": lambda f: face.call(y, "register_hook", f)}[kind](f)

    def first(*args):
        calls.append("first")
        for _ in range(100):  # the list of hooks is reallocated
            register(lambda *args: calls.append("later"))
        for other in others:  # and other objects use its old memory
            register(lambda *args: calls.append("another's"), other)
            register(lambda *args: calls.append("another's"), other)

    register(first)
    register(lambda *args: calls.append("second"))
    face.backward(y.sum(), retain_graph=True)
    assert calls == ["first", "second"]
    assert face.grad(x).tolist() == [2.0, 2.0]


def test_a_hook_on_a_view_that_was_changed_in_place_may_register_others(face):
    x = face.leaf([1.0, 2.0, 3.0])
    y = x * 1
    v = y[:2]
    v *= 3.0
    calls = []
    y_node = face.get(y, "grad_fn")  # CopySlices, which calls the hooks of the operation's node
    node = face.get(v, "grad_fn")

    def first(*args):
        calls.append(len(args))
        for _ in range(100):
            node.register_prehook(lambda *a: None)
            node.register_hook(lambda *a: None)
            y_node.register_prehook(lambda *a: None)

    for n in (node, y_node):
        n.register_prehook(first)
        n.register_hook(first)
    face.backward((v * 2).sum())
    assert calls == [1, 2, 1, 2]


def test_what_a_removed_hook_owned_may_change_the_hooks(face):
    x = face.leaf([1.0])
    handles = []

    class Owned:
        def __del__(self):
            for _ in range(100):
                handles.append(face.call(x, "register_hook", lambda g: None))

    def make():
        owned = Owned()
        return lambda g: owned and None

    handles.append(face.call(x, "register_hook", make()))
    handles[0].remove()
    assert len(handles) == 101
    face.backward((x * 2).sum())
    assert face.grad(x).tolist() == [2.0]
