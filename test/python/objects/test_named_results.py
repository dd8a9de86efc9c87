"""Multiple results are named tuples where NumPy's or PyTorch's are: classes declared in
native_functions/*.yaml."""
import pickle

import numpy
import pytest

import torch_np
import torch_np.numpy as np

TORCH = {
    "sort": (lambda t: t.sort(), ("values", "indices")),
    "max": (lambda t: t.max(1), ("values", "indices")),
    "min": (lambda t: torch_np.min(t, 0), ("values", "indices")),
    "frexp": (lambda t: torch_np.frexp(t), ("mantissa", "exponent")),
    "linalg_svd": (lambda t: torch_np.linalg.svd(t), ("U", "S", "Vh")),
    "linalg_qr": (lambda t: torch_np.linalg.qr(t), ("Q", "R")),
    "linalg_eigh": (lambda t: torch_np.linalg.eigh(t), ("eigenvalues", "eigenvectors")),
    "linalg_eig": (lambda t: torch_np.linalg.eig(t), ("eigenvalues", "eigenvectors")),
    "linalg_slogdet": (lambda t: torch_np.linalg.slogdet(t), ("sign", "logabsdet")),
}


@pytest.mark.parametrize("name", TORCH)
def test_results_of_torch_np_have_names(name):
    call, fields = TORCH[name]
    result = call(torch_np.tensor([[2.0, 1.0], [1.0, 3.0]]))
    assert type(result) is getattr(torch_np.return_types, name)
    assert isinstance(result, tuple) and len(result) == len(fields)
    for field, value in zip(fields, result):
        assert getattr(result, field) is value and isinstance(value, torch_np.Tensor)


@pytest.mark.parametrize("name, cls", [("svd", "SVDResult"), ("qr", "QRResult"), ("eigh", "EighResult"), ("eig", "EigResult"),
                                       ("slogdet", "SlogdetResult")])
def test_results_of_numpys_linear_algebra_are_named_as_numpys(name, cls):
    a = [[2.0, 1.0], [1.0, 3.0]]
    ours, theirs = getattr(np.linalg, name)(np.array(a)), getattr(numpy.linalg, name)(numpy.array(a))
    assert type(theirs).__name__ == cls
    assert type(ours) is getattr(np.linalg, cls)
    assert type(ours).__name__ == cls and type(ours).__module__ == "torch_np.numpy.linalg"
    assert ours._fields == theirs._fields
    for field in theirs._fields:
        assert isinstance(getattr(ours, field), (np.ndarray, numpy.generic))
    assert repr(ours).startswith(f"{cls}({theirs._fields[0]}=")


def test_named_results_pickle():
    svd = np.linalg.svd(np.array([[1.0, 2.0], [3.0, 4.0]]))
    copy = pickle.loads(pickle.dumps(svd))
    assert type(copy) is type(svd) and bool((copy.S == svd.S).all())
    result = torch_np.tensor([3.0, 1.0]).sort()
    copy = pickle.loads(pickle.dumps(result))
    assert type(copy) is type(result) and copy.indices.tolist() == [1, 0]


def test_one_result_has_none():
    t = torch_np.tensor([3.0, 1.0])
    assert type(t.max()) is torch_np.Tensor
    assert type(np.divmod(np.array(5), 3)) is tuple


def test_gradients_go_through_named_results():
    t = torch_np.tensor([[3.0, 1.0], [0.0, 2.0]], requires_grad=True)
    t.max(1).values.sum().backward()
    assert t.grad.tolist() == [[1, 0], [0, 1]]


def test_pytorchs_names_of_matrices_are_taken_by_keyword():
    a = torch_np.tensor([[2.0, 1.0], [1.0, 3.0]])
    assert torch_np.linalg.svd(A=a).S.shape == (2,)
    assert torch_np.linalg.solve(A=a, B=a).shape == (2, 2)
