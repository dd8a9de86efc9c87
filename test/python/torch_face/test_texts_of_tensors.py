"""Texts of tensors. The expected ones are PyTorch 2.15's."""
import pytest
import torch_np as torch

pytestmark = pytest.mark.same_on_devices("the text of CPU tensors")

NAN, INF = float("nan"), float("inf")

TEXTS = [
    (lambda: torch.tensor([NAN, 1.0, INF, 2.0]), "tensor([nan, 1., inf, 2.])"),
    (lambda: torch.tensor([-INF, INF, -3.0]), "tensor([-inf, inf, -3.])"),
    (lambda: torch.tensor([NAN, 1.5]), "tensor([   nan, 1.5000])"),
    (lambda: torch.tensor([656.0, 6553600.0]), "tensor([6.5600e+02, 6.5536e+06])"),
    (lambda: torch.tensor([0.0, -0.0]), "tensor([0., -0.])"),
    (lambda: torch.tensor([1e-45, 1e38]), "tensor([1.4013e-45, 1.0000e+38])"),
    (lambda: torch.tensor([1 - 2j, complex(NAN, 1)]), "tensor([1.-2.j, nan+1.j])"),
    (lambda: torch.tensor([0.5 - 2j]), "tensor([0.5000-2.j])"),
    (lambda: torch.tensor([-80.0, 40, -40, -60, 90, -90, -40, -60, 30], dtype=torch.float16),
     "tensor([-80.,  40., -40., -60.,  90., -90., -40., -60.,  30.],\n       dtype=torch_np.float16)"),
    (lambda: torch.ones(9, dtype=torch.float64, requires_grad=True),
     "tensor([1., 1., 1., 1., 1., 1., 1., 1., 1.], dtype=torch_np.float64,\n       requires_grad=True)"),
    (lambda: torch.ones(1, requires_grad=True) * 2, "tensor([2.], grad_fn=<MulBackward0>)"),
    (lambda: torch.empty(2, 0, dtype=torch.bool), "tensor([], size=(2, 0), dtype=torch_np.bool)"),
    (lambda: torch.empty(0, dtype=torch.int64), "tensor([], dtype=torch_np.int64)"),
    (lambda: torch.ones(2, device="meta"), "tensor(..., device='meta', size=(2,))"),
    (lambda: torch.arange(2000).reshape(4, 500),
     "tensor([[   0,    1,    2,  ...,  497,  498,  499],\n        [ 500,  501,  502,  ...,  997,  998,  999],\n"
     "        [1000, 1001, 1002,  ..., 1497, 1498, 1499],\n        [1500, 1501, 1502,  ..., 1997, 1998, 1999]])"),
    (lambda: torch.zeros(1, 5, 2, 101),
     "tensor([[[[0., 0., 0.,  ..., 0., 0., 0.],\n          [0., 0., 0.,  ..., 0., 0., 0.]],\n\n"
     + "         [[0., 0., 0.,  ..., 0., 0., 0.],\n          [0., 0., 0.,  ..., 0., 0., 0.]],\n\n" * 3
     + "         [[0., 0., 0.,  ..., 0., 0., 0.],\n          [0., 0., 0.,  ..., 0., 0., 0.]]]])"),
    (lambda: torch.nn.Parameter(torch.ones(2)), "Parameter containing:\ntensor([1., 1.], requires_grad=True)"),
]


@pytest.mark.parametrize("make, text", TEXTS, ids=[text[:40] for _, text in TEXTS])
def test_texts_are_pytorchs(make, text):
    assert repr(make()) == str(make()) == text


def test_the_default_dtype_is_not_shown():
    torch.set_default_dtype(torch.float64)
    try:
        assert repr(torch.ones(2)) == "tensor([1., 1.])" and repr(torch.ones(1) * 1j) == "tensor([0.+1.j])"
        assert repr(torch.ones(2, dtype=torch.float32)) == "tensor([1., 1.], dtype=torch_np.float32)"
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("options, text", [
    ({"sci_mode": True}, "tensor([1.0000e+00, 2.0000e+00])"),
    ({"precision": 2}, "tensor([1., 2.])"),
    ({"edgeitems": 0, "threshold": 1}, "tensor([...], size=(2,))"),
    ({"linewidth": 12}, "tensor([1.,\n        2.])"),
])
def test_print_options(options, text):
    torch.set_printoptions(**options)
    try:
        assert str(torch.tensor([1.0, 2.0])) == text
    finally:
        torch.set_printoptions(profile="default")


def test_other_contents_and_subclasses():
    from torch_np._tensor_str import _str_intern

    class Named(torch.Tensor):
        pass

    assert _str_intern(torch.ones(2, dtype=torch.float64), tensor_contents="values") == "tensor(values, dtype=torch_np.float64)"
    assert repr(torch.ones(2).as_subclass(Named)) == "Named([1., 1.])"
