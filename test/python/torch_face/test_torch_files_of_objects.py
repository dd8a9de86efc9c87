"""save and load of objects other than tensors and containers: add_safe_globals, weights_only=False,
and the options of torch_np.serialization."""
import collections
import dataclasses
import enum
import io
import mmap
import os
import pickle
import warnings
import zipfile

import numpy
import pytest

import torch_np
from torch_np import nn, serialization

pytestmark = [pytest.mark.same_on_devices("reads and writes files"), pytest.mark.same_when_pending("reads and writes files")]


class Plain:
    def __init__(self):
        self.weight = torch_np.arange(3.0)
        self.me = self


class Slots:
    __slots__ = ("a",)


class Colour(str, enum.Enum):
    RED = "r"


@dataclasses.dataclass
class Record:
    x: int
    y: object = None


class Special(torch_np.Tensor):
    pass


Pair = collections.namedtuple("Pair", "a b")


def saved(obj, **options):
    file = io.BytesIO()
    torch_np.save(obj, file, **options)
    return file.getvalue()


def trusted(data, **options):
    with pytest.warns(UserWarning, match="trust"):
        return torch_np.load(io.BytesIO(data), weights_only=False, **options)


def loaded(data, **options):
    return torch_np.load(io.BytesIO(data), **options)


@pytest.fixture(autouse=True)
def no_safe_globals():
    serialization.clear_safe_globals()
    yield
    serialization.clear_safe_globals()


def test_objects_as_pythons_pickle_writes_them():
    obj = {"c": Plain, "d": Record(1, Colour.RED), "n": Pair(1, [2]), "f": collections.defaultdict(list, {1: [2]}), "g": len,
           "h": torch_np.sin, "i": numpy.dtype("f4"), "j": range(3), "k": slice(1, 2), "l": numpy.int64(3), "m": Colour.RED, "o": nn.Linear}
    again = trusted(saved(obj))
    assert again == obj and type(again["m"]) is Colour and type(again["l"]) is numpy.int64 and again["f"].default_factory is list
    array = trusted(saved([numpy.arange(6.0).reshape(2, 3)]))[0]
    assert type(array) is numpy.ndarray and array.tolist() == [[0, 1, 2], [3, 4, 5]]


def test_a_module_with_its_class():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3)).eval()
    again = trusted(saved(net))
    x = torch_np.ones(4, 2)
    assert type(again[0]) is nn.Linear and not again.training and (again(x) == net(x)).all()
    with pytest.raises(pickle.UnpicklingError, match=r"torch\.nn\.modules.*state_dict"):
        loaded(saved(net))


def test_cycles_and_shared_objects():
    again = trusted(saved([Plain()] * 2))
    assert again[0] is again[1] and again[0].me is again[0] and again[0].weight.tolist() == [0, 1, 2]


def test_safe_globals():
    data = saved(Plain())
    with pytest.raises(pickle.UnpicklingError, match="refers to .*Plain.*add_safe_globals"):
        loaded(data)
    assert serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == [f"{__name__}.Plain"]
    with serialization.safe_globals([Plain]):
        again = loaded(data)
        assert again.me is again and again.weight.tolist() == [0, 1, 2] and serialization.get_safe_globals() == [Plain]
        assert serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) == []
    assert serialization.get_safe_globals() == []
    with pytest.raises(pickle.UnpicklingError):
        loaded(data)
    slots = Slots()
    slots.a = 5
    slots_data = saved(slots)
    serialization.add_safe_globals([Slots])
    assert loaded(slots_data).a == 5
    serialization.add_safe_globals([Plain, (Plain, f"{__name__}.Slots")])
    assert type(loaded(slots_data)) is Plain
    with pytest.raises(TypeError, match="without|expected functions"):
        serialization.add_safe_globals([3])


def test_numpy_arrays_by_name():
    data = saved(numpy.arange(3))
    with pytest.raises(pickle.UnpicklingError, match="numpy"):
        loaded(data)
    with serialization.safe_globals([numpy._core.multiarray._reconstruct, numpy.ndarray, numpy.dtype, numpy.dtypes.Int64DType]):
        assert loaded(data).tolist() == [0, 1, 2]


def test_a_safe_class_lets_nothing_else_in():
    class Evil:
        def __reduce__(self):
            return exec, ("raise AssertionError",)

    with serialization.safe_globals([Plain]), pytest.raises(pickle.UnpicklingError, match="exec"):
        obj = Plain()
        obj.evil = Evil()
        loaded(saved(obj))


def test_attributes_and_classes_of_tensors():
    parameter = nn.Parameter(torch_np.ones(2))
    parameter.note = [1]
    leaf = torch_np.ones(2, requires_grad=True)
    leaf.note = {"a": 1}
    again = loaded(saved([parameter, leaf]))
    assert type(again[0]) is nn.Parameter and again[0].note == [1] and again[1].note == {"a": 1} and again[1].requires_grad
    special = Special([1.0, 2.0])
    special.note = 3
    with pytest.raises(pickle.UnpicklingError, match="Special"):
        loaded(saved(special))
    with serialization.safe_globals([Special]):
        for again in (loaded(saved(special)), trusted(saved(special))):
            assert type(again) is Special and again.note == 3 and again.tolist() == [1, 2]


def test_options_of_load():
    data = saved(torch_np.ones(2))
    assert trusted(data, pickle_module=pickle, encoding="latin1").tolist() == [1, 1]
    with pytest.raises(RuntimeError, match="explicit pickle_module"):
        loaded(data, weights_only=True, pickle_module=pickle)
    assert loaded(saved(torch_np.ones(2), _disable_byteorder_record=True)).tolist() == [1, 1]
    with serialization.skip_data():
        empty = saved({"a": torch_np.ones(3), "b": 2})
        with pytest.raises(NotImplementedError):
            loaded(data)
    assert loaded(empty)["a"].tolist() == [0, 0, 0]
    with pytest.raises(NotImplementedError):
        serialization.skip_data(materialize_fake_tensors=True)
    assert serialization.get_crc32_options() is True and serialization.get_default_load_endianness() is None
    serialization.set_crc32_options(False)
    assert not serialization.get_crc32_options()
    serialization.set_crc32_options(True)
    serialization.set_default_load_endianness(serialization.LoadEndianness.LITTLE)
    assert serialization.get_default_load_endianness() is serialization.LoadEndianness.LITTLE
    serialization.set_default_load_endianness(None)
    with pytest.raises(TypeError):
        serialization.set_default_load_endianness("little")


def test_mapped_files_that_are_shared(tmp_path):
    path = tmp_path / "a.pt"
    torch_np.save(torch_np.zeros(4), path)
    torch_np.load(path, mmap=True)[0] = 5
    assert torch_np.load(path)[0] == 0
    with serialization.set_default_mmap_options(mmap.MAP_SHARED):
        assert serialization.get_default_mmap_options() == mmap.MAP_SHARED
        torch_np.load(path, mmap=True)[0] = 5
    assert serialization.get_default_mmap_options() == mmap.MAP_PRIVATE
    with pytest.raises(ValueError, match="MAP_PRIVATE"):
        serialization.set_default_mmap_options(99)


def test_locations():
    storage = torch_np.ones(1).untyped_storage()
    assert serialization.location_tag(storage) == "cpu" and serialization.default_restore_location(storage, "cpu") is storage
    with pytest.raises(RuntimeError, match="don't know how to restore"):
        serialization.default_restore_location(storage, "foo")
    if not torch_np.cuda.is_available():
        with pytest.raises(RuntimeError, match="is_available"):
            serialization.validate_cuda_device("cuda:0")
    assert serialization.storage_to_tensor_type(torch_np.ones(1).storage()) is torch_np.FloatTensor


def test_a_registered_kind_of_devices(monkeypatch):
    from torch_np.serialization import _locations

    monkeypatch.setattr(_locations, "_packages", [])
    serialization.register_package(5, lambda s: "mine:0" if s.nbytes() == 4 else None, lambda s, name: s if name.startswith("mine") else None)
    data = saved([torch_np.ones(1), torch_np.ones(2)])
    assert b"mine:0" in data and loaded(data)[0].tolist() == [1]
    _locations._packages.clear()
    with pytest.raises(pickle.UnpicklingError, match="mine:0"):
        loaded(data)


def test_versions_and_folders():
    assert serialization.check_module_version_greater_or_equal(numpy, (1, 2, 3))
    assert not serialization.check_module_version_greater_or_equal(numpy, (99,))
    module = type("M", (), {"__name__": "m", "__version__": "x.y"})
    with pytest.raises(RuntimeError, match="malformed"):
        serialization.check_module_version_greater_or_equal(module, (1, 2))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert serialization.check_module_version_greater_or_equal(module, (1, 2), error_if_malformed=False) and caught
    with serialization.mkdtemp() as folder:
        assert folder


class Slotted(torch_np.Tensor):
    __slots__ = ("unit",)


class Stateful(torch_np.Tensor):
    def __getstate__(self):
        return ("state", self.unit)

    def __setstate__(self, state):
        self.unit = state[1] + "!"


@pytest.mark.parametrize("kind, unit", [(Slotted, "m"), (Stateful, "m!")])
def test_subclasses_keep_slots_and_their_own_state(kind, unit):
    x = torch_np.ones(2).as_subclass(kind)
    x.unit = "m"
    with serialization.safe_globals([kind]):
        for again in (loaded(saved(x)), trusted(saved(x))):
            assert type(again) is kind and again.unit == unit and again.tolist() == [1, 1]


class OnlyWrites:
    """A file-like object without seekable()."""

    def __init__(self, data=b""):
        self.file = io.BytesIO(data)
        self.write, self.read, self.readline, self.seek, self.tell = (
            getattr(self.file, name) for name in ("write", "read", "readline", "seek", "tell"))

    def flush(self):
        pass


@pytest.mark.parametrize("is_archive", [True, False])
def test_file_like_objects_and_the_first_format(is_archive):
    out = OnlyWrites()
    x = torch_np.arange(6, dtype=torch_np.complex64).reshape(2, 3)
    torch_np.save({"x": x, "t": x.t(), "n": [1, 2]}, out, _use_new_zipfile_serialization=is_archive)
    for read in (loaded, trusted):
        again = torch_np.load(OnlyWrites(out.file.getvalue())) if read is loaded else read(out.file.getvalue())
        assert again["x"].tolist() == x.tolist() and again["t"].data_ptr() == again["x"].data_ptr() and again["n"] == [1, 2]


def test_objects_of_the_first_format_follow_each_other():
    out = io.BytesIO()
    for value in (torch_np.ones(3), 5, torch_np.zeros(2, dtype=torch_np.int16)):
        torch_np.save(value, out, _use_new_zipfile_serialization=False)
    out.seek(0)
    assert torch_np.load(out).tolist() == [1, 1, 1] and torch_np.load(out) == 5 and torch_np.load(out).dtype == torch_np.int16
    for at in range(0, len(out.getvalue()), 3):
        with pytest.raises(pickle.UnpicklingError):
            loaded(out.getvalue()[:at])[0]
        if at > 280:
            break


def test_memory_of_several_dtypes_is_not_saved():
    x = torch_np.ones(3, dtype=torch_np.complex64)
    for is_archive in (True, False):
        with pytest.raises(RuntimeError, match="view the same data as different types"):
            torch_np.save([x, x.real], io.BytesIO(), _use_new_zipfile_serialization=is_archive)


def test_the_other_byte_order():
    swapped = numpy.arange(3.0).astype(">f8").tobytes()
    data = saved({"x": torch_np.arange(3.0, dtype=torch_np.float64)}, _disable_byteorder_record=True)
    assert data.count(numpy.arange(3.0).tobytes()) == 1
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            new.writestr(name, swapped if name.endswith("data/0") else old.read(name))
    serialization.set_default_load_endianness(serialization.LoadEndianness.BIG)
    try:
        assert loaded(out.getvalue())["x"].tolist() == [0, 1, 2]
    finally:
        serialization.set_default_load_endianness(None)
    with zipfile.ZipFile(out, "a") as more:
        more.writestr("archive/byteorder", "big")
    assert loaded(out.getvalue())["x"].tolist() == [0, 1, 2]


def test_modules_that_are_never_loaded():
    with pytest.raises(pickle.UnpicklingError, match="whose module posix is blocked"), serialization.safe_globals([os.execv]):
        loaded(saved(os.execv))
    with pytest.raises(AttributeError, match="from a file that is seekable"):
        torch_np.load(object())


def test_variables_of_the_environment_choose_what_load_reads(monkeypatch):
    data = saved(nn.Linear(2, 1))
    monkeypatch.setenv("TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD", "1")
    with pytest.warns(UserWarning, match="forcing weights_only=False"):
        assert type(loaded(data)) is nn.Linear
    monkeypatch.setenv("TORCH_FORCE_WEIGHTS_ONLY_LOAD", "1")
    with pytest.raises(pickle.UnpicklingError, match="Weights only load failed"):
        loaded(data, weights_only=False)
