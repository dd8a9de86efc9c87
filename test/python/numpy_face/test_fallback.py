"""Arrays that the engine cannot hold are NumPy's: text, objects, records, dates, long doubles,
other byte orders, in every function."""
import collections.abc
import decimal
import functools
import os
import subprocess
import sys
import threading

import fallback_samples
import numpy
import pytest

import torch_np
import torch_np.numpy as np

LABELS = ["b", "a", "c", "a"]


def is_numpys(x):
    return type(x) is numpy.ndarray


def is_ours(x):
    return type(x) is np.ndarray


# --- every public function

@pytest.mark.parametrize("name", fallback_samples.ARRAYS)
def test_functions_of_such_arrays_give_what_numpys_give(name):
    make, differences = fallback_samples.ARRAYS[name], []
    for path in fallback_samples.functions():
        for args in fallback_samples.arguments(make):
            if fallback_samples.arrays_alone(path, args):
                differences.append(fallback_samples.compare(path, args))
    assert len(differences) > 1000 and not list(filter(None, differences))


@pytest.mark.parametrize("method", ["reduce", "accumulate", "outer", "at", "reduceat"])
@pytest.mark.parametrize("name", ["object", "decimals", "longdouble", ">f8", "timedelta64", "str"])
def test_methods_of_ufuncs(method, name):
    make = fallback_samples.ARRAYS[name]
    rest = {"outer": (make(),), "at": ([0, 0, 1], make()), "reduceat": ([0, 2],)}.get(method, ())
    for ufunc in ("add", "multiply", "maximum", "logical_and"):
        assert not fallback_samples.compare(f"{ufunc}.{method}", (make(), *rest))


def operands():
    for name, make in fallback_samples.ARRAYS.items():
        if name not in ("no objects", "object 0-d"):
            yield pytest.param(make, id=name)


@pytest.mark.parametrize("make", operands())
@pytest.mark.parametrize("op", ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and_", "lt", "le", "eq", "ne", "ge",
                                "iadd", "imul", "divmod"])
def test_operators_of_our_arrays_with_such_arrays(op, make):
    import operator
    apply = divmod if op == "divmod" else getattr(operator, op)
    x = numpy.arange(1.0, 5.0).reshape(2, 2) if make().ndim == 2 else numpy.arange(1.0, 4.0)
    for ours, theirs in ((lambda: apply(np.array(x), make()), lambda: apply(x.copy(), make())),
                         (lambda: apply(make(), np.array(x)), lambda: apply(make(), x.copy()))):
        mine, expected = fallback_samples.outcome(ours), fallback_samples.outcome(theirs)
        if isinstance(expected, type):
            assert isinstance(mine, type) and (issubclass(mine, expected) or issubclass(expected, mine))
        else:
            assert not isinstance(mine, type), mine
            # NumPy's own operator decides that text equals no number, and makes the array.
            result = mine[0] if op in ("eq", "ne") else fallback_samples.as_numpys(mine[0])
            assert fallback_samples.same(expected[0], result)


# --- making arrays

@pytest.mark.parametrize("call", [
    lambda xp: xp.array(LABELS), lambda xp: xp.asarray([None, 1]), lambda xp: xp.array([decimal.Decimal(1), 2]),
    lambda xp: xp.array([2**70, 1]), lambda xp: xp.array("text"), lambda xp: xp.array({1: 2}), lambda xp: xp.array([[1, 2], [3]], dtype=object),
    lambda xp: xp.empty((2, 2), dtype=object), lambda xp: xp.zeros(2, dtype=[("a", "i4"), ("b", "f8")]), lambda xp: xp.ones(2, object),
    lambda xp: xp.full(3, "a"), lambda xp: xp.full((2,), None), lambda xp: xp.full_like([1.0, 2.0], "x", dtype="U3"),
    lambda xp: xp.zeros_like([1.0], dtype="U2"), lambda xp: xp.arange("2024-01", "2024-05", dtype="M8[M]"),
    lambda xp: xp.linspace(0, 1, 3, dtype=object), lambda xp: xp.ndarray((2,), dtype=object), lambda xp: xp.array(1, dtype=numpy.longdouble),
    lambda xp: xp.array([1.0, 2.0], dtype=">f4"), lambda xp: xp.array(numpy.ones(2, ">i2")), lambda xp: xp.eye(2, dtype="O"),
    lambda xp: xp.fromiter("abc", dtype="U1"), lambda xp: xp.identity(2, dtype=numpy.longdouble), lambda xp: xp.tri(2, dtype=object),
    lambda xp: xp.array([[1, 2], [3, 4]], dtype=object, ndmax=1), lambda xp: xp.frombuffer(b"\0\0\x80\x3f", ">f4"),
    lambda xp: xp.loadtxt(["a 1", "b 2"], dtype="U2"), lambda xp: xp.genfromtxt(["a,1", "b,2"], delimiter=",", dtype=None, encoding="utf8"),
])
def test_arrays_of_other_dtypes_are_numpys(call):
    mine, theirs = call(np), call(numpy)
    assert is_numpys(mine) and mine.dtype == theirs.dtype and mine.tolist() == theirs.tolist()


@pytest.mark.parametrize("call", [
    lambda xp, x: x.astype(object), lambda xp, x: x.astype(str), lambda xp, x: x.astype(">f4"), lambda xp, x: x.astype(numpy.longdouble),
    lambda xp, x: x.view("S8"), lambda xp, x: x.view(">f8"), lambda xp, x: x.view([("p", "f8"), ("q", "f4"), ("r", "f4")]),
    lambda xp, x: x.sum(dtype=object), lambda xp, x: x.mean(0, dtype=numpy.longdouble), lambda xp, x: x.dot(numpy.array([1, 2, 3], object)),
    lambda xp, x: x.choose([["a"], ["b"]], mode="clip"), lambda xp, x: xp.add(x, 1, dtype=object), lambda xp, x: xp.add(x, 1, signature="OO->O"),
    lambda xp, x: xp.astype(x, "U5"), lambda xp, x: xp.add.reduce(x, dtype=object), lambda xp, x: x.cumsum(dtype=numpy.longdouble),
])
def test_methods_with_other_dtypes(call):
    values = numpy.arange(6.0).reshape(2, 3)
    mine, theirs = (fallback_samples.outcome(call, xp, array) for xp, array in ((np, np.array(values)), (numpy, values)))
    assert mine is theirs if isinstance(theirs, type) else fallback_samples.same(theirs[0], fallback_samples.as_numpys(mine[0]))


def test_what_the_engine_holds_comes_back_as_ours():
    labels, x = np.array(LABELS), np.arange(4.0)
    assert is_ours(np.argsort(labels)) and is_ours(np.isin(labels, ["a"])) and is_ours(np.asarray(["1", "2"], dtype=float))
    assert is_ours(x == labels.astype(object)) and is_ours(np.where(labels == "a", x, -x))
    values, counts = np.unique(labels, return_counts=True)
    assert is_numpys(values) and is_ours(counts) and counts.tolist() == [2, 1, 1]
    pieces = np.split(numpy.arange(4.0).astype(">f8"), 2)
    assert type(pieces) is list and all(map(is_numpys, pieces))
    found = np.unique_all(labels)
    assert hasattr(found, "_fields") and is_numpys(found.values) and is_ours(found.counts)


def test_results_share_the_memory_that_numpys_do():
    x = np.arange(3.0)
    same, text = np.broadcast_arrays(x, np.array(["a", "b", "c"]))
    y = numpy.ones(3, ">f8")
    assert np.asarray(y) is y and np.ravel(y).base is y
    x[0] = 7
    assert same[0] == 7 and text.tolist() == ["a", "b", "c"]
    view = x.view("S8")
    view[1] = b""
    assert x[1] == 0


def test_an_argument_that_comes_back_is_that_argument():
    x, y = np.zeros(3), np.zeros(3)
    assert np.add(numpy.array([1, 2, 3], object), 1, out=x, casting="unsafe") is x and x.tolist() == [2, 3, 4]
    assert np.concatenate([y[:1], numpy.array(["7", "8"]).astype(object)], out=y, casting="unsafe") is y and y.tolist() == [0, 7, 8]


# --- programs with labels, dates and records

def test_labels_choose_rows():
    labels, x = np.array(LABELS), np.arange(8.0).reshape(4, 2)
    assert x[labels == "a"].tolist() == [[2, 3], [6, 7]] and is_ours(x[labels == "a"])
    x[labels == "c"] = 0
    assert x[2].tolist() == [0, 0] and x[np.isin(labels, ["b", "c"])].sum() == 1
    assert {str(k): float(x[labels == k].mean()) for k in np.unique(labels)} == {"a": 4.5, "b": 0.5, "c": 0.0}
    assert np.where(x[:, 0] > 1, "big", "small").tolist() == ["small", "big", "small", "big"]
    assert np.take(labels, np.argmax(x, axis=0)).tolist() == ["a", "a"] and labels[np.argsort(x[:, 0])[-1]] == "a"
    assert np.searchsorted(["a", "c"], "b") == 1


def test_text_is_written_as_the_number_that_it_is():
    x = np.zeros(3)
    x[0] = "7"
    x[1:] = numpy.array(["8", "9"])
    assert x.tolist() == [7, 8, 9]
    with pytest.raises(ValueError):
        x[0] = "a"
    x[np.array([True, False, True])] = [decimal.Decimal("1.5"), decimal.Decimal(2)]
    assert x.tolist() == [1.5, 8, 2]


def test_dates():
    days = np.array(["2024-03-01", "2024-03-04"], dtype="M8[D]") + np.arange(2)
    assert days.tolist() == numpy.array(["2024-03-01", "2024-03-05"], dtype="M8[D]").tolist()
    assert (np.arange(2) * np.timedelta64(1, "h")).dtype == "m8[h]"
    assert np.diff(days).astype(int).tolist() == [4] and is_ours(np.asarray(np.diff(days).astype(int)))


def test_records():
    people = np.array([("x", 3, 1.5), ("y", 1, 2.5)], dtype=[("name", "U4"), ("age", "i4"), ("size", "f8")])
    assert np.mean(people["size"]) == 2.0 and np.sort(people, order="age")["name"].tolist() == ["y", "x"]
    assert np.sum(people["age"]) == 4  # a field between others, at unaligned addresses


@pytest.mark.parametrize("draw", [
    lambda rng: rng.choice(LABELS, 5), lambda rng: rng.choice(LABELS), lambda rng: rng.choice(LABELS, 3, replace=False),
    lambda rng: rng.choice(LABELS, 3, p=[0.1, 0.2, 0.3, 0.4]), lambda rng: rng.permutation(LABELS),
    lambda rng: rng.permutation(numpy.array([None, 1, "a"], object)), lambda rng: shuffled(rng, numpy.array([None, 1, "a"], object)),
    lambda rng: shuffled(rng, list(LABELS)), lambda rng: rng.normal(numpy.ones(3, ">f8")), lambda rng: rng.uniform(numpy.zeros(2, ">i4"), 2.0),
])
@pytest.mark.parametrize("make", ["default_rng", "RandomState"])
def test_draws_from_such_arrays_are_numpys_and_leave_the_same_stream(make, draw):
    mine, theirs = getattr(np.random, make)(3), getattr(numpy.random, make)(3)
    assert numpy.asarray(draw(mine)).tolist() == draw(theirs).tolist()
    assert float(mine.normal()) == theirs.normal()


def shuffled(rng, x):
    rng.shuffle(x)
    return numpy.asarray(x)


def test_permuted_lines():
    x = numpy.array([["a", "b", "c"], ["d", "e", "f"]])
    assert np.random.default_rng(1).permuted(x, axis=1).tolist() == numpy.random.default_rng(1).permuted(x, axis=1).tolist()


def test_an_array_of_objects_holds_the_very_objects():
    x = np.arange(3.0)
    held = np.array([x, None], dtype=object)
    assert held[0] is x
    slots = np.empty(2, dtype=object)
    slots[0] = x
    assert slots[0] is x


def test_callbacks_of_compositions():
    assert np.vectorize(str.upper)(["a", "b"]).tolist() == ["A", "B"]
    assert np.vectorize(lambda v: decimal.Decimal(int(v)))(np.arange(2)).tolist() == [0, 1]
    assert np.apply_along_axis(lambda v: "".join(v), 1, np.array([["a", "b"], ["c", "d"]])).tolist() == ["ab", "cd"]
    assert np.apply_along_axis(lambda v: str(float(v.sum())), 1, np.ones((2, 3))).tolist() == ["3.0", "3.0"]
    assert np.r_[np.arange(2.0), ["a"]].tolist() == ["0.0", "1.0", "a"]
    assert np.c_[np.arange(2.0), ["a", "b"]].tolist() == [["0.0", "a"], ["1.0", "b"]]


def test_what_compositions_call_of_their_callers_falls_back_by_itself():
    def sizes():
        for text in ("a b", "c"):
            yield np.unique(np.array(text.split())).size

    assert np.fromiter(sizes(), int).tolist() == [2, 1]
    calls = []

    def name(row):
        calls.append(row)
        return np.where(row > 1, 2.0, 1.0).sum() if np.array(["a"])[0] == "a" else None

    assert np.apply_along_axis(name, 1, np.arange(4.0).reshape(2, 2)).tolist() == [2, 4] and len(calls) == 2
    assert np.fromfunction(lambda i, j: np.where(i > j, "l", "u"), (2, 2)).tolist() == [["u", "u"], ["l", "u"]]
    read = np.loadtxt(["a,1", "b,2"], delimiter=",", converters={0: lambda s: np.searchsorted(["a", "b"], s)})
    assert read.tolist() == [[0, 1], [1, 2]]


def test_files(tmp_path):
    objects = np.array([None, "a"], dtype=object)
    np.save(tmp_path / "a.npy", objects, allow_pickle=True)
    assert np.load(tmp_path / "a.npy", allow_pickle=True).tolist() == [None, "a"]
    np.savez(tmp_path / "a.npz", labels=np.array(LABELS), x=np.arange(2.0))
    with np.load(tmp_path / "a.npz") as file:
        assert file["labels"].tolist() == LABELS and is_ours(file["x"])
    np.savetxt(tmp_path / "a.txt", np.array(LABELS), fmt="%s")
    assert np.loadtxt(tmp_path / "a.txt", dtype=str).tolist() == LABELS


# --- classes

def test_numpys_arrays_are_instances_of_ndarray():
    assert isinstance(np.array(LABELS), np.ndarray) and issubclass(numpy.ndarray, np.ndarray) and isinstance(np.ones(2), np.ndarray)
    assert isinstance(numpy.ma.array([1]), np.ndarray) and not isinstance(numpy.float64(1), np.ndarray) and not isinstance([1], np.ndarray)
    assert not isinstance(torch_np.ones(2), np.ndarray) and not issubclass(int, np.ndarray)


def test_classes_derived_from_ndarray_know_their_own_instances():
    class Own(np.ndarray):
        pass

    class Sized(np.ndarray, collections.abc.Sized):
        pass

    own = np.ones(2).view(Own)
    assert isinstance(own, Own) and isinstance(own, np.ndarray) and not isinstance(numpy.ones(2), Own) and not isinstance(np.ones(2), Own)
    assert issubclass(Own, np.ndarray) and not issubclass(numpy.ndarray, Own)
    assert isinstance(np.ones(2).view(Sized), collections.abc.Sized) and len(np.ones(2).view(Sized)) == 2


def test_single_dispatch_finds_numpys_arrays():
    @functools.singledispatch
    def kind(x):
        return "other"

    kind.register(np.ndarray, lambda x: "array")
    assert kind(np.array(LABELS)) == kind(np.ones(2)) == "array" and kind(1) == "other"


# --- arrays that cannot leave NumPy, and operations that they forbid

@pytest.mark.parametrize("call", [
    lambda x: x + numpy.array([1, True], object), lambda x: np.concatenate([x, LABELS]), lambda x: x.astype(object), lambda x: np.isin(x, ["a"]),
    lambda x: np.array([x[0], "a"]), lambda x: np.add.outer(x, numpy.array([1, 2], object)), lambda x: x.view("S8"),
    lambda x: np.add(x, numpy.ones(2, ">f8")), lambda x: np.mean(x, dtype=numpy.longdouble), lambda x: x == decimal.Decimal(1),
])
def test_arrays_with_a_gradient_do_not_leave_the_engine(call):
    x = np.ones(2)
    x._requires_grad = True
    with pytest.raises(TypeError, match="would lose the gradient"):
        call(x)
    assert call(x._detach()) is not None


def test_arrays_of_a_device_do_not_leave_the_engine():
    with pytest.raises(TypeError, match="is on the device .meta."):
        np.add(np.ones(2)._torch().to("meta")._np_compat(), numpy.array([1, None], object))
    with pytest.raises(TypeError, match="no device but 'cpu'"):
        np.zeros(2, dtype=object, device="meta")


def test_what_numpy_writes_counts_as_a_change():
    x, w = torch_np.ones(2, requires_grad=True), np.full(2, 3.0)
    y = (x * w._torch()).sum()
    np.copyto(w, numpy.array([1, 2], object), casting="unsafe")
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        y.backward()


def test_the_fallback_can_be_forbidden():
    with np._fallback("raise"):
        for call in (lambda: np.array(LABELS), lambda: np.ones(2) + decimal.Decimal(1), lambda: np.zeros(2, object), lambda: np.sort(LABELS),
                     lambda: np.median(numpy.array([1, 2], object))):
            with pytest.raises(TypeError):
                call()
        with np._fallback("numpy"):
            assert is_numpys(np.array(LABELS))
        others = []
        thread = threading.Thread(target=lambda: others.append(np.array(LABELS)))
        thread.start()
        thread.join()
        assert is_numpys(others[0])
        with pytest.raises(TypeError):
            np.array(LABELS)
    assert is_numpys(np.array(LABELS))
    with pytest.raises(ValueError, match="'numpy' or 'raise'"):
        np._fallback("never")


@pytest.mark.parametrize("mode, said", [("raise", "NotHeldError"), ("numpy", "ndarray"), ("x", "ValueError")])
def test_the_environment_forbids_it(mode, said):
    program = "import torch_np.numpy as np; print(type(np.array(['a'])).__name__)"
    done = subprocess.run([sys.executable, "-c", program], env={**os.environ, "TORCH_NP_FALLBACK": mode}, capture_output=True, text=True)
    assert said in (done.stdout or done.stderr.splitlines()[-1])


def test_torch_np_knows_no_fallback():
    for call in (lambda: torch_np.tensor(LABELS), lambda: torch_np.ones(2) + numpy.array([1, None], object), lambda: torch_np.from_numpy(np.array(LABELS)),
                 lambda: torch_np.zeros(2, dtype=object)):
        with pytest.raises(TypeError):
            call()


def test_errors_of_the_engine_stay():
    with pytest.raises(ValueError, match="inhomogeneous"):
        np.array([[1, 2], [3]])
    with pytest.raises(IndexError):
        np.ones(3)[np.array(LABELS)]
    with pytest.raises(TypeError):
        np.sum(1, 2, 3, 4, 5, 6, 7, 8, 9)


def test_objects_in_lists_stay_the_ones_that_they_are():
    entry = {"a": np.arange(2)}
    for make in (lambda: np.array([entry, entry]), lambda: np.append(np.array([None]), [entry, entry])[1:], lambda: np.full(2, entry)):
        objects = make()
        assert objects[0] is entry and objects[1] is entry


def test_sequences_that_are_no_lists_are_looked_into():
    class Items:
        def __init__(self, items):
            self.items = items

        def __len__(self):
            return len(self.items)

        def __getitem__(self, i):
            return self.items[i]

    class MyList(list):
        pass

    for sequence in (collections.deque, collections.UserList, MyList, Items):
        numbers_and_text = sequence([np.arange(2), np.array(["a", "b"])])
        assert np.concatenate(numbers_and_text).tolist() == ["0", "1", "a", "b"]
        assert np.stack(numbers_and_text).tolist() == [["0", "1"], ["a", "b"]]


def test_what_numpy_writes_into_out_cannot_be_differentiated_with_its_old_values():
    for write in (lambda out: np.strings.str_len(np.array(["a", "bb"]), out=out), lambda out: np.strings.str_len(np.array(["a", "bb"]), out),
                  lambda out: np.busday_count(["2020-01-01"] * 2, "2020-01-03", out=out)):
        x, i = np.array([1., 2, 3], _requires_grad=True), np.array([0, 0])
        y = x[i].sum()
        assert write(i) is i
        with pytest.raises(RuntimeError, match="modified by an inplace operation"):
            y._backward()


def test_sequences_that_make_their_items_anew_stay_the_objects_that_they_are():
    class Item:
        def cos(self):
            return 1

    class Items:
        def __len__(self):
            return 2

        def __getitem__(self, index):
            if index > 1:
                raise IndexError
            return Item()

        def __array_wrap__(self, result, context=None, return_scalar=False):
            return "wrapped", result.tolist()

    assert np.cos(Items()) == numpy.cos(Items()) == ("wrapped", [1, 1])


def test_objects_without_a_length_although_their_class_has_one_are_no_sequences():
    class Scalar:
        def __len__(self):
            return ()[0]

        def __getitem__(self, index):
            raise IndexError

        def cos(self):
            return self

    x = Scalar()
    assert np.cos(x) is x and numpy.cos(x) is x


# --- calls that go to NumPy at once

def test_the_message_of_a_value_that_only_numpy_holds():
    for call, said in ((lambda: np.random.default_rng(0).normal(numpy.array(["a"])), "no dtype"),
                       (lambda: np.full_like(np.ones(2), "a", device="cuda"), "only NumPy has the dtype"),
                       (lambda: np.zeros(2, dtype="M8[s]", device="cuda"), "only NumPy has the dtype")):
        with pytest.raises(TypeError, match=said):
            call()
    with pytest.raises(TypeError, match="torch_np has no dtype 'datetime64.*would lose the gradient"):
        np.add(np.ones(2, _requires_grad=True), numpy.array(["2020"], "M8[s]"))


@pytest.mark.same_on_devices("NumPy's arrays are on the CPU")
@pytest.mark.parametrize("of", [
    lambda a: a, lambda a: a.T, lambda a: a[::-1, ::2], lambda a: a[:0], lambda a: numpy.broadcast_to(a, (2, *a.shape)),
    lambda a: numpy.frombuffer(b"x" + a.tobytes(), "f8", offset=1), lambda a: a.astype(">f8"), lambda a: a.view(numpy.matrix)])
def test_arrays_of_numpy_are_read_as_they_are(of):
    a = of(numpy.arange(12.0).reshape(3, 4))
    ours = np.asarray(a)
    assert ours.shape == a.shape and ours.tolist() == a.tolist()
    if is_ours(ours):
        assert ours.flags.writeable == a.flags.writeable and (ours.strides == a.strides or not a.size)
        assert numpy.shares_memory(numpy.asarray(ours), a) or not a.size


@pytest.mark.same_on_devices("NumPy's arrays are on the CPU")
def test_arrays_and_views_among_the_results_are_the_arrays_themselves():
    x = np.arange(3.0)
    found = np.broadcast_arrays(x, numpy.array(["a", "b", "c"]))
    assert type(found) is tuple and is_ours(found[0]) and is_numpys(found[1])
    assert np.asanyarray(numpy.array([b"a"])).tolist() == [b"a"] and is_ours(np.char.str_len(["ab", "c"]))
