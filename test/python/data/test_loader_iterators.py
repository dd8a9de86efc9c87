"""Iterators of data loaders by PyTorch's names, which packages change to skip batches after a restart."""
import pytest

import torch_np as torch
from torch_np.utils.data import DataLoader
from torch_np.utils.data import dataloader

MARK = "reads data on the CPU"
pytestmark = pytest.mark.same_on_devices(MARK)


def values(loader):
    return [batch.tolist() for batch in loader]


@pytest.mark.parametrize("workers", [0, 1])
def test_batches_are_skipped_by_a_changed_class(monkeypatch, workers):
    """SpeechBrain's recovery: the constructor moves the iterator of the sampler, and the first reset keeps it."""
    begin, reset = dataloader._BaseDataLoaderIter.__init__, dataloader._BaseDataLoaderIter._reset

    def changed_begin(self, loader, *args, **kwargs):
        begin(self, loader, *args, **kwargs)
        for i in range(loader.skipped):
            next(self._sampler_iter)
            self._num_yielded = i + 1

    def changed_reset(self, loader, first_iter=False, *args, **kwargs):
        if not first_iter:
            reset(self, loader, first_iter)
    monkeypatch.setattr(dataloader._BaseDataLoaderIter, "__init__", changed_begin)
    monkeypatch.setattr(dataloader._BaseDataLoaderIter, "_reset", changed_reset)
    loader = DataLoader(torch.arange(6), batch_size=2, num_workers=workers, persistent_workers=workers > 0)
    loader.skipped = 1
    iterator = iter(loader)
    assert [b.tolist() for b in iterator] == [[2, 3], [4, 5]] and iterator._num_yielded == 3
    loader.skipped = 0
    assert values(loader) == [[0, 1], [2, 3], [4, 5]]


def test_parts_of_an_iterator():
    loader = DataLoader(torch.arange(4), batch_size=2)
    iterator = loader._get_iterator()
    assert iterator._num_yielded == 0 and next(iterator).tolist() == [0, 1] and iterator._num_yielded == 1
    assert iterator._next_index() == [2, 3] and iterator._index_sampler is loader.batch_sampler and len(iterator) == 2
    iterator._reset(loader)
    assert [b.tolist() for b in iterator] == [[0, 1], [2, 3]] and isinstance(iterator, dataloader._SingleProcessDataLoaderIter)
