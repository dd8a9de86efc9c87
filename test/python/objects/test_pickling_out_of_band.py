"""Pickle's protocol 5: buffers without a copy, compatible with NumPy's."""
import copy
import pickle

import numpy
import pytest

import torch_np
import torch_np.numpy as np

DTYPES = ["bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64", "complex128"]
LAYOUTS = {
    "rows": lambda xp: xp.arange(24.).reshape(2, 3, 4), "columns": lambda xp: xp.arange(24.).reshape(2, 3, 4).T, "scalar": lambda xp: xp.array(2.5),
    "empty": lambda xp: xp.zeros((0, 3)), "middle": lambda xp: xp.arange(24.).reshape(6, 4)[2:4], "axes": lambda xp: xp.arange(24.).reshape(2, 3, 4).transpose(1, 0, 2),
    "gaps": lambda xp: xp.arange(24.)[::2], "backward": lambda xp: xp.arange(24.)[::-1], "broadcast": lambda xp: xp.broadcast_to(xp.arange(3.), (2, 3)),
}


def both_ways(x):
    """The pickle of `x`, its out-of-band buffers, and the object loaded from both."""
    buffers = []
    data = pickle.dumps(x, protocol=5, buffer_callback=buffers.append)
    return data, buffers, pickle.loads(data, buffers=buffers)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("writeable", [True, False])
def test_as_numpys(layout, writeable):
    found = []
    for xp in (np, numpy):
        x = LAYOUTS[layout](xp)
        if not writeable:
            x.flags.writeable = False
        _, buffers, again = both_ways(x)
        in_band = pickle.loads(pickle.dumps(x, protocol=5))
        found.append((len(buffers), [b.raw().nbytes for b in buffers], [b.raw().readonly for b in buffers], again.tolist(), again.dtype, again.strides,
                      again.shape, again.flags.writeable, in_band.flags.writeable, in_band.tolist(), in_band.strides,
                      numpy.shares_memory(numpy.asarray(x), numpy.asarray(again))))
    assert found[0] == found[1]


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16"])
@pytest.mark.parametrize("face", ["numpy", "torch"])
def test_every_dtype_goes_and_comes_without_a_copy(dtype, face):
    x = torch_np.arange(6).reshape(2, 3).to(getattr(torch_np, dtype))
    x = x if face == "torch" else x._np_compat()
    data, buffers, again = both_ways(x)
    assert len(buffers) == 1 and buffers[0].raw().nbytes == x.nbytes and len(data) < 300
    assert type(again) is type(x) and again.dtype == x.dtype and again.tolist() == x.tolist()
    x[0, 1] = 0
    assert again.tolist() == x.tolist()
    again[1, 2] = 0
    assert x.tolist() == again.tolist()
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        plain = pickle.loads(pickle.dumps(x, protocol))
        assert plain.dtype == x.dtype and plain.tolist() == x.tolist()
        plain[0, 0] = 1
        assert x.tolist() == again.tolist()


@pytest.mark.parametrize("make", [bytes, bytearray, memoryview, numpy.array])
def test_other_buffers_than_those_that_were_given(make):
    x = np.arange(3.)
    data, buffers, _ = both_ways(x)
    given = make(bytearray(buffers[0].raw()) if make is not numpy.array else numpy.frombuffer(buffers[0].raw(), float).copy())
    ours = pickle.loads(data, buffers=[given])
    theirs_data, _, _ = both_ways(numpy.arange(3.))
    theirs = pickle.loads(theirs_data, buffers=[given])
    assert ours.tolist() == theirs.tolist() == [0, 1, 2] and ours.flags.writeable == theirs.flags.writeable
    assert numpy.shares_memory(numpy.asarray(ours), theirs)


def test_the_memory_lives_as_long_as_the_array():
    def read():
        data, buffers, _ = both_ways(np.arange(100_000.))
        return pickle.loads(data, buffers=[bytearray(b.raw()) for b in buffers])
    assert read().sum() == sum(range(100_000))
    data, _, _ = both_ways(np.arange(3.))
    held = bytearray(24)
    x = pickle.loads(data, buffers=[held])
    with pytest.raises(BufferError):
        held.clear()
    del x
    held.clear()


@pytest.mark.parametrize("face", ["numpy", "torch"])
def test_too_small_buffers_are_errors(face):
    x = torch_np.arange(3.) if face == "torch" else np.arange(3.)
    data, _, _ = both_ways(x)
    for bad in (b"", bytes(x.nbytes - 1), bytes(x.nbytes + 1), numpy.zeros(2 * x.nbytes, numpy.uint8)[::2]):
        with pytest.raises((ValueError, RuntimeError, BufferError), match="bytes|contiguous"):
            pickle.loads(data, buffers=[bad])


def test_unaligned_buffers():
    x = np.arange(3.)
    data, _, _ = both_ways(x)
    memory = memoryview(bytearray(b"\0" + x.tobytes()))[1:]
    y = pickle.loads(data, buffers=[memory])
    assert y.tolist() == [0, 1, 2] and (y + 1).tolist() == [1, 2, 3] and not y.flags.aligned
    y[0] = 7
    assert memory[7] == 64
    data, _, _ = both_ways(x._torch())
    assert pickle.loads(data, buffers=[memory]).tolist() == [7, 1, 2]


def test_a_tensor_over_read_only_memory_is_a_copy():
    data, buffers, _ = both_ways(torch_np.arange(3.))
    given = bytes(buffers[0].raw())
    x = pickle.loads(data, buffers=[given])
    x += 1
    assert x.tolist() == [1, 2, 3] and given == bytes(buffers[0].raw())


def test_gradients_attributes_and_parameters():
    x = torch_np.ones(3, requires_grad=True)
    x.label = "weight"
    _, buffers, again = both_ways(x)
    assert len(buffers) == 1 and again.requires_grad and again.is_leaf and again.label == "weight" and again.data_ptr() == x.data_ptr()
    (again * 2).sum().backward()
    assert again.grad.tolist() == [2, 2, 2] and x.grad is None
    parameter = torch_np.nn.Parameter(torch_np.ones(2))
    _, buffers, again = both_ways(parameter)
    assert len(buffers) == 1 and type(again) is torch_np.nn.Parameter and again.data_ptr() == parameter.data_ptr()
    net = torch_np.nn.Linear(3, 2)
    _, buffers, again = both_ways(net)
    assert len(buffers) == 2 and again.weight.tolist() == net.weight.tolist()


class Named(np.ndarray):
    pass


def test_subclasses_go_by_value():
    _, buffers, again = both_ways(np.arange(3.).view(Named))
    assert not buffers and type(again) is Named and again.tolist() == [0, 1, 2]


@pytest.mark.parametrize("make", [lambda xp: xp.array([(1, 2.)], dtype="i4,f8"), lambda xp: xp.array(["a", "bc"]), lambda xp: xp.array(["2020-01-01"], dtype="M8[D]"),
                                  lambda xp: xp.array([None, 1], dtype=object)])
def test_what_is_numpys_is_pickled_by_numpy(make):
    ours, theirs = both_ways(make(np)), both_ways(make(numpy))
    assert len(ours[1]) == len(theirs[1]) and type(ours[2]) is type(theirs[2]) and ours[2].dtype == theirs[2].dtype and ours[2].tolist() == theirs[2].tolist()


def test_pending_results_are_computed():
    x = np.ones(100_000)
    y = x * 2 + 1
    _, buffers, again = both_ways(y)
    assert len(buffers) == 1 and again.sum() == 300_000


def test_copies_have_memory_of_their_own():
    for x in (np.arange(3.), torch_np.arange(3.)):
        y = copy.deepcopy(x)
        y[0] = 9
        assert x[0] == 0
    x = np.arange(3.)
    copy.copy(x)[0] = 9
    assert x[0] == 0                # as NumPy's
    t = torch_np.arange(3.)
    copy.copy(t)[0] = 9
    assert t[0] == 9                # as PyTorch's
