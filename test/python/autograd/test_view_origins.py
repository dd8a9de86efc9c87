"""In-place changes of views that autograd cannot follow: made under no_grad, in inference mode, by split() or by a Function."""
import pytest

import torch_np as torch
import torch_np.numpy as np


def leaf(*shape):
    return torch.ones(*shape, requires_grad=True)


class View(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return grad


MODES = [(torch.no_grad, "no_grad mode", "no_grad block"), (torch.inference_mode, "inference mode", "inference_mode block")]


@pytest.mark.parametrize(("mode", "name", "block"), MODES, ids=["no_grad", "inference_mode"])
@pytest.mark.parametrize("change", [lambda v: v.add_(2), lambda v: v.transpose_(0, 1), lambda v: v.copy_(leaf(1, 2, 3)),
                                    lambda v: v.__setitem__(0, 1.0), lambda v: v.squeeze_()],
                         ids=["add_", "transpose_", "copy_", "setitem", "squeeze_"])
def test_views_without_gradient_cannot_change_in_place(mode, name, block, change):
    base = leaf(1, 2, 3).clone()
    with mode():
        view = base.view_as(base)
        part = view[...]
    for v in (view, part, view[...]):
        with pytest.raises(RuntimeError, match=f"A view was created in {name} and is being modified inplace.*{block}"):
            change(v)
    with mode():
        change(view)


@pytest.mark.parametrize(("mode", "name", "block"), MODES, ids=["no_grad", "inference_mode"])
def test_a_base_that_changes_after_its_view(mode, name, block):
    base = leaf(2, 3).clone()
    with mode():
        view = base.view(-1)
    assert view.grad_fn is None
    base.mul_(leaf(3))
    message = f"A view was created in {name} and its base or another view of its base has been modified inplace"
    for use in (lambda: view.grad_fn, lambda: view.is_leaf, lambda: view * leaf(6), lambda: view[0] * leaf(1)):
        with pytest.raises(RuntimeError, match=message):
            use()
    with torch.no_grad():   # a use that is not recorded
        assert (view * 2).tolist() == [2.0] * 6
    assert not view.detach().requires_grad and view.requires_grad in (True, False)
    again = base.detach().view(-1)
    assert (again * leaf(6)).requires_grad


def test_a_base_that_changes_without_being_recorded():
    base = leaf(2).clone()
    with torch.no_grad():
        view = base[:]
        base.mul_(2)
    assert (view * leaf(2)).sum().item() == 4 and view.grad_fn is None


def test_arrays_follow_the_rules_of_no_grad():
    base = np.ones(3, _requires_grad=True) * 1
    with torch.no_grad():
        view = base[:2]
    with pytest.raises(RuntimeError, match="created in no_grad mode and is being modified inplace"):
        view += 1
    base *= np.ones(3, _requires_grad=True)
    with pytest.raises(RuntimeError, match="its base or another view of its base has been modified"):
        view * 2


@pytest.mark.parametrize(("mode", "name", "block"), MODES, ids=["no_grad", "inference_mode"])
def test_a_view_of_a_view(mode, name, block):
    base = torch.zeros(2)
    with mode():
        view = base.view(2)
    view.requires_grad_()
    inner = view.view(2)
    with pytest.raises(RuntimeError, match=f"Output 0 of ViewBackward0 is a view of a view which was created in {name} and is being modified"):
        inner /= 2


def test_views_that_do_not_require_grad_and_get_a_gradient():
    for view in (View.apply(torch.ones(1, 2)), View.apply(torch.ones(1, 2))[0]):
        for change in (lambda v: v.add_(leaf(1)), lambda v: v.copy_(leaf(1))):
            with pytest.raises(RuntimeError, match="created inside a custom Function"):
                change(view)
        view.add_(1)
    row = torch.ones(2, 2).unbind()[0]
    with pytest.raises(RuntimeError, match="function that returns multiple views"):
        row.copy_(leaf(2))
    row.copy_(torch.zeros(2))
    column = torch.zeros(1, 2)
    column.select(1, 0).copy_(leaf(1))
    column.sum().backward()


def test_the_origin_of_a_view_outlives_a_change_of_its_base():
    base = leaf(2, 2).clone()
    row = base.unbind()[0]
    base.mul_(2)
    with pytest.raises(RuntimeError, match="function that returns multiple views"):
        row.mul_(2)


def test_inference_tensors_do_not_change_outside_of_the_mode():
    with torch.inference_mode():
        made, tracked = torch.ones(2, 3), leaf(2, 3)
        tracked.add_(1), tracked.resize_(3, 2)
        assert tracked.is_inference() and tracked.requires_grad
    view = tracked.view(-1)
    assert view.is_inference() and not view.requires_grad and view.is_leaf and not view._is_view()
    for change in (lambda: made.add_(1), lambda: made.transpose_(0, 1), lambda: made.fill_(0), lambda: made.zero_(), lambda: made.__setitem__(0, 1),
                   lambda: torch.mul(torch.ones(2, 3), 2, out=made), lambda: torch.sum(torch.ones(2, 2, 3), 0, out=made), lambda: made.copy_(torch.ones(3)),
                   lambda: torch.matmul(torch.ones(2, 2), torch.ones(2, 3), out=made), lambda: made[0].add_(1), lambda: made.squeeze_(),
                   lambda: made.index_fill_(0, torch.tensor([0]), 1.0), lambda: made.clamp_(0), lambda: made.random_(), lambda: made.resize_(6)):
        for mode in (torch.enable_grad, torch.no_grad):
            with mode(), pytest.raises(RuntimeError, match="Inplace update to inference tensor outside InferenceMode"):
                change()
    assert made.tolist() == [[1.0] * 3] * 2
    with torch.inference_mode():
        made.add_(1)
    assert made.sum().item() == 12


CHANGES = {
    "setitem": lambda v: v.__setitem__(0, 1.0), "slice": lambda v: v.__setitem__(slice(0, 1), 1.0), "mask": lambda v: v.__setitem__(v > 5, 1.0),
    "array": lambda v: v.__setitem__([0], 1.0), "number": lambda v: v.__iadd__(1), "tensor": lambda v: v.__imul__(v.detach() if hasattr(v, "detach") else v._detach()),
}
OF_TENSORS = {
    "fill_": lambda v: v.fill_(1.0), "zero_": lambda v: v.zero_(), "copy_": lambda v: v.copy_(torch.ones(4)), "clamp_": lambda v: v.clamp_(0, 1),
    "index_fill_": lambda v: v.index_fill_(0, torch.tensor([0]), 1.0), "masked_fill_": lambda v: v.masked_fill_(torch.ones(4) > 0, 1.0),
    "scatter_": lambda v: v.scatter_(0, torch.tensor([0]), 1.0), "index_put_": lambda v: v.index_put_((torch.tensor([0]),), torch.ones(1)),
    "uniform_": lambda v: v.uniform_(), "normal_": lambda v: v.normal_(), "addcmul_": lambda v: v.addcmul_(torch.ones(4), torch.ones(4)),
    "cumsum_": lambda v: v.cumsum_(0), "out of add": lambda v: torch.add(torch.ones(4), 1, out=v), "out of sum": lambda v: torch.sum(torch.ones(2, 4), 0, out=v),
    "out of matmul": lambda v: torch.matmul(torch.ones(2), torch.ones(2, 4), out=v), "out of cat": lambda v: torch.cat([torch.ones(2)] * 2, out=v),
}
OF_ARRAYS = {
    "fill": lambda v: v.fill(1.0), "sort": lambda v: v.sort(), "partition": lambda v: v.partition(1), "put": lambda v: v.put([0], 1.0),
    "itemset": lambda v: v.flat.__setitem__(0, 1.0), "byteswap": lambda v: v.byteswap(True), "copyto": lambda v: np.copyto(v, 1.0),
    "place": lambda v: np.place(v, np.ones(4, bool), [1.0]), "putmask": lambda v: np.putmask(v, np.ones(4, bool), [1.0]),
    "fill_diagonal": lambda v: np.fill_diagonal(v.reshape(2, 2), 1.0), "put_along_axis": lambda v: np.put_along_axis(v, np.array([0]), 1.0, 0),
    "at": lambda v: np.add.at(v, [0], 1.0), "out": lambda v: np.add(np.ones(4), 1, out=v), "out of sum": lambda v: np.sum(np.ones((2, 4)), 0, out=v),
    "out of clip": lambda v: v.clip(0, 1, out=v), "shuffle": lambda v: np.random.shuffle(v), "random out": lambda v: np.random.default_rng(0).random(out=v),
    "take out": lambda v: np.ones(4).take([0, 1, 2, 3], out=v), "nan_to_num": lambda v: np.nan_to_num(v, copy=False),
}


@pytest.mark.parametrize("change", [*CHANGES.values(), *OF_TENSORS.values()], ids=[*CHANGES, *OF_TENSORS])
def test_every_change_of_a_view_of_a_tensor_is_refused(change):
    base = torch.arange(4.0, requires_grad=True).clone()
    with torch.no_grad():
        view = base[:]
    with pytest.raises(RuntimeError, match="created in no_grad mode|don't support automatic differentiation"):
        change(view)
    assert base.tolist() == [0.0, 1.0, 2.0, 3.0]


@pytest.mark.parametrize("change", [*CHANGES.values(), *OF_ARRAYS.values()], ids=[*CHANGES, *OF_ARRAYS])
def test_every_change_of_a_view_of_an_array_is_refused(change):
    base = np.arange(4.0, _requires_grad=True) * 1
    with torch.no_grad():
        view = base[:]
    with pytest.raises(RuntimeError, match="created in no_grad mode|support automatic differentiation"):
        change(view)
    assert base.tolist() == [0.0, 1.0, 2.0, 3.0]
