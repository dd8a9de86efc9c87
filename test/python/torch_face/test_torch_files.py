"""save and load: files written by PyTorch, our own files, and crafted files, which raise."""
import base64
import io
import json
import pickle
import struct
import sys
import threading
import zipfile

import numpy
import pytest
from torch_files import GOLDEN, objects

import torch_np
import torch_np.numpy as np

FILES = {name: base64.b64decode(text) for name, text in json.loads(GOLDEN.read_text()).items()}


def same(a, b):
    assert type(a) is type(b), (a, b)
    if isinstance(a, torch_np.Tensor):
        assert (a.dtype, a.shape, a.stride(), a.storage_offset(), a.requires_grad, a.device) == \
               (b.dtype, b.shape, b.stride(), b.storage_offset(), b.requires_grad, b.device)
        assert a.is_meta or a.tolist() == b.tolist()
    elif isinstance(a, dict):
        assert list(a) == list(b)
        for key in a:
            same(a[key], b[key])
        assert getattr(a, "_metadata", None) == getattr(b, "_metadata", None)
    elif isinstance(a, (list, tuple)):
        assert len(a) == len(b)
        for x, y in zip(a, b):
            same(x, y)
    elif torch_np.is_storage(a):
        assert a.tolist() == b.tolist()
    else:
        assert a == b


def saved(obj):
    file = io.BytesIO()
    torch_np.save(obj, file)
    return file.getvalue()


def loaded(data, **options):
    return torch_np.load(io.BytesIO(data), **options)


@pytest.mark.parametrize("name", objects(torch_np))
def test_pytorchs_file_gives_the_object(name):
    same(loaded(FILES[name]), objects(torch_np)[name])


@pytest.mark.parametrize("name", objects(torch_np))
def test_our_file_gives_the_object_and_has_pytorchs_records(name):
    data = saved(objects(torch_np)[name])
    same(loaded(data), objects(torch_np)[name])
    ours, theirs = (zipfile.ZipFile(io.BytesIO(d)) for d in (data, FILES[name]))
    assert [n for n in ours.namelist() if "serialization_id" not in n] == [n for n in theirs.namelist() if "serialization_id" not in n]
    for record in ours.namelist():
        if "/data/" in record:
            assert ours.read(record) == theirs.read(record)


def test_what_shares_memory_shares_it_again_and_what_is_one_object_is_one():
    for data in (FILES["views"], saved(objects(torch_np)["views"])):
        views = loaded(data)
        views["a"][1, 1] = 9
        assert views["transposed"][1, 1] == 9 and views["column"][1] == 9 and views["again"] is views["a"]
    cycle = [1]
    cycle.append(cycle)
    again = loaded(saved(cycle))
    assert again[1] is again


def test_paths_mapped_files_and_alignment(tmp_path):
    path = tmp_path / "weights.pt"
    torch_np.save({"a": torch_np.arange(1000.0), "b": torch_np.ones(3, dtype=torch_np.int8)}, path)
    before = path.read_bytes()
    mapped = torch_np.load(str(path), mmap=True)
    assert mapped["a"].data_ptr() % 64 == 0 and mapped["b"].data_ptr() % 64 == 0
    mapped["a"][0] = 5
    assert mapped["a"].sum() == 499505 and path.read_bytes() == before
    assert zipfile.ZipFile(path).namelist()[0] == "weights/data.pkl"
    with pytest.raises(FileNotFoundError):
        torch_np.load(tmp_path / "none.pt")
    with pytest.raises(ValueError, match="path"):
        loaded(before, mmap=True)


def test_locations():
    data = saved(torch_np.ones(3))
    assert loaded(data, map_location="cpu").tolist() == [1, 1, 1]
    assert loaded(data, map_location=torch_np.device("meta")).is_meta
    assert loaded(data, map_location={"cpu": "meta"}).is_meta
    seen = []
    assert loaded(data, map_location=lambda storage, name: seen.append((storage.nbytes(), name))).tolist() == [1, 1, 1]
    assert seen == [(12, "cpu")]
    on_gpu = patched(data, lambda p: p.replace(b"X\3\0\0\0cpu", b"X\6\0\0\0cuda:0"))
    assert loaded(on_gpu, map_location="cpu").tolist() == [1, 1, 1]
    if not torch_np.cuda.is_available():
        with pytest.raises(RuntimeError, match="map_location='cpu'"):
            loaded(on_gpu)
    with pytest.raises(pickle.UnpicklingError, match="device"):
        loaded(patched(data, lambda p: p.replace(b"X\3\0\0\0cpu", b"X\3\0\0\0tpu")))


def test_layouts_that_files_have_not_are_copied():
    a = np.arange(6.0).reshape(2, 3)
    backwards = a[::-1, ::-1]
    assert loaded(saved(backwards)).tolist() == [[5, 4, 3], [2, 1, 0]]
    packed = numpy.zeros(3, dtype=[("a", "i1"), ("b", "f8")])
    packed["b"] = [1, 2, 3]
    assert loaded(saved(np.asarray(packed["b"])._torch())).tolist() == [1, 2, 3]
    odd = numpy.frombuffer(b"\0" + numpy.arange(3.0).tobytes(), dtype="f8", offset=1)
    assert loaded(saved(torch_np.from_numpy(odd.copy()))).tolist() == [0, 1, 2]


@pytest.mark.parametrize("obj", [lambda: 1, threading.Lock(), {"a": [sys.stdout]}, type("Local", (), {})], ids=lambda o: type(o).__name__)
def test_what_is_no_data_is_not_saved(obj, tmp_path):
    with pytest.raises(pickle.PicklingError):
        torch_np.save(obj, tmp_path / "f.pt")
    assert not (tmp_path / "f.pt").exists()


# ------------------------------------------------------------------------------------------------------- crafted files

def patched(data, change, record="data.pkl"):
    """The archive with one record replaced."""
    out, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(data))
    with zipfile.ZipFile(out, "w") as new:
        for info in old.infolist():
            content = old.read(info)
            if info.filename.endswith("/" + record):
                content = change(content)
            if content is not None:
                new.writestr(info.filename, content)
    return out.getvalue()


def archive_of(program):
    return patched(saved(torch_np.arange(6.0)), lambda _: program)


class Evil:
    def __init__(self, function, *args):
        self.call = function, args

    def __reduce__(self):
        return self.call


def touched(path):
    raise AssertionError("was called")


def pickled(obj, protocol=2):
    return pickle.dumps(obj, protocol)


STORAGE = b"(X\7\0\0\0storagectorch\nFloatStorage\nX\1\0\0\x000X\3\0\0\0cpuK\6tQ"
TENSOR = b"\x80\2ctorch._utils\n_rebuild_tensor_v2\n(" + STORAGE


def tensor(offset, size, stride, grad=b"\x89"):
    return TENSOR + offset + size + stride + grad + b"ccollections\nOrderedDict\n)RtR."


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
@pytest.mark.parametrize("obj", [Evil(exec, "raise AssertionError"), Evil(eval, "1"), Evil(touched, 1), Evil(open, "/tmp/x"),
                                 Evil(getattr, "a", "upper"), Evil(torch_np.load, "x"), [Evil(print, 1)], {"a": Evil(io.BytesIO, b"")}])
def test_calls_of_anything_else_raise(obj, protocol):
    with pytest.raises(pickle.UnpicklingError, match="refers to|operation|calls"):
        loaded(archive_of(pickled(obj, protocol)))


@pytest.mark.parametrize("program", [
    tensor(b"K\1", b"K\6\x85", b"K\1\x85"), tensor(b"K\0", b"K\7\x85", b"K\1\x85"), tensor(b"K\0", b"K\2\x85", b"K\6\x85"),
    tensor(b"J\xff\xff\xff\xff", b"K\2\x85", b"K\1\x85"), tensor(b"K\0", b"K\2\x85", b"J\xff\xff\xff\xff\x85"),
    tensor(b"K\0", b"J\xff\xff\xff\xff\x85", b"K\1\x85"), tensor(b"K\7", b"K\0\x85", b"K\1\x85"),
    tensor(b"K\0", b"\x8a\x08\0\0\0\0\0\0\0\x40\x85", b"K\0\x85\x30K\2\x85"),
    tensor(b"K\0", b"K\3K\3\x86", b"\x8a\x08\0\0\0\0\0\0\0\x40K\1\x86"), tensor(b"\x8a\x08\xff\xff\xff\xff\xff\xff\xff\x7f", b"K\1\x85", b"K\1\x85"),
    tensor(b"\x8a\x0a\0\0\0\0\0\0\0\0\0\1", b"K\1\x85", b"K\1\x85"), tensor(b"K\0", b"K\2\x85", b"K\1K\1\x86"),
    tensor(b"G\0\0\0\0\0\0\0\0", b"K\2\x85", b"K\1\x85"), tensor(b"K\0", b"K\2", b"K\1"), tensor(b"K\0", b"K\2\x85", b"K\1\x85", b"K\5"),
    tensor(b"K\0", b"N", b"N"), TENSOR.replace(b"K\6tQ", b"K\7tQ") + b"K\0K\1\x85K\1\x85\x89NtR.",
    TENSOR.replace(b"FloatStorage", b"DoubleStorage") + b"K\0K\1\x85K\1\x85\x89NtR.",
    TENSOR.replace(b"X\1\0\0\x000", b"X\1\0\0\x009") + b"K\0K\1\x85K\1\x85\x89NtR.",
    TENSOR.replace(b"X\1\0\0\x000", b"X\7\0\0\0../data") + b"K\0K\1\x85K\1\x85\x89NtR.",
    b"\x80\2ctorch._utils\n_rebuild_tensor_v2\n(NK\0K\1\x85K\1\x85\x89NtR.",
    b"\x80\2ctorch._utils\n_rebuild_parameter\n(K\1\x88NtR.",
    b"\x80\2ctorch\nFloatStorage\n)R.", b"\x80\2ctorch\nFloatStorage\n.", b"\x80\2ctorch._utils\n_rebuild_tensor_v2\n.",
    b"\x80\2ctorch\nSize\nK\1\x85R.", b"\x80\2ctorch\nSize\n](K\1X\1\0\0\0ae\x85R.", b"\x80\2ctorch\ndevice\nX\3\0\0\0tpu\x85R.",
    b"\x80\2c__builtin__\nbytearray\nI9999999999999\n\x85R.", b"\x80\2c__builtin__\nbytearray\n\x8a\x05\xff\xff\xff\xff\x7f\x85R.",
    b"\x80\2Q.", b"\x80\2K\1Q.", b"\x80\2.", b"\x80\2(.", b"\x80\2", b"", b"\x80\x09N.", b"\x80\2N", b"\x80\2h\5.", b"\x80\2K\1K\2s.",
    b"\x80\2]K\1K\2s.", b"\x80\2}(K\1u.", b"\x80\2}](]]u.", b"\x80\2X\xff\xff\xff\xff.", b"\x80\2B\xff\xff\xff\x7f.", b"\x80\2\x8b\xff\xff\xff\xff.",
    b"\x80\2\x8e\xff\xff\xff\xff\xff\xff\xff\x7f.", b"\x80\2e.", b"\x80\2t.", b"\x80\2\x86.", b"\x80\2b.", b"\x80\2]}X\1\0\0\0aK\1sb.",
    b"\x80\2ccollections\nOrderedDict\n)R}X\7\0\0\0__class__K\1sb.", b"\x80\2" + b"K\1" + b"\x85" * 100_000 + b"}" + b"K\1N\x86s.",
    b"\x80\2}K\1" + b"\x85" * 100_000 + b"Ns.", b"\x80\2c", b"\x80\2cos\nsystem\nX\1\0\0\0a\x85R.", b"\x80\2X\2\0\0\0osX\6\0\0\0system\x93.",
    b"\x80\2\x82\1.", b"\x80\2ios\nsystem\n.", b"\x80\2X\2\0\0\0\xff\xfe.", b"\x80\2c\xff\xff\nx\n.",
], ids=lambda p: p[:60].hex())
def test_crafted_pickles_raise(program):
    with pytest.raises(pickle.UnpicklingError):
        loaded(archive_of(program))


def test_bools_are_bools():
    data = saved(torch_np.ones(3) > 0)
    with pytest.raises(pickle.UnpicklingError, match="bools"):
        loaded(patched(data, lambda _: b"\1\2\1", "data/0"))


def test_damaged_archives_raise():
    data = saved({"a": torch_np.arange(600.0), "b": torch_np.ones(7)})
    rng = numpy.random.RandomState(0)
    for end in [0, 1, 10, len(data) // 3, len(data) // 2, len(data) - 30, len(data) - 1]:
        with pytest.raises(pickle.UnpicklingError):
            loaded(data[:end])
    intact = loaded(data)
    for _ in range(300):
        broken = bytearray(data)
        for at in rng.randint(0, len(data), 3):
            broken[at] = rng.randint(256)
        try:
            again = loaded(bytes(broken))
        except pickle.UnpicklingError:
            continue
        same(again, intact)  # the changed byte has no effect


@pytest.mark.parametrize("change, record", [(lambda _: None, "data.pkl"), (lambda _: None, "data/0"), (lambda d: d[:-4], "data/0"),
                                            (lambda _: b"", "data/0"), (lambda _: b"small", "byteorder")])
def test_missing_and_short_records_raise(change, record):
    with pytest.raises(pickle.UnpicklingError):
        loaded(patched(saved(torch_np.arange(6.0)), change, record))


def test_compressed_records_and_other_files_raise(tmp_path):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a/data.pkl", pickled([0] * 1000))
    with pytest.raises(pickle.UnpicklingError, match="compressed"):
        loaded(out.getvalue())
    for data in (b"", b"PK", pickled([1]), struct.pack("<Q", 0x1950a86a20f9469c), b"\0" * 1000):
        with pytest.raises(pickle.UnpicklingError):
            loaded(data)


def test_modules_say_what_to_save():
    with pytest.raises(pickle.UnpicklingError, match=r"torch\.nn\.modules.*state_dict"):
        loaded(FILES["module"])
    with pytest.raises(NotImplementedError):
        torch_np.load(io.BytesIO(FILES["meta"]), pickle_module=json)
    with pytest.raises(NotImplementedError):
        torch_np.save([], io.BytesIO(), pickle_protocol=4)
