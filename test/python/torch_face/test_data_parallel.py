"""torch_np.nn.DataParallel and data_parallel on one device."""
import collections

import pytest

import torch_np
from torch_np import nn
from torch_np.nn.parallel import DataParallel, data_parallel

Pair = collections.namedtuple("Pair", "left right")


class Places(nn.Module):
    """Gives the devices of the tensors among its arguments."""

    def forward(self, x, others=(), **more):
        return [t.device.type for t in (x, *others, *more.values())]


def test_arguments_are_moved_to_the_device():
    x = torch_np.ones(2, device="cpu")
    for device in ("meta", torch_np.device("meta")):
        assert DataParallel(Places(), device_ids=[device])(x, Pair(x, x), more=x) == ["meta"] * 4
        assert data_parallel(Places(), (x, [x, x]), device_ids=[device], module_kwargs={"more": x}) == ["meta"] * 4
    given = {"k": (x, 3, None, "text")}
    moved = data_parallel(lambda d: d, given, device_ids=["meta"])
    assert moved["k"][0].device.type == "meta" and moved["k"][1:] == (3, None, "text") and given["k"][0].device.type == "cpu"


def test_without_a_device_the_arguments_stay():
    x = torch_np.ones(2, device="cpu")
    assert DataParallel(Places())(x, [x]) == ["cpu"] * 2 == data_parallel(Places(), (x, [x]))


def test_several_devices_raise():
    with pytest.raises(NotImplementedError, match="several devices"):
        DataParallel(Places(), device_ids=[0, 1])
