"""torch_np.utils.data: items of datasets and samplers, and worker processes: their batches, errors,
crashes and exits."""
import collections
import gc
import multiprocessing
import os
import random
import signal
import subprocess
import sys
import time

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np.utils import data
from torch_np.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset


def shared_files():
    return [f for f in os.listdir("/dev/shm") if f.startswith(f"torch_np_{os.getpid()}_")] if os.path.isdir("/dev/shm") else []


@pytest.fixture(autouse=True)
def nothing_is_left():
    yield
    gc.collect()
    assert not multiprocessing.active_children() and not shared_files()


class Rows(Dataset):
    def __init__(self, count=20, size=1000):
        self.count, self.size = count, size

    def __len__(self):
        return self.count

    def __getitem__(self, i):
        return torch_np.full((self.size,), float(i)), i


class Shards(IterableDataset):
    def __iter__(self):
        info = data.get_worker_info()
        return iter(range(info.id, 10, info.num_workers) if info else range(10))


class Acting(Dataset):
    """Calls a function at sample 7."""

    def __init__(self, action):
        self.action = action

    def __len__(self):
        return 12

    def __getitem__(self, i):
        if i == 7:
            self.action()
        return i


# ------------------------------------------------------------------------------------------------- datasets and samplers

def test_datasets():
    a, b = torch_np.arange(6).view(3, 2), torch_np.arange(3)
    rows = TensorDataset(a, b)
    assert len(rows) == 3 and [x.tolist() for x in rows[1]] == [[2, 3], 1]
    with pytest.raises(AssertionError, match="Size mismatch"):
        TensorDataset(a, torch_np.arange(2))
    joined = rows + TensorDataset(b)
    assert len(joined) == 6 and joined[4][0] == 1 and joined[-1][0] == 2 and joined[0][1] == 0 and joined.cumulative_sizes == [3, 6]
    for index, error in ((6, IndexError), (-7, ValueError)):
        with pytest.raises(error):
            joined[index]
    stacked = data.StackDataset(x=range(3), y=[5, 6, 7])
    assert stacked[1] == {"x": 1, "y": 6} and stacked.__getitems__([0, 2]) == [{"x": 0, "y": 5}, {"x": 2, "y": 7}] and len(stacked) == 3
    assert data.StackDataset(range(2), "ab")[1] == (1, "b")
    for args, kwargs in (((), {}), (([1],), {"a": [1]}), (([1], [1, 2]), {})):
        with pytest.raises(ValueError):
            data.StackDataset(*args, **kwargs)
    subset = data.Subset(list("abcd"), [3, 1])
    assert len(subset) == 2 and subset[0] == "d" and subset.__getitems__([1, 0]) == ["b", "d"]
    chained = Shards() + Shards()
    assert isinstance(chained, data.ChainDataset) and list(chained) == [*range(10), *range(10)]
    with pytest.raises(AssertionError):
        list(data.ChainDataset([rows]))
    with pytest.raises(AssertionError):
        data.ConcatDataset([])
    with pytest.raises(NotImplementedError):
        Dataset()[0]
    with pytest.raises(NotImplementedError):
        iter(IterableDataset())


def test_data_pipes_as_methods():
    @data.functional_datapipe("plus_for_test")
    class Plus(data.IterDataPipe):
        def __init__(self, source, n=1):
            self.source, self.n = source, n

        def __iter__(self):
            return (x + self.n for x in self.source)

    assert list(Plus([1, 2]).plus_for_test(n=5)) == [7, 8]
    with pytest.raises(ValueError, match="already taken"):
        data.functional_datapipe("plus_for_test")(Plus)
    with pytest.raises(TypeError):
        data.functional_datapipe("other")(int)
    with pytest.raises(AttributeError, match="functional_datapipe"):
        Plus([1]).shuffle()
    for absent in (data.argument_validation, data.runtime_validation, data.non_deterministic):
        with pytest.raises(NotImplementedError):
            absent(print)
    with data.runtime_validation_disabled(), data.guaranteed_datapipes_determinism():
        chunk = data.DataChunk((1, 2))
    assert chunk == [1, 2] and chunk.as_str("> ") == "> [1, 2]" and list(chunk.raw_iterator()) == [1, 2]


def test_collate_by_class():
    collate = data._utils.collate
    sums = {int: lambda batch, *, collate_fn_map=None: sum(batch)}
    assert collate.collate([{"a": [1, 2]}, {"a": [3, 4]}], collate_fn_map=sums) == {"a": [4, 6]}
    with pytest.raises(TypeError, match="found <class 'int'>"):
        collate.collate([1, 2])
    with pytest.raises(TypeError):
        collate.collate_numpy_array_fn([numpy.ones(2)])
    given = collate.collate_numpy_array_fn([numpy.ones(2)], collate_fn_map=collate.default_collate_fn_map)
    assert given.dtype == torch_np.float64 and given.shape == (1, 2)
    assert collate.collate_float_fn([1.0]).dtype == torch_np.float64 and collate.collate_int_fn([1]).dtype == torch_np.int64
    assert collate.collate_numpy_scalar_fn([numpy.float32(1)]).dtype == torch_np.float32 and collate.collate_str_fn(["a"]) == ["a"]
    fetcher = data._DatasetKind.create_fetcher(data._DatasetKind.Map, range(5), True, data.default_collate, False)
    assert fetcher.fetch([3, 1]).tolist() == [3, 1]


@pytest.mark.parametrize("lengths, sizes", [([3, 7], [3, 7]), ([0.5, 0.5], [5, 5]), ([0.35, 0.35, 0.3], [4, 3, 3]), ([10], [10])])
def test_random_split(lengths, sizes):
    parts = data.random_split(range(10), lengths, torch_np.Generator().manual_seed(1))
    assert [len(p) for p in parts] == sizes and sorted(x for p in parts for x in p) == list(range(10))
    order = torch_np.randperm(10, generator=torch_np.Generator().manual_seed(1)).tolist()
    assert [i for p in parts for i in p.indices] == order
    for wrong in ([3, 3], [1.5, -0.5], [0.2, 0.2]):
        with pytest.raises(ValueError):
            data.random_split(range(10), wrong)


def test_samplers():
    g = torch_np.Generator
    assert list(data.SequentialSampler("abc")) == [0, 1, 2]
    assert list(data.RandomSampler(range(9), generator=g().manual_seed(2))) == torch_np.randperm(9, generator=g().manual_seed(2)).tolist()
    drawn = list(data.RandomSampler(range(5), replacement=True, num_samples=70, generator=g().manual_seed(2)))
    source = g().manual_seed(2)
    assert drawn == [i for n in (32, 32, 6) for i in torch_np.randint(0, 5, (n,), generator=source).tolist()]
    more = list(data.RandomSampler(range(5), num_samples=12))
    assert len(more) == 12 and sorted(more[:5]) == sorted(more[5:10]) == list(range(5)) and len(set(more[10:])) == 2
    assert list(data.RandomSampler([])) == [] and list(data.RandomSampler(range(5), num_samples=0)) == []
    assert sorted(data.SubsetRandomSampler([5, 7, 9])) == [5, 7, 9] and len(data.SubsetRandomSampler([5, 7])) == 2
    assert list(data.BatchSampler(range(5), 2, False)) == [[0, 1], [2, 3], [4]] and list(data.BatchSampler(range(5), 2, True)) == [[0, 1], [2, 3]]
    assert len(data.BatchSampler(range(5), 2, False)) == 3 and len(data.BatchSampler(range(5), 2, True)) == 2
    for make, error in ((lambda: data.BatchSampler(range(5), 0, False), ValueError), (lambda: data.BatchSampler(range(5), 2, 1), ValueError),
                        (lambda: data.RandomSampler(range(5), num_samples=-1), ValueError), (lambda: data.RandomSampler(range(5), 1), TypeError),
                        (lambda: data.WeightedRandomSampler([1.0], 0), ValueError), (lambda: data.WeightedRandomSampler([[1.0]], 1), ValueError),
                        (lambda: data.WeightedRandomSampler([1.0], 1, 3), ValueError), (lambda: iter(data.Sampler()), NotImplementedError)):
        with pytest.raises(error):
            make()


def test_weighted_sampler():
    assert set(data.WeightedRandomSampler([0.0, 1.0, 0.0, 3.0], 50)) == {1, 3}
    assert sorted(data.WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)) == [0, 1, 2]


def test_samples_as_a_batch():
    Point = collections.namedtuple("Point", "x y")
    batch = data.default_collate([(1, 2.5, "a", {"k": torch_np.ones(2)}, Point(1, [1, 2]), numpy.float32(3), numpy.arange(2), True)] * 2)
    numbers, floats, texts, mapping, point, scalar, array, flags = batch
    assert (numbers.dtype, numbers.tolist(), floats.dtype, texts) == (torch_np.int64, [1, 1], torch_np.float64, ["a", "a"])
    assert mapping["k"].shape == (2, 2) and point.x.tolist() == [1, 1] and [p.tolist() for p in point.y] == [[1, 1], [2, 2]]
    assert scalar.dtype == torch_np.float32 and array.tolist() == [[0, 1], [0, 1]] and flags.dtype == torch_np.bool
    assert type(data.default_collate([np.ones(2), np.ones(2)])) is np.ndarray
    for wrong, error in (([object()], TypeError), ([[1], [1, 2]], RuntimeError), ([torch_np.ones(2), torch_np.ones(3)], RuntimeError),
                         ([numpy.array(["a"])], TypeError)):
        with pytest.raises(error):
            data.default_collate(wrong)
    converted = data.default_convert([numpy.ones(2), {"a": numpy.int64(3)}, "text", 5])
    assert converted[0].tolist() == [1, 1] and converted[1]["a"].item() == 3 and converted[2:] == ["text", 5]


# ----------------------------------------------------------------------------------------------------------- the loader

@pytest.mark.parametrize("workers", [0, 1, 3])
def test_batches_come_in_order(workers):
    loader = DataLoader(Rows(), batch_size=3, num_workers=workers, drop_last=False)
    batches = [(x[:, 0].tolist(), x.shape, i.tolist()) for x, i in loader]
    assert len(loader) == len(batches) == 7 and [i for _, _, b in batches for i in b] == list(range(20))
    assert all(x == i and shape == (len(i), 1000) for x, shape, i in batches)
    assert len(list(DataLoader(Rows(), batch_size=3, num_workers=workers, drop_last=True))) == 6
    single = list(DataLoader(Rows(4), batch_size=None, num_workers=workers))
    assert [i for _, i in single] == [0, 1, 2, 3] and single[2][0].shape == (1000,)
    assert list(DataLoader(Rows(0), num_workers=workers)) == []


@pytest.mark.parametrize("workers", [0, 2])
def test_a_seeded_generator_gives_the_same_order_with_and_without_workers(workers):
    def order():
        return [i for _, b in DataLoader(Rows(), shuffle=True, num_workers=workers, generator=torch_np.Generator().manual_seed(5)) for i in b.tolist()]
    assert order() == order() and sorted(order()) == list(range(20))
    g = torch_np.Generator().manual_seed(5)
    data.sampler.draw_seed(g)
    assert order() == torch_np.randperm(20, generator=g).tolist()


def test_iterable_datasets():
    assert [b.tolist() for b in DataLoader(Shards(), batch_size=4)] == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]
    assert [b.tolist() for b in DataLoader(Shards(), batch_size=4, drop_last=True)] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert [b.tolist() for b in DataLoader(Shards(), batch_size=2, num_workers=2)] == [[0, 2], [1, 3], [4, 6], [5, 7], [8], [9]]
    assert sorted(DataLoader(Shards(), batch_size=None, num_workers=3)) == list(range(10))
    kept = DataLoader(Shards(), batch_size=5, num_workers=2, persistent_workers=True)
    for _ in range(3):
        assert [b.tolist() for b in kept] == [[0, 2, 4, 6, 8], [1, 3, 5, 7, 9]]
    del kept


def test_large_tensors_are_shared_and_small_ones_are_sent():
    for x, i in DataLoader(Rows(8, 5000), batch_size=2, num_workers=2):
        maps = open("/proc/self/maps", errors="surrogateescape").read() if os.path.exists("/proc/self/maps") else "torch_np_"
        assert "torch_np_" in maps
        x += 1  # the array is ours
        assert x[:, 0].tolist() == (i + 1).tolist()
    del x
    gc.collect()
    if os.path.exists("/proc/self/maps"):
        assert "/torch_np_" not in "".join(line for line in open("/proc/self/maps", errors="surrogateescape") if "/dev/shm" in line)


@pytest.mark.parametrize("error", [OSError, MemoryError, KeyboardInterrupt])
def test_a_file_that_cannot_be_mapped_is_closed_and_removed(monkeypatch, tmp_path, error):
    from torch_np.utils.data import _sharing

    def fails(descriptor, size):
        raise error("no room")

    before = os.listdir("/proc/self/fd")
    monkeypatch.setattr(_sharing, "folders", lambda: [str(tmp_path)])
    monkeypatch.setattr(_sharing.mmap, "mmap", fails)
    if error is OSError:
        assert _sharing._map_new(8192) is None
    else:
        with pytest.raises(error):
            _sharing._map_new(8192)
    assert os.listdir("/proc/self/fd") == before and os.listdir(tmp_path) == []


def test_a_folder_that_takes_no_files_is_passed_over(monkeypatch, tmp_path):
    from torch_np.utils.data import _sharing

    monkeypatch.setattr(_sharing, "folders", lambda: [str(tmp_path / "missing"), str(tmp_path)])
    path, memory = _sharing._map_new(8192)
    assert os.path.dirname(path) == str(tmp_path) and len(memory) == 8192


def test_what_is_no_plain_tensor_is_handed_over():
    class Mixed(Dataset):
        def __len__(self):
            return 2

        def __getitem__(self, i):
            big = torch_np.arange(9000.0)
            return {"view": big.view(90, 100).t(), "array": np.ones(5000) * i, "numpy": numpy.arange(3), "grad": torch_np.ones(2000, requires_grad=True),
                    "same": big, "again": big, "text": "x"}
    for i, sample in enumerate(DataLoader(Mixed(), batch_size=None, num_workers=1)):
        assert sample["view"].tolist() == torch_np.arange(9000.0).view(90, 100).t().tolist() and sample["same"] is sample["again"]
        assert type(sample["array"]) is np.ndarray and (sample["array"] == i).all() and sample["grad"].requires_grad


def test_persistent_workers_stay_and_drop_an_epoch_that_was_left():
    class Whose(Rows):
        def __getitem__(self, i):
            return os.getpid(), i
    loader = DataLoader(Whose(), batch_size=2, num_workers=2, persistent_workers=True)
    seen = {p for pids, _ in loader for p in pids.tolist()}
    iterator = iter(loader)
    next(iterator)
    batches = list(loader)
    assert [i for _, b in batches for i in b.tolist()] == list(range(20)) and {p for pids, _ in batches for p in pids.tolist()} == seen
    assert len(seen) == 2 and os.getpid() not in seen
    del loader, iterator


def test_leaving_a_loop_ends_the_workers():
    iterator = iter(DataLoader(Rows(100), num_workers=2))
    next(iterator)
    processes = multiprocessing.active_children()
    assert len(processes) == 2
    del iterator
    gc.collect()
    assert not any(p.is_alive() for p in processes)


def test_what_workers_know(monkeypatch):
    class Info(Rows):
        def __getitem__(self, i):
            info = data.get_worker_info()
            return info.id, info.num_workers, info.seed, os.environ["INIT"], random.random(), torch_np.rand(1).item(), torch_np.get_num_threads()

    def init(number):
        os.environ["INIT"] = str(number)

    assert data.get_worker_info() is None
    rows = [r for r in DataLoader(Info(4), batch_size=None, num_workers=2, worker_init_fn=init, generator=torch_np.Generator().manual_seed(1))]
    assert [r[0] for r in rows] == [0, 1, 0, 1] and all(r[1] == 2 and r[3] == str(r[0]) and r[6] == 1 for r in rows)
    assert rows[1][2] == rows[0][2] + 1 and len({r[4] for r in rows}) == len({r[5] for r in rows}) == 4


def fail():
    raise KeyError("seven")


class Awkward(Exception):
    def __init__(self, a, b):
        super().__init__(a, b)


def fail_awkwardly():
    raise Awkward(1, 2)


def fail_locally():
    class Local(Exception):
        pass
    raise Local("here")


def stop():
    raise StopIteration


@pytest.mark.parametrize("action, error", [(fail, KeyError), (fail_awkwardly, RuntimeError), (fail_locally, RuntimeError), (stop, RuntimeError)])
def test_errors_of_workers_are_raised_with_their_traceback(action, error):
    got = []
    with pytest.raises(error, match=r"(?s)Caught .* in DataLoader worker process 1\.\nOriginal Traceback .*in __getitem__"):
        for i in DataLoader(Acting(action), batch_size=None, num_workers=2):
            got.append(i)
    assert got == [0, 1, 2, 3, 4, 5, 6]


def test_errors_of_init():
    with pytest.raises(KeyError, match="seven"):
        list(DataLoader(Rows(), num_workers=1, worker_init_fn=lambda _: fail()))


def test_an_iteration_goes_on_after_an_error():
    iterator = iter(DataLoader(Acting(fail), batch_size=None, num_workers=2))
    got, errors = [], 0
    while True:
        try:
            got.append(next(iterator))
        except KeyError:
            errors += 1
        except StopIteration:
            break
    assert got == [i for i in range(12) if i != 7] and errors == 1


@pytest.mark.parametrize("action, text", [(lambda: os.kill(os.getpid(), signal.SIGKILL), "by signal 9"), (lambda: os._exit(3), "with exit code 3")])
def test_workers_that_die_are_noticed(action, text):
    with pytest.raises(RuntimeError, match=rf"worker \(pid \d+\) exited unexpectedly {text}"):
        list(DataLoader(Acting(action), num_workers=2))


def test_workers_that_are_silent_are_noticed():
    begin = time.monotonic()
    with pytest.raises(RuntimeError, match="timed out after 0.5 seconds"):
        list(DataLoader(Acting(lambda: time.sleep(60)), num_workers=2, timeout=0.5))
    assert time.monotonic() - begin < 20


def test_workers_end_with_their_parent():
    program = """
import os, sys, time
import torch_np
from torch_np.utils.data import DataLoader
class Rows(torch_np.utils.data.Dataset):
    def __len__(self): return 10**6
    def __getitem__(self, i): return torch_np.ones(9000)
iterator = iter(DataLoader(Rows(), batch_size=2, num_workers=2))
next(iterator)
print(*[p.pid for p in __import__("multiprocessing").active_children()], flush=True)
os.kill(os.getpid(), 9)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    pids = [int(p) for p in done.stdout.split()]
    assert len(pids) == 2, done.stderr
    deadline = time.monotonic() + 20
    while any(os.path.exists(f"/proc/{p}") and " Z " not in open(f"/proc/{p}/stat").read() for p in pids):
        assert time.monotonic() < deadline
        time.sleep(0.1)


@pytest.mark.parametrize("options", [
    {"num_workers": -1}, {"timeout": -1}, {"prefetch_factor": 2}, {"persistent_workers": True}, {"num_workers": 1, "prefetch_factor": -1},
    {"shuffle": True, "sampler": [0]}, {"batch_sampler": [[0]], "batch_size": 2}, {"batch_sampler": [[0]], "shuffle": True},
    {"batch_size": None, "drop_last": True}, {"batch_size": 0}, {"multiprocessing_context": "no"}, {"pin_memory_device": "cpu"}, {"pin_memory": True, "pin_memory_device": "meta"},
], ids=str)
def test_options_that_do_not_fit(options):
    with pytest.raises(ValueError):
        DataLoader(Rows(), **options)


@pytest.mark.parametrize("options", [{"shuffle": True}, {"sampler": [0]}, {"batch_sampler": [[0]]}], ids=str)
def test_iterable_datasets_have_no_order(options):
    with pytest.raises(ValueError):
        DataLoader(Shards(), **options)


def test_attributes_and_orders():
    loader = DataLoader(Rows(6), batch_sampler=[[5, 1], [2]], num_workers=2, in_order=False)
    assert sorted(tuple(i.tolist()) for _, i in loader) == [(2,), (5, 1)] and len(loader) == 2
    with pytest.raises(ValueError, match="should not be set"):
        loader.batch_size = 3
    assert [i.item() for _, i in DataLoader(Rows(6), sampler=[4, 2], pin_memory=True)] == [4, 2]
    assert [b for b in DataLoader(range(5), batch_size=2, collate_fn=list)] == [[0, 1], [2, 3], [4]]


def test_spawned_workers():
    loader = DataLoader(TensorDataset(torch_np.arange(8), torch_np.ones(8)), batch_size=4, num_workers=1, multiprocessing_context="spawn")
    assert [x.tolist() for x, _ in loader] == [[0, 1, 2, 3], [4, 5, 6, 7]]


def test_nothing_is_loaded_before_it_is_used():
    program = "import sys, torch_np; assert not any(m in sys.modules for m in ('multiprocessing', 'torch_np.serialization._archive', " \
              "'torch_np.utils.data.dataloader')); torch_np.utils.data.DataLoader"
    subprocess.run([sys.executable, "-c", program], check=True, timeout=60)
