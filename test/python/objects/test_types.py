"""The two Python types: identity, attributes, subclasses, pickling, copies, iteration, comparison, flags."""
import copy
import gc
import itertools
import pickle
import weakref

import numpy
import pytest

import torch_np
import torch_np.numpy as np


def test_two_faces_share_one_tensor():
    x = np.zeros(3)
    t = x._torch()
    assert type(t) is torch_np.Tensor and t._np_compat() is x and x._torch() is t
    t[0] = 5
    assert x[0] == 5
    t.requires_grad = True
    assert x._requires_grad


def test_binary_operator_has_the_left_operands_type():
    x, t = np.ones(2), torch_np.ones(2)
    assert type(x + t) is np.ndarray and type(t + x) is torch_np.Tensor
    assert type(2 * t) is torch_np.Tensor and type(2 * x) is np.ndarray
    assert type([1, 2] + x) is np.ndarray
    assert type(numpy.ones(2) + x) is np.ndarray and type(numpy.float64(2) * x) is np.ndarray


def test_operators_against_numpy():
    a, b = numpy.array([5, -7, 9]), numpy.array([2, 3, -4])
    x, y = np.array(a), np.array(b)
    import operator as op
    for f in (op.add, op.sub, op.mul, op.truediv, op.floordiv, op.mod, op.and_, op.or_, op.xor, op.lt, op.le, op.eq, op.ne, op.gt,
              op.ge, op.matmul):
        assert numpy.array_equal(numpy.asarray(f(x, y)), f(a, b)), f
    for f in (op.neg, op.pos, op.abs, op.invert):
        assert numpy.array_equal(numpy.asarray(f(x)), f(a)), f
    q, r = divmod(x, y)
    assert numpy.array_equal(numpy.asarray(q), a // b) and numpy.array_equal(numpy.asarray(r), a % b)
    assert numpy.array_equal(numpy.asarray(2 ** np.array([1, 2])), [2, 4])
    with pytest.raises(TypeError):
        pow(x, 2, 3)


def test_inplace_operators_write_to_the_same_object():
    x = np.array([1.0, 2.0])
    y = x
    x += 1
    x *= [2, 3]
    assert x is y and y.tolist() == [4.0, 9.0]
    with pytest.raises(TypeError):
        i = np.array([1, 2])
        i += 0.5
    t = torch_np.ones(2)
    u = t
    t += 1
    assert t is u and u.tolist() == [2.0, 2.0]


def test_inplace_operator_is_recorded():
    w = np.ones(3, _requires_grad=True)
    y = w * 2
    y *= w
    y += 1
    y.sum()._backward()
    assert w._grad.tolist() == [4.0, 4.0, 4.0]


def test_foreign_operand_may_take_over():
    class Declines:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "radd"

    class Unknown:
        def __rmul__(self, other):
            return "rmul"

    assert np.ones(2) + Declines() == "radd"
    assert (np.ones(2) * Unknown()).tolist() == ["rmul", "rmul"]  # NumPy's result, element by element
    with np._fallback("raise"):
        assert np.ones(2) * Unknown() == "rmul"
    assert torch_np.ones(2) * Unknown() == "rmul"
    with pytest.raises(TypeError):
        np.ones(2) + object()
    with pytest.raises(TypeError):
        torch_np.ones(2) + [1, 2]


def test_foreign_ufunc_override_is_called():
    class Override:
        def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
            return ufunc.__name__, method, len(inputs), sorted(kwargs)

    assert np.add(np.ones(2), Override()) == ("add", "__call__", 2, [])
    assert np.ones(2) + Override() == ("add", "__call__", 2, [])
    assert np.add.reduce(Override(), axis=0) == ("add", "reduce", 1, ["axis"])


def test_numpys_functions_run_ours():
    x = np.array([1.0, 2.0, 3.0])
    assert type(numpy.add(x, 1)) is np.ndarray and numpy.add(x, 1).tolist() == [2.0, 3.0, 4.0]
    assert type(numpy.add.reduce(x)) is numpy.float64 and numpy.add.reduce(x) == 6
    assert type(numpy.concatenate([x, x])) is np.ndarray and numpy.concatenate([x, x]).shape == (6,)
    assert type(numpy.sum(x)) is numpy.float64 and type(numpy.sum(x[None], axis=0)) is np.ndarray
    target = numpy.zeros(3)
    assert numpy.add(x, 1, out=target) is target and target.tolist() == [2.0, 3.0, 4.0]
    target += x
    assert type(target) is numpy.ndarray and target.tolist() == [3.0, 5.0, 7.0]


def test_equality_with_what_is_no_array():
    x = np.array([1, 2])
    assert (x == None).tolist() == [False, False] and (x != "a").tolist() == [True, True]  # noqa: E711
    assert not (torch_np.ones(2) == None) and torch_np.ones(2) != "a"  # noqa: E711
    with pytest.raises(TypeError):
        x < None


def test_truth_value():
    assert np.array(1) and not np.array([0]) and torch_np.tensor(3.0)
    for x, error in ((np.ones(2), ValueError), (np.ones(0), ValueError), (torch_np.ones(2), RuntimeError), (torch_np.ones(0), RuntimeError)):
        with pytest.raises(error, match="ambiguous"):
            bool(x)


def test_list_times_integer_result_repeats():
    n = np.array([1, 2]).sum()
    assert [0] * n == [0, 0, 0] and n * (1,) == (1, 1, 1) and "ab" * n == "ababab"
    assert (np.array([1, 2]) * [3, 4]).tolist() == [3, 8]


def test_zero_dimensional_array_times_a_sequence_multiplies_its_elements():
    class Sub(np.ndarray):
        pass

    for n in (np.array(2), np.array(2).view(Sub), np.array([2, 3])[:1].reshape(())):
        items, mine = [1, 2], n.copy()
        for result in (n * [1, 2], [1, 2] * n, n * (1, 2), (1, 2) * n, np.multiply(n, [1, 2])):
            assert isinstance(result, type(n)) and result.tolist() == [2, 4]
        items *= n
        assert isinstance(items, np.ndarray) and items.tolist() == [2, 4]
        for wrong in (lambda: mine * "ab", lambda: "ab" * mine, lambda: mine * b"ab"):
            with pytest.raises(TypeError):
                wrong()


def test_length_iteration_and_membership():
    x = np.arange(6).reshape(2, 3)
    assert len(x) == 2 and [row.tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    assert 5 in x and 7 not in x and 5 in x._torch()
    for empty in (np.array(1), torch_np.tensor(1)):
        with pytest.raises(TypeError):
            len(empty)
        with pytest.raises(TypeError):
            iter(empty)


def test_hash():
    for x in (np.ones(2), np.array(3)._cpu()):
        with pytest.raises(TypeError, match="unhashable"):
            hash(x)
    assert np.ndarray.__hash__ is None
    value = np.array(2.5)
    value._requires_grad = True
    assert hash(value) == hash(2.5)  # would be a scalar without its gradient
    t = torch_np.ones(2)
    assert {t: 1}[t] == 1


def test_weak_references_and_lifetime():
    x = np.ones(3)
    t = x._torch()
    r, s = weakref.ref(x), weakref.ref(t)
    del x
    gc.collect()
    assert r() is None and s() is t
    assert type(t._np_compat()) is np.ndarray
    del t
    gc.collect()
    assert s() is None


def test_tensor_has_attributes_and_cycles_are_collected():
    t = torch_np.ones(2)
    t.me = t
    r = weakref.ref(t)
    del t
    gc.collect()
    assert r() is None
    with pytest.raises(AttributeError):
        np.ones(2).me = 1


class Named(np.ndarray):
    def __new__(cls, data, name="?"):
        self = np.asarray(data).view(cls)
        self.name = name
        return self

    def __array_finalize__(self, obj):
        self.name = getattr(obj, "name", "?")

    def __reduce__(self):
        made, args, state = super().__reduce__()
        return made, args, state + (self.name,)

    def __setstate__(self, state):
        self.name = state[-1]
        super().__setstate__(state[:-1])


def test_subclass_survives_operators_slices_and_ufuncs():
    x = Named([1.0, 2.0, 3.0], "n")
    for y in (x + 1, 1 + x, -x, x[1:], np.exp(x), x.view(), x.T, x == 1):
        assert type(y) is Named and y.name == "n", y
    assert type(x.view(np.ndarray)) is np.ndarray and type(np.asarray(x)) is np.ndarray
    x += 1
    assert type(x) is Named


def test_pickle_of_both_types_and_of_subclasses():
    x = np.arange(6, dtype="float32").reshape(2, 3)[:, ::-1]
    y = pickle.loads(pickle.dumps(x))
    assert type(y) is np.ndarray and y.dtype == x.dtype and y.tolist() == x.tolist()
    t = torch_np.ones(2, requires_grad=True)
    t.note = "a"
    u = pickle.loads(pickle.dumps(t))
    assert type(u) is torch_np.Tensor and u.requires_grad and u.note == "a" and u.tolist() == [1, 1]
    n = pickle.loads(pickle.dumps(Named([1, 2], "p")))
    assert type(n) is Named and n.name == "p"
    assert pickle.loads(pickle.dumps(np.add)) is np.add
    assert pickle.loads(pickle.dumps(np.sum)) is np.sum
    assert pickle.loads(pickle.dumps(torch_np.float32)) is torch_np.float32
    for state in ((), (1,), (1, (2,), "float32", b"", False, None), (1, (-1,), "float32", b"", False, None), (1, (1,), "x", b"", False, None)):
        with pytest.raises((TypeError, ValueError)):
            np.ones(1).__setstate__(state)


def test_copy_and_deepcopy():
    x = np.ones(2, _requires_grad=True)
    d = copy.deepcopy(x)
    assert d is not x and d._requires_grad and d.tolist() == [1.0, 1.0]
    y = np.ones(2)
    c = copy.copy(y)
    c[0] = 5
    assert y[0] == 1
    assert copy.deepcopy([y, y])[0] is not y
    n = copy.deepcopy(Named([1, 2], ["inner"]))
    assert type(n) is Named and n.name == ["inner"]


def test_metadata():
    x = np.zeros((2, 3), dtype="int16")
    assert (x.shape, x.ndim, x.size, x.itemsize, x.nbytes, x.strides) == ((2, 3), 2, 6, 2, 12, (6, 2))
    assert x.dtype == numpy.int16 and x.T.shape == (3, 2) and x.mT.shape == (3, 2) and x.device == "cpu"
    assert x.base is None and x[0].base is x and x[0][1:].base is x
    t = torch_np.zeros(2, 3)
    assert t.shape == (2, 3) and isinstance(t.shape, torch_np.Size) and t.shape.numel() == 6 and t.size(1) == 3
    assert repr(t.shape) == "torch_np.Size([2, 3])" and isinstance(t.shape[:1], torch_np.Size)
    assert t.dtype is torch_np.float32 and t.device == torch_np.device("cpu") and str(t.device) == "cpu"
    assert t.stride() == (3, 1) and t.dim() == 2 and t.numel() == 6 and t.element_size() == 4 and t.is_contiguous()


def test_shape_and_dtype_can_be_set():
    x = np.arange(6)
    x.shape = 2, 3
    assert x.shape == (2, 3)
    x.shape = -1
    assert x.shape == (6,)
    with pytest.raises(ValueError):
        x.shape = 4
    with pytest.raises(AttributeError):
        y = np.arange(6).reshape(2, 3).T
        y.shape = 6
    z = np.zeros(2, dtype="float32")
    z.dtype = "int32"
    assert z.dtype == numpy.int32


def test_real_and_imag_are_views_that_can_be_set():
    z = np.array([1 + 2j, 3 + 4j])
    z.real = 0
    z.imag[0] = 7
    assert z.tolist() == [7j, 4j]
    with pytest.raises(TypeError):
        np.ones(2).imag = 1


def test_flags():
    x = np.zeros((2, 3))
    assert x.flags.c_contiguous and not x.flags.f_contiguous and x.flags.owndata and x.flags["WRITEABLE"]
    assert x.T.flags.fnc and not x.T.flags.owndata
    assert repr(x.flags) == repr(numpy.zeros((2, 3)).flags) and x.flags.num == numpy.zeros((2, 3)).flags.num
    x.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        x[0] = 1
    with pytest.raises(ValueError):
        x[0].flags.writeable = True
    x.setflags(write=True)
    x[0] = 1


def test_ndarray_constructor():
    assert np.ndarray((2, 3)).shape == (2, 3)
    data = bytearray(numpy.arange(4, dtype="int32").tobytes())
    x = np.ndarray((2,), "int32", data, offset=4)
    assert x.tolist() == [1, 2]
    x[0] = 9
    assert data[4] == 9
    assert np.ndarray((2,), "int32", data, strides=(8,)).tolist() == [0, 2]
    assert not np.ndarray((2,), "int32", bytes(8)).flags.writeable
    for args in (((3,), "int32", b"12"), ((5,), "int32", data), ((2**62,), "int32", data)):
        with pytest.raises((TypeError, ValueError)):
            np.ndarray(*args)
    for strides in ((-4,), (2**61,)):
        with pytest.raises(ValueError):
            np.ndarray((2,), "int32", data, strides=strides)


@pytest.mark.same_on_devices("is about addresses of host memory")
def test_arrays_without_elements_begin_where_numpys_do():
    def address(x):
        return x.__array_interface__["data"][0]

    def places(xp):
        memory = xp.zeros(65, "u1")
        nothing = memory[7:8][:-1]
        read_only = memory[9:10][:-1]
        read_only.flags.writeable = False
        made = [nothing, xp.ndarray((0,), "f8", nothing), xp.ndarray((2, 0), "f8", memory, 3, (8, 8)), xp.ndarray((0,), "f8", memory, offset=65),
                # dtypes that only NumPy has
                xp.ndarray((0,), "S3", nothing), xp.ndarray((0, 2), "M8[s]", nothing, order="F"), xp.ndarray((3,), "V0", nothing),
                xp.ndarray((0,), "g", memory, offset=5), xp.frombuffer(memory, "f4", 0, 9), xp.frombuffer(memory, "g", 0, 9), xp.ndarray((0,), "U1", read_only)]
        return [address(x) - address(memory) for x in made] + [nothing.ctypes.data - address(memory)], [x.flags.writeable for x in made]

    assert places(np) == places(numpy)


@pytest.mark.parametrize("shape", [(0,), (2, 0), (0, 5), (3, 0, 0), (3, 0, 4)])
def test_arrays_without_elements_and_any_strides_become_numpys(shape):
    x = np.zeros(shape)
    for steps in itertools.product((1, -1, -4, 3), repeat=len(shape)):
        view = x[tuple(slice(None, None, step) for step in steps)]
        host = numpy.asarray(view)
        assert (host.shape, host.dtype) == (view.shape, view.dtype) and repr(view) == repr(host)


def test_ufunc_attributes_and_methods():
    assert repr(np.add) == "<ufunc 'add'>" and (np.add.nin, np.add.nout, np.add.nargs, np.add.identity) == (2, 1, 3, 0)
    assert np.add.__name__ == "add" and "dd->d" in np.add.types and np.add.signature is None
    x = np.arange(6).reshape(2, 3)
    assert np.add.reduce(x).tolist() == [3, 5, 7] and np.add.reduce(x, axis=None) == 15
    assert np.add.reduce(x, axis=(0, 1), keepdims=True).shape == (1, 1)
    assert np.add.reduce([1, 2], initial=10) == 13
    assert np.multiply.accumulate([1, 2, 3]).tolist() == [1, 2, 6]
    assert np.subtract.outer([1, 2], [3, 4, 5]).tolist() == [[-2, -3, -4], [-1, -2, -3]]
    y = np.zeros(3)
    np.add.at(y, [0, 0, 2], [1, 2, 3])
    assert y.tolist() == [3, 0, 3]
    assert np.add.reduceat(np.arange(8), [0, 4, 1, 5]).tolist() == numpy.add.reduceat(numpy.arange(8), [0, 4, 1, 5]).tolist()
    with pytest.raises(ValueError, match="reduce only supported for binary"):
        np.sin.reduce([1])


def test_ufunc_reduce_keeps_gradients():
    x = np.ones(3, _requires_grad=True)
    np.add.reduce(x * 2)._backward()
    assert x._grad.tolist() == [2, 2, 2]


def test_promotion_rules_can_be_chosen():
    a, b = np.ones(2, dtype="int32"), np.ones(2, dtype="float32")
    assert (a + b).dtype == numpy.float64
    before = np._set_promotion_rules("torch")
    try:
        assert (a + b).dtype == numpy.float32
        assert np.zeros(2).dtype == numpy.float64   # new arrays, axes and errors remain NumPy's
        with pytest.raises(numpy.exceptions.AxisError):
            np.swapaxes(np.ones(()), 0, 0)
        assert np._get_promotion_rules() == np._get_promotion_rules("cpu") == "torch"
    finally:
        assert np._set_promotion_rules(before) == "torch"
    assert (a + b).dtype == numpy.float64


def test_promotion_rules_are_chosen_for_all_devices_or_for_one():
    a, b = np.ones(2, dtype="int32", device="cpu"), np.ones(2, dtype="float32", device="cpu")
    assert np._set_promotion_rules("torch", device="cuda") is None
    try:
        assert (a + b).dtype == np.concatenate([a, b]).dtype == np.result_type(a, b) == numpy.float64
        assert np._get_promotion_rules("cuda") == "torch" and np._get_promotion_rules("cpu") == "numpy"
        assert np._set_promotion_rules("torch") == "numpy"
        assert np._set_promotion_rules("numpy", device="cpu") is None   # a device's own rules override the global ones
        assert (a + b).dtype == numpy.float64
        assert np._set_promotion_rules(None, device="cpu") == "numpy"
        assert (a + b).dtype == numpy.float32
    finally:
        assert np._set_promotion_rules(None) == "torch"
        assert np._set_promotion_rules(None, device="cuda") == "torch"
    assert (a + b).dtype == numpy.float64
    with pytest.raises(ValueError, match="'numpy' or 'torch', got 'jax'"):
        np._set_promotion_rules("jax")
    with pytest.raises(ValueError, match="kind of device, 'cpu' or 'cuda', not to 'cuda:0'"):
        np._set_promotion_rules("torch", device="cuda:0")


def test_other_threads_run_during_long_work():
    import threading

    x = np.ones((1200, 1200))
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.is_set():
            ticks.append(1)
            stop.wait(0.0005)

    thread = threading.Thread(target=tick)
    thread.start()
    before = len(ticks)
    for _ in range(3):
        np.sin(x @ x)
    during = len(ticks) - before
    stop.set()
    thread.join()
    assert during >= 3
