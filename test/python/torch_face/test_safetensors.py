"""torch_np.safetensors: files written by safetensors.torch, our own files, and refused files."""
import base64
import json
import struct
import subprocess
import sys

import pytest
import safetensors.numpy
from safetensors_files import GOLDEN, files, tied_model

import torch_np
import torch_np.numpy as np
from torch_np.safetensors import SafetensorError, load, load_file, load_model, safe_open, save, save_file, save_model

FILES = {name: base64.b64decode(text) for name, text in json.loads(GOLDEN.read_text()).items()}
EXPECTED = files(torch_np)


def assert_same(found, expected):
    assert sorted(found) == sorted(expected)
    for name in found:
        assert (found[name].dtype, found[name].shape) == (expected[name].dtype, expected[name].shape), name
        assert found[name].tolist() == expected[name].tolist(), name


@pytest.fixture
def file_of(tmp_path):
    def write(data):
        path = tmp_path / "file.safetensors"
        path.write_bytes(FILES[data] if isinstance(data, str) else data)
        return path
    return write


@pytest.mark.parametrize("name", EXPECTED)
def test_pytorchs_file_gives_the_tensors(name, file_of):
    tensors, metadata = EXPECTED[name]
    assert_same(load(FILES[name]), tensors)
    for backend in ("mmap", "pread"):
        assert_same(load_file(file_of(name), backend=backend), tensors)
    with safe_open(file_of(name), framework="pt") as file:
        assert file.metadata() == metadata


@pytest.mark.parametrize("name", EXPECTED)
def test_our_file_is_pytorchs_to_the_byte(name, tmp_path):
    tensors, metadata = EXPECTED[name]
    assert save(tensors, metadata) == FILES[name]
    save_file(tensors, tmp_path / "a", metadata)
    assert (tmp_path / "a").read_bytes() == FILES[name]


def test_mapped_tensors_are_views_of_the_file_until_they_are_changed(file_of):
    path = file_of("shapes")
    before = path.read_bytes()
    tensors = load_file(path)
    again = load_file(path)
    assert tensors["matrix"].data_ptr() + 24 == tensors["number"].data_ptr()  # adjacent, as in the file
    tensors["matrix"] += 1
    assert path.read_bytes() == before and again["matrix"].tolist() == [[0, 1, 2], [3, 4, 5]]
    path.unlink()
    assert tensors["matrix"].tolist() == [[1, 2, 3], [4, 5, 6]]


def test_tensors_behind_a_header_of_odd_length_are_aligned(file_of):
    header = json.dumps({"a": {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}}).encode()
    header += b" " * (len(header) % 2 + 1)  # odd
    path = file_of(len(header).to_bytes(8, "little") + header + struct.pack("<2f", 1.5, -2.0))
    found = load_file(path)["a"]
    assert found.tolist() == [1.5, -2.0] and found.data_ptr() % 4 == 0


def test_files_are_read_tensor_by_tensor(file_of):
    with safe_open(file_of("shapes"), framework="pt", device="cpu") as file:
        assert sorted(file.keys()) == sorted(file) == ["matrix", "none", "number"] and sorted(file.offset_keys()) == sorted(file.keys())
        part = file.get_slice("matrix")
        assert part.get_shape() == [2, 3] and part.get_dtype() == "F32"
        assert part[:, 1:].tolist() == [[1, 2], [4, 5]] and part[-1].tolist() == [3, 4, 5]
        kept = file.get_tensor("matrix")
        with pytest.raises(SafetensorError, match="nothing"):
            file.get_tensor("nothing")
        with pytest.raises(SafetensorError):
            file.get_tensor("__metadata__")
        with pytest.raises(SafetensorError):
            file.get_slice("nothing")
    assert kept.tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(SafetensorError, match="closed"):
        file.get_tensor("matrix")
    with pytest.raises(ValueError, match="framework must be 'pt'"):
        safe_open(file_of("shapes"), framework="tf")
    with pytest.raises(ValueError, match="backend must be"):
        safe_open(file_of("shapes"), backend="wire")


def test_damaged_files_are_refused(file_of):
    whole = FILES["shapes"]
    longer = json.loads(whole[8:8 + int.from_bytes(whole[:8], "little")])
    longer["matrix"]["data_offsets"][1] += 400
    header = json.dumps(longer).encode()
    for data in (b"", whole[:7], whole[:40], whole[:-1], whole + b"x", b"\xff" * 64, len(header).to_bytes(8, "little") + header + whole[-28:]):
        with pytest.raises(SafetensorError):
            load_file(file_of(data))
        with pytest.raises(SafetensorError):
            load(data)
    with pytest.raises(FileNotFoundError):
        load_file("there/is/no/such.safetensors")


def test_dtypes_that_are_not_held_raise_and_the_others_of_the_file_do_not(file_of):
    with pytest.raises(NotImplementedError, match="'a' has dtype F8_E4M3"):
        load_file(file_of("float8"))
    with pytest.raises(NotImplementedError, match="'a' has dtype F8_E4M3"):
        load(FILES["float8"])
    with safe_open(file_of("float8"), framework="pt") as file:
        assert file.get_tensor("b").tolist() == [1]
    with pytest.raises(ValueError, match=r"tensors\['z'\] has dtype torch_np.complex128"):
        save({"z": torch_np.ones(2, dtype=torch_np.complex128)})


def test_what_is_no_dict_of_contiguous_tensors_raises():
    x = torch_np.arange(6.0).reshape(2, 3)
    for tensors, says in (([x], "must be a dict"), ({"a": 3}, r"tensors\['a'\] must be a Tensor, not int"), ({"a": x.t()}, "not contiguous"),
                          ({"a": torch_np.ones(2, device="meta")}, "meta")):
        with pytest.raises(ValueError, match=says):
            save(tensors)


def test_tensors_that_share_memory_are_refused_and_those_side_by_side_are_not():
    x = torch_np.arange(8.0)
    for tensors, group in (({"a": x, "b": x}, "'a', 'b'"), ({"a": x[:4], "b": x[3:]}, "'a', 'b'"), ({"all": x, "b": x[1:2], "c": x[6:]}, "'all', 'b', 'c'")):
        with pytest.raises(RuntimeError, match=f"share memory.*{group}"):
            save(tensors)
    assert_same(load(save({"a": x[:4], "b": x[4:]})), {"a": x[:4], "b": x[4:]})
    assert_same(load(save({"a": x[:0], "b": x})), {"a": x[:0], "b": x})


def test_models_are_saved_with_one_of_each_shared_tensor(tmp_path, file_of):
    model = tied_model(torch_np.nn)
    assert load_model(model, file_of("tied_model")) == (set(), [])
    assert model[0].weight is model[1].weight and model[0].weight.tolist() == [[0, 1], [2, 3]] and model[1].bias.tolist() == [1, 2]
    save_model(model, tmp_path / "ours")
    assert (tmp_path / "ours").read_bytes() == FILES["tied_model"]
    with safe_open(tmp_path / "ours", framework="pt") as file:
        assert file.metadata() == {"1.weight": "0.weight"}
    save_file({"1.weight": torch_np.ones(2, 2), "1.bias": torch_np.zeros(2)}, tmp_path / "other_name")
    assert load_model(model, tmp_path / "other_name") == (set(), [])
    assert model[0].weight.tolist() == [[1, 1], [1, 1]]


def test_names_that_a_model_lacks_or_the_file_does_are_said(tmp_path):
    model = torch_np.nn.Linear(2, 1)
    save_file({"weight": torch_np.ones(1, 2), "else": torch_np.ones(1)}, tmp_path / "a")
    with pytest.raises(RuntimeError, match="(?s)loading state_dict for Linear.*Missing key.*\"bias\".*Unexpected key.*\"else\""):
        load_model(model, tmp_path / "a")
    assert load_model(model, tmp_path / "a", strict=False) == ({"bias"}, ["else"])


def test_models_with_strided_parameters(tmp_path):
    model = torch_np.nn.Linear(2, 3)
    model.weight = torch_np.nn.Parameter(torch_np.arange(6.0).reshape(2, 3).t())
    with pytest.raises(ValueError, match="not contiguous"):
        save_model(model, tmp_path / "a", force_contiguous=False)
    save_model(model, tmp_path / "a")
    assert load_file(tmp_path / "a")["weight"].tolist() == [[0, 3], [1, 4], [2, 5]]


def test_part_of_a_memory_stands_for_no_other(tmp_path):
    model = torch_np.nn.Module()
    memory = torch_np.arange(6.0)
    model.register_buffer("a", memory[:4])
    model.register_buffer("b", memory[2:])
    with pytest.raises(RuntimeError, match=r"\['a', 'b'\] share memory, and none of them covers all of it"):
        save_model(model, tmp_path / "a")


def test_the_librarys_own_functions_take_arrays_of_the_numpy_face():
    found = safetensors.numpy.load(safetensors.numpy.save({"a": np.arange(3.0)}))
    assert found["a"].tolist() == [0, 1, 2]


def test_without_the_library_the_import_says_what_to_install():
    program = "import sys; sys.modules['safetensors'] = None\n" \
              "try:\n    from torch_np.safetensors import load_file\nexcept ImportError as error:\n    print(error)"
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert "pip install 'safetensors>=0.8'" in said
