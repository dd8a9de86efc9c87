"""Arrays handed to other processes and to the standard library's tools for values: shared memory, joblib, copy, dataclasses, json."""
import copy
import dataclasses
import json
import mmap
import multiprocessing
from multiprocessing import shared_memory

import numpy
import pytest

import torch_np
import torch_np.numpy as np

FACES = {"numpy": lambda values: np.array(values), "torch": lambda values: torch_np.tensor(values)}


@pytest.fixture(params=FACES)
def face(request):
    return FACES[request.param]


def over(buffer, is_torch):
    """Eight float64 over a buffer, without a copy."""
    return torch_np.frombuffer(buffer, dtype=torch_np.float64)[:8] if is_torch else np.ndarray((8,), "f8", buffer=buffer)


def double_in_block(name, is_torch):
    block = shared_memory.SharedMemory(name)
    array = over(block.buf, is_torch)
    array *= 2
    del array
    block.close()


@pytest.mark.parametrize("is_torch", [False, True])
def test_an_array_over_shared_memory_is_seen_by_a_worker(is_torch):
    block = shared_memory.SharedMemory(create=True, size=64)
    try:
        array = over(block.buf, is_torch)
        array[...] = 21
        worker = multiprocessing.get_context("spawn").Process(target=double_in_block, args=(block.name, is_torch))
        worker.start()
        worker.join()
        assert worker.exitcode == 0 and array.tolist() == [42] * 8
        with pytest.raises(BufferError):  # as with NumPy's arrays: the block is not unmapped under the array
            block.close()
        del array
    finally:
        block.close()
        block.unlink()


def fill(array, value):
    array[...] = value


@pytest.mark.parametrize("is_torch", [False, True])
def test_an_array_over_an_anonymous_mapping_is_passed_to_a_forked_worker_without_a_copy(is_torch):
    array = over(mmap.mmap(-1, 64), is_torch)
    worker = multiprocessing.get_context("fork").Process(target=fill, args=(array, 7))
    worker.start()
    worker.join()
    assert worker.exitcode == 0 and array.tolist() == [7] * 8


def mapped_and_sum(array):
    """Whether the memory of `array` is a file's, and its sum."""
    shared = array._torch() if isinstance(array, np.ndarray) else array
    with open("/proc/self/maps") as maps:
        ranges = [line.split() for line in maps if "joblib_memmapping_folder" in line]
    at = shared.data_ptr()
    return any(int(low, 16) <= at < int(high, 16) for low, _, high in (r[0].partition("-") for r in ranges)), type(array), float(array.sum())


def test_joblib_maps_large_arrays_in_its_workers(face):
    joblib = pytest.importorskip("joblib")
    large, small = face([1.0] * 50_000), face([1.0] * 5)
    found = joblib.Parallel(n_jobs=2, max_nbytes=100_000)(joblib.delayed(mapped_and_sum)(a) for a in (large, small))
    assert found == [(True, type(large), 50_000.0), (False, type(large), 5.0)]


def test_joblib_keeps_arrays_in_files_and_knows_them_again(face, tmp_path):
    joblib = pytest.importorskip("joblib")
    a = face([1.0] * 1000)
    joblib.dump({"a": a}, tmp_path / "a", protocol=5)
    mapped = joblib.load(tmp_path / "a", mmap_mode="r")["a"]
    assert type(mapped) is type(a) and mapped.tolist() == a.tolist()
    assert not numpy.asarray(mapped).flags.writeable
    assert joblib.hash(a) == joblib.hash(copy.deepcopy(a)) != joblib.hash(a + 1)


def test_copies(face):
    a = face([1.0, 2.0])
    deep = copy.deepcopy({"a": a, "again": a})
    assert deep["a"] is deep["again"] and type(deep["a"]) is type(a)
    deep["a"][0] = 9
    assert a.tolist() == [1, 2]
    shallow = copy.copy(a)
    shallow[0] = 9
    assert a.tolist() == ([9, 2] if isinstance(a, torch_np.Tensor) else [1, 2])  # as PyTorch's, and as NumPy's


@dataclasses.dataclass
class Sample:
    values: object
    label: int = 0


def test_dataclasses(face):
    a = face([1.0, 2.0])
    s = Sample(a)
    as_dict = dataclasses.asdict(s)
    assert type(as_dict["values"]) is type(a) and as_dict["values"] is not a and as_dict["values"].tolist() == [1, 2]
    assert dataclasses.replace(s, label=1).values is a
    assert Sample(a) == Sample(a)  # the same object
    with pytest.raises((ValueError, RuntimeError)):  # as NumPy's and PyTorch's: more than one truth value
        Sample(a) == Sample(face([1.0, 2.0]))


@pytest.mark.parametrize("make", [lambda xp: xp.arange(3.0).sum(), lambda xp: xp.arange(3.0)[1], lambda xp: xp.arange(3.0).tolist(),
                                  lambda xp: {"a": xp.ones(2).mean()}, lambda xp: xp.arange(3).sum(), lambda xp: xp.array(1.0),
                                  lambda xp: (xp.arange(3) > 1).any(), lambda xp: xp.ones(2, "f4").sum(), lambda xp: xp.arange(3.0)])
def test_json_takes_what_it_takes_of_numpys(make):
    try:
        wanted = json.dumps(make(numpy))
    except TypeError:
        with pytest.raises(TypeError, match="not JSON serializable"):
            json.dumps(make(np))
    else:
        assert json.dumps(make(np)) == wanted
