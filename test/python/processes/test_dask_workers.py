"""Our chunks between Dask's workers and on their disks (docs/dask.md): no unnecessary copies, and
always the same elements."""
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy
import pytest

pytest.importorskip("dask.array", reason="Dask is not installed (pip install 'torch-np[dask]')")
distributed = pytest.importorskip("distributed", reason="Dask's distributed scheduler is not installed (pip install 'torch-np[dask]')")

import dask  # noqa: E402
import dask.array as da  # noqa: E402
from dask.sizeof import sizeof  # noqa: E402
from distributed.protocol import deserialize, serialize  # noqa: E402

import torch_np.numpy as np  # noqa: E402
import torch_np_dask  # noqa: E402, F401

ARRAYS = {
    "a vector": lambda: np.arange(1000.0),
    "integers": lambda: np.arange(1000, dtype=np.int16),
    "bool": lambda: np.arange(1000) % 3 == 0,
    "complex": lambda: np.arange(1000) * 1j,
    "bfloat16": lambda: np.arange(1000, dtype=np.bfloat16),
    "float16": lambda: np.arange(1000, dtype=np.float16),
    "rows": lambda: np.arange(1000.0).reshape(20, 50),
    "columns": lambda: np.arange(1000.0).reshape(20, 50).T,
    "a transposed cube": lambda: np.arange(1000.0).reshape(10, 20, 5).transpose(1, 0, 2),
    "rows of a larger array": lambda: np.arange(2000.0).reshape(40, 50)[10:30],
}
COPIED = {
    "columns of a larger array": lambda: np.arange(2000.0).reshape(20, 100)[:, :50],
    "every second": lambda: np.arange(2000.0)[::2],
    "backwards": lambda: np.arange(1000.0)[::-1],
    "pending": lambda: np.arange(1000.0) * 2 + 1,
}
SMALL = {
    "0-d": lambda: np.array(2.5),
    "empty": lambda: np.ones((0, 3)),
    "ones": lambda: np.broadcast_to(np.ones(()), (300, 200)),
    "a repeated row": lambda: np.broadcast_to(np.arange(50.0), (20, 50)),
    "read-only": lambda: read_only(np.arange(1000.0)),
    "with a gradient": lambda: np.ones(5, _requires_grad=True),
}


def read_only(x):
    x.flags.writeable = False
    return x


def same(found, x):
    assert type(found) is np.ndarray and (found.dtype, found.shape) == (x.dtype, x.shape)
    assert found.flags.writeable == x.flags.writeable and found._requires_grad == x._requires_grad
    assert found.tolist() == x.tolist()


@pytest.mark.parametrize("case", ARRAYS | COPIED | SMALL)
def test_arrays_are_the_same_after_the_way(case):
    x = (ARRAYS | COPIED | SMALL)[case]()
    header, frames = serialize(x)
    assert header["serializer"] == "dask"
    same(deserialize(header, frames), x)
    sent = [bytes(f) for f in frames]  # copies in read-only memory, as a socket delivers them
    same(deserialize(header, sent), x)


@pytest.mark.parametrize("case", ARRAYS)
def test_frames_are_the_memory_of_the_array_and_arrays_that_of_frames(case):
    x = ARRAYS[case]()
    header, frames = serialize(x)
    (frame,) = frames
    assert memoryview(frame).nbytes == x.nbytes and numpy.shares_memory(numpy.frombuffer(frame, numpy.uint8), numpy.asarray(x))
    received = bytearray(frame)
    found = deserialize(header, [received])
    assert found.strides == x.strides and numpy.shares_memory(numpy.asarray(found), numpy.frombuffer(received, numpy.uint8))


@pytest.mark.parametrize("case", COPIED)
def test_elements_that_are_not_side_by_side_are_sent_alone(case):
    x = COPIED[case]()
    _, frames = serialize(x)
    assert [memoryview(f).nbytes for f in frames] == [x.nbytes]


def test_repeated_elements_are_sent_and_counted_once():
    for x, size in ((np.broadcast_to(np.ones(()), (300, 200)), 8), (np.broadcast_to(np.arange(50.0), (20, 50)), 400)):
        _, frames = serialize(x)
        assert sum(memoryview(f).nbytes for f in frames) == sizeof(x) == size
    x = np.ones((100, 10))
    assert sizeof(x) == x.nbytes and sizeof(x[:50]) == x.nbytes // 2


# --- workers

@pytest.fixture(scope="module")
def client(tmp_path_factory):
    """Two workers that spill chunks beyond 240 MB each. Other memory use of the processes neither
    pauses nor ends them."""
    with dask.config.set({"distributed.worker.memory.pause": False, "distributed.worker.memory.terminate": False}), \
            distributed.LocalCluster(n_workers=2, threads_per_worker=1, memory_limit=400_000_000, dashboard_address=None,
                                  local_directory=str(tmp_path_factory.mktemp("workers"))) as cluster, distributed.Client(cluster) as client:
        yield client


def settings():
    import torch_np
    return torch_np.get_num_threads(), os.environ["TORCH_NP_CPU_CACHE_LIMIT"]


def registered():
    return "torch_np_dask" in sys.modules


def kind(block):
    return numpy.array([[type(block).__module__ == "torch_np.numpy"]])


def on_disk(dask_worker):
    return dask_worker.data.spilled_total.disk


def test_workers_have_a_thread_each_and_keep_little_freed_memory(client):
    assert set(client.run(settings).values()) == {(1, str(256 * 2**20))}


def test_workers_know_our_chunks_before_they_get_one(client):
    assert all(client.run(registered).values())


def test_chunks_of_workers_are_ours_also_when_they_have_travelled(client):
    x = np.arange(60.0).reshape(6, 10)
    parts = da.from_array(x, chunks=(2, 5))
    moved = (parts + parts.T.rechunk((5, 2)).T[::-1]).persist()
    assert moved.map_blocks(kind, dtype=bool, chunks=(1, 1), meta=numpy.empty((0, 0), bool)).all().compute()
    found = moved.compute()
    assert type(found) is np.ndarray and (found == x + x[::-1]).all()


@pytest.mark.slow("writes a gigabyte to disk")
def test_chunks_are_spilled_when_memory_is_short_and_come_back(client):
    with dask.config.set({"array.backend": "torch_np"}):
        x = da.arange(125_000_000, dtype=float, chunks=2_500_000).persist()  # 1 GB, where 0.8 fit
        distributed.wait(x)
        assert sum(client.run(on_disk).values()) > 2e8
        assert float((x * 2).sum().compute()) == 125_000_000 * 124_999_999.0
        found = x[7_499_990:7_500_010].compute()
    assert type(found) is np.ndarray and found.tolist() == list(map(float, range(7_499_990, 7_500_010)))


@pytest.mark.slow("the example starts a cluster")
def test_the_example_agrees_with_one_process_and_draws(tmp_path):
    pytest.importorskip("matplotlib")
    figure = tmp_path / "figure.png"
    example = Path(__file__).resolve().parents[3] / "examples" / "out_of_core.py"
    done = subprocess.run([sys.executable, str(example), "--gigabytes", "0.02", "--chunk", "2", "--memory", "1", "--iterations", "3",
                           "--figure", str(figure)], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert len(re.findall(r"largest difference (\S+) of the largest number", done.stdout)) == 5
    assert "chunks of torch_np.numpy" in done.stdout and "100% Completed" in done.stdout
    assert figure.stat().st_size > 10_000
