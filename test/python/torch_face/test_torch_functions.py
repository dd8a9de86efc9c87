"""Functions and methods of torch_np beyond the golden cases: printing, files, modes, storages,
hooks."""
import gc
import warnings
import weakref

import numpy
import pytest

import torch_np
import torch_np.numpy as np
from torch_np._torch import tensor_str as _tensor_str


@pytest.fixture
def options():
    names = ("precision", "threshold", "edgeitems", "linewidth", "sci_mode")
    before = {n: getattr(_tensor_str._Options, n) for n in names}
    yield
    for n, value in before.items():
        setattr(_tensor_str._Options, n, value)


def test_printing(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert repr(torch_np.tensor([1e300, 1e-300], dtype=torch_np.float64)) == "tensor([1.0000e+300, 1.0000e-300], dtype=torch_np.float64)"
    x = torch_np.tensor([1.23456, 2.0])
    torch_np.set_printoptions(precision=2)
    assert repr(x) == "tensor([1.23, 2.00])"
    torch_np.set_printoptions(precision=2, sci_mode=True)
    assert repr(x) == "tensor([1.23e+00, 2.00e+00])"
    torch_np.set_printoptions(threshold=3, edgeitems=1, linewidth=80)
    assert repr(torch_np.arange(5)).replace(" ", "") == "tensor([0,...,4])"
    torch_np.set_printoptions(profile="full")
    assert "..." not in repr(torch_np.arange(2000))
    torch_np.set_printoptions(profile="default", linewidth=20)
    assert repr(torch_np.arange(10)).count("\n") >= 2
    with pytest.raises(ValueError, match="profile"):
        torch_np.set_printoptions(profile="long")


def test_from_file(tmp_path):
    path = tmp_path / "numbers"
    shared = torch_np.from_file(str(path), shared=True, size=4)
    shared.fill_(2)
    assert path.stat().st_size == 16 and torch_np.from_file(str(path), size=4).tolist() == [2, 2, 2, 2]
    private = torch_np.from_file(str(path), shared=False, size=2, dtype=torch_np.float32)
    private[0] = 9
    assert shared[0] == 2
    for size in (5, 0):
        with pytest.raises(RuntimeError):
            torch_np.from_file(str(path), size=size)
    with pytest.raises(RuntimeError, match="CPU"):
        torch_np.from_file(str(path), size=1, device="meta")


def test_inference_mode():
    x = torch_np.ones(2, requires_grad=True)
    with torch_np.inference_mode():
        assert torch_np.is_inference_mode_enabled() and not (x * 2).requires_grad
        with torch_np.inference_mode(False):
            assert not torch_np.is_inference_mode_enabled() and (x * 2).requires_grad
        assert torch_np.is_inference_mode_enabled() and not torch_np.is_grad_enabled()
    assert not torch_np.is_inference_mode_enabled() and torch_np.is_grad_enabled()
    with torch_np.no_grad(), torch_np.inference_mode(False):
        assert not torch_np.is_grad_enabled()

    @torch_np.inference_mode
    def doubled(x):
        return x * 2
    assert not doubled(x).requires_grad


def test_complex_halves_and_options_of_gradcheck_say_that_they_are_not_there():
    assert torch_np.compile(len, disable=True) is len and torch_np.compile(disable=True)(len) is len
    with pytest.raises(NotImplementedError, match="complex32"):
        torch_np.ones(2).chalf()
    with pytest.raises(AssertionError, match="check_batched_forward_grad"):
        torch_np.autograd.gradcheck(lambda x: x, (torch_np.ones(1, dtype=torch_np.float64, requires_grad=True),), check_batched_forward_grad=True)


def test_cond_wants_functions_and_one_truth():
    for arguments in ((torch_np.ones(2), len, len), (True, 1, len), (True, len, len, 3)):
        with pytest.raises(RuntimeError):
            torch_np.cond(*arguments)


def test_set_reaches_no_memory_that_is_not_there():
    memory = torch_np.arange(6.0).untyped_storage()
    for offset, size, stride in ((4, (3,), (1,)), (0, (2,), (6,)), (7, (0,), (1,)), (-1, (1,), (1,)), (0, (2,), (-1,)), (0, (2**62,), (4,)),
                                 (2**62, (1,), (1,)), (0, (2, 2), (1,))):
        with pytest.raises(RuntimeError):
            torch_np.empty(0).set_(memory, offset, size, stride)
    x = torch_np.ones(2, requires_grad=True)
    for call in (lambda: x.set_(memory), lambda: (x * 2).set_(memory), lambda: torch_np.empty(0, dtype=torch_np.int64).set_(torch_np.ones(2))):
        with pytest.raises(RuntimeError):
            call()
    with pytest.raises(TypeError):
        torch_np.empty(0).set_([1, 2])


def test_storages():
    made = torch_np.UntypedStorage(4)
    made.fill_(7)
    made[1] = 3
    assert list(made) == [7, 3, 7, 7] and made[0:2].tolist() == [7, 3] and len(made) == made.nbytes() == made.size() == 4
    assert made.resize_(6).tolist()[:4] == [7, 3, 7, 7] and made.resize_(2).tolist() == [7, 3] and made.nbytes() == 2
    x = torch_np.arange(3.0)
    assert x.untyped_storage() == x[1:].untyped_storage() != torch_np.arange(3.0).untyped_storage()
    copied = x.untyped_storage().clone().copy_(torch_np.ones(3).untyped_storage())
    assert torch_np.empty(0).set_(copied).tolist() == [1, 1, 1] and x.tolist() == [0, 1, 2]
    typed = torch_np.TypedStorage([1, 2], dtype=torch_np.int16)
    assert (typed.size(), typed.nbytes(), typed.element_size(), typed.tolist(), typed.dtype) == (2, 4, 2, [1, 2], torch_np.int16)
    assert "6 elements" in repr(torch_np.ones(6).storage()) and "24 bytes" in repr(torch_np.ones(6).untyped_storage())


def test_resize_keeps_what_was_and_views_keep_their_memory():
    x = torch_np.arange(4.0)
    view = x[:2]
    assert x.resize_(2, 3)[0].tolist() == [0, 1, 2] and view.tolist() == [0, 1]
    x.fill_(5)
    assert view.tolist() == [0, 1]
    y = torch_np.ones(2, requires_grad=True) * 2
    with pytest.raises(RuntimeError):
        y.resize_(3)


def test_hooks_after_accumulation_in_order_and_without_leaks():
    x, seen = torch_np.ones(2, requires_grad=True), []
    first = x.register_post_accumulate_grad_hook(lambda p: seen.append(("first", p is x, p.grad.tolist())))
    x.register_post_accumulate_grad_hook(lambda p: first.remove())
    x.register_post_accumulate_grad_hook(lambda p: seen.append("third"))
    (x * 2).sum().backward()
    (x * 2).sum().backward()
    assert seen == [("first", True, [2, 2]), "third", "third"] and x.grad.tolist() == [4, 4]
    torch_np.autograd.grad((x * 2).sum(), x)
    assert len(seen) == 3

    class Owner:
        pass
    owner = Owner()
    owner.x = torch_np.ones(1, requires_grad=True)
    owner.x.register_post_accumulate_grad_hook(lambda p, owner=owner: None)
    known = weakref.ref(owner)
    del owner
    gc.collect()
    assert known() is None


def test_errors_in_hooks_after_accumulation():
    x = torch_np.ones(2, requires_grad=True)
    x.register_post_accumulate_grad_hook(lambda p: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        x.sum().backward()
    with pytest.raises(TypeError):
        x.register_post_accumulate_grad_hook(3)


def test_gradients_that_differ_between_runs_are_noticed():
    calls = []

    class Wavering(torch_np.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            calls.append(1)
            return grad * (1 + 1e-7 * len(calls))
    x = torch_np.ones(2, dtype=torch_np.float64, requires_grad=True)
    with pytest.raises(torch_np.autograd.GradcheckError, match="nondet_tol"):
        torch_np.autograd.gradcheck(Wavering.apply, (x,))
    assert torch_np.autograd.gradcheck(Wavering.apply, (x,), nondet_tol=1e-3)


@pytest.mark.parametrize("layer", ["Dropout", "AlphaDropout", "FeatureAlphaDropout"])
def test_dropout_in_place_overwrites_its_input(layer):
    for inplace in (False, True):
        x = torch_np.ones(20, 30, 2)
        y = getattr(torch_np.nn, layer)(0.5, inplace=inplace)(x)
        assert (y.data_ptr() == x.data_ptr()) == inplace == (not (x == 1).all()) and not (y == 1).all()


# ------------------------------------------------------------------------------------------------------------- bools

@pytest.mark.parametrize("name", ["conj", "conj_physical", "sgn", "sign"])
def test_conjugates_and_signs_of_bools_are_bools(name):
    x = torch_np.tensor([True, False])
    for result in (getattr(torch_np, name)(x), getattr(x, name)(), torch_np.compile(getattr(torch_np, name))(x)):
        assert result.dtype == torch_np.bool and result.tolist() == [True, False]
    y = np.array([True, False])  # NumPy's rules
    if name == "conj":
        assert np.conj(y).dtype == numpy.conj(numpy.array([True])).dtype
    if name == "sign":
        with pytest.raises(TypeError, match="sign"):
            np.sign(y)


@pytest.mark.parametrize("name", ["bartlett_window", "blackman_window", "hamming_window", "hann_window", "kaiser_window"])
def test_windows_in_pinned_memory(name):
    make = getattr(torch_np, name)
    for n in (1, 5):
        if torch_np.cuda.is_available():
            window = make(n, device="cpu", pin_memory=True, requires_grad=True)
            assert window.is_pinned() and window.requires_grad and window.is_leaf and window.tolist() == make(n, device="cpu").tolist()
        else:
            with pytest.raises(RuntimeError, match="CUDA is not available"):
                make(n, device="cpu", pin_memory=True)
        assert not make(n, device="cpu").is_pinned()


def test_type_takes_legacy_classes():
    x = torch_np.tensor([1.5, 2.0])
    assert x.type(torch_np.FloatTensor) is x and x.type(torch_np.LongTensor).tolist() == [1, 2]
    assert x.type(torch_np.LongTensor).dtype == torch_np.int64 and x.type("torch.DoubleTensor").dtype == torch_np.float64
