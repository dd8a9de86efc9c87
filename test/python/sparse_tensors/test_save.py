"""Sparse tensors in files and pickles, and copies of them."""
import base64
import copy
import io
import pickle

import pytest
import torch_np
from sparse_tensors import COO, DENSE, LAYOUTS, NAMES, hybrid, in_layout, parts, uncoalesced

# Written by PyTorch: {"x": torch.sparse_coo_tensor([[0, 1]], [1.0, 2.0], (3,)), "y": torch.eye(2).to_sparse_csr()}.
WRITTEN = (
    "gAKKCmz8nEb5IGqoUBkugAJN6QMugAJ9cQAoWBAAAABwcm90b2NvbF92ZXJzaW9ucQFN6QNYDQAAAGxpdHRsZV9lbmRpYW5xAohYCgAAAHR5cGVfc2l6ZXNxA31xBChYBQAAAHNob3J0"
    "cQVLAlgDAAAAaW50cQZLBFgEAAAAbG9uZ3EHSwR1dS6AAn1xAChYAQAAAHhxAWN0b3JjaC5fdXRpbHMKX3JlYnVpbGRfc3BhcnNlX3RlbnNvcgpxAmN0b3JjaC5zZXJpYWxpemF0aW9u"
    "Cl9nZXRfbGF5b3V0CnEDWBAAAAB0b3JjaC5zcGFyc2VfY29vcQSFcQVScQYoY3RvcmNoLl91dGlscwpfcmVidWlsZF90ZW5zb3JfdjIKcQcoKFgHAAAAc3RvcmFnZXEIY3RvcmNoCkxv"
    "bmdTdG9yYWdlCnEJWA4AAAA5Mzg2ODg3OTIwNjE0NHEKWAMAAABjcHVxC0sCTnRxDFFLAEsBSwKGcQ1LAksBhnEOiWNjb2xsZWN0aW9ucwpPcmRlcmVkRGljdApxDylScRB0cRFScRJo"
    "BygoaAhjdG9yY2gKRmxvYXRTdG9yYWdlCnETWA4AAAA5Mzg2ODg3OTIwNzQ3MnEUaAtLAk50cRVRSwBLAoVxFksBhXEXiWgPKVJxGHRxGVJxGmN0b3JjaApTaXplCnEbSwOFcRyFcR1S"
    "cR6JdHEfhnEgUnEhWAEAAAB5cSJoAmgDWBAAAAB0b3JjaC5zcGFyc2VfY3NycSOFcSRScSUoaAcoKGgIaAlYDgAAADkzODY4NzYyODQ1NDA4cSZoC0sDTnRxJ1FLAEsDhXEoSwGFcSmJ"
    "aA8pUnEqdHErUnEsaAcoKGgIaAlYDgAAADkzODY4NzYyOTE1OTM2cS1oC0sETnRxLlFLAksChXEvSwGFcTCJaA8pUnExdHEyUnEzaAcoKGgIaBNYDgAAADkzODY4NzYyOTMzMzc2cTRo"
    "C0sCTnRxNVFLAEsChXE2SwGFcTeJaA8pUnE4dHE5UnE6aBtLAksChnE7hXE8UnE9dHE+hnE/UnFAdS6AAl1xAChYDgAAADkzODY4NzYyODQ1NDA4cQFYDgAAADkzODY4NzYyOTE1OTM2"
    "cQJYDgAAADkzODY4NzYyOTMzMzc2cQNYDgAAADkzODY4ODc5MjA2MTQ0cQRYDgAAADkzODY4ODc5MjA3NDcycQVlLgMAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAIAAAAAAAAABAAAAAAA"
    "AAAAAAAAAAAAAAEAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAIAAAAAAAAAAACAPwAAgD8CAAAAAAAAAAAAAAAAAAAAAQAAAAAAAAACAAAAAAAAAAAAgD8AAABA")


def assert_same(x, y):
    assert x.layout is y.layout and x.shape == y.shape and x.dtype == y.dtype and parts(x) == parts(y)
    if x.layout is COO:
        assert x.is_coalesced() == y.is_coalesced()


TENSORS = [lambda layout=layout: in_layout(DENSE, layout) for layout in LAYOUTS] + [
    lambda: uncoalesced()[0], hybrid, lambda: torch_np.sparse_coo_tensor((2, 3), dtype=torch_np.int32)]
IDS = [*NAMES, "uncoalesced", "hybrid", "empty"]


@pytest.mark.parametrize("make", TENSORS, ids=IDS)
@pytest.mark.parametrize("is_new", [True, False], ids=["zip", "legacy"])
def test_files(make, is_new):
    x, file = make(), io.BytesIO()
    torch_np.save({"x": x, "again": [x]}, file, _use_new_zipfile_serialization=is_new)
    file.seek(0)
    read = torch_np.load(file)
    assert_same(read["x"], x)
    assert read["again"][0] is read["x"]
    file.seek(0)
    with pytest.warns(UserWarning, match="runs the code"):
        assert_same(torch_np.load(file, weights_only=False)["x"], x)


def test_file_of_pytorch():
    read = torch_np.load(io.BytesIO(base64.b64decode(WRITTEN)))
    assert parts(read["x"]) == [[[0, 1]], [1, 2]] and read["x"].shape == (3,) and not read["x"].is_coalesced()
    assert parts(read["y"]) == [[0, 1, 2], [0, 1], [1, 1]]


@pytest.mark.parametrize("is_new", [True, False], ids=["zip", "legacy"])
def test_malformed_files(is_new):
    x = torch_np.sparse_coo_tensor([[0, 2]], [1.0, 2.0], (3,))
    x._indices()[0, 0] = 5
    y = torch_np.eye(3).to_sparse_csr()
    y.crow_indices()[1] = 7
    for bad, message in ((x, "size is inconsistent with indices"), (y, "is not satisfied")):
        file = io.BytesIO()
        torch_np.save(bad, file, _use_new_zipfile_serialization=is_new)
        file.seek(0)
        with pytest.raises(RuntimeError, match=message):
            torch_np.load(file)


@pytest.mark.parametrize("make", TENSORS, ids=IDS)
def test_pickles_and_copies(make):
    x = make()
    assert_same(pickle.loads(pickle.dumps(x)), x)
    assert_same(copy.copy(x), x)
    deep = copy.deepcopy(x)
    assert_same(deep, x)
    if x._nnz() and x.layout is COO:
        deep._values().zero_()
        assert x._values().abs().sum() > 0


def test_deep_copies_keep_gradients():
    x = torch_np.eye(2).to_sparse().requires_grad_()
    x.to_dense().sum().backward()
    y, again = copy.deepcopy((x, x))
    assert y is again and y.requires_grad and y.grad.to_dense().tolist() == [[1, 0], [0, 1]]
    with pytest.raises(RuntimeError, match="deepcopy"):
        copy.deepcopy(x * 2)


def test_module_state():
    module = torch_np.nn.Module()
    module.register_buffer("table", in_layout(DENSE, COO))
    file = io.BytesIO()
    torch_np.save(module.state_dict(), file)
    file.seek(0)
    other = torch_np.nn.Module()
    other.register_buffer("table", torch_np.zeros(4, 4).to_sparse())
    other.load_state_dict(torch_np.load(file))
    assert_same(other.table, module.table)


def test_parameters():
    module = torch_np.nn.Module()
    module.weight = torch_np.nn.Parameter(torch_np.eye(3).to_sparse())
    assert isinstance(module.weight, torch_np.nn.Parameter) and module.weight.is_leaf
    assert repr(module.weight).startswith("Parameter containing:\ntensor(indices=")
    optimizer = torch_np.optim.SGD(module.parameters(), lr=0.5)
    (module.weight @ torch_np.ones(3, 2)).sum().backward()
    optimizer.step()
    assert module.weight.to_dense().tolist() == torch_np.zeros(3, 3).tolist()
    assert module.weight.requires_grad and module.weight.is_leaf and module.weight.grad.layout is COO
    again = copy.deepcopy(module).weight
    assert isinstance(again, torch_np.nn.Parameter) and again.requires_grad
    for made in (again, pickle.loads(pickle.dumps(module.weight))):
        assert_same(made, module.weight)
        assert isinstance(made, torch_np.nn.Parameter)
    file = io.BytesIO()
    torch_np.save(module.weight, file)
    file.seek(0)
    assert isinstance(torch_np.load(file), torch_np.nn.Parameter)
