"""The default device is that of new tensors, not of tensors over memory that exists."""
import numpy
import pytest

import torch_np
from torch_np import safetensors


@pytest.fixture
def on_meta():
    before = torch_np.get_default_device()
    torch_np.set_default_device("meta")
    yield
    torch_np.set_default_device(before)


def test_tensors_over_memory_are_on_the_cpu(tmp_path, on_meta):
    path = tmp_path / "numbers"
    path.write_bytes(numpy.arange(4.0).tobytes())
    buffer = bytearray(path.read_bytes())
    for x in (torch_np.frombuffer(buffer, dtype=torch_np.float64), torch_np.from_file(str(path), size=4, dtype=torch_np.float64),
              torch_np.from_numpy(numpy.arange(4.0)), torch_np.from_dlpack(numpy.arange(4.0))):
        assert x.device.type == "cpu" and x.tolist() == [0, 1, 2, 3]
    assert torch_np.zeros(2).device.type == "meta"


@pytest.mark.parametrize("mmap", [False, True])
def test_files_are_read_into_the_memory_of_the_cpu(tmp_path, on_meta, mmap):
    x = torch_np.arange(3.0, device="cpu")
    torch_np.save({"x": x, "empty": x[:0]}, tmp_path / "x.pt")
    for location in (None, "cpu"):
        found = torch_np.load(tmp_path / "x.pt", map_location=location, mmap=mmap)
        assert found["x"].tolist() == [0, 1, 2] and found["empty"].device.type == "cpu"
    safetensors.save_file({"x": x, "empty": x[:0]}, tmp_path / "x.safetensors")
    found = safetensors.load_file(tmp_path / "x.safetensors")
    assert found["x"].tolist() == [0, 1, 2] and found["empty"].device.type == "cpu"


def test_storages_are_on_the_cpu(on_meta):
    assert torch_np.UntypedStorage(4).device.type == torch_np.UntypedStorage([1, 2]).device.type == "cpu"
    assert torch_np.TypedStorage(4).device.type == torch_np.TypedStorage([1.0]).device.type == "cpu"
    assert torch_np.UntypedStorage(4, device="meta").device.type == "meta"


def test_buffers_stay_shared_and_read_only():
    buffer = bytearray(8)
    x = torch_np.frombuffer(buffer, dtype=torch_np.bfloat16)
    buffer[1] = 0x3F
    assert x.tolist() == [0.5, 0, 0, 0]
    x[1] = 1.0
    assert buffer[2:4] == b"\x80\x3f"
    with pytest.raises(RuntimeError, match="read-only"):
        torch_np.frombuffer(b"12345678", dtype=torch_np.int32)[0] = 1
