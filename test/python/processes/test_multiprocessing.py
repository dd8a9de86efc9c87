"""Tensors and arrays shared between processes."""
import copy
import gc
import multiprocessing
import os
import pathlib
import pickle

import numpy
import pytest

import torch_np
import torch_np.multiprocessing as mp
import torch_np.numpy as np

STARTS = ["fork", "spawn", "forkserver"]
DTYPES = ["bool", "uint8", "int16", "int64", "float16", "bfloat16", "float32", "float64", "complex64", "complex128"]


def sent(x):
    """`x` after a transfer through a pipe, as another process receives it."""
    receive, send = mp.Pipe(False)
    with receive, send:
        send.send(x)
        return receive.recv()


def descriptors():
    gc.collect()
    return len(os.listdir("/proc/self/fd"))


def worker(arguments, requests, answers):
    """Adds 1 to shared values, and sends the received objects back."""
    for x in arguments:
        x += 1
    while (x := requests.get()) is not None:
        x += 1
        answers.put((type(x).__name__, x))
    answers.put("end")
    answers.close()
    answers.join_thread()
    requests.get()  # until the parent has received all


@pytest.mark.parametrize("start", STARTS)
def test_what_one_process_writes_the_other_sees(start):
    context = mp.get_context(start)
    weight, array = torch_np.zeros(4).share_memory_(), np.zeros((3, 2))._share_memory()
    requests, answers = context.Queue(), context.Queue()
    process = context.Process(target=worker, args=((weight, weight[2:], array[::-1]), requests, answers))
    process.start()
    again = torch_np.zeros(3, dtype=torch_np.int32)  # moved to shared memory when it is sent
    for x in (weight, array.T, again):
        requests.put(x)
    came = [answers.get(timeout=60) for _ in range(3)]
    assert [name for name, _ in came] == ["Tensor", "ndarray", "Tensor"]
    assert weight.tolist() == [2, 2, 3, 3] and array.tolist() == [[2, 2]] * 3 and again.tolist() == [1, 1, 1]
    came[0][1][0] = came[1][1][1, 2] = 7  # the parent writes to the received arrays
    assert weight[0] == 7 and array[2, 1] == 7
    requests.put(None)
    assert answers.get(timeout=60) == "end"
    requests.put(None)
    process.join(60)
    assert process.exitcode == 0


def scaled(x):
    x *= 2
    return x


def test_pools_and_arrays_by_value():
    large, small = np.ones(100_000), np.ones(3)
    with mp.get_context("fork").Pool(1) as pool:
        got = pool.map_async(scaled, [large, small, torch_np.ones(3)]).get(timeout=60)
    assert [x.sum().item() for x in got] == [200_000, 6, 6]
    assert large.sum() == 100_000 and small.sum() == 3 and not large._is_shared() and got[0]._is_shared() and not got[1]._is_shared()


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_shared(dtype):
    x = torch_np.arange(6).reshape(2, 3).to(getattr(torch_np, dtype)).T
    y = copy.deepcopy(x).share_memory_()
    assert y.is_shared() and y.dtype == x.dtype and y.stride() == x.stride() and torch_np.equal(x, y)
    got = sent(y[1:, ::2])
    assert got.is_shared() and got.dtype == x.dtype and torch_np.equal(got, x[1:, ::2])
    got.fill_(0)
    assert not y[1:, ::2].any() and y[0, 1].item() == x[0, 1].item()


@pytest.mark.parametrize("view", [lambda x: x, lambda x: x[::-1], lambda x: x[1, ::-2], lambda x: x.T, lambda x: x[..., None], lambda x: x[1:1],
                                  lambda x: x[0, 0, ...], lambda x: np.broadcast_to(x[0], (5, 4))])
def test_views_stay_views(view):
    x = np.arange(12.).reshape(3, 4)._share_memory()
    v = view(x)
    got = sent(v)
    assert type(got) is np.ndarray and got.tolist() == v.tolist() and got.flags.writeable == v.flags.writeable
    if v.size:
        assert got._is_shared() and got.strides == v.strides
        x += 1
        assert got.tolist() == v.tolist()


@pytest.mark.parametrize("make", [lambda: np.arange(6.).reshape(2, 3).T, lambda: np.arange(6.)[::-1], lambda: np.arange(12.).reshape(3, 4)[::-1, ::2], lambda: np.array(2.5),
                                  lambda: np.zeros((0, 2)), lambda: np.broadcast_to(np.arange(3.), (2, 3)).copy("K")])
def test_arrays_that_are_moved_keep_their_elements(make):
    x, before = make(), make()
    assert not x._is_shared() and x._share_memory() is x and x._is_shared()
    assert x.tolist() == before.tolist() and x.shape == before.shape and x.dtype == before.dtype and x.strides == before.copy("K").strides
    assert sent(x).tolist() == before.tolist()


def test_steps_of_parts_of_elements_go_by_value():
    x = np.arange(16, dtype=np.uint8)._share_memory()
    for v in (x[1:9].view("f8"), np.lib.stride_tricks.as_strided(x.view("f4"), (2,), (6,))):
        assert v._is_shared() and not sent(v)._is_shared() and sent(v).tobytes() == v.tobytes()


def test_read_only_arrays_stay_so():
    x = np.arange(3.)
    x.flags.writeable = False
    assert x._share_memory() is x and not x.flags.writeable and x._is_shared()
    assert not sent(x).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        sent(x)[0] = 1


def test_large_arrays_with_backward_axes_are_sent_by_value():
    x = np.arange(20_000.).reshape(100, 200)[::-1]
    got = sent(x)
    assert numpy.array_equal(numpy.asarray(got), numpy.asarray(x)) and got._is_shared() and not x._is_shared()


def test_share_memory_is_torchs():
    x = torch_np.arange(4.)
    assert not x.is_shared() and x.share_memory_() is x and x.is_shared() and x[1:].is_shared() and x.view(2, 2).is_shared()
    address = x.data_ptr()
    assert x.share_memory_().data_ptr() == address
    assert not x.clone().is_shared() and not copy.deepcopy(x).is_shared() and copy.copy(x).is_shared()
    assert torch_np.empty(0).share_memory_().is_shared() and sent(torch_np.empty((0, 3))).shape == (0, 3)
    scalar = torch_np.tensor(1.5).share_memory_()
    sent(scalar).fill_(2)
    assert scalar.item() == 2
    again = pickle.loads(pickle.dumps(x))
    assert again.tolist() == x.tolist() and not again.is_shared()


def test_a_process_maps_memory_once():
    x = torch_np.arange(4.).share_memory_()
    assert sent(x).data_ptr() == x.data_ptr()
    a, b = sent((x, x[2:]))
    a[2] = 9
    assert b[0] == 9


def test_gradients():
    x = torch_np.ones(2, requires_grad=True)
    got = sent(x)
    assert x.is_leaf and x.is_shared() and got.requires_grad and got.is_leaf
    with torch_np.no_grad():
        got.fill_(3)
    assert x.tolist() == [3, 3]
    (x * x).sum().backward()
    assert x.grad is not None and x.grad.tolist() == [6, 6]
    (y := x.exp()).share_memory_()
    assert y.is_shared() and y.grad_fn is not None
    for bad in (x * 2, y, (x * 2)._np_compat()):
        with pytest.raises(RuntimeError, match="non-leaf"):
            sent(bad)
    assert sent((x * 2).detach()).tolist() == [6, 6]
    y = np.ones(2, _requires_grad=True)
    assert sent(y)._requires_grad
    with pytest.raises(RuntimeError):
        y._share_memory()


def test_modules():
    net = torch_np.nn.Sequential(torch_np.nn.Linear(3, 2), torch_np.nn.BatchNorm1d(2))
    assert net.share_memory() is net and all(t.is_shared() for t in net.state_dict().values())
    twin = sent(net)
    assert type(twin[0].weight) is torch_np.nn.Parameter and twin[0].weight.requires_grad
    with torch_np.no_grad():
        twin[0].weight.fill_(5)
        twin[1].running_mean.fill_(4)
    assert (net[0].weight == 5).all() and (net[1].running_mean == 4).all()
    fresh = torch_np.nn.Linear(2, 2)
    assert sent(fresh).weight.is_shared() and fresh.weight.is_shared()  # moved to shared memory, as a Tensor is


def test_attributes_travel():
    x = torch_np.ones(2)
    x.label = "weight"
    assert sent(x).label == "weight"


def shares_and_dies(connection):
    x = torch_np.arange(1000.).share_memory_()
    connection.send(x)
    connection.recv()
    os._exit(9)


def test_memory_outlives_the_process_that_made_it():
    context = mp.get_context("fork")
    here, there = context.Pipe()
    process = context.Process(target=shares_and_dies, args=(there,))
    process.start()
    x = here.recv()
    here.send(None)
    process.join(60)
    assert process.exitcode == 9 and x.sum() == 499500


def mapped_names():
    """Names of memory files that this process has mapped; /dev/shm also lists those of other
    processes."""
    names = (line.split(maxsplit=5)[-1].strip() for line in pathlib.Path("/proc/self/maps").read_text(errors="surrogateescape").splitlines() if "/dev/shm" in line or "memfd:" in line)
    return sorted(names)


@pytest.mark.slow("forty arrays through two processes")
def test_nothing_is_left_open():
    sent(torch_np.ones(3))  # starts the thread that sends descriptors
    before, files = descriptors(), mapped_names()
    for _ in range(20):
        x = torch_np.ones(1000).share_memory_()
        y, z = sent(x), sent(np.ones(100_000))
        views = x[1:], y[1:], z[1:]
        assert descriptors() > before
        del x, y, z, views
    assert descriptors() == before and mapped_names() == files


def test_a_storage_at_the_address_of_a_shared_one_is_not_shared():
    for _ in range(200):
        shared = torch_np.ones(3).share_memory_()
        other = sent(shared)
        del shared
        assert not any(torch_np.ones(3).is_shared() for _ in range(3)) and other.is_shared()


def test_the_module_has_the_names_of_pythons():
    assert set(multiprocessing.__all__) <= set(mp.__all__) and mp.Queue is not None
    assert mp.get_sharing_strategy() in mp.get_all_sharing_strategies()
    mp.set_sharing_strategy("file_descriptor")
    with pytest.raises(NotImplementedError, match="file_system"):
        mp.set_sharing_strategy("file_system")
