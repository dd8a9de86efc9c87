"""torch_np.utils.data: options, warnings and private names that PyTorch's programs use."""
import multiprocessing
import tempfile

import numpy
import pytest

import torch_np as torch
from torch_np.utils.data import DataLoader, IterableDataset, TensorDataset
from torch_np.utils.data._utils import worker
from torch_np.utils.data._utils.collate import default_collate
from torch_np.utils.data.distributed import DistributedSampler

DATASET = TensorDataset(torch.arange(8))


class Longer(IterableDataset):
    def __len__(self):
        return 2

    def __iter__(self):
        return iter(range(4))


@pytest.mark.parametrize("options,error,message", [
    (dict(num_workers=0, multiprocessing_context="spawn"), ValueError, "multi-process loading"),
    (dict(num_workers=1, multiprocessing_context=object()), TypeError, "should be a valid context object")])
def test_contexts_are_checked(options, error, message):
    with pytest.raises(error, match=message):
        DataLoader(DATASET, **options)


def test_many_workers_warn():
    with pytest.warns(UserWarning, match="excessive worker creation might get DataLoader running slow"):
        DataLoader(DATASET, num_workers=1000)


def test_iterable_datasets_longer_than_their_length_warn():
    loader = DataLoader(Longer())
    assert sum(1 for _ in loader) == 4      # nobody asked for the length
    assert len(loader) == 2
    with pytest.warns(UserWarning, match="was reported to be 2"):
        assert len(list(loader)) == 4


def test_workers_of_an_iterator():
    iterator = iter(DataLoader(DATASET, num_workers=2))
    assert len(iterator._workers) == 2 and all(w.pid for w in iterator._workers)
    list(iterator)
    assert not multiprocessing.active_children()


def test_collation_of_mapped_arrays():
    with tempfile.TemporaryFile() as file:
        mapped = numpy.memmap(file, dtype=numpy.int64, mode="w+", shape=(2, 2))
        mapped[:] = [[0, 1], [2, 3]]
        assert default_collate(list(mapped)).tolist() == [[0, 1], [2, 3]]


def test_seeds_of_numpy_in_workers():
    assert worker._generate_state(13434589827475259383, 4) == [2884386318, 1088094898, 3523808998, 3860348662]
    assert worker.get_worker_info() is None and not DataLoader(DATASET, batch_size=None)._auto_collation


def test_ranks_are_checked():
    with pytest.raises(ValueError, match="Invalid rank 3"):
        DistributedSampler(DATASET, 3, 3)
